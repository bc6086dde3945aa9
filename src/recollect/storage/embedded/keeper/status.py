"""What the keeper tells the openers, in ``status.json``."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

FILE = "status.json"
SIZE = 4096


class Problem(Exception):
    """A reason why there is no server, in words for the person who can change it."""


class Status(NamedTuple):
    """The state is checking, initdb, starting, ready, failed or stopped; ``token`` names the opener."""

    state: str
    keeper: int
    token: str
    message: str = ""
    socket: str = ""
    version: str = ""
    postmaster: int = 0


class Report:
    """Writes the status in place, for then a full disk or a folder of another owner cannot prevent it."""

    def __init__(self, folder: Path, token: str) -> None:
        self._file = os.open(folder / FILE, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        self._token = token

    def own(self, uid: int, gid: int) -> None:
        """Give the file to the account that PostgreSQL runs as."""
        os.fchown(self._file, uid, gid)

    def say(
        self, state: str, message: str = "", *, socket: str = "", version: str = "", postmaster: int = 0
    ) -> None:
        """Replace the status."""
        status = Status(state, os.getpid(), self._token, message, socket, version, postmaster)
        document = json.dumps(status._asdict())
        while len(document) > SIZE:
            status = status._replace(message=status.message[: len(status.message) // 2])
            document = json.dumps(status._asdict())
        os.pwrite(self._file, document.ljust(SIZE).encode(), 0)


def read_status(folder: Path) -> Status | None:
    """The last status, or None if there is none that can be read at this moment."""
    try:
        with (folder / FILE).open("rb") as file:
            document = file.read()
            file.seek(0)
            # The keeper writes in place, so a document counts only when it reads the same twice.
            return Status(**json.loads(document)) if document == file.read() else None
    except (OSError, ValueError, TypeError):
        return None
