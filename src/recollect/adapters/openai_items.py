"""Items of OpenAI's Responses API as our messages, there and back without loss. Pure.

What has a place in a message of ours goes there; the rest of the item is kept in the metadata under ``openai``,
with what was taken out of it: its ``content``, a ``call`` or the ``output`` of one. What the store cannot hold is
left out with a mark (``fitting``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect import inputs
from recollect.adapters import fitting
from recollect.errors import Invalid
from recollect.recall.render import openai_messages, ready, texts
from recollect.records import Message

Item = dict[str, Any]
_ROLES = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}
#: The type of a part with text, where it is not input.
_WORDS = {"assistant": "output_text"}


def item_fields(item: Mapping[str, Any]) -> dict[str, Any]:
    """What ``append`` and ``extend`` take of an item."""
    given = dict(item)
    if given.get("role") in _ROLES and isinstance(given.get("content"), str | list):
        rest = {name: value for name, value in given.items() if name != "content"}
        return {
            "role": _ROLES[given["role"]],
            "content": fitting.content(given["content"], _WORDS.get(given["role"], "input_text")),
            "metadata": _kept(rest, "content"),
        }
    if given.get("type") == "function_call" and _texts(given, "call_id", "name", "arguments"):
        rest = {name: value for name, value in given.items() if name not in ("call_id", "name", "arguments")}
        function = {"name": given["name"], "arguments": given["arguments"]}
        call = {"id": given["call_id"], "type": "function", "function": function}
        return {
            "role": "assistant",
            "content": "",
            "tool_calls": fitting.calls([call]),
            "metadata": _kept(rest, "call"),
        }
    if _is_identifier(given.get("call_id")) and isinstance(given.get("output"), str | list):
        rest = {name: value for name, value in given.items() if name not in ("call_id", "output")}
        return {
            "role": "tool",
            "content": fitting.content(given["output"], "input_text"),
            "tool_call_id": given["call_id"],
            "metadata": _kept(rest, "output"),
        }
    return {"role": "assistant", "content": "", "metadata": _kept(given, None)}


def items_of(message: Message) -> list[Item]:
    """The items of a message: one, or for one that came another way, one for its text and one for each call and
    each result in it."""
    kept: Any = message.metadata.get("openai")
    match kept:
        case {"item": dict(), "taken": "content" | "call" | "output" | None as taken}:
            item: Item = dict(kept["item"])
        case _:  # others may keep something under that name too
            return _from_elsewhere(message)
    content: Any = message.content if message.parts is None else message.parts
    calls: Any = message.tool_calls
    match taken, calls:
        case "content", _:
            item["content"] = content
        case "call", [{"id": _, "function": dict()}, *_]:
            item |= {"call_id": calls[0]["id"], **calls[0]["function"]}
        case "output", _:
            item |= {"call_id": message.tool_call_id, "output": content}
        case _:
            pass
    return [item]


def _from_elsewhere(message: Message) -> list[Item]:
    """Whatever shape it was stored in: a result whose call is left out would be refused."""
    items: list[Item] = []
    for _, told in openai_messages([message]):
        one = ready(told)
        content: Any = one["content"]
        if one["role"] == "tool":
            output = content if isinstance(content, str) else texts(content)
            call = one.get("tool_call_id", "")
            items.append({"type": "function_call_output", "call_id": call, "output": output})
        elif content:
            items.append({"role": one["role"], "content": _content(content, one["role"])})
        items += [
            {
                "type": "function_call",
                "call_id": call["id"],
                "name": call["function"]["name"],
                "arguments": call["function"]["arguments"] or "{}",
            }
            for call in one.get("tool_calls", ())
        ]
    return items or [{"role": message.role, "content": message.content}]


def _content(content: str | list[dict[str, Any]], role: str) -> str | list[Item]:
    """What is said in a chat, as an item has it: users show images and files, others only speak."""
    if isinstance(content, str):
        return content
    return [_part(part) for part in content] if role == "user" else texts(content)


def _part(part: dict[str, Any]) -> Item:
    match part["type"]:
        case "image_url":
            return {"type": "input_image", "detail": "auto"} | {
                "image_url" if name == "url" else name: value for name, value in part["image_url"].items()
            }
        case "file":
            return {"type": "input_file", **part["file"]}
        case _:  # a sound has no place in an item
            return {"type": "input_text", "text": texts([part])}


def _kept(item: Item, taken: str | None) -> dict[str, Any]:
    """What somebody said in a form that we do not know is refused where it cannot be kept, and not left out."""
    return fitting.beside(item, lambda kept: {"openai": {"item": kept, "taken": taken}}, needed=("content",))


def _texts(item: Item, *names: str) -> bool:
    return all(isinstance(item.get(name), str) for name in names)


def _is_identifier(value: object) -> bool:
    try:
        inputs.identifier("call_id", value)
    except Invalid:
        return False
    return True
