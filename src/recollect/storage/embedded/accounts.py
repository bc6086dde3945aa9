"""Whom PostgreSQL runs as."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

from recollect.errors import Unavailable

from .keeper.account import Account
from .server import PART


def choose_account(folder: Path, run_as: str | None) -> Account | None:
    """The account to run as if we are root; None for an ordinary user, who runs it as himself."""
    data = folder / "postgres"
    owner = _account_of(data)
    wanted = _named(run_as) if run_as else None
    if os.geteuid() != 0:
        wanted = Account(os.geteuid(), os.getegid())
    if owner and wanted and owner.uid != wanted.uid:
        raise Unavailable(
            PART,
            f"{data} belongs to {_name(owner.uid)}, and PostgreSQL would run as {_name(wanted.uid)}; "
            f"run as {_name(owner.uid)}, or choose another data folder",
        )
    if os.geteuid() != 0:
        if run_as and _named(run_as).uid != os.geteuid():
            raise Unavailable(
                PART,
                f"only root can run PostgreSQL as {run_as!r}; leave RECOLLECT_POSTGRES_USER out, or start as root",
            )
        return None
    chosen = wanted or owner or _owner_of_parent(folder) or _named("nobody")
    if chosen.uid == 0:
        raise Unavailable(
            PART,
            f"PostgreSQL refuses to run as root, and {data if owner else 'RECOLLECT_POSTGRES_USER'} says root; "
            "give the folder and its contents to another user, or set RECOLLECT_POSTGRES_USER to one",
        )
    return chosen


def _owner_of_parent(folder: Path) -> Account | None:
    parent = folder.parent
    while not parent.exists():
        parent = parent.parent
    account = _account_of(parent)
    if account is None or account.uid == 0:
        return None
    try:
        # initdb refuses a user without a name, which is common for folders mounted into a container.
        pwd.getpwuid(account.uid)
    except KeyError:
        return None
    return account


def _account_of(path: Path) -> Account | None:
    try:
        seen = path.stat()
    except FileNotFoundError:
        return None
    return Account(seen.st_uid, seen.st_gid)


def _named(name: str) -> Account:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        raise Unavailable(
            PART, f"there is no user {name!r} on this machine; set RECOLLECT_POSTGRES_USER to one that exists"
        ) from None
    return Account(entry.pw_uid, entry.pw_gid)


def _name(uid: int) -> str:
    try:
        return f"the user {pwd.getpwuid(uid).pw_name!r}"
    except KeyError:
        return f"the user id {uid}"
