"""PostgresChatMessageHistory of langchain-postgres, unchanged, on our database."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_postgres import PostgresChatMessageHistory

from messages_of_langchain import MESSAGES
from recollect import Recollect
from recollect.adapters.langchain import RecollectChatMessageHistory, message_fields
from recollect.storage import embedded

TABLE = "chat_message_history"
PAGE = Path(__file__).parents[3] / "docs" / "langchain.md"


@pytest.fixture
async def address(memory: Recollect, server: embedded.Server, admin: asyncpg.Connection) -> AsyncIterator[str]:
    """A login as the page tells how to make one."""
    role = f"lc_{uuid.uuid4().hex[:12]}"
    block = re.search(r"```sql\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert block is not None
    await admin.execute(block[1].replace("lc_app", role).replace("'default'", f"'{memory.tenant}'"))
    yield f"postgresql://{role}@/postgres?host={server.socket}&port={server.port}"
    await admin.execute(f"drop owned by {role}; drop role {role}")


TALK: list[BaseMessage] = [
    SystemMessage("You are brief."),
    HumanMessage("What is the weather in Porto?", name="Ana", id="h-1"),
    AIMessage(
        "",
        tool_calls=[{"name": "weather", "args": {"city": "Porto", "days": 1.5}, "id": "call_1"}],
        additional_kwargs={"refusal": None, "x": [1, {"y": "z"}]},
        response_metadata={"model": "m"},
        usage_metadata={"input_tokens": 3, "output_tokens": 4, "total_tokens": 7},
    ),
    ToolMessage("rain", tool_call_id="call_1", artifact={"mm": 3}, status="success"),
    AIMessage([{"type": "text", "text": "Rain,"}, "bring a coat."]),
]


async def test_what_it_writes_is_a_conversation(memory: Recollect, address: str) -> None:
    session = str(uuid.uuid4())

    def use() -> list[BaseMessage]:
        with psycopg.connect(address) as connection:
            history = PostgresChatMessageHistory(TABLE, session, sync_connection=connection)
            assert history.messages == []
            history.add_messages(TALK)
            return history.messages

    assert await asyncio.to_thread(use) == TALK
    chat = await memory.conversation(id=session)
    assert (chat.record.user, chat.record.agent, chat.record.message_count) == (session, "langchain", 5)
    stored = await chat.window()
    assert [(one.seq, one.role, one.content) for one in stored] == [
        (1, "system", "You are brief."),
        (2, "user", "What is the weather in Porto?"),
        (3, "assistant", ""),
        (4, "tool", "rain"),
        (5, "assistant", "Rain,\nbring a coat."),
    ]
    assert [one.answers for one in stored] == [None, None, 2, 2, 2]
    assert stored[1].name == "Ana"
    assert stored[2].tool_calls is not None
    assert stored[2].tool_calls[0]["function"]["name"] == "weather"
    assert [hit.text for hit in await memory.search("coat", user=session)] == ["Rain,\nbring a coat."]
    assert await RecollectChatMessageHistory(memory, session).aget_messages() == TALK


async def test_what_recollect_writes_it_reads(memory: Recollect, address: str) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    asked = await chat.append("user", "hello")
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
    await chat.append(
        "assistant", None, tool_calls=[call, {**call, "function": {"name": "g", "arguments": "no json"}}]
    )
    await chat.append("tool", "done", tool_call_id="c")
    async with await psycopg.AsyncConnection.connect(address) as connection:
        history = PostgresChatMessageHistory(TABLE, chat.id, async_connection=connection)
        read = await history.aget_messages()
        assert read[0] == HumanMessage("hello", id=asked.id)
        assert isinstance(read[1], AIMessage)
        assert [(one["name"], one["args"]) for one in read[1].tool_calls] == [
            ("f", {"x": 1}),
            ("g", {"arguments": "no json"}),
        ]
        assert isinstance(read[2], ToolMessage)
        assert read == await RecollectChatMessageHistory(memory, chat.id).aget_messages()
        await history.aadd_messages([AIMessage("hi")])
        assert (await chat.window())[-1].seq == 4
        await history.aclear()
        assert await history.aget_messages() == []
        assert await chat.window() == []
        await history.aadd_messages([HumanMessage("again")])
    assert [(one.seq, one.content) for one in await chat.window()] == [(5, "again")]
    assert (await memory.conversation(id=chat.id)).record.message_count == 1


async def test_what_anybody_could_store_it_reads_too(memory: Recollect, address: str) -> None:
    """One message in a shape of its own must not cost the whole conversation."""
    chat = await memory.conversation(user="ana", agent="cook")
    for kept in ("1.0", ["x"], None, {"type": "run"}, {}):
        await chat.append("user", "hello", metadata={"langchain": kept})
    calls = [{"id": 1, "function": {"name": 5, "arguments": " "}}, {"id": "a", "function": "f"}, 7, "x"]
    await chat.append("assistant", ["x", 5, None, [1], {"type": "text", "text": "y"}], tool_calls=calls)
    async with await psycopg.AsyncConnection.connect(address) as connection:
        read = await PostgresChatMessageHistory(TABLE, chat.id, async_connection=connection).aget_messages()
    assert [one.content for one in read] == [*["hello"] * 5, ["x", {"type": "text", "text": "y"}]]
    assert read == await RecollectChatMessageHistory(memory, chat.id).aget_messages()
    assert isinstance(read[-1], AIMessage)
    assert [(one["id"], one["name"], one["args"]) for one in read[-1].tool_calls] == [
        ("1", "", {}),
        ("a", "f", {}),
    ]


async def test_work_falls_due_as_with_every_other_append(memory: Recollect, address: str) -> None:
    session = str(uuid.uuid4())
    async with await psycopg.AsyncConnection.connect(address) as connection:
        history = PostgresChatMessageHistory(TABLE, session, async_connection=connection)
        await history.aadd_messages([HumanMessage("I moved to Porto")] * 9)
        assert [one.kind for one in await memory.work()] == ["settle"]
        await history.aadd_messages([HumanMessage("and I like it")])
    assert [(one.kind, one.subject) for one in await memory.work()] == [("extract", session), ("settle", session)]
    await memory.digest()
    assert [one.text for one in (await memory.memories(user=session, agent="langchain")).items]


async def test_it_sees_its_own_tenant_only(memory: Recollect, address: str, dsn: str) -> None:
    async with Recollect.open(dsn, tenant=memory.tenant + "-other") as other:
        chat = await other.conversation(user="ana", agent="cook")
        await chat.append("user", "secret")
        async with await psycopg.AsyncConnection.connect(address) as connection:
            history = PostgresChatMessageHistory(TABLE, chat.id, async_connection=connection)
            assert await history.aget_messages() == []
            await history.aclear()
            # The same id is free in this tenant.
            await history.aadd_messages([HumanMessage("mine")])
            assert len(await history.aget_messages()) == 1
        assert [one.content for one in await chat.window()] == ["secret"]


async def test_the_connection_names_the_user_and_the_agent(memory: Recollect, address: str) -> None:
    session = str(uuid.uuid4())
    options = "-c recollect.user=ana -c recollect.agent=cook"
    async with await psycopg.AsyncConnection.connect(address, options=options) as connection:
        await PostgresChatMessageHistory(TABLE, session, async_connection=connection).aadd_messages(TALK)
    active = await memory.active_conversation(user="ana", agent="cook")
    assert active is not None
    assert active.id == session
    await memory.erase(user="ana")
    async with await psycopg.AsyncConnection.connect(address) as connection:
        assert await PostgresChatMessageHistory(TABLE, session, async_connection=connection).aget_messages() == []


async def test_tables_can_be_neither_made_nor_dropped(memory: Recollect, address: str) -> None:
    session = str(uuid.uuid4())
    async with await psycopg.AsyncConnection.connect(address) as connection:
        history = PostgresChatMessageHistory(TABLE, session, async_connection=connection)
        await history.aadd_messages(TALK)
        for use in (PostgresChatMessageHistory.acreate_tables, PostgresChatMessageHistory.adrop_table):
            with pytest.raises(psycopg.Error):
                await use(connection, TABLE)
            await connection.rollback()
        assert await history.aget_messages() == TALK


async def test_a_login_without_a_tenant_reads_and_writes_nothing(memory: Recollect, address: str) -> None:
    options = "-c recollect.tenant="
    async with await psycopg.AsyncConnection.connect(address, options=options) as connection:
        history = PostgresChatMessageHistory(TABLE, str(uuid.uuid4()), async_connection=connection)
        assert await history.aget_messages() == []
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="tenant"):
            await history.aadd_messages(TALK)


async def test_two_first_writers_begin_one_conversation(memory: Recollect, address: str) -> None:
    session = str(uuid.uuid4())

    async def write(number: int) -> None:
        async with await psycopg.AsyncConnection.connect(address) as connection:
            history = PostgresChatMessageHistory(TABLE, session, async_connection=connection)
            await history.aadd_messages([HumanMessage(f"{number}")] * 3)

    await asyncio.gather(*map(write, range(4)))
    assert [one.seq for one in await (await memory.conversation(id=session)).window()] == list(range(1, 13))


async def test_messages_of_every_type_survive_both_ways(memory: Recollect, address: str) -> None:
    """The view and the Python class write and read the same thing."""
    async with await psycopg.AsyncConnection.connect(address) as connection:

        async def check(message: BaseMessage) -> None:
            first, second = str(uuid.uuid4()), str(uuid.uuid4())
            theirs = PostgresChatMessageHistory(TABLE, first, async_connection=connection)
            ours = RecollectChatMessageHistory(memory, second)
            await theirs.aadd_messages([message])
            await ours.aadd_messages([message])
            for history in (
                theirs,
                ours,
                RecollectChatMessageHistory(memory, first),
                PostgresChatMessageHistory(TABLE, second, async_connection=connection),
            ):
                read = (await history.aget_messages())[0]
                assert (type(read), read) == (type(message), message), history
            one, other = [(await (await memory.conversation(id=id)).window())[0] for id in (first, second)]
            fields = message_fields(message)
            assert (one.role, one.content, one.parts) == (other.role, other.content, other.parts)
            assert one.role == fields["role"]

        loop = asyncio.get_running_loop()

        @settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
        @given(MESSAGES)
        def run(message: BaseMessage) -> None:
            asyncio.run_coroutine_threadsafe(check(message), loop).result(120)

        await asyncio.to_thread(run)
