"""Conversations: get or create the active one, load, list, change, delete."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from litestar import Request, Response, delete, get, patch, post
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from recollect import inputs
from recollect.errors import Refused
from recollect.handle import Chat
from recollect.server.naming import called
from recollect.server.once import once
from recollect.server.rules import rule
from recollect.server.sizes import fitting, paged
from recollect.server.who import Asking, Who
from recollect.server.wire.conversations import (
    Conversations,
    ConversationView,
    LoadedConversation,
    SummaryView,
    alone,
    conversation_view,
    loaded,
)
from recollect.server.wire.view import shown

#: Where a client names no agent.
USUAL_AGENT = "assistant"
BESIDE = 50
#: The media types and the endings of exports.
DOCUMENTS = {
    "json": ("application/json", "json"),
    "markdown": ("text/markdown", "md"),
    "pdf": ("application/pdf", "pdf"),
}


class Going(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Whose conversation: ``sessionId`` is another word for the user."""

    user: str | None = None
    session_id: str | None = None
    agent: str = USUAL_AGENT


class New(Going, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A new conversation."""

    title: str | None = None
    id: str | None = None


class Change(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What to change; what is not there stays as it is."""

    title: str | msgspec.UnsetType | None = msgspec.UNSET
    archived: bool | msgspec.UnsetType = msgspec.UNSET
    active: Literal[True] | msgspec.UnsetType = msgspec.UNSET


async def load(who: Who, chat: Chat, messages: int = BESIDE) -> LoadedConversation:
    """A conversation with its newest messages and the bot's memories of the user; with no messages, it alone."""
    if messages == 0:
        return alone(chat.record)
    window = await chat.window(messages)
    memories = await who.door.memories(chat.user, chat.agent, limit=BESIDE)
    return fitting(loaded(chat.record, await chat.state(), window, memories.items), "messages")


def _many(messages: int) -> int:
    """Looked at before anything is made: what is refused begins no conversation."""
    return inputs.amount("limit", messages, least=0)


@post("/api/conversations", status_code=200, opt=rule("write") | called(user="sessionId", limit="messages"))
async def go_on(data: JSONBody[Going], who: Asking, messages: FromQuery[int] = BESIDE) -> LoadedConversation:
    """The active conversation of a user and an agent, made if there is none, with its newest messages."""
    user, messages = who.user(data.user, data.session_id), _many(messages)
    return await load(who, await who.door.conversation(user=user, agent=data.agent), messages)


@post("/api/conversations/new", opt=rule("write") | called(user="sessionId", limit="messages"))
async def begin(
    request: Request[Any, Any, Any], data: JSONBody[New], who: Asking, messages: FromQuery[int] = BESIDE
) -> Response[LoadedConversation]:
    """A new conversation, which becomes the active one."""
    user, messages = who.user(data.user, data.session_id), _many(messages)

    async def make() -> LoadedConversation:
        return await load(who, await who.begin(user, data.agent, data.title, data.id), messages)

    async def read(id: str) -> LoadedConversation:
        return await load(who, await who.chat(id), messages)

    return await once(request, who, user, make, read)


@get("/api/conversations", opt=rule("read") | called(user="sessionId"))
async def listed(
    who: Asking,
    user: FromQuery[str | None] = None,
    session_id: Annotated[str | None, QueryParameter(name="sessionId")] = None,
    agent: FromQuery[str | None] = None,
    archived: FromQuery[bool] = False,
    limit: FromQuery[int] = 50,
    cursor: FromQuery[str | None] = None,
) -> Conversations:
    """A user's conversations, newest activity first."""
    whose = who.user(user, session_id)
    page = await paged(
        lambda most, after: who.door.conversations(whose, agent, archived=archived, limit=most, cursor=after),
        limit,
        cursor,
    )
    return Conversations(items=[conversation_view(one) for one in page.items], cursor=page.cursor)


@get("/api/conversations/{id:str}", opt=rule("read") | called(limit="messages"))
async def one(id: FromPath[str], who: Asking, messages: FromQuery[int] = BESIDE) -> LoadedConversation:
    """A conversation with its newest messages, and the bot's memories of the user beside them."""
    return await load(who, await who.chat(id), messages)


@patch("/api/conversations/{id:str}", opt=rule("write"))
async def change(id: FromPath[str], data: JSONBody[Change], who: Asking) -> ConversationView:
    """Rename it, put it aside or take it out again, or make it the active one."""
    chat = await who.chat(id)
    stays = chat.record.archived_at is not None if data.archived is msgspec.UNSET else data.archived
    if stays and data.active is not msgspec.UNSET:  # before anything is changed
        raise Refused(f"conversation {id} cannot be archived and active; take it out with archived: false")
    if data.title is not msgspec.UNSET:
        await chat.rename(data.title)
    if data.archived is not msgspec.UNSET:
        await chat.archive(data.archived)
    if data.active is not msgspec.UNSET:
        await chat.activate()
    return conversation_view(chat.record)


@delete("/api/conversations/{id:str}", opt=rule("write"))
async def remove(id: FromPath[str], who: Asking) -> None:
    """Delete it with everything in it."""
    await (await who.chat(id)).delete()


@get("/api/conversations/{id:str}/summary", opt=rule("read"))
async def summary(id: FromPath[str], who: Asking) -> SummaryView:
    """What it comes to so far, and how its user feels."""
    return shown(SummaryView, await (await who.chat(id)).summary())


@get("/api/conversations/{id:str}/export", opt=rule("read"))
async def export(
    id: FromPath[str], who: Asking, format: FromQuery[Literal["json", "markdown", "pdf"]] = "json"
) -> Response[bytes]:
    """The whole conversation as a document."""
    document = await (await who.chat(id)).export(format)
    kind, ending = DOCUMENTS[format]
    return Response(
        document.encode() if isinstance(document, str) else document,
        media_type=kind,
        headers={"content-disposition": f'attachment; filename="conversation.{ending}"'},
    )


ROUTES = [go_on, begin, listed, one, change, remove, summary, export]
