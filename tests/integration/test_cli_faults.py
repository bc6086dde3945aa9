"""What goes wrong on the command line is one clear line, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from recollect import Recollect
from recollect.storage import embedded


def run(*arguments: str, cwd: Path, output: int = subprocess.PIPE, **environment: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "recollect", *arguments],
        cwd=cwd,
        env=os.environ | environment,
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, (done.stdout or "") + done.stderr


@pytest.mark.parametrize("command", ["demo", "doctor"])
@pytest.mark.parametrize(
    ("data_dir", "problem"),
    [
        ("", "data_dir: is empty"),
        ("~nobody-here/x", "data_dir: there is no home folder for '~nobody-here/x'"),
        ("x" * 300, "File name too long"),
        ("file/x", "file is a file, not a folder"),
        ("a\nb", "has a line break"),
    ],
)
def test_a_data_folder_that_cannot_be(tmp_path: Path, command: str, data_dir: str, problem: str) -> None:
    (tmp_path / "file").touch()
    code, said = run(command, "--data-dir", data_dir, cwd=tmp_path)
    assert code == 1
    assert problem in said
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("command", ["demo", "doctor"])
def test_a_current_folder_that_was_removed(tmp_path: Path, command: str) -> None:
    script = f"mkdir gone && cd gone && rmdir ../gone && exec {sys.executable} -m recollect {command}"
    done = subprocess.run(["/bin/sh", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "the current folder was removed" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_too_many_open_files(tmp_path: Path) -> None:
    script = f"ulimit -n 11 && exec {sys.executable} -m recollect migrate"
    done = subprocess.run(["/bin/sh", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "too many files are open" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_part_of_the_demo(tmp_path: Path) -> None:
    assert run("demo", "--part", "nope", cwd=tmp_path) == (1, "error: part: must be one of store, remember\n")


@pytest.mark.parametrize("output", ["ascii", "ascii:surrogateescape"])
def test_characters_that_the_output_cannot_show(tmp_path: Path, output: str) -> None:
    (tmp_path / "dé").touch()
    code, said = run("doctor", "--data-dir", "dé", cwd=tmp_path, PYTHONIOENCODING=output)
    assert code == 1
    assert "d\\xe9 is a file" in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only some systems have a disk that is always full")
@pytest.mark.parametrize("arguments", [["--version"], ["supabase", "sql"], ["doctor", "--database", "nonsense"]])
def test_output_that_cannot_be_written(tmp_path: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        code, said = run(*arguments, cwd=tmp_path, output=full.fileno())
    assert (code, said) == (1, "error: output: it cannot be written: No space left on device\n")


@pytest.mark.parametrize(
    "command",
    [
        "recall tea --user ana --agent cook",
        "memories --user ana --agent cook",
        "notes --user ana --agent cook",
        "notes delete_all_notes --user ana --agent cook",
        "notes delete_section_by_header --section #Tone --user ana --agent cook",
        "notes replace_section_by_header Short --section #Tone --user ana --agent cook",
        "forget x",
        "export --user ana",
        "erase --user ana --yes",
        "keys list",
        "keys rotate x",
        "keys revoke x",
        "tenants list",
        "tenants delete x --yes",
        "work list",
        "work retry",
        "retention",
        "retention --remove",
        "retention --remove --agent cook",
        "tidy",
        "reembed",
        "cache rebuild",
        "cache verify",
        "cache stats",
    ],
)
def test_what_reads_or_removes_makes_no_database(tmp_path: Path, command: str) -> None:
    said = f"error: database: there is none in {tmp_path / '.recollect'}; name its --data-dir, or a --database\n"
    assert run(*command.split(), cwd=tmp_path) == (1, said)
    assert list(tmp_path.iterdir()) == []


def test_to_look_at_workflows_no_database_is_made(tmp_path: Path) -> None:
    code, said = run("workflow", "list", "--data-dir", ".", cwd=tmp_path)
    assert (code, "rfp" in said) == (0, True), said
    assert list(tmp_path.iterdir()) == []


def test_an_import_of_nothing_makes_no_database(tmp_path: Path) -> None:
    said = "error: file: nofile cannot be read: No such file or directory\n"
    assert run("import", "nofile", cwd=tmp_path) == (1, said)
    formats = "recollect, chatgpt, mem0, langchain-postgres"
    said = f"error: format: must be one of {formats}\n"
    assert run("import", "nofile", "--format", "csv", cwd=tmp_path) == (1, said)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("days", ["99999999", "1e300", "inf"])
def test_a_key_for_longer_than_the_calendar(tmp_path: Path, days: str) -> None:
    said = "error: days: is outside of the calendar\n"
    assert run("keys", "create", "--days", days, cwd=tmp_path) == (1, said)


def test_no_bar_in_a_pipe(tmp_path: Path, dsn: str) -> None:
    done = "0 memories have new vectors\n"
    assert run("reembed", "--database", dsn, "--tenant", "nobody", cwd=tmp_path) == (0, done)
    assert run("evaluate", "nofile", cwd=tmp_path) == (1, "error: file: nofile: there is no such file\n")


def test_an_interrupt_while_it_loads(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt")
    assert run("doctor", cwd=tmp_path, PYTHONPATH=str(tmp_path)) == (130, "")


async def test_doctor_sees_a_schema_that_is_older_or_too_new(tmp_path: Path) -> None:
    folder = tmp_path / ".recollect"
    server = await embedded.start(folder)
    connection = await asyncpg.connect(host=server.socket, user="postgres", database="postgres")
    code, said = run("doctor", cwd=tmp_path)
    assert code == 0
    assert "ok: schema: will be brought up to date at the next start" in said
    async with Recollect.open(data_dir=folder):
        code, said = run("doctor", cwd=tmp_path)
        assert code == 0
        assert "ok: schema: up to date" in said
        assert "ok: tenant wall" in said
    await connection.execute("insert into recollect.migrations (number, name, checksum) values (9999, 'x', 'y')")
    code, said = run("doctor", cwd=tmp_path)
    assert code == 1
    assert "PROBLEM: database: its schema is at step 9999, newer than this version" in said
    await connection.close()
    await server.close()
