"""Where the unix socket is: in the folder, unless the kernel finds that path too long."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from pathlib import Path

from .keeper.account import Account
from .keeper.postmaster import SOCKET_FILE

_LONGEST = 107 if sys.platform == "linux" else 103


def socket_directory(folder: Path, account: Account | None) -> Path:
    """The directory of the socket; the keeper creates it, and sees that only its owner can enter."""
    if _fits(folder / "run"):
        return folder / "run"
    uid = account.uid if account else os.geteuid()
    name = f"recollect-{uid}-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}"
    places = [Path(tempfile.gettempdir()), Path("/tmp")]  # noqa: S108
    own = os.environ.get("XDG_RUNTIME_DIR")
    # Root's own runtime folder is closed to the account that PostgreSQL runs as.
    if own and account is None and Path(own).is_dir():
        places.insert(0, Path(own))
    return next((place / name for place in places if _fits(place / name)), places[-1] / name)


def _fits(directory: Path) -> bool:
    return len(os.fsencode(directory / SOCKET_FILE)) <= _LONGEST
