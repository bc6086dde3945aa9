from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import asyncpg
import pytest

from recollect import Recollect, Unavailable
from recollect.storage import migrations
from recollect.storage.migrations import Applied, Migration, migrate, outdated, pending, shipped

NewDatabase = Callable[[], Awaitable[str]]

SCHEMA = """
select 'column', table_schema || '.' || table_name, column_name, data_type, is_nullable, column_default, generation_expression
from information_schema.columns where table_schema in ('recollect', 'api')
union all select 'index', tablename, indexname, indexdef, null, null, null
from pg_indexes where schemaname = 'recollect'
union all select 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid), null, null, null
from pg_constraint where connamespace = 'recollect'::regnamespace
union all select 'function', oid::regprocedure::text, md5(prosrc), proacl::text, null, null, null
from pg_proc where pronamespace = 'recollect'::regnamespace
union all select 'policy', tablename, policyname, qual, with_check, roles::text, cmd
from pg_policies where schemaname = 'recollect'
union all select 'table', relname, relacl::text, reloptions::text, relrowsecurity::text,
                 relforcerowsecurity::text, null
from pg_class where relnamespace = 'recollect'::regnamespace and relkind = 'r'
order by 1, 2, 3
"""


async def _schema(dsn: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(dsn)
    try:
        rows = await connection.fetch(SCHEMA)
    finally:
        await connection.close()
    assert {row[0] for row in rows} == {"column", "index", "constraint", "function", "policy", "table"}
    return rows


async def _migrate(dsn: str, steps: list[Migration] | None = None) -> list[Migration]:
    connection = await asyncpg.connect(dsn)
    try:
        return await migrate(connection, steps)
    finally:
        await connection.close()


async def test_step_by_step_and_all_at_once_give_the_same_schema(new_database: NewDatabase) -> None:
    at_once, stepwise = await new_database(), await new_database()
    assert [step.number for step in await _migrate(at_once)] == [step.number for step in shipped()]
    for count in range(1, len(shipped()) + 1):
        assert len(await _migrate(stepwise, shipped()[:count])) == 1
        async with Recollect.open(stepwise, migrate=False) if count == len(shipped()) else _nothing():
            pass
    assert await _schema(at_once) == await _schema(stepwise)
    assert await _migrate(at_once) == []


class _nothing:  # noqa: N801
    async def __aenter__(self) -> None: ...
    async def __aexit__(self, *_: object) -> None: ...


async def test_many_starting_at_once_do_not_collide(new_database: NewDatabase) -> None:
    dsn = await new_database()
    applied = await asyncio.gather(*(_migrate(dsn) for _ in range(8)))
    assert sorted(len(steps) for steps in applied) == [0] * 7 + [len(shipped())]


async def test_a_failing_step_leaves_nothing_behind(new_database: NewDatabase) -> None:
    dsn = await new_database()
    broken = [
        *shipped(),
        Migration(len(shipped()) + 1, "broken", "create table recollect.half (x int); select 1 / 0;"),
    ]
    with pytest.raises(asyncpg.DivisionByZeroError):
        await _migrate(dsn, broken)
    connection = await asyncpg.connect(dsn)
    assert await connection.fetchval("select to_regclass('recollect.migrations')") is None
    await connection.close()
    assert len(await _migrate(dsn)) == len(shipped())


async def test_opening_an_unprepared_database_says_what_to_do(new_database: NewDatabase) -> None:
    dsn = await new_database()
    with pytest.raises(Unavailable, match="no Recollect schema yet; run `recollect migrate`"):
        await Recollect.open(dsn)
    async with Recollect.open(dsn, migrate=True) as memory:
        await memory.conversation(user="ana", agent="librarian")
    connection = await asyncpg.connect(dsn)
    assert await outdated(connection) == []
    await connection.execute("insert into recollect.migrations values (99, 'future', 'x')")
    await connection.close()
    with pytest.raises(Unavailable, match="0099, newer than this version"):
        await Recollect.open(dsn)


def test_pending_refuses_what_this_version_does_not_know() -> None:
    steps = [Migration(1, "a", "select 1"), Migration(2, "b", "select 2")]
    first = Applied(1, "a", steps[0].checksum)
    assert pending([], steps) == steps
    assert pending([first], steps) == steps[1:]
    with pytest.raises(Unavailable, match="0001_a was applied from another file"):
        pending([Applied(1, "a", "else")], steps)
    with pytest.raises(Unavailable, match="upgrade"):
        pending([first, Applied(2, "b", steps[1].checksum), Applied(3, "c", "x")], steps)


def test_numbers_without_a_gap(tmp_path: Path) -> None:
    (tmp_path / "0001_a.sql").write_text("")
    (tmp_path / "0003_c.sql").write_text("")
    with pytest.raises(ValueError, match="without a gap"):
        shipped(tmp_path)


async def test_memories_that_were_there_are_found_by_their_words(new_database: NewDatabase) -> None:
    dsn = await new_database()
    before = next(place for place, step in enumerate(shipped()) if step.name == "words_of_memories")
    await _migrate(dsn, shipped()[:before])
    connection = await asyncpg.connect(dsn)
    await connection.execute("insert into recollect.tenants (tenant) values ('ours')")
    for number, status in enumerate(("active", "active", "retired")):
        await connection.execute(
            "insert into recollect.memories (tenant, id, user_id, pool, agent, key_point, author, fingerprint, words, "
            "status, model, embedding) values ('ours', gen_random_uuid(), 'ana', 'cook', 'cook', $1, 'user', "
            "sha256($1::text::bytea), recollect.words_of($1), $2, 'made', '[1,0]')",
            f"user has a violin of {1900 + number}",
            status,
        )
    await _migrate(dsn)
    kept = await connection.fetch("select stem, count(*) from recollect.memory_words group by stem order by stem")
    assert [tuple(row) for row in kept] == [("1900", 1), ("1901", 1), ("violin", 2)]
    await connection.close()


async def test_whoever_is_at_work_meanwhile_comes_to_an_end_and_so_does_the_migration(
    new_database: NewDatabase,
) -> None:
    dsn = await new_database()
    before = next(place for place, step in enumerate(shipped()) if step.name == "shelves")
    await _migrate(dsn, shipped()[:before])
    at_work, looking = await asyncpg.connect(dsn), await asyncpg.connect(dsn)
    async with at_work.transaction():
        await at_work.execute("select from recollect.memory_words")
        migrating = asyncio.create_task(_migrate(dsn))
        while not await looking.fetchval("select exists (select from pg_locks where not granted)"):
            assert not migrating.done()
            await asyncio.sleep(0.01)
        await at_work.execute("select from recollect.memories")
        await at_work.execute("select from recollect.work")
    assert len(await migrating) == len(shipped()) - before
    await at_work.close()
    await looking.close()


async def test_a_migration_does_not_wait_for_ever(
    new_database: NewDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "TRIES", 2)
    dsn = await new_database()
    await _migrate(dsn, shipped()[:-1])
    at_work = await asyncpg.connect(dsn)
    async with at_work.transaction():
        await at_work.execute("select from recollect.memories")
        with pytest.raises(Unavailable, match="at work"):
            await _migrate(dsn)
    assert len(await _migrate(dsn)) == 1
    await at_work.close()


async def test_answers_that_were_kept_lose_their_texts(new_database: NewDatabase) -> None:
    dsn = await new_database()
    before = next(place for place, step in enumerate(shipped()) if step.name == "answered_with_the_effect")
    await _migrate(dsn, shipped()[:before])
    connection = await asyncpg.connect(dsn)
    await connection.execute("insert into recollect.tenants (tenant) values ('ours')")
    passed_on = '{"x-recollect-conversation": "c"}'
    for key, status, headers, body in (
        ("notes", 200, '{"etag": "3"}', b'{"text": "figs", "version": 3}'),
        ("memory", 201, "{}", b'"0190d3f0-0000-7000-8000-000000000000"'),
        ("tenant", 201, "{}", b'{"tenant": "b", "keys": 0}'),
        ("reply", 200, passed_on, b'{"choices": [], "version": 1}'),
        ("stream", 200, passed_on, b'data: {"figs"}\n\n\xff'),
        ("under way", None, None, None),
    ):
        await connection.execute(
            "insert into recollect.answers (tenant, user_id, key, fingerprint, leased_until, status, headers, body) "
            "values ('ours', 'ana', $1, '', now(), $2, $3, $4)",
            key,
            status,
            headers,
            body,
        )
    await _migrate(dsn)
    kept = await connection.fetch("select key, status, body from recollect.answers order by key")
    assert [tuple(row) for row in kept] == [
        ("memory", 201, b'"0190d3f0-0000-7000-8000-000000000000"'),
        ("notes", 200, b"3"),
        ("reply", 200, None),
        ("stream", 200, None),
        ("tenant", 201, b'{"tenant": "b", "keys": 0}'),
        ("under way", None, None),
    ]
    # A server of the version before goes on beside.
    ours = "select ours from recollect.begin_answer('ours', 'ana', 'under way', '', 60)"
    assert await connection.fetchval(ours)
    assert not await connection.fetchval(ours)
    await connection.close()


async def test_roles_that_another_administrator_made(
    new_database: NewDatabase, admin: asyncpg.Connection, dsn: str
) -> None:
    address = await new_database()
    name = address.split("/")[3].split("?")[0]
    login = f"maker_{name[-8:]}"
    await admin.execute(f"create role {login} login createrole; alter database {name} owner to {login}")
    theirs = address.replace("postgres@", f"{login}@")
    try:
        with pytest.raises(Unavailable) as caught:
            await Recollect.open(theirs, migrate=True)
        told = str(caught.value)
        grant = f"grant recollect_owner, recollect_server to {login} with inherit true, set true"
        assert f"`{grant}`" in told
        assert "CREATEROLE" not in told
        await admin.execute(grant)
        connection = await asyncpg.connect(address)
        await connection.execute("create extension vector")
        await connection.close()
        async with Recollect.open(theirs, migrate=True) as memory:
            await memory.conversation(user="ana", agent="librarian")
    finally:
        await admin.execute(f"alter database {name} owner to postgres")
        await admin.execute(f"revoke recollect_owner, recollect_server from {login}; drop role {login}")


async def test_a_login_that_lacks_everything_is_told_all(
    new_database: NewDatabase, admin: asyncpg.Connection, dsn: str
) -> None:
    address = await new_database()
    login = f"weak_{address.split('/')[3][5:13]}"
    await admin.execute(f"create role {login} login")
    try:
        with pytest.raises(Unavailable, match=f"'{login}' is no member of .*; it may not create in this database"):
            await Recollect.open(address.replace("postgres@", f"{login}@"), migrate=True)
    finally:
        await admin.execute(f"drop role {login}")


async def test_a_schema_of_somebody_else(new_database: NewDatabase) -> None:
    address = await new_database()
    connection = await asyncpg.connect(address)
    await connection.execute("create schema recollect")
    await connection.close()
    with pytest.raises(Unavailable, match="schema `recollect` that belongs to 'postgres'"):
        await Recollect.open(address, migrate=True)


async def _say(connection: asyncpg.Connection, text: str) -> None:
    """What a new user has said, with the words that it has at that version."""
    await connection.execute("insert into recollect.tenants (tenant) values ('ours')")
    chat = await connection.fetchval(
        "insert into recollect.conversations (tenant, id, user_id, agent, last_seq) "
        "values ('ours', gen_random_uuid(), 'ana', 'cook', 1) returning id"
    )
    await connection.execute(
        "insert into recollect.messages (tenant, conversation, seq, id, created_at, role, content, actor, words) "
        "values ('ours', $1, 1, gen_random_uuid(), now(), 'user', $2, 'test', recollect.words_of($2))",
        chat,
        text,
    )


async def test_messages_that_were_not_kept_whole_are_found(new_database: NewDatabase) -> None:
    dsn = await new_database()
    before = next(place for place, step in enumerate(shipped()) if step.name == "search_in_long_texts")
    await _migrate(dsn, shipped()[:before])
    connection = await asyncpg.connect(dsn)
    await _say(connection, " ".join(f"{number:08x}" for number in range(115_000)) + " zebra")
    await connection.close()
    async with Recollect.open(dsn, migrate=True, tenant="ours") as memory:
        assert len(await memory.search("zebra", user="ana")) == 1


async def test_messages_and_memories_whose_words_touched_a_sign_are_found(new_database: NewDatabase) -> None:
    dsn = await new_database()
    before = next(place for place, step in enumerate(shipped()) if step.name == "signs_are_no_letters")
    await _migrate(dsn, shipped()[:before])
    connection = await asyncpg.connect(dsn)
    await _say(connection, "I love pizza🍕")
    await connection.execute(
        "insert into recollect.memories (tenant, id, user_id, pool, agent, key_point, author, fingerprint, words, "
        "model, embedding) values ('ours', gen_random_uuid(), 'ana', 'cook', 'cook', $1, 'user', sha256('x'), "
        "recollect.words_of($1), 'made', '[1,0]')",
        "user pays 500€",
    )
    await connection.close()
    async with Recollect.open(dsn, migrate=True, tenant="ours") as memory:
        assert len(await memory.search("pizza", user="ana")) == 1
        assert len(await memory.recall("500", user="ana", agent="cook")) == 1
