"""An address is checked before it is used, and each refusal says what to do."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import pytest

from recollect import Invalid, Overloaded, Recollect, RecollectError, Settings, Unavailable
from recollect.storage import embedded

NewDatabase = Callable[[], Awaitable[str]]


def _as(dsn: str, login: str) -> str:
    return dsn.replace("postgres@", f"{login}@")


@pytest.mark.parametrize("address", ["mysql://x/y", "localhost", "postgresql//x", "  "])
async def test_what_is_not_an_address(address: str) -> None:
    with pytest.raises(Invalid, match="database"):
        await Recollect.open(address)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ana:hunt#er2@127.0.0.1:1/x",
        "postgresql://ana:hunt/er2@127.0.0.1:1/x",
        "postgresql://ana:hunt?er2@127.0.0.1:1/x",
        "postgresql://ana:hunter2/x",
        "postgresql://127.0.0.1:1/x?user=ana&password=hunt@er2",
        "postgresql://127.0.0.1:1/x?user=ana&password=hunter2",
    ],
)
async def test_no_part_of_a_password_is_told(address: str) -> None:
    with pytest.raises(RecollectError) as caught:
        await Recollect.open(address)
    assert "hunt" not in str(caught.value)
    assert "er2" not in str(caught.value)


async def test_settings_or_arguments_but_not_both(dsn: str) -> None:
    with pytest.raises(Invalid, match="settings"):
        await Recollect.open(tenant="acme", settings=Settings(database=dsn))


async def test_a_database_that_may_forget_is_refused(dsn: str, login: str, admin: asyncpg.Connection) -> None:
    await admin.execute(f"grant recollect_server to {login}; alter role {login} set synchronous_commit = off")
    with pytest.raises(Unavailable, match="synchronous_commit"):
        await Recollect.open(_as(dsn, login))
    await admin.execute(
        f"alter role {login} reset synchronous_commit; alter role {login} set default_transaction_isolation = 'serializable'"
    )
    async with Recollect.open(_as(dsn, login), tenant=f"t-{uuid.uuid4()}") as memory:
        chat = await memory.conversation(user="ana", agent="librarian")
        await asyncio.gather(*(chat.append("user", f"{n}") for n in range(30)))
        assert len(await chat.window(100)) == 30


async def test_a_login_that_waits_for_no_lock(
    dsn: str, login: str, admin: asyncpg.Connection, tenant: str
) -> None:
    await admin.execute(f"grant recollect_server to {login}; alter role {login} set lock_timeout = '1ms'")
    async with Recollect.open(_as(dsn, login), tenant=tenant) as memory:
        chat = await memory.conversation(user="ana", agent="librarian")
        async with admin.transaction():
            await admin.execute("select from recollect.conversations where id = $1 for update", uuid.UUID(chat.id))
            appending = asyncio.create_task(chat.append("user", "hi"))
            await asyncio.wait({appending}, timeout=0.3)
        assert (await appending).seq == 1


async def test_nobody_answers_and_the_password_is_not_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(Unavailable, match=f"cannot reach 127.0.0.1:{port}/x") as caught:
        await Recollect.open(f"postgresql://ana:hunter2@127.0.0.1:{port}/x")
    assert "hunter2" not in str(caught.value)


async def test_wrong_database_or_login(dsn: str) -> None:
    with pytest.raises(Unavailable, match='"nowhere" does not exist'):
        await Recollect.open(dsn.replace("/postgres?", "/nowhere?"))
    with pytest.raises(Unavailable, match='"nobody_here" does not exist'):
        await Recollect.open(_as(dsn, "nobody_here"))


async def test_a_login_without_rights_is_told_which_it_needs(
    dsn: str, login: str, admin: asyncpg.Connection
) -> None:
    with pytest.raises(Unavailable, match="recollect_server"):
        await Recollect.open(_as(dsn, login))
    await admin.execute(f"grant recollect_server to {login}")
    async with Recollect.open(_as(dsn, login), tenant="t") as memory:
        await memory.conversation(user="ana", agent="librarian")


async def test_a_weak_login_on_a_migrated_database(dsn: str, login: str) -> None:
    with pytest.raises(Unavailable, match="grant recollect_server"):
        await Recollect.open(_as(dsn, login), migrate=True)


async def test_after_an_error_the_connection_is_not_used_again(dsn: str, tenant: str) -> None:
    settings = Settings(database=dsn, tenant=tenant, pool_size=1)
    async with Recollect.open(settings=settings) as memory:
        pool, database = memory._database._pool, memory._database  # pyright: ignore[reportPrivateUsage]
        seen: list[int] = []
        for _ in range(2):
            connection = await pool.take()
            seen.append(connection.get_server_pid())
            pool.give_back(connection)
            with pytest.raises(Unavailable):
                await database.call("recent_messages", tenant, str(uuid.uuid4()), -1)
        assert seen[0] != seen[1]


async def test_a_login_that_may_not_migrate(new_database: NewDatabase, login: str) -> None:
    address = _as(await new_database(), login)
    with pytest.raises(Unavailable, match=f"{login}.*administrator"):
        await Recollect.open(address, migrate=True)


async def test_behind_a_pooler_only_an_ordinary_login_will_do(
    dsn: str, login: str, admin: asyncpg.Connection
) -> None:
    with pytest.raises(Unavailable, match="behind a pooler"):
        await Recollect.open(settings=Settings(database=dsn, pooler=True))
    await admin.execute(f"grant recollect_server to {login}")
    settings = Settings(database=_as(dsn, login), pooler=True, tenant=f"t-{uuid.uuid4()}")
    async with Recollect.open(settings=settings) as memory:
        chat = await memory.conversation(user="ana", agent="librarian")
        await chat.append("user", "hi")
        assert len(await chat.window()) == 1


async def test_a_wrong_encoding_is_refused(admin: asyncpg.Connection, server: embedded.Server) -> None:
    name = f"latin_{uuid.uuid4().hex[:8]}"
    await admin.execute(
        f"create database {name} encoding 'LATIN1' locale_provider 'libc' locale 'C' template template0"
    )
    try:
        with pytest.raises(Unavailable, match="LATIN1"):
            await Recollect.open(f"postgresql://postgres@/{name}?host={server.socket}", migrate=True)
    finally:
        await admin.execute(f"drop database {name}")


async def test_a_serving_role_above_the_wall_is_refused(dsn: str, admin: asyncpg.Connection) -> None:
    await admin.execute("alter role recollect_server bypassrls")
    try:
        with pytest.raises(Unavailable, match="bypasses row level security"):
            await Recollect.open(dsn)
    finally:
        await admin.execute("alter role recollect_server nobypassrls")


async def test_several_hosts_the_first_of_them_dead(dsn: str, server: embedded.Server, tenant: str) -> None:
    dead = f"/nowhere,{server.socket}"
    async with Recollect.open(
        f"postgresql://postgres@/postgres?host={dead}&port=5432,{server.port}&target_session_attrs=primary",
        tenant=tenant,
    ) as memory:
        assert (await memory.conversation(user="ana", agent="librarian")).id


async def test_a_pool_that_is_used_up_says_so(dsn: str, tenant: str) -> None:
    settings = Settings(database=dsn, tenant=tenant, pool_size=1, patience=0.2)
    async with Recollect.open(settings=settings) as memory:
        async with memory._database.transaction(tenant):  # pyright: ignore[reportPrivateUsage]
            with pytest.raises(Overloaded, match="all 1 database connections were busy"):
                await memory.conversation(user="ana", agent="librarian")
        await memory.conversation(user="ana", agent="librarian")


async def test_a_closed_door_says_so(dsn: str, tenant: str) -> None:
    memory = await Recollect.open(dsn, tenant=tenant)
    chat = await memory.conversation(user="ana", agent="librarian")
    await memory.close()
    await memory.close()
    with pytest.raises(Unavailable, match="closed"):
        await chat.append("user", "x")
    with pytest.raises(Unavailable, match="closed"):
        await memory.conversations(user="ana")


async def test_a_statement_that_takes_too_long(dsn: str, tenant: str, admin: asyncpg.Connection) -> None:
    settings = Settings(database=dsn, tenant=tenant, statement_timeout=2)
    async with Recollect.open(settings=settings) as memory:
        chat = await memory.conversation(user="ana", agent="librarian")
        async with admin.transaction():
            await admin.execute("select 1 from recollect.conversations where id = $1 for update", chat.id)
            with pytest.raises(Unavailable, match="took too long"):
                await chat.append("user", "blocked")
        assert (await chat.append("user", "free")).seq == 1


async def test_a_cancelled_call_leaves_the_pool_clean(dsn: str, tenant: str, admin: asyncpg.Connection) -> None:
    settings = Settings(database=dsn, tenant=tenant, pool_size=2)
    async with Recollect.open(settings=settings) as memory:
        chat = await memory.conversation(user="ana", agent="librarian")
        async with admin.transaction():
            await admin.execute("select 1 from recollect.conversations where id = $1 for update", chat.id)
            blocked: list[asyncio.Task[Any]] = [asyncio.create_task(chat.append("user", f"{n}")) for n in range(2)]
            blocked += [asyncio.create_task(chat.rename("x")) for _ in range(2)]
            await asyncio.sleep(0.2)
            for task in blocked:
                task.cancel()
            await asyncio.gather(*blocked, return_exceptions=True)
            waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'recollect'"
            for _ in range(200):  # until the server has heard of it, too
                if not await admin.fetchval(waiting):
                    break
                await asyncio.sleep(0.02)
        assert (await chat.append("user", "after")).seq == 1
        pool = memory._database._pool  # pyright: ignore[reportPrivateUsage]
        for connection in [await pool.take() for _ in range(2)]:
            assert not connection.is_in_transaction()
            assert await connection.fetchval("select recollect.current_tenant()") is None
            pool.give_back(connection)


async def test_a_server_that_goes_silent_is_given_up(dsn: str, tenant: str, admin: asyncpg.Connection) -> None:
    """A stopped process keeps its connection open and answers nothing: no error comes from the network."""
    settings = Settings(database=dsn, tenant=tenant, pool_size=1, statement_timeout=1, patience=10)
    async with Recollect.open(settings=settings) as memory:
        chat = await memory.conversation(user="ana", agent="librarian")
        pool = memory._database._pool  # pyright: ignore[reportPrivateUsage]
        connection = await pool.take()
        backend = connection.get_server_pid()
        pool.give_back(connection)
        os.kill(backend, signal.SIGSTOP)
        try:
            assert (await asyncio.wait_for(chat.append("user", "after all"), 30)).seq == 1
        finally:
            os.kill(backend, signal.SIGCONT)
        assert len(await chat.window()) == 1
