"""A question asked twice gets the same answer; whatever happens in between, a new door finds what an old one finds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import pytest

from recollect import Recollect

QUESTION = "Which instrument is played in Ghent?"
ID = "0190a1b2-0000-7000-8000-000000000001"
Change = Callable[[Recollect], Awaitable[object]]


async def found(memory: Recollect) -> list[tuple[str, float, str]]:
    """Asked twice: the first time makes vectors, which are rounded when they are stored."""
    await memory.recall(QUESTION, "ana", "guide", over="messages")
    hits = await memory.recall(QUESTION, "ana", "guide", over="messages", limit=20, threshold=0)
    return [(hit.text, hit.score, hit.why) for hit in hits]


async def say_more(memory: Recollect) -> None:
    chat = await memory.conversation("ana", "guide")
    await chat.append("user", "In Ghent the viola is my instrument", name="Ines")
    await chat.append("assistant", "Is it an old instrument?")


async def clear(memory: Recollect) -> None:
    chat = await memory.conversation(id=ID)
    await chat.clear()
    await chat.append("user", "The harp is played in Ghent")


async def begin_another(memory: Recollect) -> None:
    chat = await memory.new_conversation("ana", "guide")
    await chat.append(
        "user", "My brother plays an instrument in Ghent, the tuba", at=datetime(2020, 1, 1, tzinfo=UTC)
    )


async def delete(memory: Recollect) -> None:
    await (await memory.conversation(id=ID)).delete()


async def delete_and_use_the_id_again(memory: Recollect) -> None:
    await delete(memory)
    chat = await memory.new_conversation("ana", "guide", id=ID)
    await chat.extend(
        [("assistant", "Who plays in Ghent?"), ("user", "The oboe is an instrument too"), ("user", "x")]
    )


async def nothing(memory: Recollect) -> None:
    pass


@pytest.mark.parametrize("change", [nothing, say_more, clear, begin_another, delete, delete_and_use_the_id_again])
async def test_a_second_recall_finds_what_a_first_one_finds(memory: Recollect, dsn: str, change: Change) -> None:
    chat = await memory.new_conversation("ana", "guide", id=ID)
    await chat.append("user", "My sister plays the cello in Ghent, a fine instrument", name="Ana")
    await chat.append("assistant", "What else is played there?", name="Guide")
    other = await memory.new_conversation("ana", "guide")
    await other.append("user", "I bought bread in Ghent this morning")
    before = await found(memory)
    assert len(before) == 3
    await change(memory)
    again = await found(memory)
    async with Recollect.open(dsn, tenant=memory.tenant) as anew:
        assert await found(anew) == again
    assert (again == before) == (change is nothing)
