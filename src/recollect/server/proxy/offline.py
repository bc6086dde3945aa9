"""The proxy without an upstream: the offline responder answers, in OpenAI's form, so that all works at once."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from typing import Any

import msgspec

from recollect.chat.records import Done, Event, Piece, Reply, Started
from recollect.errors import Invalid, RecollectError
from recollect.server.proxy.asking import Asked

MODEL = "recollect-offline"
#: No model was used, so nothing was.
NO_USAGE = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
MODELS: list[dict[str, Any]] = [{"id": MODEL, "object": "model", "created": 0, "owned_by": "recollect"}]


def question(asked: Asked) -> str:
    """What the user says; Invalid where there is nothing that the offline responder could answer."""
    if len(asked.sent.turn) != 1 or not asked.sent.text:
        raise Invalid(
            "messages",
            "must end with a text of the user's: no upstream is set (OPENAI_BASE_URL or RECOLLECT_MODEL), and the "
            "offline responder knows neither tools nor images",
        )
    return asked.sent.text


def completion(reply: Reply) -> dict[str, Any]:
    """A reply as a chat completion."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": reply.text, "refusal": None},
        "logprobs": None,
        "finish_reason": "stop",
    }
    return {**_head(reply.turn, "chat.completion"), "choices": [choice], "usage": NO_USAGE}


async def chunks(first: Event, events: AsyncGenerator[Event], usage: bool) -> AsyncGenerator[dict[str, Any]]:
    """A streamed reply as the chunks of a chat completion."""
    head = _head(first.turn if isinstance(first, Started) else "", "chat.completion.chunk")
    heard = False
    yield {**head, "choices": [_choice({"role": "assistant", "content": ""})]}
    async for event in events:
        if isinstance(event, Piece):
            heard = True
            yield {**head, "choices": [_choice({"content": event.text})]}
        elif isinstance(event, Done) and not heard and event.reply.text:
            yield {**head, "choices": [_choice({"content": event.reply.text})]}  # answered before, under this key
    yield {**head, "choices": [_choice({}, "stop")]}
    if usage:
        yield {**head, "choices": [], "usage": NO_USAGE}


async def as_events(items: AsyncGenerator[dict[str, Any]]) -> AsyncGenerator[bytes]:
    """Chunks as server-sent events."""
    try:
        async for item in items:
            yield event(item)
    except RecollectError as error:
        yield event({"error": {"message": str(error), "type": "server_error", "param": None, "code": "failed"}})
        return
    yield b"data: [DONE]\n\n"


def event(item: object) -> bytes:
    """One server-sent event."""
    return event_of(msgspec.json.encode(item))


def event_of(data: bytes) -> bytes:
    """The same with data that is bytes already."""
    return b"data: " + data + b"\n\n"


def _head(turn: str, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{turn}", "object": kind, "created": int(time.time()), "model": MODEL}


def _choice(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
