"""One hierarchy of errors: what the asker did wrong, and what is wrong with our data."""

from __future__ import annotations


class RigcheckError(Exception):
    """Base of every error that is raised on purpose; its text is one clear sentence."""


class UsageError(RigcheckError):
    """The input cannot be answered as it stands: exit code 2 on the command line."""


class DataError(RigcheckError):
    """A file of ours (catalogue, sources, locale) is missing, damaged or inconsistent: exit code 1 on the command line."""
