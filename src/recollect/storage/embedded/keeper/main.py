"""The keeper's life from its lock to its last word."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import stat
import sys
import time
from pathlib import Path
from typing import NamedTuple

from . import cluster, locks, postmaster
from .account import Account, become, fitting
from .status import Problem, Report
from .supervise import Server, supervise

_LOG_LIMIT = 10 * 2**20
_LOCK_PATIENCE = 1.0


class Orders(NamedTuple):
    """What the opener asks for, as one JSON argument."""

    folder: Path
    binaries: Path
    socket: Path
    settings: dict[str, str]
    account: tuple[int, int] | None
    token: str

    def dumps(self) -> str:
        """As an argument for the command line."""
        return json.dumps(self._asdict(), default=str)

    @classmethod
    def loads(cls, text: str) -> Orders:
        """Back from the argument."""
        fields = json.loads(text)
        return cls(**fields | {name: Path(fields[name]) for name in ("folder", "binaries", "socket")})


def main() -> int:
    """Return once the keeper has its lock and works in the background, or once it is not needed."""
    orders = Orders.loads(sys.argv[1])
    lock = locks.open_lock(orders.folder / locks.KEEPER)
    deadline = time.monotonic() + _LOCK_PATIENCE
    # An opener that only asks whether the lock is free holds it for an instant.
    while not locks.try_lock(lock, exclusive=True):
        if time.monotonic() > deadline:
            return 0
        time.sleep(0.02)
    try:
        report = Report(orders.folder, orders.token)
        report.say("checking")
    except OSError as error:
        sys.stderr.write(_explain(error, orders.folder))
        return 1
    if os.fork():
        # The lock lives on in the child; init becomes its parent, so the opener has nobody to reap.
        os._exit(0)
    _leave_terminal()
    try:
        report.say("checking")
        keep(orders, report)
        report.say("stopped")
    except Problem as problem:
        report.say("failed", str(problem))
    except OSError as error:
        report.say("failed", _explain(error, orders.folder))
    except BaseException as error:
        report.say("failed", f"the keeper of {orders.folder} ended: {type(error).__name__}: {error}")
        raise
    return 0


def keep(orders: Orders, report: Report) -> None:
    """Everything that needs root comes first, then root is given up, then the server is watched."""
    folder, data = orders.folder, orders.folder / "postgres"
    owners = locks.open_lock(folder / locks.OWNERS)
    version = cluster.version_of(orders.binaries)
    found = postmaster.find(data, [orders.socket, folder / "run"])
    if found is None and locks.try_lock(owners, exclusive=True):
        return
    account = Account(*orders.account) if orders.account else None
    make_private(orders.socket, account)
    log = _open_log(folder, account, rotate=found is None)
    if account:
        report.own(account.uid, account.gid)
        programs = [orders.binaries / name for name in ("postgres", "initdb")]
        account = fitting(account, programs, [folder, orders.socket])
    fresh = found is None and not os.path.lexists(data)
    if found is None:
        cluster.sweep(folder)
    if fresh:
        report.say("initdb", version=version)
        cluster.create(folder, orders.binaries, version, account)
    elif found is None:
        cluster.check(data, version)
    if account:
        become(account)
    server = Server(folder, orders.binaries, version, orders.socket, orders.settings, log)
    supervise(server, found, owners, report, fresh=fresh)
    if orders.socket.parent != folder:
        with contextlib.suppress(OSError):
            orders.socket.rmdir()


def make_private(directory: Path, account: Account | None) -> None:
    """Create the socket's directory so that only its owner can enter, or refuse one that is not like that."""
    uid, gid = (account.uid, account.gid) if account else (os.geteuid(), os.getegid())
    try:
        directory.mkdir(mode=0o700)
        os.chown(directory, uid, gid)
    except FileExistsError:
        seen = directory.lstat()
        if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != uid or seen.st_mode & 0o077:
            raise Problem(
                f"{directory} must be a directory that only user id {uid} can enter, and it is not "
                f"(owner {seen.st_uid}, mode {stat.filemode(seen.st_mode)}); remove it and try again"
            ) from None


def _explain(error: OSError, folder: Path) -> str:
    if error.errno == errno.ENOSPC:
        return f"the disk of {folder} is full; free at least {cluster.NEEDED_MB} MB, and open it again"
    return (
        f"{error.strerror}: {error.filename or folder}; "
        "make the data folder writable for this user, or choose another one"
    )


def _open_log(folder: Path, account: Account | None, *, rotate: bool) -> int:
    path = folder / "postgres.log"
    if rotate and path.exists() and path.stat().st_size > _LOG_LIMIT:
        path.rename(folder / "postgres.log.1")
    log = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    if account:
        os.fchown(log, account.uid, account.gid)
    return log


def _leave_terminal() -> None:
    os.chdir("/")
    os.umask(0o077)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
