"""Export, import, erase, retention and tidy, run as a user runs them."""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recollect import Recollect

NewDatabase = Callable[[], Awaitable[str]]


@pytest.fixture
async def filled(new_database: NewDatabase) -> str:
    """The address of a database in which something is known of ana."""
    dsn = await new_database()
    async with Recollect.open(dsn, migrate=True) as memory:
        chat = await memory.conversation(user="ana", agent="cook")
        await chat.append("user", "an old one", at=datetime.now(UTC) - timedelta(days=1))
        await chat.append("user", "I like tea")
        await memory.remember("user likes tea", user="ana", agent="cook")
        await memory.edit_notes("append", "likes tea", user="ana", agent="cook")
    return dsn


def run(*arguments: str | Path, code: int = 0, cwd: Path, database: str) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "recollect", *map(str, arguments)],
        cwd=cwd,
        env=os.environ | {"RECOLLECT_DATABASE": database},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert "\x1b[" not in done.stdout + done.stderr
    return done.stdout, done.stderr


async def test_export_and_import(tmp_path: Path, filled: str) -> None:
    file = tmp_path / "ana.json"
    _, said = run("export", "--user", "ana", "-o", file, cwd=tmp_path, database=filled)
    assert said == "3 conversations, memories and notes of 'ana' are exported\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    shown, _ = run("export", "--user", "ana", cwd=tmp_path, database=filled)
    assert json.loads(shown)["conversations"] == json.loads(file.read_text())["conversations"]
    into = ("import", file, "--tenant", "other")
    done = "imported 1 conversations, 2 messages, 1 memories and 1 notes for the user that the file names; 0 were there already\n"
    assert run(*into, cwd=tmp_path, database=filled)[0] == done
    again = "imported 0 conversations, 0 messages, 0 memories and 0 notes for the user that the file names; 3 were there already\n"
    assert run(*into, cwd=tmp_path, database=filled)[0] == again
    async with Recollect.open(filled, tenant="other") as memory:
        assert [hit.text for hit in await memory.recall("tea", user="ana", agent="cook")] == ["user likes tea"]


async def test_other_formats(tmp_path: Path, filled: str) -> None:
    (tmp_path / "mem0.json").write_text(json.dumps({"results": [{"id": "1", "memory": "user likes figs"}]}))
    given = ("import", "mem0.json", "--format", "mem0")
    assert "results[0].user_id: is missing" in run(*given, code=1, cwd=tmp_path, database=filled)[1]
    said = run(*given, "--user", "ben", "--agent", "cook", cwd=tmp_path, database=filled)[0]
    assert "1 memories and 0 notes for 'ben' and the agent 'cook'; 0 were there already" in said
    said = run(*given, "--user", "ben", cwd=tmp_path, database=filled)[0]
    assert "1 memories and 0 notes for 'ben' and the agents that the file names, else 'mem0'; 0 were" in said
    async with Recollect.open(filled) as memory:
        assert [one.text for one in (await memory.memories(user="ben", agent="cook")).items] == ["user likes figs"]


async def test_errors_are_one_line(tmp_path: Path, filled: str) -> None:
    (tmp_path / "bad.json").write_text('{"format": "recollect.user/1", "user": "ana", "memories": [{}]}')
    for given, problem in (
        (("import", "nowhere.json"), "error: file: nowhere.json cannot be read: No such file or directory\n"),
        (("import", "bad.json"), "error: memories[0].id: is missing\n"),
        (("import", "bad.json", "--format", "paper"), "error: format: must be one of recollect, chatgpt"),
        (("import", "bad.json", "--format", "mem0"), "error: file: has no results of mem0"),
        (("import", "bad.json", "--format", "chatgpt"), "error: user: is needed"),
        (("export", "--user", "ana", "-o", "no/where.json"), "error: output: no/where.json cannot be written"),
        (("export", "--user", "ana", "-o", "."), "error: output: . cannot be written: Is a directory\n"),
        (("erase", "--user", "ana"), "error: yes: an erasure cannot be undone: say --yes\n"),
        (("retention", "--minutes", "5", "--forever"), "error: minutes: give one of"),
        (("retention", "--agent", "cook"), "error: agent: give --minutes"),
    ):
        _, said = run(*given, code=1, cwd=tmp_path, database=filled)
        assert said.startswith(problem), said
        assert said.count("\n") == 1, said
    assert [path.name for path in tmp_path.iterdir()] == ["bad.json"]  # noqa: ASYNC240


def test_an_export_to_a_standard_output_that_is_closed(tmp_path: Path, filled: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"exec {sys.executable} -m recollect export --user ana >&-"],
        cwd=tmp_path,
        env=os.environ | {"RECOLLECT_DATABASE": filled},
        capture_output=True,
        text=True,
    )
    said = "error: output: the standard output is closed; name a file\n"
    assert (done.returncode, done.stderr) == (1, said)


async def test_erase(tmp_path: Path, filled: str) -> None:
    said, _ = run("erase", "--user", "ana", "--yes", cwd=tmp_path, database=filled)
    assert said.startswith("erased; receipt ")
    assert "  messages: 2\n" in said
    async with Recollect.open(filled) as memory:
        assert (await memory.conversations(user="ana")).items == []
        (receipt,) = await memory.receipts(user="ana")
        assert (receipt.id in said, receipt.actor) == (True, "erase")


async def test_retention_and_tidy(tmp_path: Path, filled: str) -> None:
    assert run("retention", cwd=tmp_path, database=filled)[0] == "tenant default: messages are kept for ever\n"
    said, _ = run("retention", "--minutes", "60", cwd=tmp_path, database=filled)
    assert said == "tenant default: messages are kept for 60 minutes\n"
    said, _ = run("retention", "--forever", "--agent", "cook", cwd=tmp_path, database=filled)
    assert said.endswith("agent cook: messages are kept for ever\n")
    tidied, _ = run("tidy", cwd=tmp_path, database=filled)
    assert tidied == "removed 0 messages, 0 memories, 0 documents and 0 keys\n"
    run("retention", "--remove", "--agent", "cook", cwd=tmp_path, database=filled)
    assert (
        run("tidy", cwd=tmp_path, database=filled)[0] == "removed 1 messages, 0 memories, 0 documents and 0 keys\n"
    )


def test_a_bar_on_a_terminal(tmp_path: Path, filled: str) -> None:
    outer, inner = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "recollect", "export", "--user", "ana", "-o", "ana.json"],
        stdout=inner,
        stderr=inner,
        cwd=tmp_path,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "RECOLLECT_DATABASE": filled},
    )
    process.wait()
    os.close(inner)
    shown = os.read(outer, 100_000).decode()
    os.close(outer)
    assert "━" in shown
    assert "3/3" in shown
    assert process.returncode == 0
