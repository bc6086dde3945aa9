"""Which message of the window was the oldest that a model saw."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from recollect import Message
from recollect.chat.known import noted
from recollect.models.tokens import BundledCounter
from recollect.recall.pack import Sections, pack
from recollect.records import Role

AT = datetime(2024, 5, 1, tzinfo=UTC)


def said(seq: int, role: Role, content: str, **more: Any) -> Message:
    return Message("c", seq, str(seq), role, content, AT, **more)


def test_a_message_that_is_sent_as_several_counts_once() -> None:
    use = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    results = [{"type": "tool_result", "tool_use_id": "a", "content": "ten"}, {"type": "text", "text": "well?"}]
    window = [
        said(1, "user", "so long " * 500),
        said(2, "assistant", "so short"),
        said(3, "system", "a note"),
        said(4, "assistant", "", parts=[use]),
        said(5, "user", "well?", parts=results),
    ]
    context = pack(Sections(window=window), 200, BundledCounter())
    assert [one["role"] for one in context.messages] == ["assistant", "system", "assistant", "tool", "user"]
    assert noted(context, window).first == 2


def test_messages_that_are_sent_as_one_count_all() -> None:
    calls = [{"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id in "ab"]
    window = [
        said(1, "user", "so long " * 500),
        said(2, "assistant", "so short"),
        *[said(seq, "assistant", "", tool_calls=[call]) for seq, call in enumerate(calls, 3)],
        *[said(seq, "tool", "ten", tool_call_id=id) for seq, id in enumerate("ab", 5)],
    ]
    context = pack(Sections(window=window), 200, BundledCounter())
    assert [one["role"] for one in context.messages] == ["assistant", "assistant", "tool", "tool"]
    assert noted(context, window).first == 2


def test_thoughts_that_only_some_models_are_told_count_too() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "xyz"}
    window = [
        said(1, "user", "so long " * 500),
        said(2, "assistant", "so short"),
        said(3, "assistant", "", parts=[thought]),
        said(4, "assistant", "yes"),
    ]
    context = pack(Sections(window=window), 200, BundledCounter())
    assert [one["content"] for one in context.messages] == ["so short", "yes"]
    assert noted(context, window).first == 2
