"""A packed prompt as langchain-core's own message classes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from recollect import Message
from recollect.models.tokens import BundledCounter
from recollect.recall.pack import Sections, pack
from recollect.recall.render import langchain_messages

AT = datetime(2024, 3, 4, 9, tzinfo=UTC)
CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "weather", "arguments": '{"city": "Porto", "days": 2}'},
}
PICTURE = [
    {"type": "text", "text": "what is this?"},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
]


def said(seq: int, role: Any, content: str, **more: Any) -> Message:
    return Message(conversation="c", seq=seq, id=str(seq), role=role, content=content, created_at=AT, **more)


def rendered(*window: Message, **sections: Any) -> list[Any]:
    return pack(Sections(window=list(window), **sections), 100_000, BundledCounter()).to_langchain()


def test_every_role_becomes_its_class() -> None:
    messages = rendered(
        said(1, "user", "will it rain?", name="Ana Sousa"),
        said(2, "assistant", "", tool_calls=[CALL]),
        said(3, "tool", "sunny", tool_call_id="c1"),
        said(4, "assistant", "No rain."),
        instructions="Be kind.",
        message="thanks",
    )
    assert [type(one) for one in messages] == [
        SystemMessage,
        HumanMessage,
        AIMessage,
        ToolMessage,
        AIMessage,
        HumanMessage,
    ]
    system, asked, calling, result, answer, last = messages
    assert "Be kind." in system.content
    assert (asked.content, asked.name) == ("will it rain?", "Ana_Sousa")
    assert calling.content == ""
    assert [(call["id"], call["name"], call["args"]) for call in calling.tool_calls] == [
        ("c1", "weather", {"city": "Porto", "days": 2})
    ]
    assert (result.content, result.tool_call_id) == ("sunny", "c1")
    assert (answer.content, answer.tool_calls) == ("No rain.", [])
    assert last.content == "thanks"


def test_a_call_stored_in_langchains_shape_comes_back_whole() -> None:
    call = {"name": "weather", "args": {"city": "Porto"}, "id": "c1", "type": "tool_call"}
    _, calling, _ = rendered(
        said(1, "user", "?"),
        said(2, "assistant", "let me see", tool_calls=[call]),
        said(3, "tool", "sunny", tool_call_id="c1"),
    )
    assert calling.content == "let me see"
    assert calling.tool_calls == [call]


def test_content_in_parts_stays_in_parts() -> None:
    (message,) = rendered(said(1, "user", "what is this?", parts=PICTURE))
    assert isinstance(message, HumanMessage)
    assert message.content == PICTURE


@pytest.mark.parametrize(
    ("written", "args"), [("{oops", {"arguments": "{oops"}), ("[1]", {"arguments": [1]}), ("", {})]
)
def test_arguments_that_are_no_object_are_shown_as_they_are(written: str, args: dict[str, Any]) -> None:
    odd = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": written}}
    _, calling, _ = rendered(
        said(1, "user", "?"),
        said(2, "assistant", "", tool_calls=[odd]),
        said(3, "tool", "failed", tool_call_id="c1"),
    )
    assert [(call["id"], call["args"]) for call in calling.tool_calls] == [("c1", args)]


def test_there_is_one_system_message_and_it_comes_first() -> None:
    """ChatAnthropic, for one, refuses another in the middle."""
    made = langchain_messages(
        [
            {"role": "system", "content": "You cook."},
            {"role": "user", "content": "send it"},
            {"role": "system", "content": [{"type": "text", "text": "It was sent."}]},
            {"role": "user", "content": "thanks"},
        ]
    )
    assert [(one.type, one.content) for one in made] == [
        ("system", "You cook.\n\nIt was sent."), ("human", "send it"), ("human", "thanks"),
    ]  # fmt: skip
