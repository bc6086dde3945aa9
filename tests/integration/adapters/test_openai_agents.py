"""The OpenAI Agents SDK's session over a conversation: items there and back, and beside other writers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages_of_langchain import JSON, OBJECT, TEXT
from recollect import Conflict, NotFound, Recollect, Refused
from recollect.adapters.langchain import RecollectChatMessageHistory
from recollect.adapters.openai_agents import RecollectSession
from recollect.adapters.openai_items import item_fields, items_of
from recollect.conversations.incoming import draft
from recollect.records import Message
from recollect.storage.rows import decoded

ITEMS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "system", "developer", "other"]), "content": TEXT | JSON},
        optional={"id": TEXT, "type": st.just("message"), "status": TEXT},
    ),
    st.fixed_dictionaries(
        {"type": st.just("function_call"), "call_id": TEXT, "name": TEXT, "arguments": TEXT},
        optional={"id": TEXT, "status": TEXT},
    ),
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["function_call_output", "computer_call_output"]),
            "call_id": TEXT,
            "output": TEXT | st.lists(OBJECT, max_size=2) | OBJECT,
        }
    ),
    st.dictionaries(TEXT, JSON, max_size=4),
)


@given(ITEMS)
def test_an_item_comes_back_as_it_was(item: dict[str, Any]) -> None:
    given = draft(item_fields(item))
    stored = Message(
        "c",
        1,
        "id",
        given.role,
        given.content,
        None,  # pyright: ignore[reportArgumentType]
        given.name,
        decoded(given.metadata) or {},
        decoded(given.tool_calls),
        given.tool_call_id,
        decoded(given.parts),
    )
    assert items_of(stored) == [item]


TALK: list[Any] = [
    {"role": "user", "content": "Where is parcel 7?"},
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {"type": "function_call", "call_id": "c1", "name": "track", "arguments": '{"parcel": 7}', "id": "fc_1"},
    {"type": "function_call_output", "call_id": "c1", "output": "left Porto"},
    {"role": "assistant", "content": [{"type": "output_text", "text": "It left Porto.", "annotations": []}]},
]


async def test_a_session_is_a_conversation(memory: Recollect) -> None:
    session = RecollectSession(memory, "ticket", user="ana", agent="helpdesk")
    assert (await session.get_items(), await session.pop_item()) == ([], None)
    await session.clear_session()
    await session.add_items(TALK)
    assert await session.get_items() == TALK
    chat = await memory.active_conversation(user="ana", agent="helpdesk")
    assert chat is not None
    assert [one.role for one in await chat.window()] == ["user", "assistant", "assistant", "tool", "assistant"]
    assert [hit.text for hit in await memory.search("left Porto", user="ana")] != []
    await chat.append("user", "thank you")
    assert await session.pop_item() == {"role": "user", "content": "thank you"}
    assert await session.pop_item() == TALK[-1]
    assert (await memory.conversation(id=chat.id)).record.message_count == 4
    assert (await chat.append("user", "again")).seq == 7
    # LangChain reads the same conversation, and what it writes comes back as items.
    history = RecollectChatMessageHistory(memory, chat.id)
    assert [one.type for one in await history.aget_messages()] == ["human", "ai", "ai", "tool", "human"]
    calls = [{"id": "x", "type": "function", "function": {"name": "f", "arguments": "{}"}}] * 2
    await chat.append("assistant", "both", tool_calls=calls)
    assert [one.get("type") for one in await session.get_items(limit=3)] == [
        None,
        "function_call",
        "function_call",
    ]
    await session.clear_session()
    assert await session.get_items() == []


async def test_a_session_of_somebody_else_is_refused(memory: Recollect) -> None:
    await RecollectSession(memory, "chat-77", user="ana", agent="helpdesk").add_items(TALK)
    bobs = RecollectSession(memory, "chat-77", user="bob", agent="helpdesk")
    for call in (bobs.get_items(), bobs.add_items(TALK), bobs.pop_item(), bobs.clear_session()):
        with pytest.raises(Refused, match="another user or agent"):
            await call
    assert await RecollectSession(memory, "chat-77").get_items() == TALK


async def test_a_session_whose_conversation_was_deleted_begins_anew(memory: Recollect) -> None:
    session = RecollectSession(memory, "ticket", user="ana", agent="helpdesk")
    await session.add_items(TALK)
    await memory.erase("ana")
    assert await session.pop_item() is None
    await session.add_items(TALK[:1])
    assert await session.get_items() == TALK[:1]


async def test_a_message_is_taken_back_once(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    assert await chat.pop() is None
    await chat.extend([("user", "a"), ("assistant", "b"), ("user", "c")])
    popped = await asyncio.gather(*(chat.pop() for _ in range(4)))
    assert sorted(one.content if one else "" for one in popped) == ["", "a", "b", "c"]
    assert (await chat.append("assistant", "d")).answers is None
    await chat.delete()
    with pytest.raises((NotFound, Conflict)):
        await chat.pop()
