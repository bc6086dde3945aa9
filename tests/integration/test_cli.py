"""The command line, run as a user runs it."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import recollect
from recollect.sync import Recollect

NewDatabase = Callable[[], Awaitable[str]]


def run(*arguments: str, cwd: Path, code: int = 0, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "recollect", *arguments],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def test_version_and_help(tmp_path: Path) -> None:
    assert run("--version", cwd=tmp_path) == f"recollect {recollect.__version__}\n"
    assert "demo" in run("--help", cwd=tmp_path)
    assert "No such command" in run("nonsense", cwd=tmp_path, code=2)


@pytest.mark.parametrize("given", [["nonsense"], ["export"], ["keys", "revoke"], ["--help"], ["work", "--help"]])
def test_plain_lines_in_a_pipe(tmp_path: Path, given: list[str]) -> None:
    said = run(*given, cwd=tmp_path, code=0 if "--help" in given else 2)
    assert "Usage: " in said
    assert "..." not in said.replace("ARGS]...", "")
    assert not any("\u2500" <= sign <= "\u257f" for sign in said)


def test_demo_remembers_across_processes_and_runs(tmp_path: Path) -> None:
    for conversations in (1, 2):
        said = run("demo", cwd=tmp_path)
        assert "allergic to peanuts" in said.split("is new, and goes on")[1]
        assert "about peanuts: message 1" in said
        assert f"Conversations kept in {tmp_path / '.recollect'}: {conversations}" in said
        assert "\x1b[" not in said
    assert not (tmp_path / ".recollect" / "postgres" / "postmaster.pid").exists()
    assert "ok: data folder" in run("doctor", cwd=tmp_path)


def test_a_check_of_migrations_makes_nothing(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for folder in ("new", "there"):
        said = run("migrate", "--check", "--data-dir", folder, cwd=tmp_path, code=1)
        assert (
            said == f"error: database: there is none in {tmp_path / folder} yet; `recollect migrate` makes one\n"
        )
    assert [path.name for path in tmp_path.rglob("*")] == ["there"]
    assert "applied 0001" in run("migrate", "--data-dir", "new", cwd=tmp_path)
    assert "up to date" in run("migrate", "--check", "--data-dir", "new", cwd=tmp_path)


async def test_migrate_another_postgres(tmp_path: Path, new_database: NewDatabase) -> None:
    dsn = await new_database()
    assert "no Recollect schema yet" in run("migrate", "--check", "--database", dsn, cwd=tmp_path, code=1)
    assert "applied 0001 conversations" in run("migrate", cwd=tmp_path, RECOLLECT_DATABASE=dsn)
    again = run("migrate", "--database", dsn, cwd=tmp_path)
    assert "applied" not in again
    assert "up to date" in again
    assert "up to date" in run("migrate", "--check", "--database", dsn, cwd=tmp_path)
    assert "ok: tenant wall" in run("doctor", "--database", dsn, cwd=tmp_path)


def test_demo_that_cannot_run_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "is a file, not a folder" in run("demo", "--data-dir", "file", cwd=tmp_path, code=1)


def test_help_on_a_plain_terminal(tmp_path: Path) -> None:
    assert "doctor" in run("--help", cwd=tmp_path, PYTHONIOENCODING="ascii", TERM="dumb")


def test_reembed_says_how_many(tmp_path: Path) -> None:
    with Recollect.open(data_dir=tmp_path / ".recollect") as memory:
        memory.remember("user likes foxes", user="ana", agent="librarian")
    assert "0 memories have new vectors" in run("reembed", cwd=tmp_path)


def test_doctor_tries_without_leaving_anything_behind(tmp_path: Path) -> None:
    said = run("doctor", cwd=tmp_path, RECOLLECT_PORTT="1")
    assert "warning: settings: RECOLLECT_PORTT is no setting of Recollect; is RECOLLECT_PORT meant?" in said
    assert "will be made at the first start" in said
    assert "ok: database" in said
    assert list(tmp_path.iterdir()) == []


def test_doctor_says_what_is_wrong(tmp_path: Path) -> None:
    said = run("doctor", "--database", "postgresql://ana:hunter2@127.0.0.1:1/x", cwd=tmp_path, code=1)
    assert "PROBLEM: database: cannot reach 127.0.0.1:1/x" in said
    assert "hunter2" not in said
    (tmp_path / "file").write_text("")
    assert "PROBLEM" in run("doctor", "--data-dir", "file", cwd=tmp_path, code=1)


def test_an_error_is_one_line(tmp_path: Path) -> None:
    said = run("migrate", "--database", "nonsense", cwd=tmp_path, code=1)
    assert said.startswith("error: database: must be an address like postgresql://")
    assert "pool_size" in run("doctor", cwd=tmp_path, code=1, RECOLLECT_POOL_SIZE="many")


def test_colours_on_a_terminal(tmp_path: Path) -> None:
    outer, inner = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "recollect", "doctor", "--database", "postgresql://127.0.0.1:1/x"],
        stdout=inner,
        stderr=inner,
        cwd=tmp_path,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    process.wait()
    os.close(inner)
    shown = os.read(outer, 100_000).decode()
    os.close(outer)
    assert "\x1b[31mproblem" in shown


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['typer'] = None; from recollect.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert "pip install '.[cli]'" in done.stderr


@pytest.mark.slow
def test_a_terminal_interrupt_ends_the_program_but_not_the_data(tmp_path: Path) -> None:
    script = (
        "import recollect.sync, signal, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # who runs in the background ignores it
        "memory = recollect.sync.Recollect.open(data_dir='.recollect')\n"
        "chat = memory.conversation(user='ana', agent='librarian')\n"
        "chat.append('user', 'kept')\n"
        "print('stored', flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"stored\n"
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(20) != 0
    with Recollect.open(data_dir=tmp_path / ".recollect") as memory:
        chat = memory.conversation(user="ana", agent="librarian")
        assert [message.content for message in chat.window()] == ["kept"]
