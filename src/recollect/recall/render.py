"""A packed prompt in the message formats of OpenAI, Anthropic and LangChain. Pure, but for one lazy import.

Whatever could be stored can be rendered: what is misshapen is repaired where its meaning is plain, or left out.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

import msgspec

from recollect.errors import Unavailable
from recollect.records import Message

_json = msgspec.json
_NOT_IN_A_NAME = re.compile(r"[\s<|\\/>]+")
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,")

#: What the result of a tool that failed begins with, as OpenAI has no field for it.
FAILED = "The tool failed:"
_THOUGHTS = ("thinking", "redacted_thinking")
#: What a block of text has in Anthropic's own shape.
_TEXT_FIELDS = {"type", "text", "cache_control", "citations"}


def openai_messages(stored: Iterable[Message]) -> Iterator[tuple[Message, dict[str, Any]]]:
    """Stored messages as an OpenAI-style client takes them, each beside the one that it comes from.

    Anthropic's blocks of tools become calls, and messages with their results. A call without an id is given one,
    and a result without one answers the first call that has no result yet.
    """
    waiting: list[str] = []
    for message in stored:
        for rendered in _openai_messages(message):
            if rendered["role"] != "tool":
                waiting = [call["id"] for call in rendered.get("tool_calls", ())]
            elif waiting:
                id = rendered.setdefault("tool_call_id", waiting[0])
                waiting = [other for other in waiting if other != id]
            yield message, rendered


def _openai_messages(message: Message) -> list[dict[str, Any]]:
    """The tool results in a message, and then the rest of it."""
    if message.parts is None and message.tool_calls is None and message.name is None and message.role != "tool":
        return [{"role": message.role, "content": message.content}]  # as nearly all are
    parts = _parts(message.parts or ())
    rest = [_openai_part(part) for part in parts if part["type"] not in ("tool_use", "tool_result")]
    rendered: dict[str, Any] = {
        "role": message.role,
        "content": message.content if message.parts is None else rest or "",
    }
    if message.name is not None:
        rendered["name"] = _NOT_IN_A_NAME.sub("_", message.name)[:64]
    if message.role == "tool" and message.tool_call_id is not None:
        rendered["tool_call_id"] = message.tool_call_id
    if message.role == "assistant":
        calls = list(message.tool_calls or ())
        known = {call_id(call) for call in calls} - {None}
        # LangChain keeps what Anthropic's models call as a block and as a call.
        calls += [part for part in parts if part["type"] == "tool_use" and call_id(part) not in known]
        if calls := _openai_calls(calls, f"unnamed_{message.seq}"):
            rendered |= {"content": rendered["content"] or None, "tool_calls": calls}
    if message.role not in ("user", "tool"):
        return [rendered]
    results = [_openai_result(part, message) for part in parts if part["type"] == "tool_result"]
    return results if results and not rest else [*results, rendered]


def _openai_part(part: dict[str, Any]) -> dict[str, Any]:
    """Anthropic's image as OpenAI's, where nothing is lost by it; anything else as it is."""
    if part.keys() != {"type", "source"} or part["type"] != "image" or not isinstance(part["source"], dict):
        return part
    match cast("dict[str, Any]", part["source"]):
        case {"type": "url", "url": str(url), **rest} if not rest:
            pass
        case {"type": "base64", "media_type": str(kind), "data": str(data), **rest} if not rest:
            url = f"data:{kind};base64,{data}"
        case _:
            return part
    shown = {"type": "image_url", "image_url": {"url": url}}
    return shown if _block(shown) == part else part


def without_thoughts(message: dict[str, Any]) -> dict[str, Any]:
    """The message as OpenAI takes it, who has no part for what a model thought before it spoke."""
    content: Any = message["content"]
    if not isinstance(content, list):
        return dict(message)
    told = [part for part in cast("list[dict[str, Any]]", content) if part["type"] not in _THOUGHTS]
    return message | {"content": told or (None if "tool_calls" in message else "")}


def _openai_result(block: dict[str, Any], message: Message) -> dict[str, Any]:
    given: Any = block.get("content")
    if isinstance(given, list):
        content = _parts(cast("list[object]", given)) or ""
    else:
        content = given if isinstance(given, str) else "" if given is None else _json.encode(given).decode()
    if block.get("is_error") is True:
        content = [_text(FAILED), *_parts([content] if isinstance(content, str) and content else content)]
    rendered = {"role": "tool", "content": content}
    id = block.get("tool_use_id") or message.tool_call_id
    return rendered | {"tool_call_id": id} if isinstance(id, str) else rendered


def _openai_calls(calls: Iterable[object], stem: str) -> list[dict[str, Any]]:
    """In OpenAI's shape, whether they were stored in that of OpenAI, LangChain or Anthropic; what is no call is
    left out. Ids that are missing are made of the stem."""
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


def is_text(part: dict[str, Any]) -> bool:
    """Whether a part of a content is text, by whatever name."""
    return isinstance(part.get("text"), str)


def _parts(given: Iterable[object]) -> list[dict[str, Any]]:
    """The parts of a content, each with its type; those that say nothing are left out."""
    parts: list[dict[str, Any]] = []
    for part in given:
        if isinstance(part, str):
            parts.append(_text(part))
        elif isinstance(part, dict):
            known = cast("dict[str, Any]", part)
            if not isinstance(known.get("type"), str):
                known = known | {"type": "image_url" if "image_url" in known else "text"}
            if is_text(known) or known["type"] != "text":
                parts.append(known)
    return parts


def anthropic_request(messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """``system`` and ``messages`` of a request: roles alternate, the first is the user's, results are blocks."""
    system: list[str] = []
    turns: list[dict[str, Any]] = []
    for place, message in enumerate(messages):
        if message["role"] == "system":
            system += [block["text"] for block in _blocks(message["content"]) if block["type"] == "text"]
            continue
        role, blocks = _anthropic_turn(message, f"unnamed_{place}")
        if not turns and role == "assistant" and blocks:
            turns.append(_turn("user", [_text("(The conversation up to here is not shown.)")]))
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        elif blocks:
            turns.append(_turn(role, blocks))
    return {"system": "\n\n".join(system), "messages": turns}


