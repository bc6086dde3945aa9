"""Messages that came another way, read by the faces: one of them in a shape of its own must not cost the rest."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.adapters.langchain import to_langchain
from recollect.adapters.openai_items import items_of
from recollect.records import Message, Role

CALL = {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}
RESULT = {"type": "function_call_output", "call_id": "a", "output": "ten"}


def message(role: Role, content: str = "", **more: Any) -> Message:
    return Message("c", 1, "m1", role, content, datetime(2024, 5, 1, tzinfo=UTC), **more)


@pytest.mark.parametrize(
    ("stored", "items"),
    [
        (message("assistant", parts=[{"type": "tool_use", "id": "a", "name": "f", "input": {}}]), [CALL]),
        (message("user", parts=[{"type": "tool_result", "tool_use_id": "a", "content": "ten"}]), [RESULT]),
        (message("assistant", tool_calls=[{"type": "tool_call", "id": "a", "name": "f", "args": {}}]), [CALL]),
        (message("assistant", tool_calls=[{"id": "a", "function": "f"}]), [CALL]),
        (message("assistant", "hm", tool_calls=[CALL]), [{"role": "assistant", "content": "hm"}, CALL]),
        (message("tool", "ten", tool_call_id="a"), [RESULT]),
        (
            message(
                "user",
                parts=[
                    {"type": "text", "text": "look"},
                    {"type": "image_url", "image_url": {"url": "https://x", "detail": "low"}},
                    {"type": "file", "file": {"file_id": "file-1"}},
                    {"type": "input_audio", "input_audio": {"data": "QQ==", "format": "wav"}},
                ],
            ),
            [
                {
                    "role": "user",
                    "content": [
                        {"type": "input_text", "text": "look"},
                        {"type": "input_image", "image_url": "https://x", "detail": "low"},
                        {"type": "input_file", "file_id": "file-1"},
                        {"type": "input_text", "text": "[audio]"},
                    ],
                }
            ],
        ),
        (
            message("assistant", parts=[{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "yes"}]),
            [{"role": "assistant", "content": "yes"}],
        ),
        (message("assistant"), [{"role": "assistant", "content": ""}]),
    ],
)
def test_items_of_a_message_in_another_shape(stored: Message, items: list[dict[str, Any]]) -> None:
    """What was left out of a call left its result without one, which is refused."""
    assert items_of(stored) == items


@pytest.mark.parametrize(
    "kept", ["gpt-4o", {}, {"model": "gpt-4o"}, {"item": "x", "taken": "content"}, ["x"], None]
)
def test_what_others_keep_beside_a_message_is_no_item(kept: Any) -> None:
    assert items_of(message("user", "hi", metadata={"openai": kept})) == [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize("kept", ["1.0", {"type": "run"}, {"type": "chat"}, {"content": 5}, ["x"], None])
def test_what_others_keep_beside_a_message_is_none_of_langchains(kept: Any) -> None:
    read = to_langchain(message("user", "hi", metadata={"langchain": kept}))
    assert (read.type, read.content, read.id) == ("human", "hi", "m1")


@pytest.mark.parametrize(
    ("call", "id", "name", "args"),
    [
        ({"id": "a", "function": "f"}, "a", "f", {}),
        ({"id": 1, "function": {"name": "f", "arguments": ""}}, "1", "f", {}),
        ({"id": "a", "function": {"name": 5, "arguments": "[" * 100_000}}, "a", "", {"arguments": "[" * 100_000}),
        ({"id": "a", "function": None}, "a", "", {}),
    ],
)
def test_a_call_that_anybody_could_store_can_be_read(
    call: dict[str, Any], id: str, name: str, args: dict[str, Any]
) -> None:
    (read,) = to_langchain(message("assistant", tool_calls=[call])).tool_calls  # pyright: ignore[reportAttributeAccessIssue]
    assert read == {"id": id, "name": name, "args": args, "type": "tool_call"}


def test_parts_that_langchain_has_no_place_for_are_left_out() -> None:
    stored = message("user", "x", parts=["x", 5, None, {"type": "text", "text": "y"}])
    assert to_langchain(stored).content == ["x", {"type": "text", "text": "y"}]
