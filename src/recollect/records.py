"""The records that travel between the layers, in the words of the domain. All are frozen."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any, Generic, Literal, TypeVar

import msgspec

Role = Literal["user", "assistant", "system", "tool"]
T = TypeVar("T")


#: The formats of a conversation as a document, by what comes of them.
AsText = Literal["json", "markdown"]
AsBytes = Literal["pdf"]


class Caller(msgspec.Struct, frozen=True):
    """Who asks: the tenant, fixed when the door was opened, and whom the audit names."""

    tenant: str
    actor: str
    operator: bool = False
    """Whether they run the installation: they may make and remove tenants, and read nothing of them."""


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """One entry of a conversation, numbered 1…n by ``seq``; the order is ``seq``, never the clock."""

    conversation: str
    seq: int
    id: str
    role: Role
    content: str
    created_at: datetime
    name: str | None = None
    metadata: dict[str, Any] = {}
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None
    parts: list[Any] | None = None
    """The content as it was given, where it was a list of parts and not plain text."""
    answers: int | None = None
    """For a reply: the ``seq`` of the user message that it answers."""


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """One thread of messages of one user and one agent."""

    id: str
    user: str
    agent: str
    title: str | None
    status: str
    message_count: int
    last_seq: int
    created_at: datetime
    updated_at: datetime
    archived_at: datetime | None


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What a conversation comes to so far, and how its user feels; None where nobody has looked yet."""

    text: str | None = None
    upto: int = 0
    """``seq`` of the last message that it covers."""
    by: str | None = None
    """Who wrote it: ``rules``, or the name of a model."""
    sentiment: float | None = None
    """From -1 to 1."""
    mood: Literal["negative", "neutral", "positive"] | None = None
    """The sentiment in a word."""


class Source(msgspec.Struct, frozen=True):
    """The messages that a memory comes from."""

    conversation: str
    first: int
    last: int


#: What a recall may look into.
OVER = ("memories", "messages", "both")
#: What a memory is: it counts, it waits, or it was replaced.
STATUSES = ("active", "quarantined", "retired")


class Memory(msgspec.Struct, frozen=True):
    """One short insight about a user, in the pool of an agent."""

    id: str
    text: str
    user: str
    pool: str
    agent: str
    category: str | None
    importance: float
    pinned: bool
    status: Literal["active", "quarantined", "retired"]
    created_at: datetime
    updated_at: datetime
    valid_from: datetime
    valid_to: datetime | None
    expires_at: datetime | None
    superseded_by: str | None
    author: str
    trust: str
    version: int
    update_count: int
    context: dict[str, Any]
    source: Source | None


class Template(msgspec.Struct, frozen=True):
    """A named pattern for a common kind of memory, with its fields in braces."""

    name: str
    pattern: str
    category: str | None = None
    importance: float = 0.5

    @property
    def fields(self) -> list[str]:
        """What has to be filled in, in the order of the pattern."""
        return list(dict.fromkeys(re.findall(r"\{([a-z][a-z0-9_]*)\}", self.pattern)))


class MemoryVersion(msgspec.Struct, frozen=True, kw_only=True):
    """What a memory was at one of its versions, and who made it so."""

    version: int
    text: str
    category: str | None
    importance: float
    pinned: bool
    status: Literal["active", "quarantined", "retired"]
    expires_at: datetime | None
    valid_from: datetime
    valid_to: datetime | None
    change: str
    actor: str
    at: datetime
    author: str | None = None
    """Whose word it was; none where an earlier Recollect did not write that down."""
    trust: str | None = None
    source: Source | None = None
    superseded_by: str | None = None


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent is set up; the pool is whose memories it reads and writes."""

    agent: str
    instructions: str = ""
    window: int = 12
    budget: int = 2000
    pool: str
    learn_every: int = 10
    """After how many messages a conversation is learned from again; 0 is never."""
    workflow: str | None = None
    """What its new conversations begin with; none leaves their states free in form."""
    model: str | None = None
    """The language model that answers for it, as ``openai:<model>``; none means the installation's."""
    version: int = 0


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was not learned, and why; its text is not kept."""

    source: Source
    reason: str
    at: datetime


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """Something that has fallen due; with ``failed_at``, it was tried too often and waits for a retry."""

    kind: str
    subject: str
    user: str | None
    marks: int
    attempts: int
    due_at: datetime
    leased_until: datetime | None
    failed_at: datetime | None
    error: str | None


class Digested(msgspec.Struct, frozen=True, kw_only=True):
    """What became of due work."""

    done: int = 0
    failed: int = 0
    given_up: int = 0
    lost: int = 0
    passed_on: int = 0
    """Left to a worker with other settings."""
    messages: int = 0
    """Messages that were learned from."""
    added: int = 0
    refreshed: int = 0
    replaced: int = 0
    ignored: int = 0
    refused: int = 0
    merged: int = 0
    retired: int = 0
    summarised: int = 0
    tidied: int = 0
    delivered: int = 0
    """Actions that reached their handler or webhook."""

    @property
    def tried(self) -> int:
        """How many pieces of work were taken up."""
        return self.done + self.failed + self.given_up + self.lost + self.passed_on


class Hit(msgspec.Struct, frozen=True):
    """Something found, a memory or a message, with how well it fits and why."""

    text: str
    score: float
    why: str
    at: datetime
    memory: Memory | None = None
    message: Message | None = None


class MessageCount(msgspec.Struct, frozen=True, kw_only=True):
    """Messages of a role on a day (UTC)."""

    day: date
    role: str
    count: int


class MemoryCount(msgspec.Struct, frozen=True, kw_only=True):
    """Memories of a category and a status that were made on a day (UTC)."""

    day: date
    category: str | None
    status: str
    count: int


class TokenCount(msgspec.Struct, frozen=True, kw_only=True):
    """What language models used for the tenant on a day (UTC)."""

    day: date
    calls: int
    tokens_sent: int
    tokens_received: int


class TurnCost(msgspec.Struct, frozen=True, kw_only=True):
    """What the prompt of a turn cost in tokens, of which memories, and how long the turn took."""

    at: datetime
    memories: int
    total: int
    seconds: float | None


class Recalled(msgspec.Struct, frozen=True, kw_only=True):
    """In how many prompts a memory was."""

    id: str
    text: str
    count: int


class Analytics(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of the last days, and in all."""

    days: int
    conversations: int
    messages: int
    memories: int
    messages_by_day: list[MessageCount]
    memories_by_day: list[MemoryCount]
    tokens_by_day: list[TokenCount]
    """Of the whole tenant; empty where one user or agent was asked for."""
    turns: list[TurnCost]
    """The newest ones, newest first."""
    recalled: list[Recalled]
    """The memories that were in most prompts; empty unless one user was asked for."""
    never_recalled: list[Recalled]
    """Memories that were in none, oldest first; empty unless one user was asked for."""
    never_recalled_count: int


class Page(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """Some items, and the cursor of the next page; None at the end."""

    items: list[T]
    cursor: str | None = None


class MemoryDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation's document; version 0 is none yet."""

    value: dict[str, Any] = {}
    version: int = 0
    updated_at: datetime | None = None


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """How what is cached compares with the database."""

    looked_at: int
    """Conversations."""
    cached: int
    """Entries of theirs that would have been believed."""
    differences: list[str]
    """Entries that say something else than the database, as ``conversation:kind``."""
