"""What changes, as it happens: server-sent events of a user, and of one conversation."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from litestar import Request, get
from litestar.params import FromPath, FromQuery
from litestar.response import Stream

from recollect.live.records import LiveEvent, place_in
from recollect.server.rules import rule
from recollect.server.who import Asking, Who


@get("/api/live", opt=rule("read"))
async def of_user(
    request: Request[Any, Any, Any],
    who: Asking,
    user: FromQuery[str | None] = None,
    after: FromQuery[str | None] = None,
) -> Stream:
    """Everything that changes for a user: message.created (with the message), conversation.…, messages.removed,
    state.changed, notes.changed, memory.…. It begins with `ready`: load what you show, then follow. Connect again
    with Last-Event-ID or `after` and nothing is lost; `reset` says that too much has passed, so load again."""
    whose, place = who.user(user), _place(request, after)
    return await _stream(request, who, who.door.live(whose, place, beats=True))


@get("/api/conversations/{id:str}/live", opt=rule("read"))
async def of_conversation(
    request: Request[Any, Any, Any], id: FromPath[str], who: Asking, after: FromQuery[str | None] = None
) -> Stream:
    """The same for one conversation: its messages, title and state."""
    chat, place = await who.chat(id), _place(request, after)
    return await _stream(request, who, chat.live(place, beats=True))


def _place(request: Request[Any, Any, Any], after: str | None) -> str | None:
    """A browser that connects again sends the address that it began with, and where it was in a header."""
    place = request.headers.get("last-event-id") or after
    place_in(place)
    return place


async def _stream(request: Request[Any, Any, Any], who: Who, events: AsyncGenerator[LiveEvent]) -> Stream:
    state = request.app.state
    whose = f"{who.holder.tenant}\0{who.holder.actor}"
    lines = state.streams.lines(whose, events, lambda: state.gate.still(request, who.holder))
    first = await anext(lines)  # what cannot even begin is an answer of its own, and not a stream
    headers = {"x-accel-buffering": "no"}
    return Stream(_joined(first, lines), media_type="text/event-stream", headers=headers)  # pyright: ignore[reportArgumentType]


async def _joined(first: bytes, lines: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    try:
        yield first
        async for line in lines:
            yield line
    finally:
        await lines.aclose()


ROUTES: list[Any] = [of_user, of_conversation]
