"""Calls of tools, in whichever of the shapes of OpenAI, Anthropic and LangChain they were stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import msgspec

_json = msgspec.json


def openai_calls(calls: Iterable[object], stem: str) -> list[dict[str, Any]]:
    """In OpenAI's shape; what is no call is left out. Ids that are missing are made of the stem."""
    given = [cast("dict[str, Any]", call) for call in calls if isinstance(call, dict)]
    return [_openai_call(call, call_id(call) or f"{stem}_{place}") for place, call in enumerate(given)]


def _openai_call(call: dict[str, Any], id: str) -> dict[str, Any]:
    inner: Any = call.get("function")
    function = cast("dict[str, Any]", inner) if isinstance(inner, dict) else call
    name: Any = inner if isinstance(inner, str) else function.get("name")
    arguments: Any = next((function[key] for key in ("arguments", "args", "input") if key in function), None)
    if not isinstance(arguments, str):
        arguments = "{}" if arguments is None else _json.encode(arguments).decode()
    return {
        "id": id,
        "type": "function",
        "function": {"name": name if isinstance(name, str) and name else "unknown", "arguments": arguments},
    }


def call_id(call: object) -> str | None:
    """The id that the result of a tool call refers to."""
    value = cast("dict[str, object]", call).get("id") if isinstance(call, dict) else None
    return value if isinstance(value, str) and value else None


def arguments_of(call: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call in OpenAI's shape as an object, which others insist on; a model may have written
    anything, and writes nothing where there are none."""
    written: str = call["function"]["arguments"]
    if not written.strip():
        return {}
    try:
        decoded = _json.decode(written)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        decoded = written
    return cast("dict[str, Any]", decoded) if isinstance(decoded, dict) else {"arguments": decoded}
