"""The manager of services that think by tenant and conversation: memory and messages by tenant and conversation, and both ways with LangChain."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_classic.memory import ConversationBufferMemory
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from recollect import ConversationMemoryManager, Invalid, NotFound, Recollect
from recollect.conversation_memory import overlap


async def test_memory_and_messages(memory: Recollect) -> None:
    manager = ConversationMemoryManager(memory)
    chat = await memory.new_conversation("ana", "cook")
    where = (memory.tenant, chat.id)
    assert await manager.get_memory(*where) == {"messages": [], "metadata": {}}
    saved = await manager.save_memory(*where, {"messages": ["hello"], "metadata": {"mood": "good"}})
    assert saved == await manager.get_memory(*where)
    standard = {"tenant_id": memory.tenant, "conversation_id": chat.id, "agent_id": "cook"}
    assert saved == {"messages": ["hello"], "metadata": {"mood": "good", **standard}}
    ids = [await manager.add_message(*where, "user", f"{number}", {"n": number}) for number in range(5)]
    reply = await manager.add_message(*where, "assistant", "well", key="once")
    assert await manager.add_message(*where, "assistant", "well", key="once") == reply
    messages = await manager.get_messages(*where, limit=2, skip=1)
    assert [(one["id"], one["content"], one["metadata"]["n"]) for one in messages] == [
        (ids[1], "1", 1),
        (ids[2], "2", 2),
    ]
    (last,) = await manager.get_messages(*where, skip=5)
    assert (last["id"], last["metadata"]["user_message_id"]) == (reply, ids[-1])
    assert last["metadata"]["execution_time"] >= 0
    assert await manager.get_messages(*where, skip=50) == []
    with pytest.raises(NotFound):
        await manager.get_messages(memory.tenant + "-other", chat.id)
    with pytest.raises(Invalid, match="metadata"):
        await manager.save_memory(*where, {"metadata": "no"})


async def test_skipping_in_a_long_conversation(memory: Recollect) -> None:
    manager = ConversationMemoryManager(memory)
    chat = await memory.new_conversation("ana", "cook")
    await chat.extend([("user", f"{number}") for number in range(250)])
    for skip, limit in ((0, 3), (199, 5), (248, 50)):
        found = await manager.get_messages(memory.tenant, chat.id, limit=limit, skip=skip)
        assert [one["content"] for one in found] == [str(n) for n in range(skip, min(250, skip + limit))]


def _history(messages: list[BaseMessage]) -> InMemoryChatMessageHistory:
    with _quiet():
        return InMemoryChatMessageHistory(messages=messages)


@contextmanager
def _quiet() -> Iterator[None]:
    """LangChain calls its own classes deprecated, once for each; many still use them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


async def test_both_ways_with_langchain(memory: Recollect) -> None:
    manager = ConversationMemoryManager(memory)
    chat = await memory.new_conversation("ana", "cook")
    where = (memory.tenant, chat.id)
    await chat.extend([("user", "hello"), ("assistant", "good day")])
    messages = await manager.to_langchain(*where)
    assert messages == [HumanMessage("hello"), AIMessage("good day")]
    assert await manager.from_langchain(*where, messages) == 0
    history = _history(messages)
    history.add_messages([HumanMessage("a table for two"), AIMessage("at eight?")])
    assert await manager.from_langchain(*where, history) == 2
    assert await manager.from_langchain(*where, history) == 0
    await chat.append("user", "yes")
    await manager.to_langchain(*where, history)
    await manager.to_langchain(*where, history)
    assert [one.content for one in history.messages] == [
        "hello",
        "good day",
        "a table for two",
        "at eight?",
        "yes",
    ]
    assert [one.content for one in await chat.window()] == [one.content for one in history.messages]


async def test_a_langchain_memory_that_keeps_only_the_newest(memory: Recollect) -> None:
    manager = ConversationMemoryManager(memory)
    chat = await memory.new_conversation("ana", "cook")
    where = (memory.tenant, chat.id)
    await chat.extend([("user", "hello"), ("assistant", "good day")])
    said = _history([AIMessage("good day"), HumanMessage("bye")])
    with _quiet():
        kept = ConversationBufferMemory(chat_memory=said)
    assert await manager.from_langchain(*where, kept) == 1
    assert [one.content for one in await chat.window()] == ["hello", "good day", "bye"]
    assert await manager.to_langchain(*where, kept) is kept
    assert len(kept.chat_memory.messages) == 2, "it has the end already"
    with pytest.raises(Invalid, match="must be a LangChain memory"):
        await manager.from_langchain(*where, object())


