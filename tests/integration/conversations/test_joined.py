"""Appends and windows of many callers at once, which share round trips."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

import pytest

from recollect import KeyReused, NotFound, Recollect
from recollect.live.following import Keeping, follow
from recollect.storage.joining import AT_ONCE

MANY = 40


class Counted:
    """Counts what is sent, by the name of the statement."""

    def __init__(self, memory: Recollect) -> None:
        self.sent: list[str] = []
        inner = memory.database.appends._call

        async def call(statement: str, *values: Any) -> Any:
            self.sent.append(statement)
            return await inner(statement, *values)

        for joined in (memory.database.appends, memory.database.windows):
            joined._call = call


async def test_many_appends_share_round_trips_and_each_gets_its_own(memory: Recollect) -> None:
    chats = [await memory.new_conversation("ana", f"agent-{n}") for n in range(MANY)]
    counted = Counted(memory)
    said = await asyncio.gather(*(chat.append("user", f"I am {n}") for n, chat in enumerate(chats)))
    assert [(one.seq, one.content, one.conversation) for one in said] == [
        (1, f"I am {n}", chat.id) for n, chat in enumerate(chats)
    ]
    assert counted.sent.count("append_together") >= 1
    assert len(counted.sent) < MANY / 2
    windows = await asyncio.gather(*(chat.window() for chat in chats))
    assert windows == [[one] for one in said]
    assert "recent_messages_together" in counted.sent


async def test_one_conversation_keeps_its_order_and_who_answers_whom(memory: Recollect) -> None:
    chat = await memory.new_conversation("ana", "cook")
    said = await asyncio.gather(
        *(chat.append("user" if n % 2 else "assistant", f"{n}", metadata={"n": n}) for n in range(MANY))
    )
    stored = (await chat.messages(limit=MANY)).items
    assert [one.seq for one in stored] == [*range(1, MANY + 1)]
    assert sorted(said, key=lambda one: one.seq) == stored
    asked: int | None = None
    for one in stored:
        assert one.answers == (asked if one.role == "assistant" else None)
        asked = one.seq if one.role == "user" else asked


async def test_keys_count_among_those_that_go_together(memory: Recollect) -> None:
    chat = await memory.new_conversation("ana", "cook")
    others = [await memory.new_conversation("ana", f"agent-{n}") for n in range(MANY)]
    noise = [other.append("user", "hello") for other in others]
    said = await asyncio.gather(*(chat.append("user", "once", key="k") for _ in range(MANY)), *noise)
    assert len({one.id for one in said[:MANY]}) == 1
    reused = [chat.append("user", "another body", key="k") for _ in range(AT_ONCE * 2)]
    found = await asyncio.gather(*reused, return_exceptions=True)
    assert {type(one) for one in found} == {KeyReused}
    assert chat.record.message_count == 0
    assert len(await chat.window(50)) == 1


async def test_keys_and_plain_messages_of_one_conversation_keep_their_order(memory: Recollect) -> None:
    chat = await memory.new_conversation("ana", "cook")
    said = await asyncio.gather(*(chat.append("user", f"{n}", key=f"{n}" if n % 3 else None) for n in range(MANY)))
    assert [one.content for one in (await chat.messages(limit=MANY)).items] == [f"{n}" for n in range(MANY)]
    assert [one.seq for one in said] == [*range(1, MANY + 1)]
    assert await chat.append("user", "1", key="1") == said[1]


async def test_those_that_go_together_make_work_due_and_are_heard(memory: Recollect, admin: Any) -> None:
    """The tenth message of a conversation makes it due to be learned from; whoever listens to the last one, which
    never goes by itself, hears of it at once."""
    chats = [await memory.new_conversation(f"user-{n}", "cook") for n in range(MANY)]
    last = chats[-1]
    keeping = Keeping(look_again=600.0, at_first=600.0)  # by the clock it would take longer than this test may
    listening = follow(memory.database, memory._caller, last.user, None, keeping=keeping)
    async with aclosing(listening) as events, asyncio.timeout(60):
        assert (await anext(events)).kind == "ready"
        for n in range(1, 11):
            await asyncio.gather(*(chat.append("user", f"I am {n}") for chat in chats))
            event = await anext(events)
            assert (event.conversation, event.seq) == (last.id, n)
    due = await admin.fetch(
        "select subject, marks from recollect.work where tenant = $1 and kind = 'extract'", memory.tenant
    )
    assert {row["subject"]: row["marks"] for row in due} == {chat.id: 1 for chat in chats}


@pytest.mark.parametrize(
    "held", [[AT_ONCE], [*range(AT_ONCE + 1)]], ids=["one that waits", "more than go at once"]
)
async def test_held_conversations_keep_nobody_else_waiting(memory: Recollect, held: list[int]) -> None:
    chats = [await memory.new_conversation("ana", f"agent-{n}") for n in range(MANY)]
    async with memory.database.transaction(memory.tenant) as transaction:
        for place in held:
            await transaction.row("lock_conversation", chats[place].id)
        sent = [asyncio.create_task(chat.append("user", "hello")) for chat in chats]
        free = [task for place, task in enumerate(sent) if place not in held]
        await asyncio.wait_for(asyncio.gather(*free), 60)
        assert not any(sent[place].done() for place in held)
    assert [(await task).seq for task in sent] == [1] * MANY


async def test_one_that_is_not_there_takes_nothing_from_the_others(memory: Recollect) -> None:
    chats = [await memory.new_conversation("ana", f"agent-{n}") for n in range(MANY)]
    await chats[AT_ONCE + 1].delete()
    found = await asyncio.gather(*(chat.append("user", "hello") for chat in chats), return_exceptions=True)
    assert isinstance(found.pop(AT_ONCE + 1), NotFound)
    assert {one.seq for one in found if not isinstance(one, BaseException)} == {1}
    assert len(found) == MANY - 1
    windows = await asyncio.gather(*(chat.window() for chat in chats), return_exceptions=True)
    assert isinstance(windows[AT_ONCE + 1], NotFound)


async def test_what_the_server_refuses_takes_nothing_from_the_others(memory: Recollect) -> None:
    """A text that passes our checks and that the server would still not take: here, by a statement that fails."""
    chats = [await memory.new_conversation("ana", f"agent-{n}") for n in range(MANY)]
    inner = memory.database.appends._call
    failed: list[str] = []

    async def refusing(statement: str, *values: Any) -> Any:
        if statement == "append_together":
            failed.append(statement)
            await inner(statement, *values[:-1], ["{"] * len(values[1]))  # no JSON
        return await inner(statement, *values)

    memory.database.appends._call = refusing
    said = await asyncio.gather(*(chat.append("user", "hello") for chat in chats))
    assert failed
    assert [one.seq for one in said] == [1] * MANY
    assert [len(await chat.window()) for chat in chats] == [1] * MANY


@pytest.mark.parametrize("first", ["append", "delete"])
async def test_no_message_outlives_its_conversation(memory: Recollect, admin: Any, first: str) -> None:
    """There is no foreign key: who appends holds the conversation, and who deletes it takes its messages along."""
    for _ in range(30):
        chat = await memory.new_conversation("ana", "cook")
        both = [chat.append("user", "hello"), chat.delete()]
        await asyncio.gather(*(both if first == "append" else reversed(both)), return_exceptions=True)
    orphans = (
        "select count(*) from recollect.messages m where m.tenant = $1 and not exists ("
        "select from recollect.conversations c where c.tenant = m.tenant and c.id = m.conversation)"
    )
    assert await admin.fetchval(orphans, memory.tenant) == 0
