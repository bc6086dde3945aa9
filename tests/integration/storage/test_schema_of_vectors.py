"""pgvector may be in any schema, as in `extensions` of Supabase, and logins may look anywhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import asyncpg
import pytest

from recollect import Recollect, Unavailable

NewDatabase = Callable[[], Awaitable[str]]


def _as(dsn: str, login: str) -> str:
    return dsn.replace("postgres@", f"{login}@")


async def _run(dsn: str, *statements: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


async def _remember_and_recall(dsn: str, login: str, options: str = "") -> None:
    await _run(dsn, f"grant recollect_server to {login}")
    async with Recollect.open(_as(dsn, login) + options) as memory:
        await memory.remember("user is allergic to peanuts", user="ana", agent="cook")
        hits = await memory.recall("peanut allergy", user="ana", agent="cook")
        assert [hit.text for hit in hits] == ["user is allergic to peanuts"]


@pytest.fixture
async def maker(admin: asyncpg.Connection, dsn: str, login: str) -> str:
    """A login that may migrate and is no superuser, as managed servers have it."""
    await admin.execute(
        f"alter role {login} createrole; "
        f"grant recollect_owner, recollect_server to {login} with inherit true, set true"
    )
    return login


@pytest.mark.parametrize("looks", ['"$user", public', '"$user", public, extensions', "elsewhere"])
async def test_a_schema_of_its_own(maker: str, login: str, new_database: NewDatabase, looks: str) -> None:
    dsn = await new_database()
    name = dsn.split("/")[3].split("?")[0]
    await _run(
        dsn,
        f"grant create on database {name} to {maker}",
        f"create schema extensions authorization {maker}",
        "create extension vector schema extensions",
        f"alter database {name} set search_path = {looks}",
    )
    async with Recollect.open(_as(dsn, maker), migrate=True):
        pass
    await _remember_and_recall(dsn, login)


async def test_a_login_that_looks_nowhere(login: str, new_database: NewDatabase) -> None:
    dsn = await new_database()
    name = dsn.split("/")[3].split("?")[0]
    await _run(dsn, f"alter database {name} set search_path = elsewhere")
    async with Recollect.open(dsn, migrate=True):
        pass
    await _remember_and_recall(dsn, login)


async def test_a_closed_schema_of_somebody_else(maker: str, new_database: NewDatabase) -> None:
    dsn = await new_database()
    name = dsn.split("/")[3].split("?")[0]
    closed = ["create schema extensions", "create extension vector schema extensions"]
    await _run(dsn, f"grant create on database {name} to {maker}", *closed)
    grant = "grant usage on schema extensions to recollect_owner, recollect_server"
    for _ in range(2):
        with pytest.raises(Unavailable) as caught:
            await Recollect.open(_as(dsn, maker), migrate=True)
        assert f"`{grant}`" in str(caught.value)
        await _run(dsn, f"grant usage on schema extensions to {maker}")  # without which a grant is an error
    await _run(dsn, grant)
    async with Recollect.open(_as(dsn, maker), migrate=True):
        pass
    await _run(dsn, "revoke usage on schema extensions from recollect_server")
    with pytest.raises(Unavailable, match="grant usage on schema extensions to recollect_server"):
        await Recollect.open(dsn)


async def test_behind_a_pooler_the_login_must_look_there(login: str, new_database: NewDatabase) -> None:
    dsn = await new_database()
    await _run(dsn, "create schema extensions", "create extension vector schema extensions")
    async with Recollect.open(dsn, migrate=True):
        pass
    with pytest.raises(Unavailable, match="alter role … set search_path = public, extensions"):
        await _remember_and_recall(dsn, login, "&pgbouncer=true")
    await _run(dsn, f"alter role {login} set search_path = public, extensions")
    await _remember_and_recall(dsn, login, "&pgbouncer=true")
