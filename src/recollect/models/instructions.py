"""Words of ours at the end of a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec


def with_instruction(messages: Sequence[Mapping[str, Any]], text: str) -> list[Mapping[str, Any]]:
    """The messages with an instruction at their end: in the last one if it is the user's.

    Some models refuse two messages of the same role in a row.
    """
    *others, last = messages or [{}]
    content = last.get("content")
    if last.get("role") == "user" and isinstance(content, str):
        return [*others, {**last, "content": f"{content}\n\n{text}"}]
    if last.get("role") == "user" and isinstance(content, list):
        return [*others, {**last, "content": [*content, {"type": "text", "text": text}]}]
    return [*messages, {"role": "user", "content": text}]


def schema_instruction(schema: Mapping[str, Any]) -> str:
    """Asks for JSON in words, for a model that cannot be held to a schema."""
    return (
        "Answer with one JSON object and nothing else: no explanation, no code fence. It follows this schema:\n"
        + msgspec.json.encode(schema).decode()
    )
