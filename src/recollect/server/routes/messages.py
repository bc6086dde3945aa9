"""Messages of a conversation: append, read, take back, and what the next prompt gets."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from litestar import Request, delete, get, post
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from recollect.errors import Invalid
from recollect.records import Message, Page
from recollect.server.bodies import moment_in
from recollect.server.once import append_key
from recollect.server.rules import rule
from recollect.server.sizes import fitting, paged
from recollect.server.who import Asking
from recollect.server.wire import (
    ContextView,
    ConversationView,
    Messages,
    MessageView,
    context_view,
    conversation_view,
    message_view,
)

Before = Annotated[
    int | None,
    QueryParameter(description="A message's `seq`: the page ends before it.", schema_extra={"minimum": 1}),
]
Since = Annotated[str | None, QueryParameter(schema_extra={"format": "date-time"})]


class NewMessage(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A message; ``at`` is when it was said, if not now."""

    role: Literal["user", "assistant", "system", "tool"]
    content: str | list[Any] | None = None
    name: str | None = None
    metadata: dict[str, Any] | None = None
    at: datetime | None = None
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None


class NewMessages(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Several messages, stored in one transaction."""

    messages: list[NewMessage]


class Asked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the user says now."""

    message: str
    budget: int | None = None
    window: int | None = None


class Popped(msgspec.Struct, frozen=True, kw_only=True):
    """The message that was taken back; null if there was none."""

    message: MessageView | None


@post("/api/conversations/{id:str}/messages", opt=rule("write"))
async def append(
    request: Request[Any, Any, Any], id: FromPath[str], data: JSONBody[NewMessage], who: Asking
) -> MessageView:
    """Store a message, durably and in order; with an Idempotency-Key, exactly once."""
    chat = await who.talk(id)
    stored = await chat.append(**msgspec.structs.asdict(data), key=append_key(request))
    return message_view(stored)


@post("/api/conversations/{id:str}/messages/batch", opt=rule("write"))
async def extend(
    request: Request[Any, Any, Any], id: FromPath[str], data: JSONBody[NewMessages], who: Asking
) -> Messages:
    """Store up to 1000 messages, all or none; with an Idempotency-Key, exactly once."""
    chat = await who.talk(id)
    stored = await chat.extend([msgspec.structs.asdict(one) for one in data.messages], key=append_key(request))
    return Messages(items=[message_view(one) for one in stored])


@delete("/api/conversations/{id:str}/messages/last", status_code=200, opt=rule("write"))
async def pop(id: FromPath[str], who: Asking) -> Popped:
    """Take back the newest message. Its number is not used again."""
    chat = await who.chat(id)
    message = await chat.pop()
    return Popped(message=None if message is None else message_view(message))


@get("/api/conversations/{id:str}/messages", opt=rule("read"))
async def history(
    id: FromPath[str],
    who: Asking,
    limit: FromQuery[int] = 50,
    cursor: FromQuery[str | None] = None,
    before: Before = None,
) -> Messages:
    """A page of the whole history, oldest first. With ``before``, the last ones before the message of this number,
    oldest first too; the cursor then leads further back, and is null at the first message."""
    chat = await who.talk(id)
    if before is not None and cursor is not None:
        raise Invalid("before", "cannot be given with a cursor, which says itself where it goes on")

    async def part(most: int, after: str | None) -> Page[Message]:
        return await chat.messages(most, after, before=before if after is None else None)

    page = await paged(part, limit, cursor)
    # Parts of a page that goes back come newest part first.
    items = sorted(page.items, key=lambda one: one.seq)
    return Messages(items=[message_view(one) for one in items], cursor=page.cursor)


@get("/api/conversations/{id:str}/window", opt=rule("read"))
async def window(
    id: FromPath[str], who: Asking, limit: FromQuery[int | None] = None, since: Since = None
) -> Messages:
    """The newest messages, oldest first: 12, or as many as asked; or those since a point in time."""
    chat = await who.talk(id)
    found = await chat.window(limit, since=moment_in("since", since))
    return fitting(Messages(items=[message_view(one) for one in found]))


@delete("/api/conversations/{id:str}/messages", status_code=200, opt=rule("write"))
async def clear(id: FromPath[str], who: Asking) -> ConversationView:
    """Delete its messages and its summary. Numbers are not used again."""
    chat = await who.chat(id)
    await chat.clear()
    return conversation_view(chat.record)


@post("/api/conversations/{id:str}/context", status_code=200, opt=rule("read"))
async def context(id: FromPath[str], data: JSONBody[Asked], who: Asking) -> ContextView:
    """What the next prompt gets, packed to a token budget. It stores nothing."""
    chat = await who.talk(id)
    return context_view(await chat.context(data.message, budget=data.budget, window=data.window))


@get("/api/conversations/{id:str}/context", opt=rule("read"))
async def get_context(
    id: FromPath[str],
    message: FromQuery[str],
    who: Asking,
    budget: FromQuery[int | None] = None,
    window: FromQuery[int | None] = None,
) -> ContextView:
    """The same; what the user says is then in the address, which proxies may log."""
    chat = await who.talk(id)
    return context_view(await chat.context(message, budget=budget, window=window))


ROUTES = [append, extend, pop, history, window, clear, context, get_context]
