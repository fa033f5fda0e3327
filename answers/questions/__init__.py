"""From text to a question."""
