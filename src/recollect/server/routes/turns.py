"""Whole turns: somebody says something, and the agent answers. Also what agents and actions did."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import msgspec
from litestar import Request, get, post
from litestar.params import FromPath, FromQuery, JSONBody
from litestar.response import ServerSentEvent, ServerSentEventMessage

from recollect import inputs
from recollect.chat.records import Done, Event
from recollect.errors import Invalid, RecollectError
from recollect.handle import Chat
from recollect.server.naming import called
from recollect.server.once import append_key
from recollect.server.problems import problem_of
from recollect.server.routes.sessions import SESSION, session_of
from recollect.server.rules import rule
from recollect.server.who import Asking
from recollect.server.wire.conversations import ConversationView, conversation_view
from recollect.server.wire.states import StateView, state_view
from recollect.server.wire.turns import (
    ChatReply,
    DeliveryView,
    KnownView,
    Said,
    TurnView,
    chat_reply,
    known_view,
    said_view,
)
from recollect.server.wire.view import View, shown

READY, VENDORS = "ready_to_send", "vendorsSelected"


class ChatRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said, in which session, to which agent. A session that is not known yet begins here."""

    message: str
    agent_id: str
    session_id: str | None = None
    user_id: str | None = None


class Saying(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said."""

    message: str


class SendRfp(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Which request for proposals to send, to whom."""

    rfp_id: str
    vendor_ids: list[str]
    conversation_id: str | None = None


class Sent(View, frozen=True, kw_only=True):
    """The conversation and its state after sending."""

    success: bool
    conversation: ConversationView
    state: StateView


@post("/api/chat", status_code=200, opt=rule("write") | called(**SESSION))
async def chat(request: Request[Any, Any, Any], data: JSONBody[ChatRequest], who: Asking) -> ChatReply:
    """One turn: the message is stored, the agent answers from the last messages and its memory, all is saved."""
    # What is refused begins no session.
    message, key = inputs.spoken("message", data.message), append_key(request)
    talk = await session_of(who, who.user(data.user_id), data.agent_id, data.session_id)
    return chat_reply(talk.id, await talk.say(message, key=key))


@post("/api/conversations/{id:str}/message", status_code=200, opt=rule("write"))
async def message(
    request: Request[Any, Any, Any],
    id: FromPath[str],
    data: JSONBody[Saying],
    who: Asking,
    context: FromQuery[bool] = False,
) -> Said:
    """One turn of a conversation: the reply, and what became of the state."""
    reply = await (await who.chat(id)).say(data.message, key=append_key(request))
    talk = await who.chat(id)  # again: its numbers are others by now
    return said_view(talk.record, await talk.state(), await talk.window(), reply, context)


@post("/api/conversations/{id:str}/stream", status_code=200, opt=rule("write"))
async def stream(
    request: Request[Any, Any, Any],
    id: FromPath[str],
    data: JSONBody[Saying],
    who: Asking,
    context: FromQuery[bool] = False,
) -> ServerSentEvent:
    """The same, event by event: started, piece, tool_called, tool_answered, done; or error, with the problem."""
    talk = await who.chat(id)
    events = talk.stream(data.message, key=append_key(request))
    first = await anext(events)  # what cannot even begin is an answer of its own, and not a stream
    return ServerSentEvent(_events(talk, first, events, context))


async def _events(
    talk: Chat, first: Event, events: AsyncGenerator[Event], context: bool
) -> AsyncGenerator[ServerSentEventMessage]:
    yield _message(talk, first, context)
    try:
        async for event in events:
            yield _message(talk, event, context)
    except RecollectError as error:
        problem, _ = problem_of(error)  # there are no headers any more
        yield ServerSentEventMessage(event="error", data=msgspec.json.encode(problem).decode())


def _message(talk: Chat, event: Event, context: bool) -> ServerSentEventMessage:
    data = chat_reply(talk.id, event.reply, context) if isinstance(event, Done) else event
    kind = str(type(event).__struct_config__.tag)
    return ServerSentEventMessage(event=kind, data=msgspec.json.encode(data).decode())


@get("/api/conversations/{id:str}/turns", opt=rule("read"))
async def turns(id: FromPath[str], who: Asking, limit: FromQuery[int] = 20) -> list[TurnView]:
    """The records of its turns, newest first: which model, what each section cost, what went wrong."""
    return [shown(TurnView, one) for one in await (await who.chat(id)).turns(limit)]


@get("/api/conversations/{id:str}/known/{reply:int}", opt=rule("read"))
async def known(id: FromPath[str], reply: FromPath[int], who: Asking) -> KnownView:
    """What the agent knew when it gave a reply, by the number of its message: memories and why, notes, state,
    which messages, and what did not fit."""
    return known_view(await (await who.chat(id)).known(reply))


@post("/api/ai/send-rfp", status_code=200, opt=rule("write") | called(id="conversationId"))
async def send_rfp(request: Request[Any, Any, Any], data: JSONBody[SendRfp], who: Asking) -> Sent:
    """Send a request for proposals; refused unless the conversation is ready for it."""
    if data.conversation_id is None:
        raise Invalid("conversationId", "is needed: what may be sent is decided by the state of a conversation")
    talk = await who.chat(data.conversation_id)
    if not data.vendor_ids:
        raise Invalid("vendorIds", "must name at least one vendor")
    state, version = await talk.state(), None
    if state.step == READY and set(state.missing) <= {VENDORS}:
        # Of several at once, one is sent: to whom the state says. What will be refused changes nothing.
        chosen = {"rfpDraft": {VENDORS: data.vendor_ids}, "rfpId": data.rfp_id}
        version = (await talk.update_state(chosen, version=state.version)).version
    given: dict[str, Any] = {"rfpId": data.rfp_id, "vendorIds": data.vendor_ids}
    state = await talk.act("send_rfp", version=version, key=append_key(request), **given)
    after = await who.chat(talk.id)  # again: the action has added a message
    return Sent(success=True, conversation=conversation_view(after.record), state=state_view(state))


@get("/api/outbox", opt=rule("admin"))
async def outbox(who: Asking, waiting: FromQuery[bool] = False, limit: FromQuery[int] = 50) -> list[DeliveryView]:
    """Actions that were decided and are to happen outside, or have."""
    return [shown(DeliveryView, one) for one in await who.door.outbox(waiting=waiting, limit=limit)]


ROUTES = [chat, message, stream, turns, known, send_rfp, outbox]
