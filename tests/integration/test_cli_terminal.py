"""What a terminal shows, and what Ctrl-C ends."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from recollect import Recollect

#: Who runs in the background of a shell ignores interrupts; here they count.
HEARING = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from recollect.cli import main; sys.argv[0] = 'recollect'; main()"
)


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, process: subprocess.Popen[bytes], keys: int) -> None:
        self.process = process
        self.shown = ""
        self._keys = keys

    def wait_for(self, text: str) -> None:
        until = time.monotonic() + 60
        while text not in self.shown:
            assert time.monotonic() < until, self.shown
            assert self._read(0.2) or self.process.poll() is None, self.shown

    def press(self, keys: bytes) -> None:
        os.write(self._keys, keys)

    def end(self) -> int:
        """The exit code; what is shown until then is read, or it could not end."""
        until = time.monotonic() + 30
        while self.process.poll() is None:
            assert time.monotonic() < until, f"it does not end: {self.shown}"
            self._read(0.1)
        while self._read(0):
            pass
        return self.process.returncode

    def _read(self, seconds: float) -> bool:
        if not select.select([self._keys], [], [], seconds)[0]:
            return False
        with suppress(OSError):  # the other end is closed
            read = os.read(self._keys, 100_000)
            self.shown += read.decode(errors="replace")
            return bool(read)
        return False


@contextmanager
def terminal(*arguments: str, cwd: Path, dsn: str, tenant: str, columns: int = 80) -> Iterator[Terminal]:
    outer, inner = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", HEARING, *arguments],
        stdin=inner,
        stdout=inner,
        stderr=inner,
        cwd=cwd,
        env={
            **os.environ,
            "TERM": "xterm-256color",
            "COLUMNS": str(columns),
            "RECOLLECT_DATABASE": dsn,
            "RECOLLECT_TENANT": tenant,
        },
        start_new_session=True,
        # Its own terminal, so that Ctrl-C is an interrupt for it.
        preexec_fn=_take_terminal,
    )
    os.close(inner)
    try:
        yield Terminal(process, outer)
    finally:
        process.kill()
        process.wait()
        os.close(outer)


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_ctrl_c_at_the_prompt_of_a_chat(tmp_path: Path, dsn: str, tenant: str) -> None:
    with terminal("chat", "--user", "ana", "--agent", "cook", cwd=tmp_path, dsn=dsn, tenant=tenant) as chat:
        chat.wait_for("ana> ")
        chat.press(b"hello\n")
        chat.wait_for("I have kept what you said")
        chat.shown = chat.shown.partition("I have kept what you said")[2]  # the next prompt may be there already
        chat.wait_for("ana> ")
        time.sleep(0.5)  # it reads by now
        chat.press(b"half a line \x03")
        assert chat.end() == 130
        assert "Traceback" not in chat.shown
        assert "Fatal" not in chat.shown


def test_the_end_of_input_ends_a_chat(tmp_path: Path, dsn: str, tenant: str) -> None:
    with terminal("chat", "--user", "ana", "--agent", "cook", cwd=tmp_path, dsn=dsn, tenant=tenant) as chat:
        chat.wait_for("ana> ")
        chat.press(b"\x04")
        assert chat.end() == 0


def test_ctrl_c_ends_mcp(tmp_path: Path, dsn: str, tenant: str) -> None:
    with terminal("mcp", cwd=tmp_path, dsn=dsn, tenant=tenant) as mcp:
        mcp.press(b'{"jsonrpc":"2.0","id":7,"method":"ping"}\n')
        mcp.wait_for('"id":7,"result"')
        time.sleep(0.5)
        mcp.press(b"\x03")
        assert mcp.end() == -signal.SIGINT
        assert "Traceback" not in mcp.shown


@pytest.fixture
async def steering(memory: Recollect) -> None:
    """Things that would steer a terminal."""
    await memory.edit_notes("append", "Long.\x1b[31m", user="ana", agent="cook")
    await memory.remember("user likes \x1b[32mgreen", user="ana", agent="cook")


@pytest.mark.usefixtures("steering")
def test_what_was_said_does_not_steer_a_chat(tmp_path: Path, dsn: str, tenant: str) -> None:
    with terminal("chat", "--user", "ana", "--agent", "cook", cwd=tmp_path, dsn=dsn, tenant=tenant) as chat:
        chat.press(b"/notes\n/memories\nwhat does the user like, which green?\n/quit\n")
        assert chat.end() == 0
    assert "Long.\\x1b[31m" in chat.shown
    assert chat.shown.count("user likes \\x1b[32mgreen") >= 2
    assert "\x1b[31m" not in chat.shown
    assert "\x1b[32m" not in chat.shown


NAME = "a rather long name of a key [red]that opens the door of the phone[/red]"


@pytest.fixture
async def key(memory: Recollect) -> str:
    made = await memory.create_key(f"{NAME}\n\x1b[35mx", user="somebody-with-a-long-name@example.com")
    return made.key.id


def test_a_list_of_keys_in_a_pipe_has_a_line_for_each(tmp_path: Path, dsn: str, tenant: str, key: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "keys", "list", "--database", dsn, "--tenant", tenant],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    heads, line = done.stdout.splitlines()
    assert heads.split() == ["id", "name", "scopes", "user", "state", "last", "used"]
    assert line.startswith(f"{key}  {NAME} \\x1b[35mx  read,write  somebody-with-a-long-name@example.com  valid")


def test_a_list_of_keys_on_a_terminal_has_whole_ids(tmp_path: Path, dsn: str, tenant: str, key: str) -> None:
    with terminal("keys", "list", cwd=tmp_path, dsn=dsn, tenant=tenant) as shown:
        assert shown.end() == 0
    assert key in shown.shown
    assert "[red]" in shown.shown.replace("\r\n", "")
    assert "\x1b[31m" not in shown.shown
    assert "\x1b[35m" not in shown.shown


@pytest.fixture
async def talk(memory: Recollect) -> str:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "I live in Porto.")
    return chat.id


@pytest.mark.parametrize("columns", [60, 80])
def test_a_list_of_work_can_be_read(tmp_path: Path, dsn: str, tenant: str, talk: str, columns: int) -> None:
    with terminal("work", "list", cwd=tmp_path, dsn=dsn, tenant=tenant, columns=columns) as shown:
        assert shown.end() == 0
    assert f"settle  {talk}  ana" in shown.shown
    assert "waits" in shown.shown


def test_a_chat_without_a_standard_input(tmp_path: Path, dsn: str, tenant: str) -> None:
    command = (
        f"exec {sys.executable} -m recollect chat --user ana --agent cook --database '{dsn}' --tenant {tenant}"
    )
    done = subprocess.run(
        ["/bin/sh", "-c", f"{command} <&-"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "Traceback" not in done.stderr