def _anthropic_turn(message: dict[str, Any], stem: str) -> tuple[str, list[dict[str, Any]]]:
    blocks = _blocks(message.get("content"))
    if message["role"] == "tool":
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": message.get("tool_call_id")}
        if blocks and blocks[0] == _text(FAILED):
            return "user", [result | {"content": blocks[1:], "is_error": True}]
        return "user", [result | {"content": blocks}]
    # There is no field for who speaks, and in a conversation of several people that must not be lost.
    if message["role"] == "user" and "name" in message and blocks and blocks[0]["type"] == "text":
        blocks[0] = blocks[0] | {"text": f"{message['name']}: {blocks[0]['text']}"}
    for call in _openai_calls(message.get("tool_calls") or (), stem):
        function = call["function"]
        blocks.append(
            {
                "type": "tool_use",
                "id": call["id"],
                "name": function["name"],
                "input": _object(function["arguments"]),
            }
        )
    return message["role"], blocks


def _blocks(content: Any) -> list[dict[str, Any]]:
    """Anthropic's content blocks; empty text is left out, since it is refused there."""
    if isinstance(content, list):
        blocks = [_block(part) for part in _parts(cast("list[object]", content))]
        return [block for block in blocks if block["type"] != "text" or block["text"].strip()]
    return [_text(content)] if isinstance(content, str) and content.strip() else []


def _block(part: dict[str, Any]) -> dict[str, Any]:
    """What is not in OpenAI's shape is taken to be in Anthropic's, and stays as it is."""
    if is_text(part):
        return part if part["type"] == "text" and part.keys() <= _TEXT_FIELDS else _text(part["text"])
    image = part.get("image_url")
    url = cast("dict[str, Any]", image).get("url") if isinstance(image, dict) else image
    if not isinstance(url, str):
        return part
    if data := _DATA_URL.match(url):
        source = {"type": "base64", "media_type": data[1], "data": url[data.end() :]}
    else:
        source = {"type": "url", "url": url}
    return {"type": "image", "source": source}


def langchain_messages(messages: Sequence[dict[str, Any]]) -> list[Any]:
    """Message objects of langchain-core, which must be installed."""
    try:
        package: Any = importlib.import_module("langchain_core.messages")
    except ImportError:
        raise Unavailable(
            "langchain", "the package langchain-core is not installed; `pip install langchain-core` brings it"
        ) from None
    return package.convert_to_messages(
        [_with_objects(message, f"unnamed_{place}") for place, message in enumerate(messages)]
    )


def _with_objects(message: dict[str, Any], stem: str) -> dict[str, Any]:
    """The arguments of every call as an object, and every result with an id, as LangChain insists."""
    if message["role"] == "tool":
        return {"tool_call_id": ""} | message
    if "tool_calls" not in message:
        return message
    calls = _openai_calls(message["tool_calls"] or (), stem)
    for call in calls:
        call["function"]["arguments"] = _object(call["function"]["arguments"])
    return message | {"tool_calls": calls}


def _object(arguments: str) -> dict[str, Any]:
    """The arguments of a call as an object, which Anthropic insists on; a model may have written anything."""
    try:
        decoded = _json.decode(arguments)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        decoded = arguments
    return cast("dict[str, Any]", decoded) if isinstance(decoded, dict) else {"arguments": decoded}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _turn(role: str, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    return {"role": role, "content": blocks}
