"""Which language models run on which hardware: questions in, answers out, with no Discord in it."""
