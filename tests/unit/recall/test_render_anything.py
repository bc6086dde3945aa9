"""Whatever can be appended can be rendered, in every format, and an exchange with tools is whole in all of them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, ToolMessage

from recollect import Invalid, Message
from recollect.conversations.incoming import draft
from recollect.recall.pack import Context, Sections, pack
from recollect.recall.render import langchain_messages

AT = datetime(2024, 5, 1, tzinfo=UTC)
IDS = st.sampled_from(["a", "b", "c", ""])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | IDS,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["id", "text", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)
ARGUMENTS = ANYTHING | st.sampled_from(
    ['{"q": 1}', "{oops", "[1]", "NaN", "1e999", "9" * 5000, "[" * 100_000, '"\\ud800"']
)


def objects(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={name: taken | ANYTHING for name, taken in fields.items()})


FUNCTIONS = objects(name=st.just("f"), arguments=ARGUMENTS)
CALLS = objects(
    id=IDS,
    type=st.just("function"),
    function=FUNCTIONS | st.just("f"),
    name=st.just("g"),
    args=ARGUMENTS,
    input=ARGUMENTS,
)
IMAGES = objects(
    type=st.just("image_url"), image_url=st.just("http://x/y") | objects(url=st.just("data:image/png;base64,QQ=="))
)
INNER = st.lists(objects(type=st.just("text"), text=st.just("ten")) | IMAGES | ANYTHING, max_size=3)
PARTS = st.lists(
    objects(type=st.just("text"), text=st.just("hi"))
    | objects(type=st.just("tool_use"), id=IDS, name=st.just("f"), input=ARGUMENTS)
    | objects(type=st.just("tool_result"), tool_use_id=IDS, content=st.just("ten") | INNER, is_error=st.booleans())
    | objects(type=st.sampled_from(["image", "thinking", "document"]), source=ANYTHING)
    | IMAGES
    | ANYTHING,
    max_size=4,
)
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system", "tool"]), "content": st.just("hi") | PARTS},
    optional={
        "tool_calls": st.lists(CALLS | ANYTHING, max_size=3),
        "tool_call_id": IDS,
        "name": st.sampled_from(["Ana", "<>"]),
    },
)


class Letters:
    def count(self, text: str) -> int:
        return len(text)


def stored(given: dict[str, Any], seq: int) -> Message | None:
    """A message as append keeps it, if it takes it."""
    try:
        kept = draft(given)
    except Invalid:
        return None
    return Message(
        "c",
        seq,
        str(seq),
        kept.role,
        kept.content,
        AT,
        name=kept.name,
        tool_calls=json.loads(kept.tool_calls or "null"),
        tool_call_id=kept.tool_call_id,
        parts=json.loads(kept.parts or "null"),
    )


def packed(given: list[dict[str, Any]], budget: int = 1_000_000) -> Context:
    window = [one for seq, each in enumerate(given, 1) if (one := stored(each, seq)) is not None]
    return pack(Sections(window=window, message="and now?"), budget, Letters())


@given(st.lists(MESSAGES, max_size=6), st.sampled_from([60, 300, 1_000_000]))
def test_anything_can_be_rendered(messages: list[dict[str, Any]], budget: int) -> None:
    context = packed(messages, budget)
    assert context.tokens["total"] <= budget
    waiting: list[str] = []
    for one in context.to_openai():
        assert isinstance(one["content"], str | list) or (one["content"] is None and one["tool_calls"])
        if one["role"] == "tool":
            waiting.remove(one["tool_call_id"])
            continue
        assert waiting == []
        waiting = [call["id"] for call in one.get("tool_calls", ())]
        for call in one.get("tool_calls", ()):
            assert call["function"]["name"]
            assert isinstance(call["function"]["arguments"], str)
    assert waiting == []
    _check_anthropic(context.to_anthropic()["messages"])
    _check_langchain(context.to_langchain())


def _check_anthropic(turns: list[dict[str, Any]]) -> None:
    waiting: list[str] = []
    for turn in turns:
        results = [block["tool_use_id"] for block in turn["content"] if block["type"] == "tool_result"]
        assert sorted(results) == sorted(waiting)
        waiting = [block["id"] for block in turn["content"] if block["type"] == "tool_use"]
        for block in turn["content"]:
            if block["type"] == "text":
                assert block["text"].strip()
            if block["type"] == "tool_use":
                assert block["name"]
                assert isinstance(block["input"], dict)
    assert waiting == []


def _check_langchain(messages: list[Any]) -> None:
    waiting: list[str | None] = []
    for one in messages:
        if isinstance(one, ToolMessage):
            waiting.remove(one.tool_call_id)
        else:
            assert waiting == []
            waiting = [call["id"] for call in one.tool_calls] if isinstance(one, AIMessage) else []
    assert waiting == []


@pytest.mark.parametrize(
    "arguments", ["[" * 100_000, "[" * 300 + "]" * 300, "9" * 5000, '"\\ud800"', "NaN", "\ud7ff"]
)
def test_arguments_that_are_no_object_in_any_way(arguments: str) -> None:
    call = {"id": "a", "function": {"name": "f", "arguments": arguments}}
    context = packed(
        [
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "content": "no", "tool_call_id": "a"},
        ]
    )
    assert context.messages[0]["tool_calls"][0]["function"]["arguments"] == arguments
    assert set(context.to_anthropic()["messages"][1]["content"][0]["input"]) == {"arguments"}
    assert set(context.to_langchain()[0].tool_calls[0]["args"]) == {"arguments"}


def test_langchain_takes_halves_of_an_exchange_too() -> None:
    made = langchain_messages(
        [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": "a", "function": "f"}, {"name": "g", "args": {}}],
            },
            {"role": "tool", "content": "no"},
        ]
    )
    assert [call["name"] for call in made[0].tool_calls] == ["f", "g"]
    assert made[1].tool_call_id == ""
