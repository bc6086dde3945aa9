"""A packed prompt in the message formats of OpenAI, Anthropic and LangChain. Pure, but for one lazy import.

Whatever could be stored can be rendered: what is misshapen is repaired where its meaning is plain, or left out.
"""

from __future__ import annotations

from recollect.recall.render.anthropic import anthropic_request
from recollect.recall.render.calls import call_id, callable_name, short_id, with_short_ids
from recollect.recall.render.langchain import langchain_messages
from recollect.recall.render.openai import FAILED, is_of_tools, is_silent, openai_messages, ready
from recollect.recall.render.parts import has_flat_price, is_text, texts

__all__ = [
    "FAILED",
    "anthropic_request",
    "call_id",
    "callable_name",
    "has_flat_price",
    "is_of_tools",
    "is_silent",
    "is_text",
    "langchain_messages",
    "openai_messages",
    "ready",
    "short_id",
    "texts",
    "with_short_ids",
]
