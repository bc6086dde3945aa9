"""Imports of what others export: ChatGPT, mem0, langchain-postgres. Each can be stopped and started again."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from recollect import Imported, Invalid, Recollect, Refused, Unavailable
from recollect.exchange.wrong import converted
from recollect.models.generations import vector_text
from steps import calls_of

NewDatabase = Callable[[], Awaitable[str]]


def chatgpt(name: str, *texts: str, begun: float = 1.7e9) -> dict[str, Any]:
    """A conversation in which user and assistant take turns."""
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    parent = "root"
    for place, text in enumerate(texts):
        id = f"{name}-{place}"
        author = {"role": "assistant" if place % 2 else "user"}
        content = {"content_type": "text", "parts": [text]}
        message = {"id": id, "author": author, "content": content, "create_time": begun + place}
        mapping[id] = {"id": id, "message": message, "parent": parent, "children": []}
        mapping[parent]["children"] = [id]
        parent = id
    return {
        "conversation_id": name,
        "title": f"About {name}",
        "create_time": begun,
        "mapping": mapping,
        "current_node": parent,
    }


async def _texts(memory: Recollect, user: str = "ana") -> dict[str | None, list[str]]:
    page = await memory.conversations(user=user)
    chats = [await memory.conversation(id=one.id) for one in page.items]
    return {chat.title: [message.content for message in (await chat.messages(1000)).items] for chat in chats}


class Stopped(Exception):
    pass


def _stop_at(number: int) -> Callable[[int, int], None]:
    def progress(done: int, of: int) -> None:
        if done == number:
            raise Stopped

    return progress


async def test_chatgpt(memory: Recollect, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    talks = [
        chatgpt("tea", "green?", "yes", "thanks"),
        chatgpt("empty"),
        chatgpt("bread", "rye?", "no", begun=1.6e9),
    ]
    file.write_text(json.dumps(talks))
    with pytest.raises(Stopped):
        await memory.import_from("chatgpt", file, user="ana", progress=_stop_at(1))
    assert await memory.import_from("chatgpt", str(file), user="ana") == Imported(
        conversations=1, messages=2, known=1
    )
    expected = {"About tea": ["green?", "yes", "thanks"], "About bread": ["rye?", "no"]}
    assert await _texts(memory) == expected
    assert await memory.import_from("chatgpt", talks, user="ana") == Imported(known=2)
    page = await memory.conversations(user="ana", agent="chatgpt")
    assert [one.title for one in page.items] == ["About tea", "About bread"], "by when they were last spoken in"
    assert page.items[0].created_at == datetime.fromtimestamp(1.7e9, UTC)
    (first,) = (await (await memory.conversation(id=page.items[0].id)).messages(1)).items
    assert first.created_at == datetime.fromtimestamp(1.7e9, UTC)
    assert first.metadata == {"chatgpt": {"id": "tea-0"}}
    # None of them is the one that is being had now.
    assert (await memory.conversation(user="ana", agent="chatgpt")).id not in {one.id for one in page.items}
    assert [hit.text for hit in await memory.search("rye", user="ana")] == ["rye?"]


async def test_chatgpt_exported_again_later(memory: Recollect) -> None:
    """What was added there is added here, also after somebody went on here."""
    await memory.import_from("chatgpt", [chatgpt("tea", "green?", "yes")], user="ana", agent="friend")
    page = await memory.conversations(user="ana")
    chat = await memory.conversation(id=page.items[0].id)
    await chat.append("user", "said here")
    longer = [chatgpt("tea", "green?", "yes", "and black?", "too")]
    assert (await memory.import_from("chatgpt", longer, user="ana", agent="friend")).messages == 2
    assert await _texts(memory) == {"About tea": ["green?", "yes", "said here", "and black?", "too"]}
    # The same for another user is another conversation.
    assert (await memory.import_from("chatgpt", longer, user="ben")).conversations == 1


async def test_chatgpt_long_conversations(memory: Recollect) -> None:
    texts = [f"line {number}" for number in range(1200)]
    done = await memory.import_from("chatgpt", [chatgpt("long", *texts)], user="ana")
    assert done.messages == 1200
    chat = await memory.conversation(id=(await memory.conversations(user="ana")).items[0].id)
    assert chat.record.last_seq == 1200
    assert [message.content for message in await chat.window(1000)] == texts[200:]


async def test_chatgpt_that_is_wrong_changes_nothing(memory: Recollect, tmp_path: Path) -> None:
    good, bad = chatgpt("tea", "green?"), chatgpt("bad", "x")
    bad["mapping"]["bad-0"]["message"]["author"] = 5
    with pytest.raises(Invalid, match=r"\[1\]\.mapping\[\.\.\.\]\.message\.author"):
        await memory.import_from("chatgpt", [good, bad], user="ana")
    cut = tmp_path / "cut.json"
    cut.write_text(json.dumps([good, good])[:-20])
    with pytest.raises(Invalid, match="ends in the middle"):
        await memory.import_from("chatgpt", cut, user="ana")
    with pytest.raises(Invalid, match="user: is needed"):
        await memory.import_from("chatgpt", [good])
    with pytest.raises(Invalid, match="is not a list of conversations"):
        await memory.import_from("chatgpt", {"user": "x"}, user="ana")
    assert await _texts(memory) == {}


def mem0(*texts: str, user: str | None = "ana") -> list[dict[str, Any]]:
    given = {} if user is None else {"user_id": user}
    return [{"id": str(uuid4()), "memory": text, "created_at": "2024-05-01T10:00:00Z", **given} for text in texts]


async def test_mem0(memory: Recollect, tmp_path: Path) -> None:
    await memory.configure_agent("cook", pool="kitchen")
    facts = [f"user owns {number} cats" for number in range(450)]
    results = mem0(*facts) + mem0("user likes tea", user="ben")
    file = tmp_path / "memories.json"
    file.write_text(json.dumps({"results": results, "relations": [{"source": "a"}]}))
    with pytest.raises(Stopped):
        await memory.import_from("mem0", file, agent="cook", progress=_stop_at(200))
    done = await memory.import_from("mem0", file, agent="cook")
    assert done == Imported(memories=251, known=200)
    assert await memory.import_from("mem0", results, agent="cook") == Imported(known=451)
    (theirs,) = (await memory.memories(user="ben", agent="cook")).items
    assert (theirs.text, theirs.author, theirs.trust, theirs.pool) == (
        "user likes tea",
        "extractor:mem0",
        "trusted",
        "kitchen",
    )
    assert theirs.id == results[-1]["id"]
    assert theirs.created_at == datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert [hit.text for hit in await memory.recall("tea", user="ben", agent="cook")] == ["user likes tea"]
    assert len(await memory.history(theirs.id)) == 1


async def test_vectors_are_written_as_text_beside_the_loop(memory: Recollect) -> None:
    """Each takes a millisecond or two; two hundred of them would keep everybody waiting."""
    with calls_of(vector_text) as in_the_loop:
        assert (await memory.import_from("mem0", mem0("likes tea", "likes figs"))).memories == 2
    assert in_the_loop == []


async def test_mem0_whose_it_is(memory: Recollect) -> None:
    with pytest.raises(Invalid, match=r"results\[0\]\.user_id"):
        await memory.import_from("mem0", mem0("a fact", user=None))
    with pytest.raises(Invalid, match="memories of 2 users"):
        await memory.import_from("mem0", mem0("a") + mem0("b", user="ben"), user="cleo")
    known = mem0("likes tea")
    assert (await memory.import_from("mem0", known, user="cleo")).memories == 1
    # The id is taken now, so the same one for somebody else gets another.
    assert (await memory.import_from("mem0", known)).memories == 1
    ids = {user: (await memory.memories(user=user, agent="mem0")).items[0].id for user in ("ana", "cleo")}
    assert ids["cleo"] == known[0]["id"] != ids["ana"]
    # What was said before, and what was forgotten, is not added.
    await memory.forget(ids["ana"])
    await memory.remember("likes figs", user="ana", agent="mem0")
    assert await memory.import_from("mem0", mem0("Likes tea!", "likes figs")) == Imported(known=2)


async def test_mem0_for_another_agent(memory: Recollect) -> None:
    given = mem0("user likes tea", "user likes figs")
    assert await memory.import_from("mem0", given) == Imported(memories=2)
    # What one agent has, another has not.
    assert await memory.import_from("mem0", given, agent="cook") == Imported(memories=2)
    assert len((await memory.memories(user="ana", agent="cook")).items) == 2
    for agent in (None, "cook"):
        assert await memory.import_from("mem0", given, agent=agent) == Imported(known=2)
    # One that shares the pool has it.
    await memory.configure_agent("waiter", pool="cook")
    assert await memory.import_from("mem0", given, agent="waiter") == Imported(known=2)


async def test_what_is_not_of_mem0(memory: Recollect) -> None:
    for wrong in ({"facts": [{"text": "likes tea"}]}, {"results": {"a": 1}}, {"user": "ana"}):
        with pytest.raises(Invalid, match="has no results of mem0"):
            await memory.import_from("mem0", wrong, user="ana")
    for none in ({"results": []}, [], {"results": [], "relations": [{"source": "a"}]}, {"count": 0, "next": None}):
        assert await memory.import_from("mem0", none, user="ana") == Imported()


async def _table(dsn: str, sessions: dict[UUID, list[str]]) -> None:
    """As langchain-postgres makes it, with the sessions' rows mixed."""
    connection = await asyncpg.connect(dsn)
    await connection.execute(
        "create table chat_history (id serial primary key, session_id uuid not null, message jsonb not null, "
        "created_at timestamptz not null default now())"
    )
    for place in range(max(map(len, sessions.values()))):
        for session, texts in sessions.items():
            if place < len(texts):
                kind = "ai" if place % 2 else "human"
                message = {"type": kind, "data": {"content": texts[place], "type": kind}}
                insert = "insert into chat_history (session_id, message) values ($1, $2)"
                await connection.execute(insert, session, json.dumps(message))
    await connection.close()