async def test_a_langchain_memory_that_is_behind_brings_nothing(memory: Recollect) -> None:
    manager = ConversationMemoryManager(memory)
    chat = await memory.new_conversation("ana", "cook")
    where = (memory.tenant, chat.id)
    said: list[BaseMessage] = [HumanMessage("hello"), AIMessage("good day"), HumanMessage("ok"), AIMessage("ok")]
    assert await manager.from_langchain(*where, said) == 4
    assert await manager.from_langchain(*where, said[:2]) == 0
    assert await manager.from_langchain(*where, said[:3]) == 0
    assert await manager.from_langchain(*where, said[1:3]) == 0
    # Said once more, it is new; and what LangChain has beyond what is stored stays as it is.
    assert await manager.from_langchain(*where, said + said[2:]) == 2
    assert [one.content for one in await chat.window()] == ["hello", "good day", "ok", "ok", "ok", "ok"]
    ahead = _history([*said, *said[2:], HumanMessage("bye")])
    await manager.to_langchain(*where, ahead)
    assert len(ahead.messages) == 7


async def test_what_was_taken_back_may_be_brought_again(memory: Recollect) -> None:
    manager = ConversationMemoryManager(memory)
    chat = await memory.new_conversation("ana", "cook")
    where = (memory.tenant, chat.id)
    for take_back in (chat.pop, chat.clear):
        assert await manager.from_langchain(*where, [HumanMessage("hello")]) == 1
        assert [one.content for one in await chat.window()] == ["hello"]
        await take_back()
    both = await asyncio.gather(*(manager.from_langchain(*where, [HumanMessage("hello")]) for _ in range(2)))
    assert 1 in both
    assert [one.content for one in await chat.window()] == ["hello"], "once"


def test_overlap() -> None:
    assert overlap([], [1, 2]) == 0
    assert overlap([1, 2], [1, 2, 3]) == 2
    assert overlap([1, 2], [2, 3]) == 1
    assert overlap([2, 3], [1, 2, 3, 4]) == 3
    assert overlap([1, 2], [7, 8]) == 0
    assert overlap([1, 2], []) == 0
    assert overlap([1, 2, 3, 4], [1, 2, 3]) == 3, "behind"
    assert overlap([1, 2, 3, 4], [2, 3]) == 2, "behind, and only the newest"
    assert overlap([1, 2, 3, 4], [2, 3, 7]) == 0, "not all of it is there"
    assert overlap([1, 2], [1, 2, 1, 2]) == 2, "the same once more"
    assert overlap([3, 1, 2], [1, 2, 1, 2]) == 2
    assert overlap([1, 2, 3, 4, 1], [1, 2]) == 1, "it goes on from the end"


def _plainly(there: list[int], given: list[int]) -> int:
    """The same, at length."""
    for amount in range(min(len(there), len(given)), 0, -1):
        if there[-amount:] == given[:amount]:
            return amount
    if any(there[start : start + len(given)] == given for start in range(len(there))):
        return len(given)
    ends = range(len(there), len(given) + 1)
    return next((end for end in ends if there and given[end - len(there) : end] == there), 0)


@given(st.lists(st.integers(0, 2), max_size=12), st.lists(st.integers(0, 2), max_size=12))
def test_overlap_is_what_it_says(there: list[int], given: list[int]) -> None:
    assert overlap(there, given) == _plainly(there, given)


class Compared:
    """Counts how often anything is compared."""

    times = 0

    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        Compared.times += 1
        return isinstance(other, Compared) and self.value == other.value

    __hash__ = None  # pyright: ignore[reportAssignmentType]


def test_what_repeats_itself_is_compared_a_few_times_only() -> None:
    there = [Compared(0) for _ in range(1000)]
    given = [Compared(number == 500) for number in range(1000)]
    assert overlap(there, given) == 500
    assert Compared.times < 10 * len(there)
