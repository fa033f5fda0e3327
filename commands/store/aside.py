"""Files that were found damaged: kept aside for whoever wants to repair them, and deleted after so many days (docs/privacy.md)."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from answers.errors import DataError

KEPT_DAYS: Final = 14
_MARK: Final = ".damaged-"
_STAMP: Final = "%Y%m%dT%H%M%SZ"
_BESIDE: Final = ("-wal", "-shm", "-journal")
_LOG = logging.getLogger("rigcheck")


def keep_aside(path: Path, now: datetime | None = None) -> Path:
    """Give a damaged file, with what SQLite keeps beside it, another name in the same folder, which holds the time; the name.

    Raises:
        DataError: where it cannot be renamed.
    """
    name = f"{path.name}{_MARK}{now or datetime.now(UTC):{_STAMP}}"
    aside = path.with_name(name)
    for number in range(2, 1000):
        if not aside.exists():
            break
        aside = path.with_name(f"{name}-{number}")
    try:
        for beside in _BESIDE:
            file = path.with_name(path.name + beside)
            if file.exists():
                file.rename(aside.with_name(aside.name + beside))
        return path.rename(aside)
    except OSError as error:
        raise DataError(f"{path}: damaged, and cannot be kept aside as {aside.name}: {error.strerror}") from error


def kept_aside(path: Path) -> dict[Path, datetime]:
    """What is kept aside of a file, and until when; files that somebody else named are left alone."""
    found: dict[Path, datetime] = {}
    prefix = f"{path.name}{_MARK}"
    for file in path.parent.iterdir():
        if not file.name.startswith(prefix):
            continue
        stamp = file.name.removeprefix(prefix).partition("-")[0]
        try:
            since = datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
        except ValueError:
            continue
        found[file] = since + timedelta(days=KEPT_DAYS)
    return found


def delete_old(path: Path, now: datetime | None = None) -> None:
    """Delete what has been kept aside for long enough; what cannot be deleted is said in the log."""
    for file, until in kept_aside(path).items():
        if until <= (now or datetime.now(UTC)):
            try:
                file.unlink(missing_ok=True)
                _LOG.info("a damaged state was deleted", extra={"file": file.name})
            except OSError as error:
                _LOG.warning("a damaged state could not be deleted", extra={"file": file.name, "fault": str(error)})
