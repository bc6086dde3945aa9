"""What some services keep by tenant and conversation: single messages, several windows at once, a document."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from litestar import Request, Response, get, post, put
from litestar.params import FromPath, JSONBody

from recollect.errors import Invalid
from recollect.server.naming import called
from recollect.server.rules import rule
from recollect.server.sizes import fitting
from recollect.server.versions import versioned, wanted
from recollect.server.who import Asking
from recollect.server.wire.messages import MessageView, message_view

MOST_AT_ONCE = 100


class MemoryDocumentView(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The document of a conversation; version 0 is none yet."""

    value: dict[str, Any]
    version: int
    updated_at: datetime | None


class NewValue(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the document says from now on."""

    value: dict[str, Any]


class Wanted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of which conversations, and how many messages of each."""

    conversations: list[str]
    limit: int = 12


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """The newest messages of a conversation, oldest first."""

    conversation: str
    messages: list[MessageView]


@get("/api/conversations/{id:str}/messages/{message:str}", opt=rule("read"))
async def one(id: FromPath[str], message: FromPath[str], who: Asking) -> MessageView:
    """One message by its id."""
    return message_view(await (await who.talk(id)).message(message))


@get("/api/conversations/{id:str}/memory", opt=rule("read"))
async def read(request: Request[Any, Any, Any], id: FromPath[str], who: Asking) -> Response[MemoryDocumentView]:
    """The document that is kept beside the messages of a conversation."""
    found = await (await who.talk(id)).memory_document()
    view = MemoryDocumentView(value=found.value, version=found.version, updated_at=found.updated_at)
    return versioned(request, view, found.version)


@put("/api/conversations/{id:str}/memory", opt=rule("write", versioned=True))
async def save(
    request: Request[Any, Any, Any], id: FromPath[str], data: JSONBody[NewValue], who: Asking
) -> Response[MemoryDocumentView]:
    """Replace it; with If-Match, only if it is still the version that was read."""
    saved = await (await who.talk(id)).save_memory_document(data.value, version=wanted(request))
    view = MemoryDocumentView(value=saved.value, version=saved.version, updated_at=saved.updated_at)
    return versioned(request, view, saved.version)


@post("/api/windows", status_code=200, opt=rule("read") | called(id="conversations"))
async def windows(data: JSONBody[Wanted], who: Asking) -> list[Window]:
    """The newest messages of several conversations at once."""
    if len(data.conversations) > MOST_AT_ONCE:
        raise Invalid("conversations", f"must be at most {MOST_AT_ONCE} at once, not {len(data.conversations)}")
    if who.bound is not None:
        for id in data.conversations:
            await who.chat(id)
    found = await who.door.windows(data.conversations, data.limit)
    return fitting(
        [Window(conversation=id, messages=[message_view(one) for one in of]) for id, of in found.items()]
    )


ROUTES = [one, read, save, windows]
