"""One PostgreSQL server process: find the one that runs, start one, ask it, stop it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from .cluster import environment
from .status import Problem

PORT = 5432
SOCKET_FILE = f".s.PGSQL.{PORT}"

# The one question that a server answers before any login, with yes or no.
_ENCRYPTION_REQUEST = (8).to_bytes(4, "big") + (80877103).to_bytes(4, "big")


class PidFile(NamedTuple):
    """What a server writes about itself into its data directory."""

    pid: int
    socket: Path | None
    state: str


def read_pid_file(data: Path) -> PidFile | None:
    """The pid file, or None if there is none, or it is damaged or not written yet."""
    try:
        text = (data / "postmaster.pid").read_bytes()
        lines = [*os.fsdecode(text).split("\n"), *[""] * 8]
        pid = int(lines[0])
    except (OSError, ValueError):
        return None
    if not 0 < abs(pid) < 2**31:
        return None
    return PidFile(pid, Path(lines[4]) if lines[4] else None, lines[7].strip())


def answers(directory: Path) -> bool:
    """Whether a live server is behind the socket in this directory.

    A connection alone proves nothing: the kernel still accepts for a server that is being killed.
    """
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(2)
        try:
            probe.connect(str(directory / SOCKET_FILE))
            probe.sendall(_ENCRYPTION_REQUEST)
            return probe.recv(1) in (b"N", b"S")
        except OSError:
            return False


def is_server_of(pid: int, data: Path) -> bool:
    """Whether this live process is PostgreSQL on this data directory, not a zombie or a reused pid."""
    if sys.platform != "linux":
        command = ["/bin/ps", "-o", "stat=,command=", "-p", str(pid)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)  # noqa: S603
        line = done.stdout.strip()
        return bool(line) and not line.startswith("Z") and "postgres" in line
    try:
        process = Path(f"/proc/{pid}")
        if (process / "stat").read_bytes().rpartition(b")")[2].split()[0] in b"ZX":
            return False
        program = (process / "cmdline").read_bytes().split(b"\0")[0].rpartition(b"/")[2]
        if not program.startswith((b"postgres", b"postmaster")):
            return False
        # A server works in its data directory, and nothing else tells two servers apart so surely.
        return (process / "cwd").samefile(data)
    except PermissionError:
        return True
    except OSError:
        return False


class Postmaster:
    """A running server: our child, or one that an earlier keeper left behind."""

    def __init__(self, data: Path, pid: int, child: subprocess.Popen[bytes] | None = None) -> None:
        self.data = data
        self.pid = pid
        self._child = child

    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._child.poll() is None if self._child else is_server_of(self.pid, self.data)

    def ready(self) -> bool:
        """Whether it takes connections."""
        written = read_pid_file(self.data)
        return bool(
            written
            and written.pid == self.pid
            and written.state == "ready"
            and written.socket
            and answers(written.socket)
        )

    def stop(self) -> None:
        """Fast shutdown, and harsher ones for a server that does not obey; returns when it has ended."""
        for order, seconds in ((signal.SIGINT, 60), (signal.SIGQUIT, 10), (signal.SIGKILL, 10)):
            deadline = time.monotonic() + seconds
            with contextlib.suppress(ProcessLookupError):
                if self.alive():
                    os.kill(self.pid, order)
            while self.alive():
                if time.monotonic() > deadline:
                    break
                time.sleep(0.01)
            else:
                return


def find(data: Path, ours: list[Path]) -> Postmaster | None:
    """The server that already runs on the data directory; refuses one that listens elsewhere than we do."""
    written = read_pid_file(data)
    if written is None or not is_server_of(written.pid, data):
        for _ in range(20):
            if not any(answers(place) for place in ours):
                return None
            time.sleep(0.1)  # a server that was just killed may take a moment to let go of its socket
        raise Problem(
            f"a PostgreSQL that this machine's process list does not show answers on the socket of {data}; "
            "perhaps another container uses this folder: stop it, or choose another data folder"
        )
    if written.socket not in ours:
        raise Problem(
            f"{data} is in use by a PostgreSQL with pid {written.pid} that Recollect did not start; "
            "stop it (`pg_ctl stop -D` with that directory), or choose another data folder"
        )
    return Postmaster(data, written.pid)


def clear_stale_files(data: Path, directory: Path) -> None:
    """Remove what would keep a new server from starting; call only when ``find`` found none."""
    written = read_pid_file(data)
    if written is None:
        # PostgreSQL refuses to start over one that is empty or damaged, as a full disk or a crash can leave it.
        # Without it, nothing but we would keep a second server from the data.
        if not _is_worked_in(data):
            (data / "postmaster.pid").unlink(missing_ok=True)
    else:
        # PostgreSQL copes with a dead pid by itself, but takes a zombie or a reused pid for a server;
        # its own check of shared memory still refuses to start beside orphaned backends.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(written.pid, 0)
            (data / "postmaster.pid").unlink()
    for name in (SOCKET_FILE, f"{SOCKET_FILE}.lock"):
        (directory / name).unlink(missing_ok=True)


def _is_worked_in(data: Path) -> bool:
    """Whether a process of PostgreSQL is in this data directory, be it one that is just starting."""
    if sys.platform != "linux":
        listed = subprocess.run(["/bin/ps", "-axo", "pid="], capture_output=True, text=True, check=False).stdout
        return any(is_server_of(int(pid), data) for pid in listed.split())
    return any(is_server_of(int(one.name), data) for one in Path("/proc").iterdir() if one.name.isdigit())


def launch(binaries: Path, data: Path, directory: Path, settings: dict[str, str], log: int) -> Postmaster:
    """Start a server as our child; it is not ready yet."""
    clear_stale_files(data, directory)
    # A list of directories in PostgreSQL's own quoting, since a path may contain commas and quotes.
    quoted = '"' + str(directory).replace('"', '""') + '"'
    command = [str(binaries / "postgres"), "-D", str(data)]
    for name, value in {**settings, "unix_socket_directories": quoted, "port": str(PORT)}.items():
        command += ["-c", f"{name}={value}"]
    child = subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment(), cwd="/"
    )
    return Postmaster(data, child.pid, child)