async def test_langchain_postgres(memory: Recollect, new_database: NewDatabase) -> None:
    source = await new_database()
    sessions = {
        uuid4(): [f"{letter} {number}" for number in range(size)] for letter, size in (("a", 5), ("b", 700))
    }
    await _table(source, sessions)
    with pytest.raises(Stopped):
        await memory.import_from("langchain-postgres", source, user="ana", progress=_stop_at(1))
    await memory.import_from("langchain-postgres", source, user="ana", agent="langchain")
    for session, texts in sessions.items():
        chat = await memory.conversation(id=session)
        assert [message.content for message in (await chat.messages(1000)).items] == texts
        assert (await chat.messages(2)).items[1].answers == 1
        assert (chat.user, chat.agent) == ("ana", "langchain")
    again = await memory.import_from("langchain-postgres", source, user="ana", table="public.chat_history")
    assert again == Imported(known=2)
    with pytest.raises(Refused, match="already here, of another user"):
        await memory.import_from("langchain-postgres", source, user="ben")
    for table in ("nowhere", "pg_class"):
        with pytest.raises(Invalid, match=f"no table {table} with the columns"):
            await memory.import_from("langchain-postgres", source, user="ana", table=table)
    with pytest.raises(Invalid, match="table: must be a name"):
        await memory.import_from("langchain-postgres", source, user="ana", table="x; drop table chat_history")


