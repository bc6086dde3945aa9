"""LangChain's messages as ours, there and back without loss.

What has a place in a message of ours goes there: role, text, name, tool calls, tool call id. The rest is kept in
the metadata under ``langchain``. The view ``api.chat_message_history`` does the same in SQL. What the store cannot
hold is left out with a mark (``fitting``).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, cast

import msgspec
from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict

from recollect import inputs
from recollect.adapters import fitting
from recollect.errors import Invalid
from recollect.records import Message

_ROLES = {"human": "user", "ai": "assistant", "tool": "tool", "function": "tool", "system": "system"}
_KINDS = {"user": "human", "assistant": "ai", "system": "system", "tool": "tool"}
#: What a message has without anybody having said so.
_UNSAID: dict[str, Any] = {
    **dict.fromkeys(("name", "id", "usage_metadata", "artifact", "tool_call_id")),
    **{name: {} for name in ("additional_kwargs", "response_metadata")},
    **{name: [] for name in ("tool_calls", "invalid_tool_calls")},
}

_encode = msgspec.json.Encoder(enc_hook=lambda value: f"[{type(value).__name__}]").encode


def message_fields(message: BaseMessage) -> dict[str, Any]:
    """What ``append`` and ``extend`` take of a message of LangChain's."""
    written = message_to_dict(message)
    kind, data = cast("str", written["type"]), cast("dict[str, Any]", written["data"])
    rest = {name: value for name, value in data.items() if name not in ("content", "type")}
    if kind not in _KINDS.values():
        rest["type"] = kind
    fields: dict[str, Any] = {"role": _role(kind, data), "content": fitting.content(data["content"])}
    for name in ("name", "tool_call_id"):
        if _is_identifier(rest.get(name)):
            fields[name] = rest.pop(name)
    if calls := rest.get("tool_calls"):
        fields["tool_calls"] = fitting.calls([_openai_call(call) for call in calls])
        if all(map(_is_plain, calls)):
            del rest["tool_calls"]
    said = {name: value for name, value in rest.items() if not _is_unsaid(name, value)}
    return fields | {"metadata": fitting.beside(said, lambda kept: {"langchain": kept})}


def to_langchain(message: Message) -> BaseMessage:
    """A stored message as LangChain's; one that did not come from there carries our id."""
    rest: Any = message.metadata.get("langchain")
    if isinstance(rest, dict):
        with suppress(ValueError, TypeError):  # others may keep something under that name too
            return _made(message, cast("dict[str, Any]", rest))
    return _made(message, {"id": message.id})


def _made(message: Message, rest: dict[str, Any]) -> BaseMessage:
    kind = cast("str", rest.get("type") or _KINDS[message.role])
    data: dict[str, Any] = {"content": message.content if message.parts is None else _parts(message.parts)}
    if message.name is not None:
        data["name"] = message.name
    if message.tool_call_id is not None or kind == "tool":
        data["tool_call_id"] = message.tool_call_id or ""
    if message.tool_calls is not None:
        calls = [
            _langchain_call(cast("dict[str, Any]", call)) for call in message.tool_calls if isinstance(call, dict)
        ]
        data["tool_calls"] = calls
    data |= {name: value for name, value in rest.items() if name != "type"}
    return messages_from_dict([{"type": kind, "data": data}])[0]


def _parts(parts: Sequence[object]) -> list[Any]:
    """Those that LangChain has a place for, as all that it gives to keep are."""
    return [part for part in parts if isinstance(part, str | dict)]


def _is_unsaid(name: str, value: object) -> bool:
    """An artifact may be of any class, and is not compared: that of a table compares each of its cells."""
    return name in _UNSAID and (value is None if _UNSAID[name] is None else value == _UNSAID[name])


def _role(kind: str, data: dict[str, Any]) -> str:
    plain = kind.removesuffix("MessageChunk").lower()
    if plain == "chat":
        return data["role"] if kind == "chat" and data["role"] in _KINDS else "user"
    return _ROLES.get(plain, "system")


def _is_identifier(value: object) -> bool:
    try:
        inputs.identifier("name", value)
    except Invalid:
        return False
    return True


def _is_plain(call: dict[str, Any]) -> bool:
    """Whether nothing of a call is lost in OpenAI's shape."""
    return (
        set(call) == {"name", "args", "id", "type"}
        and call["type"] == "tool_call"
        and isinstance(call["args"], dict)
    )


def _openai_call(call: dict[str, Any]) -> dict[str, Any]:
    arguments = _encode(fitting.cleaned(call.get("args"))).decode()
    return {
        "id": call.get("id"),
        "type": "function",
        "function": {"name": call.get("name"), "arguments": arguments},
    }


def _langchain_call(call: dict[str, Any]) -> dict[str, Any]:
    """From the shape of OpenAI, LangChain or Anthropic. A model may have written anything as arguments."""
    inner: Any = call.get("function", call)
    made = cast("dict[str, Any]", inner) if isinstance(inner, dict) else {"name": inner}
    given: Any = next((made[key] for key in ("arguments", "args", "input") if key in made), "{}")
    try:
        arguments = msgspec.json.decode(given.strip() or "{}") if isinstance(given, str) else given
    except (msgspec.DecodeError, RecursionError):
        arguments = given
    if not isinstance(arguments, dict):
        arguments = {"arguments": arguments}
    id, name = call.get("id"), made.get("name")
    return {
        "id": None if id is None else str(id),
        "name": name if isinstance(name, str) else "",
        "args": arguments,
        "type": "tool_call",
    }
