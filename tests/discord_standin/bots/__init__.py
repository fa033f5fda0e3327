"""Small bots that the stand-in is tested with: one that behaves, and some that do not."""
