"""Giving up root: PostgreSQL refuses to run as root, and is right."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import NamedTuple

from .status import Problem

# From linux/capability.h, linux/prctl.h and linux/securebits.h.
_DAC_OVERRIDE, _DAC_READ_SEARCH = 1, 2
_SET_KEEPCAPS, _SET_SECUREBITS, _CAP_AMBIENT, _CAP_AMBIENT_RAISE = 8, 28, 47, 2
_NO_SETUID_FIXUP = 1 << 2
_CAPABILITY_VERSION_3 = 0x20080522


class Account(NamedTuple):
    """Whom PostgreSQL runs as when the opener is root."""

    uid: int
    gid: int
    capability: int | None = None
    """The one power of root that is kept, to pass folders that only root may enter."""


def become(account: Account) -> None:
    """Turn this process into the account, for good."""
    if account.capability is not None:
        # Without this the kernel hides the capability from access(2), which initdb asks.
        _prctl(_SET_SECUREBITS, _NO_SETUID_FIXUP)
        _prctl(_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setgid(account.gid)
    os.setuid(account.uid)
    if account.capability is not None:
        _keep_only(account.capability)


def fitting(account: Account, programs: list[Path], folders: list[Path]) -> Account:
    """The account with as little power as it needs to run the programs and enter the folders."""
    closed = ""
    capabilities = (None, _DAC_READ_SEARCH, _DAC_OVERRIDE) if sys.platform == "linux" else (None,)
    for capability in capabilities:
        candidate = account._replace(capability=capability)
        found = _closed_door(candidate, programs, folders)
        if not found:
            return candidate
        closed = closed or found
    raise Problem(
        f"PostgreSQL cannot run as root, and the user id {account.uid} may not enter {closed}; "
        "run as an ordinary user, or move the data folder (or the Python environment, if that is "
        "what is closed) to a place which that user can enter, or use a PostgreSQL by its address"
    )


def _closed_door(account: Account, programs: list[Path], folders: list[Path]) -> str:
    """The first path that the account cannot use; a child tries, since there is no way back to root."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        answer = "/"
        try:
            become(account)
            answer = _first_closed(programs, folders)
        finally:
            os.write(writing, os.fsencode(answer))
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = os.fsdecode(pipe.read())
    os.waitpid(child, 0)
    return answer


def _first_closed(programs: list[Path], folders: list[Path]) -> str:
    for path in [*(program.parent for program in programs), *folders]:
        for ancestor in [*reversed(path.parents), path]:
            try:
                # Not Path.stat, which would drop the dot that asks for entering and not only for seeing.
                os.stat(f"{ancestor}/.")  # noqa: PTH116
            except OSError:
                return str(ancestor)
    return next((str(p) for p in programs if not os.access(p, os.R_OK | os.X_OK)), "")


class _Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _Sets(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable")]


def _keep_only(capability: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    bit = 1 << capability
    sets = (_Sets * 2)(_Sets(bit, bit, bit), _Sets(0, 0, 0))
    if libc.capset(ctypes.byref(_Header(_CAPABILITY_VERSION_3, 0)), sets) != 0:
        raise OSError(ctypes.get_errno(), "capset")
    # Ambient, so that it passes through exec into initdb and postgres.
    _prctl(_CAP_AMBIENT, _CAP_AMBIENT_RAISE, capability)


def _prctl(option: int, *values: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    arguments = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    if libc.prctl(ctypes.c_int(option), *arguments) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option})")
