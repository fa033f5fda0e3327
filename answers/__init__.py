"""Which language models run on which hardware: questions in, answers out, with no Discord in it.

The front door is :class:`answers.answering.Answering`: ``await Answering.open()``, then ``ask("can I run PolyCoder on 8 GB?")``.
"""
