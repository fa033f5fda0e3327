"""The calibrated method: memory from a model's layout, speed from measurements."""
