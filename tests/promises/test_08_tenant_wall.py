"""Promise 8: the wall between tenants stands in the code and in the database."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterator, Awaitable
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any

import asyncpg
import msgspec
import pytest

from recollect import Chat, Forbidden, Memory, Notes, NotFound, Recollect
from recollect.access import answers
from recollect.ports import Tokens
from recollect.records import Caller
from recollect.remember.digest.store import digest_conversation
from recollect.storage import embedded
from recollect.storage.database import Database
from recollect.storage.pool import Pool
from recollect.storage.spending import TenantLedger
from recollect.storage.vectors import send_vectors

#: Tables that hold no tenant's data.
GLOBAL = {"migrations", "cache_trust"}
#: Whoever owns the tables, which nobody connects as, may see which work is due, whether there are keys, and the
#: names of tenants. One function tells workers the names of tenants that wait, another whether there is any key, a
#: third how much work there is of each kind, a fourth tells operators which tenants there are.
BESIDE_THE_WALL = {
    ("work", "due_for_workers", "r", "{recollect_owner}"),
    ("api_keys", "any_for_servers", "r", "{recollect_owner}"),
    ("tenants", "names_for_operators", "r", "{recollect_owner}"),
}
AS_OWNER = {
    "recollect.due_tenants()",
    "recollect.keys_exist()",
    "recollect.work_in_numbers()",
    "recollect.tenants_in_numbers(text,integer)",
    # Writes through the views of Supabase: the roles of PostgREST may not touch a table. They ask who asks first.
    "recollect.conversation_messages_insert()",
    "recollect.conversation_messages_delete()",
    "recollect.conversation_messages_settle()",
    "recollect.active_sessions_write()",
    "recollect.long_term_memory_write()",
    "recollect.agent_memories_delete()",
}
#: What learning leaves behind.
LEARNED = {
    "refusals": "insert into recollect.refusals (tenant, conversation, user_id, pool, first_seq, last_seq, reason) "
    "values ($1, $2, 'ana', 'librarian', 1, 1, 'secret')",
}

SECRET_WORKFLOW = {
    "start": "secret",
    "steps": [{"name": "secret"}],
    "actions": [{"name": "secret", "steps": ["secret"]}],
}


@pytest.fixture
async def serving(server: embedded.Server, dsn: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection as the application's role."""
    connection = await asyncpg.connect(
        host=str(server.socket),
        port=server.port,
        user="postgres",
        database="postgres",
        server_settings={"role": "recollect_server"},
    )
    yield connection
    await connection.close()


async def _tables(admin: asyncpg.Connection) -> list[asyncpg.Record]:
    tables = await admin.fetch(
        """
        select c.oid, c.relname as name, c.relkind::text as kind, c.relrowsecurity as secured,
               c.relforcerowsecurity as forced, pg_get_userbyid(c.relowner) as owner, c.reloptions as options
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ('recollect', 'api') and c.relkind in ('r', 'p', 'v', 'm', 'f')
        """
    )
    assert len([table for table in tables if table["kind"] == "r"]) >= 8
    return tables


async def test_every_table_forces_row_level_security_by_tenant(admin: asyncpg.Connection, dsn: str) -> None:
    for table in await _tables(admin):
        assert table["kind"] in ("r", "v"), f"{table['name']}: decide what protects a relation of this kind"
        if table["kind"] == "v":
            assert "security_invoker=true" in (table["options"] or []), table["name"]
            continue
        assert (table["secured"], table["forced"], table["owner"]) == (True, True, "recollect_owner"), table[
            "name"
        ]
        policies = await admin.fetch(
            "select polname as name, pg_get_expr(polqual, polrelid) as seen, polcmd::text as command, "
            "pg_get_expr(polwithcheck, polrelid) as written, polroles::regrole[]::text as roles "
            "from pg_policy where polrelid = $1",
            table["oid"],
        )
        if table["name"] not in GLOBAL:
            rule = "(tenant = recollect.current_tenant())"
            own = [(p["seen"], p["written"]) for p in policies if p["name"] == "tenant_wall"]
            assert own == [(rule, rule)], table["name"]
            others = [
                (table["name"], p["name"], p["command"], p["roles"])
                for p in policies
                if p["name"] != "tenant_wall"
            ]
            assert set(others) <= BESIDE_THE_WALL, others


