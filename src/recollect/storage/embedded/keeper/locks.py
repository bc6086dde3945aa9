"""File locks of the kernel: they vanish with the process that held them, however it ended."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

OWNERS = "owners.lock"
"""Held shared by every process that uses the folder, and exclusively by a keeper that stops its server."""

KEEPER = "keeper.lock"
"""Held exclusively by the keeper for as long as it lives."""


def open_lock(path: Path) -> int:
    """Open a lock file, and create it if it is missing."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def try_lock(descriptor: int, *, exclusive: bool) -> bool:
    """Take the lock if that is possible now."""
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def unlock(descriptor: int) -> None:
    """Let go of the lock."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)


def is_free(path: Path, *, exclusive: bool) -> bool:
    """Whether the lock could be taken at this moment; a missing file counts as free."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        return try_lock(descriptor, exclusive=exclusive)
    finally:
        os.close(descriptor)
