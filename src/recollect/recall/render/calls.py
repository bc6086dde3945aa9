"""Calls of tools, in whichever of the shapes of OpenAI, Anthropic and LangChain they were stored."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterable, Sequence
from typing import Any, cast

import msgspec

_json = msgspec.json

#: Blocks that are calls: Anthropic's, LangChain's since its version 1, and those of OpenAI's Responses API.
_CALLS = ("tool_use", "tool_call", "function_call")
#: Blocks of calls that LangChain could not read, or has perhaps only a piece of.
_ATTEMPTS = ("invalid_tool_call", "tool_call_chunk")
_NOT_IN_A_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_MOST_NAME = 64
#: An id of more characters is refused by OpenAI; those of other providers are longer.
_MOST_ID = 40
BLOCKS_OF_CALLS = frozenset({*_CALLS, *_ATTEMPTS})


def all_calls(
    given: Iterable[object], parts: Sequence[dict[str, Any]], answered: Container[str]
) -> list[dict[str, Any]]:
    """The calls of a message and those in its parts, each once: LangChain keeps them as both, or by two names. Of
    what could not be read, no tool was called, unless its result is among those that follow."""
    calls = [cast("dict[str, Any]", call) for call in given if isinstance(call, dict)]
    for kind in _CALLS:
        known = {call_id(call) for call in calls}
        calls += [part for part in parts if part["type"] == kind and call_id(part) not in known]
    known = {call_id(call) for call in calls}
    for part in parts:
        id = call_id(part) if part["type"] in _ATTEMPTS else None
        if id is not None and id in answered and id not in known:
            known.add(id)
            calls.append(part)
    return calls


def has_attempts(parts: Sequence[dict[str, Any]]) -> bool:
    """Whether it takes the results that follow to tell which of the parts are calls."""
    return any(part["type"] in _ATTEMPTS for part in parts)


def openai_calls(calls: Iterable[object], stem: str) -> list[dict[str, Any]]:
    """In OpenAI's shape; what is no call is left out. Ids that are missing are made of the stem."""
    given = [cast("dict[str, Any]", call) for call in calls if isinstance(call, dict)]
    return [_openai_call(call, call_id(call) or f"{stem}_{place}") for place, call in enumerate(given)]


def _openai_call(call: dict[str, Any], id: str) -> dict[str, Any]:
    inner: Any = call.get("function")
    function = cast("dict[str, Any]", inner) if isinstance(inner, dict) else call
    name: Any = inner if isinstance(inner, str) else function.get("name")
    arguments: Any = next((function[key] for key in ("arguments", "args", "input") if key in function), None)
    written: Any = function.get("partial_json")  # where LangChain puts them together from a stream
    if not arguments and isinstance(written, str) and written:
        arguments = written
    if not isinstance(arguments, str):
        arguments = "{}" if arguments is None else _json.encode(arguments).decode()
    return {
        "id": id,
        "type": "function",
        "function": {"name": callable_name(name if isinstance(name, str) else ""), "arguments": arguments},
    }


def callable_name(name: str) -> str:
    """The name of a tool as providers take it: with one that a model made up, or that comes from elsewhere, they
    refuse the whole prompt."""
    return _NOT_IN_A_NAME.sub("_", name)[:_MOST_NAME] or "unknown"


def with_short_ids(message: dict[str, Any]) -> dict[str, Any]:
    """The message with ids of calls that OpenAI takes, the same for a call and its result; itself if they are."""
    calls: list[dict[str, Any]] = message.get("tool_calls", [])
    if any(len(call["id"]) > _MOST_ID for call in calls):
        message = message | {"tool_calls": [call | {"id": short_id(call["id"])} for call in calls]}
    if len(id := message.get("tool_call_id", "")) > _MOST_ID:
        message = message | {"tool_call_id": short_id(id)}
    return message


def short_id(id: str) -> str:
    """The id of a call as OpenAI takes it; those that are short enough stay as they are."""
    if len(id) <= _MOST_ID:
        return id
    return f"call_{hashlib.blake2b(id.encode(), digest_size=16).hexdigest()}"


def call_id(call: object) -> str | None:
    """The id that the result of a tool call refers to."""
    if not isinstance(call, dict):
        return None
    known = cast("dict[str, object]", call)
    # An item of the Responses API has an id of its own besides.
    value = known.get("call_id" if known.get("type") == "function_call" else "id")
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
