"""Keeps what is worked out of files in a folder of the user's own, so that the next process need not work it out again.

Nothing depends on it: where the folder cannot be used, or what lies in it is damaged or of other files, everything is worked out.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
_ANYTHING = (OSError, ValueError, EOFError, TypeError, AttributeError, ImportError, IndexError, KeyError, pickle.PickleError)
"""What reading a file of other code, and pickling what cannot be pickled, may raise."""
_SEAL_BYTES = hashlib.sha256().digest_size
_OURS = "rigcheck-"
"""How the name of our folder begins."""
_UNUSED_S = 60 * 86_400.0
"""What nobody has read for so long is of an earlier version, and goes."""


def own_folder() -> Path | None:
    """A folder under the system's temporary one that nobody else can write to; ``None`` where there is no such folder."""
    try:
        place = Path(tempfile.gettempdir())
        if not hasattr(os, "getuid"):
            # Elsewhere than on Unix the temporary folder itself is the user's own.
            return place
        folder = place / f"{_OURS}{os.getuid()}"
        with suppress(FileExistsError):
            folder.mkdir(mode=stat.S_IRWXU)
        found = folder.lstat()
    except OSError:
        return None
    own = found.st_uid == os.getuid() and stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) == stat.S_IRWXU
    return folder if own else None


def stamp(files: Iterable[Path], *versions: str) -> str:
    """What tells one content of these files from another, and one Python from another; ``versions``: of libraries too.

    Raises:
        OSError: where a file cannot be read.
    """
    digest = hashlib.sha256("\n".join((sys.version, *versions)).encode())
    for file in files:
        content = file.read_bytes()
        digest.update(f"{file.parent.name}/{file.name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def read_sealed(file: Path) -> bytes | None:
    """What :func:`write_sealed` wrote; ``None`` where it is not there, or not every bit of it is as it was written.

    Damage must not get as far as what is read out of it: one wrong bit in a pickle or in compiled code can be another answer, or
    the end of the process.
    """
    try:
        with file.open("rb") as opened:
            sealed = opened.read()
            written_at = os.fstat(opened.fileno()).st_mtime
    except OSError:
        return None
    content = sealed[_SEAL_BYTES:]
    if hashlib.sha256(content).digest() != sealed[:_SEAL_BYTES]:
        return None
    if time.time() - written_at > _UNUSED_S / 2:
        # What is in use counts as new.
        with suppress(OSError):
            file.touch()
    return content


def write_sealed(file: Path, content: bytes) -> None:
    """Keep ``content`` in the file where that is possible; whoever reads it at this moment finds all of it or none."""
    with suppress(OSError), tempfile.NamedTemporaryFile(dir=file.parent, prefix=file.stem, delete=False) as written:
        try:
            written.write(hashlib.sha256(content).digest() + content)
            written.close()
            Path(written.name).replace(file)
        except OSError:
            # On a full disk what there is of it would take the last of the room.
            Path(written.name).unlink(missing_ok=True)
    _tidy(file.parent)


@cache
def _tidy(folder: Path) -> None:
    """Once in a process that keeps something: delete what has not been used for long, in a folder that is ours alone."""
    if not folder.name.startswith(_OURS):
        return
    with suppress(OSError):
        for file in folder.iterdir():
            with suppress(OSError):
                if time.time() - file.stat().st_mtime > _UNUSED_S:
                    file.unlink()


def recalled(name: str, of: str) -> Any:
    """What :func:`keep` kept under a name, of the same; ``None`` where there is nothing, or nothing whole, of just that.

    Args:
        name: of the file that it is kept in.
        of: the :func:`stamp` of everything that it was made of, the code that made it included; nothing is kept under no stamp.
    """
    folder = own_folder() if of else None
    content = read_sealed(folder / f"{name}.pickle") if folder else None
    if content and content.startswith(of.encode()):
        with suppress(*_ANYTHING):
            return pickle.loads(memoryview(content)[len(of) :])  # noqa: S301 - nobody else can write to this folder
    return None


def keep(name: str, of: str, made: object) -> None:
    """Keep what was made, where that is possible; see :func:`recalled`."""
    folder = own_folder() if of else None
    if folder:
        with suppress(*_ANYTHING):
            write_sealed(folder / f"{name}.pickle", of.encode() + pickle.dumps(made, protocol=pickle.HIGHEST_PROTOCOL))


def kept(name: str, of: str, make: Callable[[], T], still: Callable[[], bool] = lambda: True) -> T:
    """What ``make`` makes, which is never ``None``, recalled where it was made before of the same.

    Args:
        name: as for :func:`recalled`.
        of: likewise.
        make: makes it; what it raises is raised, and nothing is kept.
        still: whether, now that it is made, the stamp is still that of what it is made of; where it is not, nothing is kept.
    """
    found = recalled(name, of)
    if found is not None:
        return found
    made = make()
    with suppress(OSError):
        if still():
            keep(name, of, made)
    return made
