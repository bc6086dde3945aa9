"""The records of turns, their events, and what actions leave in the outbox. All are frozen."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from recollect.recall.pack import Context, Dropped
from recollect.records import Memory, Message
from recollect.workflows.records import State

#: Who answers where no language model is set.
OFFLINE = "offline"


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a turn."""

    text: str
    messages: list[Message]
    """What was stored: the agent's messages and the results of its tools."""
    state_update: dict[str, Any] | None = None
    """What the agent wanted of the state; what of it was refused is among the problems."""
    state: State | None = None
    """The state after the turn; None where there is neither a workflow nor a state."""
    context: Context | None = None
    """What was sent to the model; None for a reply that was saved before and is given again."""
    tokens: dict[str, int] = {}
    """What each section of the context cost, their total, the tools, and what the model says: sent, received."""
    model: str
    problems: list[str] = []
    """What went wrong on the way, without any text of messages."""
    turn: str
    asked: int
    """The number of the user's message."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """The record of a turn: who answered, what it cost, what went wrong. It holds no text of messages."""

    id: str
    conversation: str
    key: str | None
    status: Literal["running", "done", "failed"]
    tries: int
    asked: int
    """The number of the user's message."""
    first: int | None
    last: int | None
    """The numbers of the reply's messages."""
    model: str | None
    tokens: dict[str, int]
    problems: list[str]
    seconds: float | None
    started_at: datetime
    ended_at: datetime | None


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn came to, to be written down."""

    model: str | None
    tokens: dict[str, int]
    problems: list[str] = []
    seconds: float
    known: str | None = None
    """What was in the prompt, as JSON without text."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What was stored of a turn that a client had with a model."""

    messages: list[Message]
    """Those that were not there yet."""
    asked: int
    """The number of the user message that it is about; 0 if there is none."""


class KnownMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that was in a prompt, and why."""

    id: str
    score: float
    why: str
    memory: Memory | None
    """As it is now; None if it was forgotten since."""


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent knew when it answered."""

    turn: Turn
    memories: list[KnownMemory]
    notes: str
    """The notes as they stood then, if they were in the prompt."""
    state: str
    """The state in words as it stood then, if it was in the prompt."""
    first: int | None
    """The oldest message that was in the prompt; None where nobody wrote it down."""
    last: int
    dropped: list[Dropped]


class Started(msgspec.Struct, frozen=True, tag="started"):
    """The user's message is stored, and somebody is answering it."""

    turn: str
    asked: int


class Piece(msgspec.Struct, frozen=True, tag="piece"):
    """Some more text of the reply."""

    text: str


class ToolCalled(msgspec.Struct, frozen=True, tag="tool_called"):
    """The model wants a tool to be used."""

    id: str
    name: str
    arguments: str


class ToolAnswered(msgspec.Struct, frozen=True, tag="tool_answered"):
    """What the tool answered."""

    id: str
    name: str
    text: str


class Done(msgspec.Struct, frozen=True, tag="done"):
    """The reply is saved."""

    reply: Reply


Event = Started | Piece | ToolCalled | ToolAnswered | Done


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """For whom a tool is used. A function that wants to know has a parameter with this annotation."""

    tenant: str
    user: str
    agent: str
    conversation: str


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """An action that was decided, and is to happen outside."""

    id: str
    """The same at every try: whoever receives it can tell a repetition by it."""
    action: str
    conversation: str
    user: str
    agent: str
    payload: dict[str, Any]
    """``arguments`` as they were given, and the ``state`` at that moment."""
    created_at: datetime
    attempts: int = 0
    delivered_at: datetime | None = None
    delivered_by: str | None = None
    """``handler`` or ``webhook``."""
