"""Items of OpenAI's Responses API as our messages, there and back without loss. Pure.

What has a place in a message of ours goes there; the rest of the item is kept in the metadata under ``openai``,
with what was taken out of it: its ``content``, a ``call`` or the ``output`` of one. What the store cannot hold is
left out with a mark (``fitting``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from recollect import inputs
from recollect.adapters import fitting
from recollect.errors import Invalid
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
    """The items of a message: one, or for one that came another way, one for its text and one for each call."""
    kept = cast("dict[str, Any] | None", message.metadata.get("openai"))
    content: Any = message.content if message.parts is None else message.parts
    if kept is None:
        return _from_elsewhere(message)
    item: Item = dict(kept["item"])
    match kept.get("taken"):
        case "content":
            item["content"] = content
        case "call" if message.tool_calls:
            call = message.tool_calls[0]
            item |= {"call_id": call["id"], **call["function"]}
        case "output":
            item |= {"call_id": message.tool_call_id, "output": content}
        case _:
            pass
    return [item]


def _from_elsewhere(message: Message) -> list[Item]:
    if message.role == "tool":
        call = message.tool_call_id or ""
        return [{"type": "function_call_output", "call_id": call, "output": message.content}]
    items: list[Item] = []
    if message.content or not message.tool_calls:
        items.append({"role": message.role, "content": message.content})
    for call in message.tool_calls or ():
        if isinstance(call, dict) and isinstance(function := cast("Item", call).get("function"), dict):
            made = cast("Item", function)
            items.append(
                {
                    "type": "function_call",
                    "call_id": str(cast("Item", call).get("id") or ""),
                    "name": str(made.get("name") or ""),
                    "arguments": str(made.get("arguments") or "{}"),
                }
            )
    return items


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
