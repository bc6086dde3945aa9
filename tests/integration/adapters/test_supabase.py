"""supabase-py through a real PostgREST on our database, with tokens of two users and two tenants."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import asyncpg
import msgspec
import pytest
from httpx import AsyncClient as HttpClient
from postgrest.exceptions import APIError
from supabase import AsyncClient, create_async_client

from postgrest_server import Unreachable, install, running, token
from recollect import Recollect
from recollect.adapters import supabase as face
from recollect.adapters.supabase import SupabaseChatMemory, shared_client
from recollect.errors import Refused
from recollect.storage import embedded

SQL = (files("recollect") / "adapters" / "supabase.sql").read_text()
ROLES = ("authenticator", "anon", "authenticated", "service_role")
ACME, OTHER = "acme", "other"
#: Every view, with the column that names its user, if there is one.
VIEWS = {
    "conversation_messages": None,
    "agent_memories": "user_id",
    "agent_long_term_memory": "user_id",
    "user_agent_active_sessions": "user_id",
    "conversation_memories": None,
}
#: Opens a connection as PostgREST has it during a request: with a role, and the claims of a token.
Requesting = Callable[[str, dict[str, Any]], AbstractAsyncContextManager[asyncpg.Connection]]


@pytest.fixture(scope="module")
async def database(server: embedded.Server, admin: asyncpg.Connection) -> AsyncIterator[str]:
    """A database of its own, because the SQL file makes roles and policies; service_role is as on Supabase."""
    name = f"supabase_{uuid.uuid4().hex[:8]}"
    await admin.execute(f"create database {name}")
    address = f"postgresql://postgres@/{name}?host={server.socket}&port={server.port}"
    async with Recollect.open(address, migrate=True):
        pass
    connection = await _connect(server, address, "postgres")
    await connection.execute(SQL)
    await connection.execute(SQL)  # after an upgrade
    await connection.execute("alter role service_role bypassrls")
    await connection.close()
    yield address
    await admin.execute(f"drop database {name} with (force)")
    await admin.execute(f"drop role {', '.join(ROLES)}")


@pytest.fixture
async def above(database: str, server: embedded.Server) -> AsyncIterator[asyncpg.Connection]:
    """A connection above the walls."""
    connection = await _connect(server, database, "postgres")
    yield connection
    await connection.close()


@pytest.fixture
def requesting(database: str, server: embedded.Server) -> Requesting:
    @asynccontextmanager
    async def opened(role: str, claims: dict[str, Any]) -> AsyncIterator[asyncpg.Connection]:
        connection = await _connect(server, database, "authenticator")
        try:
            await connection.execute(f"set role {role}")
            text = msgspec.json.encode(claims).decode()
            await connection.execute("select set_config('request.jwt.claims', $1, false)", text)
            yield connection
        finally:
            await connection.close()

    return opened


async def _connect(server: embedded.Server, database: str, user: str) -> asyncpg.Connection:
    name = database.split("/")[3].split("?")[0]
    return await asyncpg.connect(host=str(server.socket), port=server.port, user=user, database=name)


@pytest.fixture(scope="module")
async def project(database: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    folder: Path = tmp_path_factory.mktemp("postgrest")
    try:
        program = await asyncio.to_thread(install, folder)
    except Unreachable as error:
        pytest.skip(str(error))
    async with running(program, database.replace("postgres@", "authenticator@")) as address:
        yield address


@pytest.fixture
async def acme(database: str) -> AsyncIterator[Recollect]:
    async with Recollect.open(database, tenant=ACME) as opened:
        yield opened


def memory_of(project: str, *who: Any, **claims: Any) -> SupabaseChatMemory:
    return SupabaseChatMemory(project, token(*who, **claims))


async def rows(project: str, view: str, *who: Any, **claims: Any) -> list[dict[str, Any]]:
    client: Any = await shared_client(project, token(*who, **claims))
    return list((await client.table(view).select("*").execute()).data)


def said(messages: list[Any]) -> list[str]:
    return [str(message.content) for message in messages]


async def test_what_is_written_through_supabase_is_a_conversation_and_the_other_way_round(
    project: str, acme: Recollect
) -> None:
    session, memory = str(uuid.uuid4()), memory_of(project, "authenticated", "ana", ACME)
    await memory.add_user_message(session, "I moved to Porto", {"mood": "glad"})
    await memory.add_ai_message(session, "How nice!")
    chat = await acme.conversation(id=session)
    assert (chat.record.user, chat.record.agent, chat.record.message_count) == ("ana", "supabase", 2)
    stored = await chat.window()
    assert [(one.seq, one.role, one.content, one.answers) for one in stored] == [
        (1, "user", "I moved to Porto", None),
        (2, "assistant", "How nice!", 1),
    ]
    assert stored[0].metadata == {"mood": "glad"}
    assert [hit.text for hit in await acme.search("porto", user="ana")] == ["I moved to Porto"]
    await chat.extend([("user", f"more {number}") for number in range(20)])
    assert said(await memory.get_messages(session))[:3] == ["I moved to Porto", "How nice!", "more 0"]
    assert said(await memory.load_context(session)) == [f"more {number}" for number in range(8, 20)]
    assert said(await memory.load_context(session, 2)) == ["more 18", "more 19"]
    assert [one.subject for one in await acme.work() if one.subject == session]
    await memory.reset(session)
    assert await memory.get_messages(session) == []
    assert (await acme.conversation(id=session)).record.message_count == 0


async def test_what_is_left_after_a_deletion_is_counted(
    project: str, acme: Recollect, above: asyncpg.Connection
) -> None:
    chats = [await acme.new_conversation("kim", "supabase") for _ in range(2)]
    for chat in chats:
        await chat.extend([("user", "one"), ("assistant", "two"), ("user", "three")])
    kim: Any = await shared_client(project, token("authenticated", "kim", ACME))
    await kim.table("conversation_messages").delete().eq("content", "three").execute()
    for chat in chats:
        assert (await acme.conversation(id=chat.id)).record.message_count == 2
        assert (await chat.append("assistant", "four")).answers is None
        assert [one.seq for one in await chat.window()] == [1, 2, 4]
    await kim.table("conversation_messages").delete().neq("role", "tool").execute()
    cleared = "select subject from recollect.audit where tenant = $1 and user_id = 'kim' and action = $2"
    subjects = {row[0] for row in await above.fetch(cleared, ACME, "conversation.clear")}
    assert subjects == {chat.id for chat in chats}
    actor = "select distinct actor from recollect.audit where tenant = $1 and action = $2 and user_id = 'kim'"
    assert await above.fetchval(actor, ACME, "conversation.clear") == "user:kim"


async def test_windows_by_time_and_retention(project: str, acme: Recollect) -> None:
    chat = await acme.new_conversation("tim", "supabase")
    now = datetime.now(UTC)
    for minutes in (120, 61, 30, 0):
        at = now - timedelta(minutes=minutes)
        await chat.extend([{"role": "user", "content": f"{minutes} minutes ago", "at": at}])
    memory = memory_of(project, "authenticated", "tim", ACME)
    since = now - timedelta(minutes=90)
    assert said(await memory.get_messages(chat.id, since))[0] == "61 minutes ago"
    assert said(await memory.load_context(chat.id, 2, now - timedelta(minutes=10))) == ["0 minutes ago"]
    other = await acme.new_conversation("tom", "supabase")
    await other.extend([{"role": "user", "content": "old", "at": now - timedelta(days=1)}])
    await memory.delete_expired_sessions(60)
    assert said(await memory.get_messages(chat.id)) == ["30 minutes ago", "0 minutes ago"]
    assert len(await other.window()) == 1, "a user's key reaches only what is theirs"
    await memory_of(project, "service_role", None, ACME).delete_expired_sessions(60)
    assert await other.window() == []


async def test_a_streamed_reply(project: str, acme: Recollect) -> None:
    async def chunks() -> AsyncIterator[str]:
        for part in ("It ", "is ", "raining"):
            yield part

    session, memory = str(uuid.uuid4()), memory_of(project, "authenticated", "ana", ACME)
    assert [part async for part in memory.add_streamed_message(session, chunks())] == ["It ", "is ", "raining"]
    assert said(await memory.get_messages(session)) == ["It is raining"]


async def test_these_roles_may_write_no_table_and_read_six(above: asyncpg.Connection) -> None:
    rights = await above.fetch(
        """
        select r.rolname as role, c.relname as name,
               has_table_privilege(r.oid, c.oid, 'select') as read,
               has_table_privilege(r.oid, c.oid, 'insert, update, delete, truncate, references, trigger') as write
        from pg_class c, pg_roles r
        where c.relnamespace = 'recollect'::regnamespace and c.relkind in ('r', 'p', 'v')
          and r.rolname = any ($1)
        """,
        list(ROLES),
    )
    assert [row for row in rights if row["write"]] == []
    read = {"conversations", "messages", "active_conversations", "memories", "notes", "digests"}
    for role in ROLES:
        expected = read if role in ("authenticated", "service_role") else set[str]()
        assert {row["name"] for row in rights if row["role"] == role and row["read"]} == expected, role
    functions = await above.fetch(
        """
        select p.proname from pg_proc p, pg_roles r
        where p.pronamespace in ('recollect'::regnamespace, 'api'::regnamespace) and r.rolname = any ($1)
          and has_function_privilege(r.oid, p.oid, 'execute') and p.provolatile = 'v'
        """,
        list(ROLES),
    )
    assert functions == []


@pytest.fixture
async def filled(database: str, acme: Recollect) -> str:
    """Something of ana and ben in both tenants, in every view; returns a session of ana of acme."""
    async with Recollect.open(database, tenant=OTHER) as other:
        for door in (acme, other):
            for user in ("ana", "ben"):
                chat = await door.conversation(user=user, agent="guide")
                await chat.append("user", f"{door.tenant} {user}")
                await door.remember(f"{user} of {door.tenant} likes tea", user=user, agent="guide")
                await door.edit_notes("overwrite", f"{door.tenant} {user}", user=user, agent="guide")
        return (await acme.conversation(user="ana", agent="guide")).id


async def test_nobody_reads_what_is_another_users_or_tenants(project: str, filled: str) -> None:
    async def seen(*who: Any, **claims: Any) -> str:
        return str([await rows(project, view, *who, **claims) for view in VIEWS])

    for tenant, foreign in ((ACME, OTHER), (OTHER, ACME)):
        for user, stranger in (("ana", "ben"), ("ben", "ana")):
            own = await seen("authenticated", user, tenant)
            assert f"{tenant} {user}" in own
            assert f"{user} of {tenant} likes tea" in own
            assert stranger not in own
            assert foreign not in own
        whole = await seen("service_role", None, tenant)
        assert f"{tenant} ana" in whole
        assert f"{tenant} ben" in whole
        assert foreign not in whole
    nothing = str([[] for _ in VIEWS])
    assert await seen("authenticated", "ana") == nothing
    assert await seen("authenticated", None, ACME) == nothing
    assert await seen("service_role") == nothing
    assert await seen("authenticated", "ana", user_metadata={"tenant": ACME}, tenant=None) == nothing
    for view in VIEWS:
        with pytest.raises(APIError) as refused:
            await rows(project, view, "anon", "ana", ACME)
        assert refused.value.code == "42501"
    with pytest.raises(Refused):
        await memory_of(project, "anon").get_messages(filled)


async def test_nobody_writes_what_is_another_users_or_tenants(
    project: str, filled: str, acme: Recollect, database: str
) -> None:
    before = said(await memory_of(project, "authenticated", "ana", ACME).get_messages(filled))
    for who in (("authenticated", "ben", ACME), ("authenticated", "ana"), ("service_role",), ("anon",)):
        with pytest.raises(Refused):
            await memory_of(project, *who).add_user_message(filled, "intruder")
    for who in (("authenticated", "ben", ACME), ("authenticated", "ana", OTHER), ("service_role", None, OTHER)):
        await memory_of(project, *who).reset(filled)
    # The same number in another tenant is another conversation.
    await memory_of(project, "authenticated", "ana", OTHER).add_user_message(filled, "elsewhere")
    assert said(await memory_of(project, "authenticated", "ana", ACME).get_messages(filled)) == before
    async with Recollect.open(database, tenant=OTHER) as other:
        assert said(await (await other.conversation(id=filled)).window()) == ["elsewhere"]
    ben: Any = await shared_client(project, token("authenticated", "ben", ACME))
    for view, row in (
        ("agent_long_term_memory", {"user_id": "ana", "agent_name": "guide", "notes": "intruder"}),
        ("user_agent_active_sessions", {"user_id": "ana", "agent_name": "guide"}),
        ("user_agent_active_sessions", {"user_id": "ben", "agent_name": "guide", "active_session_id": filled}),
        ("agent_memories", {"user_id": "ben", "agent_name": "guide", "key_point": "x"}),
        ("conversation_memories", {"conversation_id": filled}),
    ):
        with pytest.raises(APIError) as refused:
            await ben.table(view).insert(row).execute()
        assert refused.value.code in ("42501", "55000"), view
    await ben.table("agent_long_term_memory").update({"notes": "intruder"}).eq("user_id", "ana").execute()
    await ben.table("agent_long_term_memory").delete().eq("user_id", "ana").execute()
    assert (await acme.notes(user="ana", agent="guide")).text == "acme ana"


async def test_notes_and_active_sessions_are_ours(project: str, acme: Recollect) -> None:
    eva: Any = await shared_client(project, token("authenticated", "eva", ACME))
    notes = eva.table("agent_long_term_memory")
    made = (await notes.insert({"agent_name": "guide", "notes": "# Tastes\ntea"}).execute()).data[0]
    assert (made["user_id"], made["version"]) == ("eva", 1)
    await notes.update({"notes": "# Tastes\ncoffee"}).eq("agent_name", "guide").execute()
    assert (await acme.notes(user="eva", agent="guide")).text == "# Tastes\ncoffee"
    await acme.edit_notes("append", "milk", user="eva", agent="guide")
    assert "milk" in (await notes.select("notes").execute()).data[0]["notes"]
    await notes.delete().eq("id", made["id"]).execute()
    assert (await acme.notes(user="eva", agent="guide")).text == ""
    sessions = eva.table("user_agent_active_sessions")
    first = (await sessions.insert({"agent_name": "guide"}).execute()).data[0]["active_session_id"]
    active = await acme.active_conversation(user="eva", agent="guide")
    assert active is not None
    assert active.id == first
    second = str(uuid.uuid4())
    await sessions.update({"active_session_id": second}).eq("agent_name", "guide").execute()
    active = await acme.active_conversation(user="eva", agent="guide")
    assert active is not None
    assert active.id == second
    await memory_of(project, "authenticated", "eva", ACME).add_user_message(second, "here")
    whole = (await eva.table("conversation_memories").select("*").eq("conversation_id", second).execute()).data[0]
    assert [message["content"] for message in whole["messages"]] == ["here"]
    assert whole["metadata"]["agent"] == "guide"


async def test_the_clients_own_upsert(project: str, acme: Recollect) -> None:
    """As a page takes up its session. Columns cannot be named: on views there is nothing unique for PostgreSQL."""
    user = f"uma-{uuid.uuid4().hex[:6]}"
    uma: Any = await shared_client(project, token("authenticated", user, ACME))
    sessions, notes = uma.table("user_agent_active_sessions"), uma.table("agent_long_term_memory")
    for text in ("tea", "coffee"):
        session = str(uuid.uuid4())
        row = {"user_id": user, "agent_name": "guide", "active_session_id": session}
        made = (await sessions.upsert(row).execute()).data
        assert [one["active_session_id"] for one in made] == [session]
        active = await acme.active_conversation(user=user, agent="guide")
        assert active is not None
        assert active.id == session
        written = {"user_id": user, "agent_name": "guide", "notes": text}
        await notes.upsert(written).execute()
        assert (await acme.notes(user=user, agent="guide")).text == text
    assert len((await sessions.select("*").execute()).data) == 1
    with pytest.raises(APIError, match="ON CONFLICT"):
        await sessions.upsert(row, on_conflict="user_id,agent_name").execute()


async def test_a_memory_is_read_and_forgotten(project: str, acme: Recollect, above: asyncpg.Connection) -> None:
    known = await acme.remember("user plays the oboe", user="lea", agent="guide")
    ben: Any = await shared_client(project, token("authenticated", "ben", ACME))
    await ben.table("agent_memories").delete().eq("id", known.id).execute()
    lea: Any = await shared_client(project, token("authenticated", "lea", ACME))
    (row,) = (await lea.table("agent_memories").select("*").execute()).data
    assert (row["key_point"], row["agent_name"], row["update_count"]) == ("user plays the oboe", "guide", 0)
    assert row["vector_embedding"].startswith("[")
    await lea.table("agent_memories").delete().eq("id", known.id).execute()
    assert (await acme.memories(user="lea", agent="guide")).items == []
    buried = "select count(*) from recollect.tombstones where tenant = $1 and user_id = 'lea'"
    assert await above.fetchval(buried, ACME) == 1


async def test_nothing_is_forgotten_while_somebody_learns(acme: Recollect, requesting: Requesting) -> None:
    """They have looked for what is not to be learned again, and would bring it back."""
    known = await acme.remember("user plays the oboe", user="lea", agent="guide")
    async with requesting("authenticated", {"sub": "lea", "app_metadata": {"tenant": ACME}}) as lea:
        async with acme.database.transaction(ACME) as learning:
            await learning.run("lock_pool", "lea", "guide")
            forgetting = asyncio.create_task(lea.execute("delete from api.agent_memories where id = $1", known.id))
            await asyncio.wait([forgetting], timeout=0.5)
            assert not forgetting.done()
        assert await forgetting == "DELETE 1"


async def test_bad_rows_change_nothing(project: str, acme: Recollect) -> None:
    client: Any = await shared_client(project, token("authenticated", "ida", ACME))
    session = str(uuid.uuid4())
    for row in (
        {"session_id": session, "role": "robot", "content": "x"},
        {"session_id": session, "role": "user"},
        {"role": "user", "content": "x"},
        {"session_id": session, "role": "user", "content": "x", "metadata": [1]},
        {"session_id": session, "role": "user", "content": "x" * (1 << 21)},
    ):
        with pytest.raises(APIError):
            await client.table("conversation_messages").insert(row).execute()
    assert await rows(project, "conversation_memories", "authenticated", "ida", ACME) == []


async def test_a_login_can_be_bound_to_a_tenant(
    filled: str, above: asyncpg.Connection, requesting: Requesting
) -> None:
    await above.execute(f"alter role authenticator set recollect.tenant = '{ACME}'")
    try:
        async with requesting("service_role", {}) as bound:
            assert await bound.fetchval("select count(*) from api.conversation_memories") > 0
            assert await bound.fetch("select distinct tenant_id from api.conversation_memories") == [(ACME,)]
            # The setting itself may say what it likes.
            await bound.execute(f"set recollect.tenant = '{OTHER}'")
            assert await bound.fetch("select distinct tenant_id from api.conversation_memories") == [(ACME,)]
        async with requesting("service_role", {"app_metadata": {"tenant": OTHER}}) as torn:
            assert await torn.fetch("select * from api.conversation_memories") == []
    finally:
        await above.execute("alter role authenticator reset recollect.tenant")


async def test_a_service_is_held_also_where_it_does_not_bypass_policies(
    filled: str, above: asyncpg.Connection, requesting: Requesting
) -> None:
    await above.execute("alter role service_role nobypassrls")
    try:
        async with requesting("service_role", {"app_metadata": {"tenant": ACME}}) as connection:
            await connection.execute(f"set recollect.tenant = '{OTHER}'")
            for table in ("conversations", "active_conversations", "memories", "notes", "messages", "digests"):
                found = await connection.fetch(f"select distinct tenant from recollect.{table}")
                assert found in ([], [(ACME,)]), table
            users = await connection.fetch("select distinct user_id from api.agent_long_term_memory")
            assert {"ana", "ben"} <= {row[0] for row in users}
    finally:
        await above.execute("alter role service_role bypassrls")


async def test_a_setting_does_not_choose_the_tenant(
    filled: str, above: asyncpg.Connection, requesting: Requesting
) -> None:
    claims = {"sub": "ana", "app_metadata": {"tenant": ACME}}
    async with requesting("authenticated", claims) as connection:
        await connection.execute(
            f"set recollect.tenant = '{OTHER}'; select set_config('recollect.user', 'ben', false)"
        )
        for table in ("conversations", "active_conversations", "memories", "notes"):
            found = await connection.fetch(f"select distinct tenant, user_id from recollect.{table}")
            assert found in ([], [(ACME, "ana")]), table
        for table in ("messages", "digests"):
            assert await connection.fetch(f"select from recollect.{table} where tenant <> '{ACME}'") == []
        assert await connection.fetch("select distinct tenant_id from api.conversation_messages") == [(ACME,)]
        session = uuid.uuid4()
        insert = "insert into api.conversation_messages (session_id, role, content) values ($1, 'user', 'x')"
        await connection.execute(insert, session)
        for refused in (
            "insert into recollect.tenants values ('mine')",
            "delete from recollect.messages",
            "update recollect.conversations set user_id = 'ben'",
            "select * from recollect.api_keys",
            "select * from recollect.documents",
            "select recollect.new_conversation('other', 'ana', 'x', gen_random_uuid(), null, 'x')",
        ):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(refused)
    owner = await above.fetch("select tenant, user_id from recollect.conversations where id = $1", session)
    assert owner == [(ACME, "ana")]


async def test_two_who_make_a_client_at_once_share_one(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[HttpClient] = []

    def web(**given: Any) -> HttpClient:
        made.append(HttpClient(**given))
        return made[-1]

    async def slowly(*given: Any) -> AsyncClient:
        await asyncio.sleep(0)
        return await create_async_client(*given)

    monkeypatch.setattr(face, "HttpClient", web)
    monkeypatch.setattr(face, "create_async_client", slowly)
    one, other = await asyncio.gather(*(shared_client("http://127.0.0.1:1", "key") for _ in range(2)))
    assert (one is other, len(made)) == (True, 2)
    assert len([client for client in made if not client.is_closed]) == 1
    for client in made:
        await client.aclose()
