"""Replies, the records of turns and what came of them, as they are sent."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from recollect.chat.records import Known, Reply
from recollect.records import Conversation, Message
from recollect.server.wire.context import ContextView, DroppedView, context_view
from recollect.server.wire.conversations import LoadedConversation, loaded
from recollect.server.wire.memories import MemoryView, memory_view
from recollect.server.wire.messages import MessageView, message_view
from recollect.server.wire.states import StateView, state_view
from recollect.server.wire.view import View, shown
from recollect.workflows.records import State


class ChatReply(msgspec.Struct, frozen=True, kw_only=True):
    """The agent's reply, with the session that it belongs to."""

    session_id: str
    response: str
    messages: list[MessageView]
    state_update: dict[str, Any] | None
    tokens: dict[str, int]
    model: str
    problems: list[str]
    turn: str
    asked: int
    state: StateView | None
    context: ContextView | None
    """What the model was sent, where ``context=true`` asked for it."""


class Said(View, frozen=True, kw_only=True):
    """What came of a turn, as clients of conversations know it."""

    conversation: LoadedConversation
    message: str
    state_update: dict[str, Any] | None
    messages: list[MessageView]
    """What the agent said and its tools answered in this turn."""
    tokens: dict[str, int]
    model: str
    problems: list[str]
    turn: str
    asked: int
    """The number of the user's message."""
    state: StateView | None
    """The state after the turn; null where there is neither a workflow nor a state."""
    context: ContextView | None
    """What the model was sent, where ``context=true`` asked for it."""


class TurnView(View, frozen=True, kw_only=True):
    """The record of a turn, without its text."""

    id: str
    conversation: str
    key: str | None
    status: str
    tries: int
    asked: int
    first: int | None
    last: int | None
    model: str | None
    tokens: dict[str, int]
    problems: list[str]
    seconds: float | None
    started_at: datetime
    ended_at: datetime | None


class KnownMemoryView(View, frozen=True, kw_only=True):
    """A memory that was in a prompt, and why; null where it was forgotten since."""

    id: str
    score: float
    why: str
    memory: MemoryView | None


class KnownView(View, frozen=True, kw_only=True):
    """What an agent knew when it answered."""

    turn: TurnView
    memories: list[KnownMemoryView]
    notes: str
    state: str
    first: int | None
    last: int
    dropped: list[DroppedView]


class DeliveryView(View, frozen=True, kw_only=True):
    """An action that was decided, and is to happen outside."""

    id: str
    action: str
    conversation: str
    user: str
    agent: str
    payload: dict[str, Any]
    created_at: datetime
    attempts: int
    delivered_at: datetime | None
    delivered_by: str | None


def known_view(one: Known) -> KnownView:
    """What an agent knew."""
    return KnownView(
        turn=shown(TurnView, one.turn),
        memories=[
            KnownMemoryView(
                id=hit.id,
                score=hit.score,
                why=hit.why,
                memory=None if hit.memory is None else memory_view(hit.memory),
            )
            for hit in one.memories
        ],
        notes=one.notes,
        state=one.state,
        first=one.first,
        last=one.last,
        dropped=[shown(DroppedView, dropped) for dropped in one.dropped],
    )


def chat_reply(session: str, one: Reply, context: bool = False) -> ChatReply:
    """A reply, in the words of clients of sessions; with its context, if wanted."""
    return ChatReply(session_id=session, response=one.text, **_turn(one, context))


def said_view(
    conversation: Conversation, state: State, messages: list[Message], one: Reply, context: bool = False
) -> Said:
    """A reply, in the words of clients of conversations; with its context, if wanted."""
    return Said(conversation=loaded(conversation, state, messages, []), message=one.text, **_turn(one, context))


def _turn(one: Reply, context: bool) -> dict[str, Any]:
    return {
        "messages": [message_view(message) for message in one.messages],
        "state_update": one.state_update,
        "tokens": one.tokens,
        "model": one.model,
        "problems": one.problems,
        "turn": one.turn,
        "asked": one.asked,
        "state": None if one.state is None else state_view(one.state),
        "context": context_view(one.context) if context and one.context is not None else None,
    }
