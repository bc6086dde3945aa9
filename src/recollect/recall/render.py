"""A packed prompt in the message formats of OpenAI, Anthropic and LangChain. Pure, but for one lazy import."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from typing import Any, cast

import msgspec

from recollect.errors import Unavailable
from recollect.records import Message

_json = msgspec.json
_NOT_IN_A_NAME = re.compile(r"[\s<|\\/>]+")
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,")


def openai_message(message: Message) -> dict[str, Any]:
    """A stored message as an OpenAI-style client takes it."""
    calls = message.tool_calls
    content = message.content if message.parts is None else message.parts
    rendered: dict[str, Any] = {"role": message.role, "content": content or None if calls else content}
    if message.name is not None:
        rendered["name"] = _NOT_IN_A_NAME.sub("_", message.name)[:64]
    if calls:
        rendered["tool_calls"] = [_openai_call(call) for call in calls]
    if message.tool_call_id is not None:
        rendered["tool_call_id"] = message.tool_call_id
    return rendered


def anthropic_request(messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """``system`` and ``messages`` of a request: roles alternate, the first is the user's, results are blocks."""
    system: list[str] = []
    turns: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] == "system":
            system += [block["text"] for block in _blocks(message["content"]) if block["type"] == "text"]
            continue
        role, blocks = _anthropic_turn(message)
        if not turns and role == "assistant" and blocks:
            turns.append(_turn("user", [_text("(The conversation up to here is not shown.)")]))
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        elif blocks:
            turns.append(_turn(role, blocks))
    return {"system": "\n\n".join(system), "messages": turns}


def langchain_messages(messages: Sequence[dict[str, Any]]) -> list[Any]:
    """Message objects of langchain-core, which must be installed."""
    try:
        package: Any = importlib.import_module("langchain_core.messages")
    except ImportError:
        raise Unavailable(
            "langchain", "the package langchain-core is not installed; `pip install langchain-core` brings it"
        ) from None
    return package.convert_to_messages([_with_objects(message) for message in messages])


def _with_objects(message: dict[str, Any]) -> dict[str, Any]:
    """The arguments of every call as a JSON object, which LangChain insists on; what is no call is left out."""
    if "tool_calls" not in message:
        return message
    calls = [cast("dict[str, Any]", call) for call in message["tool_calls"] if isinstance(call, dict)]
    return message | {
        "tool_calls": [
            call
            | {
                "function": call["function"]
                | {"arguments": _json.encode(_object(call["function"].get("arguments"))).decode()}
            }
            for call in calls
            if isinstance(call.get("function"), dict)
        ]
    }


def call_id(call: object) -> str | None:
    """The id that the result of a tool call refers to."""
    value = cast("dict[str, object]", call).get("id") if isinstance(call, dict) else None
    return value if isinstance(value, str) else None


def _openai_call(call: object) -> Any:
    """In OpenAI's shape, whether it was stored in that of OpenAI, LangChain or Anthropic."""
    if not isinstance(call, dict):
        return call
    given = cast("dict[str, Any]", call)
    function: Any = given.get("function", given)
    if not isinstance(function, dict):
        return given
    function = cast("dict[str, Any]", function)
    arguments: Any = next((function[key] for key in ("arguments", "args", "input") if key in function), "{}")
    if not isinstance(arguments, str):
        arguments = _json.encode(arguments).decode()
    return {
        "id": given.get("id"),
        "type": "function",
        "function": {"name": function.get("name"), "arguments": arguments},
    }


def _anthropic_turn(message: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    if message["role"] == "tool":
        result = {"type": "tool_result", "tool_use_id": message.get("tool_call_id")}
        return "user", [result | {"content": _blocks(message["content"])}]
    blocks = _blocks(message["content"])
    # There is no field for who speaks, and in a conversation of several people that must not be lost.
    if message["role"] == "user" and "name" in message and blocks and blocks[0]["type"] == "text":
        blocks[0] = _text(f"{message['name']}: {blocks[0]['text']}")
    for call in message.get("tool_calls", ()):
        if isinstance(call, dict):
            function: dict[str, Any] = cast("dict[str, Any]", call).get("function") or {}
            blocks.append(
                {
                    "type": "tool_use",
                    "id": call_id(cast("object", call)),
                    "name": function.get("name"),
                    "input": _object(function.get("arguments")),
                }
            )
    return message["role"], blocks


def _object(arguments: Any) -> dict[str, Any]:
    """The arguments of a call as an object, which Anthropic insists on; a model may have written anything."""
    try:
        decoded = _json.decode(arguments)
    except (msgspec.DecodeError, TypeError):
        decoded = arguments
    return cast("dict[str, Any]", decoded) if isinstance(decoded, dict) else {"arguments": decoded}


def _blocks(content: Any) -> list[dict[str, Any]]:
    """Anthropic's content blocks; empty text is left out, since it is refused there."""
    if isinstance(content, list):
        blocks = [_block(part) for part in cast("list[object]", content)]
        return [block for block in blocks if block["type"] != "text" or block["text"].strip()]
    return [_text(content)] if isinstance(content, str) and content.strip() else []


def _block(part: object) -> dict[str, Any]:
    if not isinstance(part, dict):
        return _text(part if isinstance(part, str) else "")
    given = cast("dict[str, Any]", part)
    if isinstance(given.get("text"), str):
        return _text(given["text"])
    image = given.get("image_url")
    url = cast("dict[str, Any]", image).get("url") if isinstance(image, dict) else image
    if isinstance(url, str):
        if data := _DATA_URL.match(url):
            source = {"type": "base64", "media_type": data[1], "data": url[data.end() :]}
        else:
            source = {"type": "url", "url": url}
        return {"type": "image", "source": source}
    return {"type": "text", "text": ""} | given


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _turn(role: str, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    return {"role": role, "content": blocks}