async def test_the_tenant_is_first_in_every_key_and_index(admin: asyncpg.Connection, dsn: str) -> None:
    rows = await admin.fetch(
        """
        select c.relname as tbl, i.indexrelid::regclass::text as idx, a.attname as first
        from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
        left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
        where n.nspname = 'recollect'
        """
    )
    assert len(rows) >= 10
    assert {row["idx"] for row in rows if row["first"] != "tenant"} == {"recollect.migrations_pkey"}
    references = await admin.fetch(
        """
        select conname,
               conkey[1] = (
                 select attnum from pg_attribute where attrelid = conrelid and attname = 'tenant') as ours
        from pg_constraint where contype = 'f' and connamespace = 'recollect'::regnamespace
        """
    )
    assert references
    assert all(row["ours"] for row in references)


async def test_the_server_role_owns_nothing_and_stands_below_the_wall(admin: asyncpg.Connection, dsn: str) -> None:
    role = await admin.fetchrow("select * from pg_roles where rolname = 'recollect_server'")
    assert role is not None
    assert not any(
        role[f"rol{power}"] for power in ("super", "bypassrls", "createrole", "createdb", "replication")
    )
    owned = "select count(*) from pg_shdepend where refobjid = $1::regrole and deptype = 'o'"
    assert await admin.fetchval(owned.replace("$1", "'recollect_server'")) == 0
    assert await admin.fetchval(owned.replace("$1", "'recollect_owner'")) > 0
    members = "select pg_has_role('recollect_server', 'recollect_owner', 'member')"
    assert await admin.fetchval(members) is False


async def test_every_function_runs_as_its_caller_and_is_not_public(admin: asyncpg.Connection, dsn: str) -> None:
    functions = await admin.fetch(
        """
        select p.oid::regprocedure::text as name, p.prosecdef as definer, p.proleakproof as leakproof,
               has_function_privilege('public', p.oid, 'execute') as public
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('recollect', 'api')
        """
    )
    assert len(functions) >= 6
    for function in functions:
        assert function["definer"] == (function["name"] in AS_OWNER), function["name"]
        assert (function["leakproof"], function["public"]) == (False, False), function["name"]


async def test_workers_learn_which_tenants_wait_and_nothing_else(
    memory: Recollect, serving: asyncpg.Connection
) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.extend([("user", "secret")] * 10)
    assert memory.tenant in [row[0] for row in await serving.fetch("select * from recollect.due_tenants()")]
    assert await serving.fetchval("select count(*) from recollect.work") == 0


async def test_servers_learn_whether_there_are_keys_and_nothing_else(
    memory: Recollect, serving: asyncpg.Connection
) -> None:
    await memory.create_key("secret")
    assert await serving.fetchval("select recollect.keys_exist()") is True
    assert await serving.fetchval("select count(*) from recollect.api_keys") == 0
    assert await serving.fetchval("select count(*) from recollect.tenants") == 0


async def test_the_application_works_as_that_role(memory: Recollect, admin: asyncpg.Connection) -> None:
    await memory.conversation(user="ana", agent="librarian")
    async with memory._database.transaction(memory.tenant) as transaction:  # pyright: ignore[reportPrivateUsage]
        assert await transaction._connection.fetchval("select current_user") == "recollect_server"  # pyright: ignore[reportPrivateUsage]


