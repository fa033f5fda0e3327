"""The numbers: memory, speed and fit, as pure functions."""
