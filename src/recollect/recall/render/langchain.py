"""A packed prompt as messages of langchain-core, which is imported when first needed."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from recollect.errors import Unavailable
from recollect.recall.render.calls import arguments_of, openai_calls


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
    calls = openai_calls(message["tool_calls"] or (), stem)
    for call in calls:
        call["function"]["arguments"] = arguments_of(call)
    return message | {"tool_calls": calls}