async def test_the_database_itself_shows_and_takes_only_the_set_tenant(
    memory: Recollect, serving: asyncpg.Connection, admin: asyncpg.Connection
) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.extend([("user", "secret")] * 10, key="k")
    known = await memory.remember("user has a secret", user="ana", agent="librarian")
    await memory.revise(known.id, "user has two secrets")
    await memory.configure_agent("librarian", instructions="secret")
    await memory.edit_notes("append", "secret", user="ana", agent="librarian")
    await memory.put_document(("secrets",), "secret", {"secret": "secret"}, user="ana")
    await memory.define_template("secret", "user has a secret {what}")
    await digest_conversation(memory._database, memory._caller, chat.id)  # pyright: ignore[reportPrivateUsage]
    await memory.define_workflow("secret", SECRET_WORKFLOW)
    await memory.configure_agent("keeper", workflow="secret")
    kept = await memory.conversation(user="ana", agent="keeper")
    await kept.say("secret")
    await kept.act("secret")
    await chat.update_state({"draft": {"secret": True}})
    await chat.save_memory_document({"secret": True})
    assert await memory.recall("secret", user="ana", agent="librarian", over="messages")
    await TenantLedger(memory._database, memory.tenant).add(Tokens(1, 1))  # pyright: ignore[reportPrivateUsage]
    await memory.erase(user="somebody")
    await memory.set_retention("forever", agent="librarian")
    await memory.create_key("secret")
    await answers.begin(memory._database, memory._caller, "ana", "secret", b"secret")  # pyright: ignore[reportPrivateUsage]
    for _ in range(2):
        async with aclosing(memory.live(user="ana")) as events:
            await anext(events)
        await chat.rename("secret")
    await memory.digest()
    for insert in LEARNED.values():
        await admin.execute(insert, memory.tenant, *([chat.id] if "$2" in insert else []))
    await chat.extend([("user", "secret")] * 10)
    names = [t["name"] for t in await _tables(admin) if t["kind"] == "r" and t["name"] not in GLOBAL]
    for table in names:
        assert (
            await admin.fetchval(f"select count(*) from recollect.{table} where tenant = $1", memory.tenant) > 0
        ), f"{table}: this test must have put something there"
        for setting in (None, "", "somebody else", "%", memory.tenant + " "):
            async with serving.transaction():
                if setting is not None:
                    await serving.execute("select set_config('recollect.tenant', $1, true)", setting)
                assert await serving.fetchval(f"select count(*) from recollect.{table}") == 0, (table, setting)
                assert (
                    await serving.execute(f"delete from recollect.{table}") == "DELETE 0"
                    if table not in ("audit", "receipts")
                    else True
                )
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await serving.execute(f"truncate recollect.{table}")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await serving.execute(f"alter table recollect.{table} disable row level security")
    async with serving.transaction():
        await serving.execute("select set_config('recollect.tenant', 'mallory', true)")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await serving.execute("insert into recollect.tenants (tenant) values ($1)", memory.tenant + "x")
    assert len(await chat.window(100)) == 20


async def test_no_setting_stays_on_a_connection(memory: Recollect) -> None:
    pool = memory._database._pool  # pyright: ignore[reportPrivateUsage]
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.append("user", "x")
    await chat.window()
    await memory.search("x", user="ana")
    connection = await pool.take()
    assert await connection.fetchval("select recollect.current_tenant()") is None
    assert await connection.fetchval("select count(*) from recollect.messages") == 0
    pool.give_back(connection)


