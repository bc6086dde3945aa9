"""The keeper's loop: bring the server up, restart it when it dies, stop it when nobody owns it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from .cluster import environment, free_megabytes
from .locks import try_lock
from .postmaster import Postmaster, find, launch, read_pid_file
from .status import Problem, Report

_POLL = 0.1
_POLL_STARTING = 0.02
_MOST_FAILED_STARTS = 4
_LEAVING = 30.0
_FULL_MB = 20
_LEAVING_MESSAGES = ("pre-existing shared memory block", "is already in use", "already exists")


class Bell:
    """Wakes the loop on the signals that matter, and remembers whether one asked us to stop."""

    def __init__(self) -> None:
        self.stop_asked = False
        self._reading, writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        signal.signal(signal.SIGCHLD, self._hear)
        for order in (signal.SIGTERM, signal.SIGINT):
            signal.signal(order, self._ask)

    def _hear(self, *_: object) -> None:
        """A handler that does nothing still lets the signal wake us, which the default does not."""

    def _ask(self, *_: object) -> None:
        self.stop_asked = True

    def wait(self, seconds: float) -> None:
        """Sleep until a signal comes or the time is over."""
        if select.select([self._reading], [], [], seconds)[0]:
            os.read(self._reading, 512)


class Server(NamedTuple):
    """What the supervisor needs to start the server again."""

    folder: Path
    binaries: Path
    version: str
    socket: Path
    settings: dict[str, str]
    log: int

    @property
    def data(self) -> Path:
        """The data directory."""
        return self.folder / "postgres"

    def start(self) -> Postmaster:
        """Launch it, unless one runs already."""
        found = find(self.data, [self.socket, self.folder / "run"])
        return found or launch(self.binaries, self.data, self.socket, self.settings, self.log)


class Patience:
    """Decides after each unexpected end how long to wait before the next try, or that it is enough."""

    def __init__(self, folder: Path, free: Callable[[Path], int] = free_megabytes) -> None:
        self._folder = folder
        self._free = free
        self._failed = 0
        self._first = 0.0

    def after_end(self, said: str, *, was_ready: bool) -> float:
        """Seconds to wait before another try; raises Problem when trying again is pointless."""
        now = time.monotonic()
        if was_ready:
            self._failed = 0
            return 0.1
        if self._failed == 0:
            self._first = now
        self._failed += 1
        if any(message in said for message in _LEAVING_MESSAGES) and now - self._first < _LEAVING:
            return 0.1
        if "could not resize shared memory" in said:
            raise Problem("shared memory (/dev/shm) is full; give the container more with --shm-size=256m")
        free = self._free(self._folder)
        if "No space left on device" in said or free < 1:
            raise Problem(
                f"the disk of {self._folder} is full ({free} MB free), so PostgreSQL cannot run; "
                f"free at least {_FULL_MB} MB and open it again, nothing that was stored is lost"
            )
        if self._failed >= _MOST_FAILED_STARTS:
            grave = [line for line in said.splitlines() if "FATAL:" in line or "PANIC:" in line]
            words = " ".join(line.partition("] ")[2] or line for line in grave[-2:])
            raise Problem(
                f"PostgreSQL could not start, {self._failed} times in a row; it says: {words or 'nothing'} "
                f"(more in {self._folder / 'postgres.log'})"
            )
        return 0.1 * 2**self._failed


def supervise(server: Server, found: Postmaster | None, owners: int, report: Report, *, fresh: bool) -> None:
    """Keep the server running while somebody owns the folder; on return it has stopped."""
    bell = Bell()
    patience = Patience(server.folder)
    running, ready, syncing = found, False, None
    log_start, resume = _size(server.log), 0.0
    try:
        while not bell.stop_asked and not try_lock(owners, exclusive=True):
            if running is None and time.monotonic() >= resume:
                report.say("starting", version=server.version)
                log_start = _size(server.log)
                running = server.start()
            elif running is not None and not running.alive():
                said = _said_since(server.log, log_start)
                resume = time.monotonic() + patience.after_end(said, was_ready=ready)
                running, ready = None, False
            elif running is not None and not ready and running.ready():
                ready = True
                written = read_pid_file(server.data)
                place = (written and written.socket) or server.socket
                report.say("ready", socket=str(place), version=server.version, postmaster=running.pid)
                if fresh:
                    syncing, fresh = _sync(server), False
            if syncing is not None and syncing.poll() is not None:
                syncing = None
            bell.wait(_POLL if ready else _POLL_STARTING)
    finally:
        if running is not None:
            running.stop()
        if syncing is not None:
            syncing.wait()


def _sync(server: Server) -> subprocess.Popen[bytes]:
    """Flush the files that initdb did not, while the first owner already works."""
    return subprocess.Popen(  # noqa: S603
        [server.binaries / "initdb", "--sync-only", "-D", server.data],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=server.log,
        env=environment(),
        cwd="/",
    )


def _size(log: int) -> int:
    return os.fstat(log).st_size


def _said_since(log: int, start: int) -> str:
    """The end of what the server wrote since it was started."""
    return os.pread(log, 65536, max(start, _size(log) - 65536)).decode(errors="replace")
