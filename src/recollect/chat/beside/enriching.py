"""A client's messages with what is known put in front of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from recollect.chat.beside.overlap import parted, spoken, stored_already
from recollect.chat.beside.reading import Sent
from recollect.chat.desk import Desk
from recollect.recall.context import Fetched, fetch, packed
from recollect.recall.pack import Context
from recollect.recall.render import texts
from recollect.records import Message
from recollect.workflows.current import current_from_json


async def enrich(desk: Desk, messages: Sequence[Mapping[str, Any]], sent: Sent, retried: bool) -> Context:
    """The messages to send: notes, memories and the state join the client's instructions; the agent's own
    instructions where the client has none; the window where the client sent no history of its own."""
    if not sent.text:
        return Context(messages=[dict(one) for one in messages], tokens={"total": 0}, dropped=[], memories=[])
    window = None if sent.alone else 0
    fetched = await fetch(desk.database, desk.caller, desk.models.embedders, desk.conversation, sent.text, window)
    state = "" if fetched.state is None else current_from_json(desk.conversation, fetched.state).state().summary
    context = await packed(_wanted(fetched, sent, retried), None, None, desk.models.counter, state)
    return msgspec.structs.replace(context, messages=joined(messages, sent.lead, context.to_openai()), whole=None)


def _wanted(fetched: Fetched, sent: Sent, retried: bool) -> Fetched:
    """Without what the client sends itself."""
    return msgspec.structs.replace(
        fetched,
        instructions="" if sent.lead else fetched.instructions,
        summary=fetched.summary if sent.alone else "",
        window=_before(fetched.window, sent, retried) if sent.alone else [],
    )


def _before(window: Sequence[Message], sent: Sent, retried: bool) -> list[Message]:
    """What went before this turn."""
    if stored_already(window, sent.turn, sent.earlier, retried):
        return list(parted(spoken(window))[0])
    return list(window)


def joined(
    messages: Sequence[Mapping[str, Any]], lead: int, context: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The context between a client's instructions and the rest. Many models take only one system message, and only
    at the beginning, so what we have to say goes to the end of the client's own."""
    given = [dict(one) for one in messages]
    known = "\n\n".join(_text(one["content"]) for one in context if one["role"] == "system")
    window = [one for one in context if one["role"] != "system"]
    if not known:
        return [*given[:lead], *window, *given[lead:]]
    if not lead:
        return [{"role": "system", "content": known}, *window, *given]
    given[lead - 1] = _extended(given[lead - 1], known)
    return [*given[:lead], *window, *given[lead:]]


def _text(content: str | list[dict[str, Any]]) -> str:
    return content if isinstance(content, str) else texts(content)


def _extended(message: dict[str, Any], text: str) -> dict[str, Any]:
    content = message.get("content")
    if isinstance(content, list):
        return {**message, "content": [*content, {"type": "text", "text": text}]}
    return {**message, "content": f"{content}\n\n{text}" if content else text}
