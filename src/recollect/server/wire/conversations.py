"""Conversations, alone or with what belongs beside them, as they are sent."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from recollect.records import Conversation, Memory, Message
from recollect.server.wire.memories import MemoryView, memory_view
from recollect.server.wire.messages import MessageView, message_view
from recollect.server.wire.view import View
from recollect.workflows.records import State


class ConversationView(View, frozen=True, kw_only=True):
    """One thread of messages of one user and one agent."""

    id: str
    session_id: str
    """The user, as some clients call it."""
    user: str
    agent: str
    title: str | None
    status: str
    message_count: int
    last_seq: int
    created_at: datetime
    updated_at: datetime
    archived_at: datetime | None


class LoadedConversation(ConversationView, frozen=True, kw_only=True):
    """A conversation with its newest messages, and the bot's memories of the user beside them."""

    agent_state: dict[str, Any]
    """As clients know it: workflowStep, the draft under its name, missingFields, lastAction, metadata. Empty,
    as are the messages and memories, where the conversation alone was asked for with ``messages=0``."""
    messages: list[MessageView]
    memories: list[MemoryView]


class Conversations(View, frozen=True, kw_only=True):
    """A page; ``cursor`` is for the next one, null at the end."""

    items: list[ConversationView]
    cursor: str | None


class SummaryView(View, frozen=True, kw_only=True):
    """What a conversation comes to so far."""

    text: str | None
    upto: int
    by: str | None
    sentiment: float | None
    mood: str | None


def conversation_view(one: Conversation) -> ConversationView:
    """A conversation."""
    return ConversationView(**_conversation(one))


def alone(one: Conversation) -> LoadedConversation:
    """A conversation with nothing beside it."""
    return LoadedConversation(**_conversation(one), agent_state={}, messages=[], memories=[])


def loaded(one: Conversation, state: State, messages: list[Message], memories: list[Memory]) -> LoadedConversation:
    """A conversation with what belongs beside it."""
    return LoadedConversation(
        **_conversation(one),
        agent_state=state.as_agent_state(),
        messages=[message_view(message) for message in messages],
        memories=[memory_view(memory) for memory in memories],
    )


def _conversation(one: Conversation) -> dict[str, Any]:
    return {**msgspec.structs.asdict(one), "session_id": one.user}
