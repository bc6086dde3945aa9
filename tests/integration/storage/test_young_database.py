"""Plans are made once. Those that a database makes while it has a few rows, and nobody has counted them, must still be
good when it has many."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import asyncpg
import pytest

from recollect import Recollect

NewDatabase = Callable[[], Awaitable[str]]
STRANGERS = 400

#: Pages that were looked at, by index or table.
READ = """
select relname::text, heap_blks_read + heap_blks_hit from pg_statio_user_tables where schemaname = 'recollect'
union all select indexrelname::text, idx_blks_read + idx_blks_hit from pg_statio_user_indexes where schemaname = 'recollect'
"""


async def _fill(admin: asyncpg.Connection) -> None:
    """Others of the same tenant, who have said and are known for as much."""
    async with admin.transaction():
        await admin.execute("set local session_replication_role = replica")
        for table, keys in (("conversations", "id"), ("memories", "id")):
            columns = await admin.fetchval(
                "select string_agg(quote_ident(attname), ', ') from pg_attribute where attrelid = $1::text::regclass "
                "and attnum > 0 and not attisdropped and attgenerated = '' and attname not in ('user_id', $2, 'fingerprint')",
                f"recollect.{table}",
                keys,
            )
            printed = ", fingerprint" if table == "memories" else ""
            made = ", sha256((id::text || n)::bytea)" if table == "memories" else ""
            await admin.execute(
                f"insert into recollect.{table} (user_id, {keys}{printed}, {columns}) "
                f"select 'stranger' || n, gen_random_uuid(){made}, {columns} "
                f"from recollect.{table}, generate_series(1, {STRANGERS}) as n where user_id = 'ana'"
            )
        await admin.execute(
            "insert into recollect.memory_words select w.* from recollect.memories m "
            "cross join lateral recollect.words_of_memory(m) w where m.user_id <> 'ana'"
        )


async def _read_by(admin: asyncpg.Connection, memory: Recollect, act: Callable[[], Awaitable[object]]) -> int:
    """The most that was read from one table or index. Connections tell what they read once a second, when they have
    something to do."""

    async def told() -> dict[str, int]:
        await asyncio.sleep(1.1)
        await memory.notes(user="nobody", agent="nobody")
        await asyncio.sleep(0.2)
        return {row[0]: row[1] for row in await admin.fetch(READ)}

    before = await told()
    await act()
    after = await told()
    return max(after[name] - before[name] for name in after)


@pytest.mark.slow
async def test_plans_of_a_young_database_read_no_more_when_it_has_grown(new_database: NewDatabase) -> None:
    dsn = await new_database()
    async with Recollect.open(dsn, migrate=True, pool_size=1) as memory:
        admin = await asyncpg.connect(dsn)
        try:
            for (table,) in await admin.fetch(
                "select relname from pg_stat_user_tables where schemaname = 'recollect'"
            ):
                await admin.execute(f"alter table recollect.{table} set (autovacuum_enabled = off)")
            chat = await memory.conversation(user="ana", agent="librarian")
            for number in range(10):
                await memory.remember(f"user bought tea number {number} in Porto", user="ana", agent="librarian")
            acts: dict[str, Callable[[], Awaitable[object]]] = {
                "append": lambda: chat.append("user", "hello"),
                "window": lambda: chat.window(12),
                "recall": lambda: memory.recall("which tea from Porto?", user="ana", agent="librarian"),
                "context": lambda: chat.context("which tea from Porto?"),
                "state": chat.state,
            }
            for act in acts.values():
                for _ in range(3):
                    await act()
            await _fill(admin)
            pages = await admin.fetchval("select pg_relation_size('recollect.memories_of_pool') / 8192")
            assert pages > 50
            await asyncio.sleep(1.1)
            await admin.execute("select")  # so that it tells what it read itself
            read = {name: await _read_by(admin, memory, act) for name, act in acts.items()}
            assert max(read.values()) < 40, read
        finally:
            await admin.close()


async def test_a_pool_that_is_most_of_the_table_is_still_read_by_its_index(new_database: NewDatabase) -> None:
    dsn = await new_database()
    async with Recollect.open(dsn, migrate=True, pool_size=1) as memory:
        admin = await asyncpg.connect(dsn)
        try:
            for number in range(10):
                await memory.remember(f"user bought tea number {number} in Porto", user="ana", agent="librarian")
            columns = await admin.fetchval(
                "select string_agg(quote_ident(attname), ', ') from pg_attribute where attrelid = 'recollect.memories'::regclass "
                "and attnum > 0 and not attisdropped and attgenerated = '' and attname not in ('id', 'fingerprint')"
            )
            await admin.execute(
                f"insert into recollect.memories (id, fingerprint, {columns}) "
                f"select gen_random_uuid(), sha256((id::text || n)::bytea), {columns} "
                "from recollect.memories, generate_series(1, 100) as n"
            )
            seen = "select relallvisible >= relpages from pg_class where oid = $1::text::regclass"
            for table in ("recollect.memories", "recollect.memory_words"):
                for _ in range(50):  # whoever looks at another table meanwhile keeps rows from being known as old
                    await admin.execute(f"vacuum analyze {table}")
                    if await admin.fetchval(seen, table):
                        break
                    await asyncio.sleep(0.2)
            used = (
                "select (select seq_scan from pg_stat_user_tables where relname = 'memories'), "
                "(select idx_scan from pg_stat_user_indexes where indexrelname = 'memories_recalled')"
            )

            async def scans(before: tuple[int, int] | None = None) -> tuple[int, int]:
                """As told by all connections: each tells at most once a second, after it has answered."""
                told: tuple[int, int] | None = None
                for _ in range(20):
                    await asyncio.sleep(1.1)
                    await memory.notes(user="nobody", agent="nobody")
                    await admin.execute("select pg_stat_force_next_flush()")
                    row = await admin.fetchrow(used)
                    assert row is not None
                    last, told = told, (row[0], row[1])
                    if last == told != before:
                        break
                assert told is not None
                return told

            whole, by_index = await scans()
            assert await memory.recall("which tea from Porto?", user="ana", agent="librarian")
            after_whole, after_by_index = await scans((whole, by_index))
            assert (after_whole, after_by_index > by_index) == (whole, True)
        finally:
            await admin.close()
