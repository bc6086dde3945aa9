"""What other frameworks want to have kept beside a text, where the store cannot hold it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from recollect.adapters.fitting import content
from recollect.adapters.langchain.messages import message_fields, to_langchain
from recollect.adapters.openai_items import item_fields, items_of
from recollect.conversations.incoming import draft
from recollect.errors import Invalid
from recollect.inputs import MAX_CONTENT
from recollect.records import Message
from recollect.storage.rows import decoded


def stored(fields: dict[str, Any]) -> Message:
    """As the store would give it back."""
    one = draft(fields)
    return Message(
        "c",
        1,
        "id",
        one.role,
        one.content,
        None,  # pyright: ignore[reportArgumentType]
        one.name,
        decoded(one.metadata) or {},
        decoded(one.tool_calls),
        one.tool_call_id,
        decoded(one.parts),
    )


class Table:
    """Compares each of its cells, as those of numpy and pandas do."""

    def __ne__(self, other: object) -> Any:
        return self

    __eq__ = __ne__  # pyright: ignore[reportAssignmentType]
    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __bool__(self) -> bool:
        raise ValueError("ambiguous")


DEEP: list[Any] = []
for _ in range(40):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "artifact",
    [b"\x89PNG", {1, 2}, object(), float("nan"), {1: "a"}, "x" * 70_000, 1 << 70, DEEP, [{"a": b""}], Table()],
    ids=["bytes", "set", "object", "nan", "keys", "large", "long", "deep", "within", "table"],
)
def test_an_artifact_that_cannot_be_stored_does_not_cost_the_message(artifact: Any) -> None:
    said = ToolMessage("rain", tool_call_id="c1", artifact=artifact, additional_kwargs={"a": 1}, id="m1")
    message = stored(message_fields(said))
    assert message.metadata["left_out"] == ["artifact"]
    said.artifact = None
    assert to_langchain(message) == said


def test_what_can_be_stored_has_no_mark() -> None:
    said = ToolMessage("rain", tool_call_id="c1", artifact={"a": "x" * 65_000})
    message = stored(message_fields(said))
    assert "left_out" not in message.metadata
    assert to_langchain(message) == said


def test_the_smaller_ones_are_kept_where_not_all_fit() -> None:
    meta = {"logprobs": ["x" * 40_000]}
    said = AIMessage("hi", response_metadata=meta, additional_kwargs={"y": "y" * 30_000}, id="m1")
    message = stored(message_fields(said))
    assert message.metadata["left_out"] == ["response_metadata"]
    assert to_langchain(message) == AIMessage("hi", additional_kwargs={"y": "y" * 30_000}, id="m1")


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (HumanMessage("a\0b\ud800"), HumanMessage("a?b?")),
        (ToolMessage("a\0b", tool_call_id="c"), ToolMessage("a?b", tool_call_id="c")),
        (ToolMessage("a", tool_call_id="c", artifact="\0"), ToolMessage("a", tool_call_id="c", artifact="?")),
        (HumanMessage([{"type": "text", "text": "\0"}, "\0"]), HumanMessage([{"type": "text", "text": "?"}, "?"])),
    ],
)
def test_what_no_text_has_becomes_a_question_mark(said: BaseMessage, read: BaseMessage) -> None:
    message = stored(message_fields(said))
    assert to_langchain(message) == read
    assert "left_out" not in message.metadata


def test_calls_of_tools_that_are_not_json_or_too_large() -> None:
    calls: list[Any] = [
        {"name": "f", "args": {"a": "\ud800\0", "b": object()}, "id": "c1", "type": "tool_call"},
        {"name": "g", "args": {"text": "x" * 1_100_000}, "id": "c2", "type": "tool_call"},
    ]
    read = to_langchain(stored(message_fields(AIMessage("", tool_calls=calls))))
    assert isinstance(read, AIMessage)
    assert [(one["name"], one["args"]) for one in read.tool_calls] == [
        ("f", {"a": "??", "b": "[object]"}),
        ("g", {"left_out": "1,100,011 bytes"}),
    ]


def test_a_text_that_is_too_long_says_so_at_its_end() -> None:
    for said in ("é" * MAX_CONTENT, "x" * MAX_CONTENT + "y"):
        read = to_langchain(stored(message_fields(HumanMessage(said)))).text
        assert len(read.encode()) <= MAX_CONTENT
        assert read.startswith(said[:500_000])
        assert read.endswith(" bytes left out]")
    assert content("x" * MAX_CONTENT) == "x" * MAX_CONTENT


def test_an_image_gives_way_to_what_was_said() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:" + "x" * 1_100_000}}
    small = {"type": "image_url", "image_url": {"url": "data:x"}}
    read = to_langchain(
        stored(message_fields(HumanMessage([{"type": "text", "text": "what is it?"}, image, small])))
    )
    assert read.content == [
        {"type": "text", "text": "what is it?"},
        {"type": "text", "text": "[image_url]"},
        small,
    ]


TEXTS = ['"' * 600_000, "\x01" * 400_000, "\x01" * 90_000 + "a" * 900_000, "é" * 600_000, "b", "\0"]
PARTS: list[Any] = [
    *TEXTS,
    *({"type": "text", "text": text, "more": more} for text in TEXTS for more in ([], b"")),
    *(b"x", {"type": "image", "data": "x" * 900_000}, {"type": object()}, {1: 2}, 7, None),
]


@given(st.lists(st.integers(0, len(PARTS) - 1), max_size=4))
@settings(max_examples=50)
def test_any_parts_can_be_stored(places: list[int]) -> None:
    made = content([PARTS[place] for place in places])
    draft({"role": "user", "content": made})
    assert len(made) == len(places)


IMAGE = {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "x" * 2_000_000}


def test_an_item_that_does_not_fit_is_kept_without_what_is_too_large() -> None:
    message = stored(item_fields(IMAGE))
    assert message.metadata["left_out"] == ["result"]
    assert items_of(message) == [{name: value for name, value in IMAGE.items() if name != "result"}]


def test_outputs_of_tools_that_cannot_be_stored_as_they_are() -> None:
    output = {"type": "function_call_output", "call_id": "c1"}
    assert items_of(stored(item_fields({**output, "output": "a\0b"}))) == [{**output, "output": "a?b"}]
    screen = [{"type": "input_image", "image_url": "x" * 1_100_000}]
    words = [{"type": "input_text", "text": "[input_image]"}]
    assert items_of(stored(item_fields({**output, "output": screen}))) == [{**output, "output": words}]
    call = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "\0"}
    assert items_of(stored(item_fields(call))) == [{**call, "arguments": "?"}]
    answer = {"role": "assistant", "content": [{"type": "output_text", "text": "x" * 1_100_000}]}
    (read,) = items_of(stored(item_fields(answer)))
    assert read["content"][0]["type"] == "output_text"
    assert read["content"][0]["text"].endswith(" bytes left out]")


def test_what_was_said_in_an_unknown_form_is_refused_and_not_left_out() -> None:
    with pytest.raises(Invalid):
        stored(item_fields({"role": "user", "content": object()}))