def _uses(memory: Recollect, chat: Chat, known: Memory, key: str) -> dict[str, Any]:
    """One call for each public method of the door and of a conversation, to be made by another tenant.

    None: it makes something of its own, and can neither see nor change what others have.
    """
    return {
        "conversation": lambda: memory.conversation(id=chat.id),
        "active_conversation": lambda: _nothing(memory.active_conversation(user="ana", agent="librarian")),
        "new_conversation": None,
        "conversations": lambda: memory.conversations(user="ana"),
        "search": lambda: memory.search("secret", user="ana"),
        "close": None,
        "remember": None,
        "remember_as": None,
        "templates": lambda: _foreign_templates(memory),
        "define_template": None,
        "recall": lambda: memory.recall("secret", user="ana", agent="librarian", threshold=0, over="both"),
        "memories": lambda: memory.memories(user="ana", agent="librarian"),
        "memory": lambda: memory.memory(known.id),
        "revise": lambda: memory.revise(known.id, "intruder"),
        "history": lambda: memory.history(known.id),
        "undo": lambda: memory.undo(known.id),
        "release": lambda: memory.release(known.id),
        "forget": lambda: memory.forget(known.id),
        "forget_all": lambda: _true(memory.forget_all("ana", "librarian")),
        "notes": lambda: _text_of(memory.notes(user="ana", agent="librarian")),
        "edit_notes": lambda: _text_of(memory.edit_notes("read", user="ana", agent="librarian")),
        "notes_history": lambda: memory.notes_history(user="ana", agent="librarian"),
        "diff_notes": lambda: memory.diff_notes("ana", "librarian", 0, 1),
        "undo_notes": lambda: memory.undo_notes("ana", "librarian", 1),
        "put_document": None,
        "change_documents": None,
        "document": lambda: memory.document(("secrets",), "secret"),
        "documents": memory.documents,
        "documents_at": lambda: _nothing(_first(memory.documents_at([(("secrets",), "secret")]))),
        "search_documents": lambda: memory.search_documents("secret", threshold=0),
        "document_history": lambda: memory.document_history(("secrets",), "secret"),
        "delete_document": lambda: _true(memory.delete_document(("secrets",), "secret")),
        "document_namespaces": memory.document_namespaces,
        "reembed": None,
        "digest": lambda: _learned_nothing(memory),
        "consolidate": None,
        "refusals": lambda: memory.refusals(user="ana", agent="librarian"),
        "work": memory.work,
        "retry_work": None,
        "agent": lambda: _nothing_if_unknown(memory),
        "configure_agent": None,
        "workflows": lambda: _foreign_workflows(memory),
        "workflow": lambda: memory.workflow("secret"),
        "define_workflow": None,
        "context": lambda: chat.context("secret"),
        "state": chat.state,
        "update_state": lambda: chat.update_state({"lastAction": "intruder"}),
        "move": lambda: chat.move("secret"),
        "act": lambda: chat.act("secret"),
        "state_history": chat.state_history,
        "say": lambda: chat.say("intruder"),
        "stream": lambda: _streamed(chat),
        "enrich": lambda: chat.enrich([{"role": "user", "content": "secret"}]),
        "keep": lambda: chat.keep([{"role": "user", "content": "intruder"}]),
        "live": lambda: _followed(memory, chat),
        "reembed_later": None,
        "turns": chat.turns,
        "known": lambda: chat.known(2),
        "outbox": memory.outbox,
        "undo_state": lambda: chat.undo_state(0),
        "append": lambda: chat.append("user", "intruder"),
        "extend": lambda: chat.extend([("user", "intruder")]),
        "window": chat.window,
        "windows": lambda: memory.windows([chat.id]),
        "message": lambda: chat.message(known.id),
        "memory_document": chat.memory_document,
        "save_memory_document": lambda: chat.save_memory_document({"intruder": True}),
        "rebuild_cache": None,
        "verify_cache": None,
        "cache_stats": None,
        "messages": chat.messages,
        "summary": chat.summary,
        "rename": lambda: chat.rename("intruder"),
        "archive": chat.archive,
        "activate": chat.activate,
        "clear": chat.clear,
        "pop": chat.pop,
        "delete": chat.delete,
        "export": lambda: _exported(memory, chat),
        "export_to": lambda: _exported_to(memory),
        "import_user": None,
        "import_from": None,
        "import_own": None,
        "erase": lambda: _erased(memory),
        "receipts": lambda: memory.receipts(user="somebody"),
        "retention": lambda: _rules(memory),
        "set_retention": None,
        "tidy": lambda: _tidied(memory),
        "agents": memory.agents,
        "analytics": lambda: _counted(memory),
        "create_key": None,
        "keys": memory.keys,
        "tenants": lambda: _kept_out(memory.tenants()),
        "create_tenant": lambda: _kept_out(memory.create_tenant("theirs")),
        "create_tenant_key": lambda: _kept_out(memory.create_tenant_key(memory.tenant.removesuffix("-intruder"))),
        "delete_tenant": lambda: _kept_out(
            memory.delete_tenant(
                memory.tenant.removesuffix("-intruder"), confirm=memory.tenant.removesuffix("-intruder")
            )
        ),
        "rotate_key": lambda: memory.rotate_key(key),
        "revoke_key": lambda: memory.revoke_key(key),
    }


async def _followed(memory: Recollect, chat: Chat) -> list[str]:
    """Another tenant hears its own user of the same name, and of a foreign conversation nothing."""
    heard: list[str] = []
    for events in (memory.live(user="ana"), chat.live()):
        with contextlib.suppress(TimeoutError):
            async with aclosing(events), asyncio.timeout(1):
                async for event in events:
                    heard += [] if event.kind == "ready" else [event.kind]
    return heard


async def _kept_out(doing: Awaitable[object]) -> list[object]:
    """For operators only, whatever tenant it names."""
    with pytest.raises(Forbidden):
        await doing
    return []


async def _first(found: Awaitable[list[Any]]) -> object:
    return (await found)[0]


async def _true(done: Awaitable[int]) -> list[int]:
    return [one for one in [await done] if one]


async def _nothing(found: Awaitable[object]) -> list[object]:
    return [one for one in [await found] if one is not None]


async def _counted(memory: Recollect) -> list[int]:
    counts = await memory.analytics()
    return [count for count in (counts.conversations, counts.messages, counts.memories) if count]


async def _learned_nothing(memory: Recollect) -> list[str]:
    done = await memory.digest(everything=True)
    return [] if done.messages == 0 else ["messages"]


async def _foreign_templates(memory: Recollect) -> list[object]:
    return [template for template in await memory.templates() if "secret" in template.pattern]


async def _exported(memory: Recollect, chat: Chat) -> list[object]:
    document = await memory.export(user="ana")
    assert [section for section in document.values() if isinstance(section, list) and section] == []
    return [await chat.export()]


