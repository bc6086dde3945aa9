"""Closing a folder: let go, and if nobody else holds it, wait until its server has ended."""

from __future__ import annotations

import time
from pathlib import Path

from recollect.errors import Unavailable

from .keeper import locks
from .server import PART
from .share import Share

_PATIENCE = 90.0
_LOOKS = 4


def leave(folder: Path, share: Share) -> None:
    """Release the share; return when others own the folder, or when its server has stopped."""
    from .opening import spawn_keeper

    share.release()
    deadline = time.monotonic() + _PATIENCE
    keeper, swept = folder / locks.KEEPER, False
    while not _owned_by_others(folder / locks.OWNERS):
        if locks.is_free(keeper, exclusive=False):
            # A keeper that ended by itself stopped its server first; one that was killed left it running,
            # and a new keeper that finds no owner stops it.
            if swept or share.orders is None or not (folder / "postgres" / "postmaster.pid").exists():
                return
            spawn_keeper(share.orders)
            swept = True
        elif time.monotonic() > deadline:
            raise Unavailable(
                PART,
                f"the server of {folder} did not stop within {_PATIENCE:g} s; see {folder / 'postgres.log'}",
            )
        time.sleep(0.02)


def _owned_by_others(owners: Path) -> bool:
    """Shared but not exclusively locked, several times: one look could meet another process that looks."""
    for _ in range(_LOOKS):
        if locks.is_free(owners, exclusive=True) or not locks.is_free(owners, exclusive=False):
            return False
        time.sleep(0.01)
    return True
