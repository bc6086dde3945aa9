"""A packed prompt as messages of langchain-core, which is imported when first needed."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from recollect.errors import Unavailable
from recollect.recall.render.calls import arguments_of, openai_calls
from recollect.recall.render.parts import texts


def langchain_messages(messages: Sequence[dict[str, Any]]) -> list[Any]:
    """Message objects of langchain-core, which must be installed."""
    try:
        package: Any = importlib.import_module("langchain_core.messages")
    except ImportError:
        raise Unavailable(
            "langchain", "the package langchain-core is not installed; `pip install langchain-core` brings it"
        ) from None
    return package.convert_to_messages(
        [_with_objects(message, f"unnamed_{place}") for place, message in enumerate(_with_one_system(messages))]
    )


def _with_one_system(messages: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """What the system says comes first and at once: there are models of LangChain's that refuse it later on."""
    system = [message for message in messages if message["role"] == "system"]
    if not system or (len(system) == 1 and messages[0] is system[0]):
        return messages
    said = [one["content"] if isinstance(one["content"], str) else texts(one["content"]) for one in system]
    others = [message for message in messages if message["role"] != "system"]
    return [{"role": "system", "content": "\n\n".join(filter(None, said))}, *others]


def _with_objects(message: dict[str, Any], stem: str) -> dict[str, Any]:
    """The arguments of every call as an object, and every result with an id, as LangChain insists."""
    if message["role"] == "tool":
        return {"tool_call_id": ""} | message
    if "tool_calls" not in message:
        return message
    calls = openai_calls(message["tool_calls"] or (), stem)
    for call in calls:
        call["function"]["arguments"] = arguments_of(call)
    return message | {"tool_calls": calls}
