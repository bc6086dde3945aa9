"""This process's share in a folder: a lock that says "somebody still needs the server"."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from recollect.errors import Unavailable

from .keeper import locks
from .keeper.main import Orders
from .server import PART


class Share:
    """The shared lock, on a file description of its own, so that one process may open a folder twice."""

    def __init__(self) -> None:
        self._file: int | None = None
        self._process = os.getpid()
        self._guard = threading.Lock()
        self.orders: Orders | None = None
        """What a keeper needs that has to finish for one that was killed."""

    def take(self, folder: Path, patience: float, abandoned: threading.Event) -> None:
        """Wait while a keeper is stopping the server, then hold the lock."""
        deadline = time.monotonic() + patience
        file = locks.open_lock(folder / locks.OWNERS)
        try:
            while not locks.try_lock(file, exclusive=False):
                if time.monotonic() > deadline:
                    raise Unavailable(
                        PART,
                        f"the server of {folder} has been stopping for more than {patience:g} s; "
                        f"see {folder / 'postgres.log'}, and try again when it has ended",
                    )
                if abandoned.wait(0.02):
                    break
        except BaseException:
            os.close(file)
            raise
        self._file = file

    def forked(self) -> bool:
        """Whether this is a copy in a child of the process that holds the lock."""
        return os.getpid() != self._process

    def release(self) -> None:
        """Let go; harmless when it is done already."""
        with self._guard:
            file, self._file = self._file, None
        if file is None:
            return
        # A forked child shares the lock with its parent and must not release it for both.
        if not self.forked():
            locks.unlock(file)
        os.close(file)
