"""Where a data folder can be."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from recollect.errors import Unavailable

from .server import PART


def check_place(folder: Path) -> Path:
    """Refuse a path where no data folder can be; returns the nearest folder that is there, perhaps itself."""
    if any(sign in str(folder) for sign in "\n\r"):
        raise Unavailable(PART, f"the path {str(folder)!r} has a line break; choose another data folder")
    try:
        there = next(path for path in (folder, *folder.parents) if _exists(path))
    except OSError as error:
        raise Unavailable(PART, explain(error, folder)) from None
    if not there.is_dir():
        raise Unavailable(PART, f"{there} is a file, not a folder; choose another data folder")
    if there != folder and not os.access(there, os.W_OK | os.X_OK):
        raise Unavailable(
            PART,
            f"{folder} cannot be made, for {there} is not writable for this user; "
            "make it writable, or choose another data folder",
        )
    return there


def holds_data(folder: Path) -> bool:
    """Whether there is a database in the folder; nothing is made or started."""
    folder = Path(os.path.realpath(folder))
    check_place(folder)
    try:
        return _exists(folder / "postgres")
    except OSError as error:
        raise Unavailable(PART, explain(error, folder)) from None


def explain(error: OSError, folder: Path) -> str:
    """What is wrong with the folder, and what to do."""
    if error.errno == errno.ENOSPC:
        return f"the disk of {folder} is full; free at least 100 MB, and open it again"
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return f"too many files are open to use {folder}; close some, or raise the limit (`ulimit -n`)"
    where = "" if error.filename in (None, str(folder)) else f": {error.filename}"
    return (
        f"cannot use the data folder {folder} ({error.strerror}{where}); "
        "make it writable for this user, or choose another one"
    )


def _exists(path: Path) -> bool:
    """Raises where it cannot be told; newer versions of ``Path.exists`` would say no."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True