async def _exported_to(memory: Recollect) -> list[object]:
    written: list[bytes] = []
    entries = await memory.export_to(written.append, "ana")
    return [] if entries == 0 and b"secret" not in b"".join(written) else [*written]


async def _erased(memory: Recollect) -> list[str]:
    counts = (await memory.erase(user="ana")).counts
    own = ("audit", "live_heads")  # its own export is there, and that it has listened
    return [kind for kind, count in counts.items() if count and kind not in own]


async def _rules(memory: Recollect) -> list[str]:
    return list((await memory.retention()).agents)


async def _tidied(memory: Recollect) -> list[int]:
    """A rule of one minute, while the other tenant has messages that are older."""
    await memory.set_retention(1)
    return [count for count in msgspec.structs.astuple(await memory.tidy()) if count]


async def _streamed(chat: Chat) -> list[object]:
    return [event async for event in chat.stream("intruder")]


async def _foreign_workflows(memory: Recollect) -> list[object]:
    return [workflow for workflow in await memory.workflows() if workflow.name == "secret"]


async def _text_of(notes: Awaitable[Notes]) -> list[str]:
    return [text for text in [(await notes).text] if text]


async def _nothing_if_unknown(memory: Recollect) -> list[object]:
    agent = await memory.agent("librarian")
    return [] if agent.version == 0 else [agent]


async def _intrude(memory: Recollect, other: Recollect) -> None:
    """Try everything as another tenant, with ids that are not its own."""
    mine = await memory.conversation(user="ana", agent="librarian")
    await mine.append("user", "secret", at=datetime(2020, 1, 1, tzinfo=UTC))
    await memory.configure_agent("librarian", instructions="secret")
    known = await memory.remember("user has a secret", user="ana", agent="librarian")
    await memory.edit_notes("append", "secret", user="ana", agent="librarian")
    await memory.put_document(("secrets",), "secret", {"secret": "secret"}, user="ana")
    await memory.define_template("secret", "user has a secret {what}")
    await memory.set_retention("forever", agent="librarian")
    await memory.erase(user="somebody")
    await memory.define_workflow("secret", SECRET_WORKFLOW)
    await mine.update_state({"draft": {"secret": True}})
    stolen = Chat(other._database, other._caller, other._models, mine.record)  # pyright: ignore[reportPrivateUsage]
    key = (await memory.create_key("secret")).key
    uses = _uses(other, stolen, known, key.id)
    public = {
        name
        for cls in (Recollect, Chat)
        for name, member in inspect.getmembers(cls)
        if not name.startswith("_") and (inspect.iscoroutinefunction(member) or inspect.isasyncgenfunction(member))
    }
    assert set(uses) == public, "every new method needs a line in _uses"
    for name, use in uses.items():
        if use is None:
            continue
        try:
            result = await use()
        except NotFound:
            continue
        assert getattr(result, "items", result) == [], name
    assert [message.content for message in await mine.window()] == ["secret"]
    assert (await memory.conversation(id=mine.id)).title is None
    assert await memory.memory(known.id) == known
    assert (await memory.document(("secrets",), "secret")).version == 1
    assert key in await memory.keys()
    assert ((await mine.state()).draft, (await mine.state()).version) == ({"secret": True}, 1)


async def test_every_method_refuses_another_tenants_id(memory: Recollect, dsn: str) -> None:
    async with Recollect.open(dsn, tenant=memory.tenant + "-intruder") as other:
        await _intrude(memory, other)


async def test_the_code_alone_holds_the_wall(memory: Recollect, server: embedded.Server, dsn: str) -> None:
    """The same above row level security, as a superuser: each statement names its tenant itself."""

    async def above() -> asyncpg.Connection:
        connection = await asyncpg.connect(host=str(server.socket), user="postgres", database="postgres")
        return await send_vectors(connection, "public")

    database = Database(Pool(above, size=2, patience=5, longest=60), patience=5)
    other = Recollect(database, Caller(memory.tenant + "-intruder", "test"), memory._models)  # pyright: ignore[reportPrivateUsage]
    try:
        await _intrude(memory, other)
    finally:
        await database.close()


async def test_the_audit_cannot_be_changed(memory: Recollect, serving: asyncpg.Connection) -> None:
    await memory.conversation(user="ana", agent="librarian")
    for change in ("delete from recollect.audit", "update recollect.audit set actor = 'nobody'"):
        async with serving.transaction():
            await serving.execute("select set_config('recollect.tenant', $1, true)", memory.tenant)
            assert await serving.fetchval("select count(*) from recollect.audit") == 1
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                async with serving.transaction():
                    await serving.execute(change)
