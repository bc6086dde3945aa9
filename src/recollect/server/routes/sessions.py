"""The active session of a user and an agent, as clients of sessions know its lifecycle."""

from __future__ import annotations

import msgspec
from litestar import get, put
from litestar.params import FromQuery, JSONBody

from recollect.errors import NotFound, Refused
from recollect.handle import Chat
from recollect.server.naming import called
from recollect.server.rules import rule
from recollect.server.who import Asking, Who
from recollect.server.wire.sessions import ActiveSession

#: The names that clients of sessions know.
SESSION = {"id": "session_id", "agent": "agent_id", "user": "user_id"}


class Session(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The session that a client wants to go on with; one that is not known yet begins a conversation."""

    session_id: str
    agent_id: str
    user_id: str | None = None


def _session(chat: Chat) -> ActiveSession:
    record = chat.record
    return ActiveSession(
        user_id=record.user,
        agent_name=record.agent,
        active_session_id=record.id,
        created_at=record.created_at,
        last_active_at=record.updated_at,
    )


@get("/api/sessions/active", opt=rule("read") | called(**SESSION))
async def active(who: Asking, agent_id: FromQuery[str], user_id: FromQuery[str | None] = None) -> ActiveSession:
    """The active session of a user and an agent; 404 if there is none."""
    user = who.user(user_id)
    chat = await who.door.active_conversation(user, agent_id)
    if chat is None:
        raise NotFound("active session of agent", agent_id)
    return _session(chat)


@put("/api/sessions/active", opt=rule("write") | called(**SESSION))
async def activate(data: JSONBody[Session], who: Asking) -> ActiveSession:
    """Make a session the active one; one that is not known yet begins here, under its id."""
    chat = await session_of(who, who.user(data.user_id), data.agent_id, data.session_id)
    await chat.activate()
    return _session(chat)


async def session_of(who: Who, user: str, agent: str, id: str | None) -> Chat:
    """The conversation of a session: the active one if none is named; one that is not known yet begins here."""
    if id is None:
        return await who.door.conversation(user, agent)
    try:
        chat = await who.chat(id)
    except NotFound:
        return await who.begin(user, agent, id=id)
    if (chat.user, chat.agent) != (user, agent):
        raise Refused("this session belongs to another user or agent; make a new one")
    return chat


ROUTES = [active, activate]