async def test_langchain_dumps(memory: Recollect, tmp_path: Path) -> None:
    rows = [
        {
            "id": place,
            "session_id": session,
            "message": {"type": "human", "data": {"content": f"{session} {place}"}},
        }
        for place, session in enumerate(["first", "second", "first"])
    ]
    file = tmp_path / "dump.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    assert await memory.import_from("langchain-postgres", file, user="ana") == Imported(
        conversations=2, messages=3
    )
    assert await memory.import_from("langchain-postgres", rows, user="ana") == Imported(known=2)
    page = await memory.conversations(user="ana")
    chats = [await memory.conversation(id=one.id) for one in page.items]
    assert {tuple(message.content for message in await chat.window()) for chat in chats} == {
        ("first 0", "first 2"),
        ("second 1",),
    }


async def test_what_comes_from_elsewhere_is_read_beside_the_loop(memory: Recollect) -> None:
    row = {"session_id": "s", "message": {"type": "human", "data": {"content": "hello"}}}
    given: list[tuple[str, list[Any]]] = [
        ("chatgpt", [chatgpt("tea", "green?")]),
        ("mem0", mem0("likes tea")),
        ("langchain-postgres", [row]),
    ]
    for format, entries in given:
        with calls_of(converted) as here:
            assert await memory.import_from(format, entries, user="ana") != Imported()
        assert here == [], format


async def test_a_source_that_does_not_answer(memory: Recollect) -> None:
    with pytest.raises(Unavailable) as caught:
        await memory.import_from("langchain-postgres", "postgresql://ana:hunter2@127.0.0.1:1/x", user="ana")
    assert "hunter2" not in str(caught.value)
