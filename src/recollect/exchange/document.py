"""A user's whole data as a document: what is in it. Vectors are not: they are made anew."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec

from recollect.recall.pack import Dropped
from recollect.records import Role
from recollect.workflows.definition import Kind

FORMAT = "recollect.user/1"


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Something in a document."""


class KeptAgent(Record, frozen=True):
    """How an agent of the user is set up."""

    agent: str
    instructions: str
    window: int
    budget: int
    version: int
    pool: str | None = None
    learn_every: int = 10
    workflow: str | None = None
    model: str | None = None


class KeptWorkflowVersion(Record, frozen=True):
    """A definition that a state follows, or that conversations of an agent begin with."""

    version: int
    definition: dict[str, Any]


class KeptWorkflow(Record, frozen=True):
    """A workflow of the tenant's own, in the versions that matter to the user."""

    name: str
    versions: list[KeptWorkflowVersion]


class KeptMessage(Record, frozen=True):
    """A message with all that is known of it."""

    seq: int
    id: UUID
    role: Role
    content: str
    created_at: datetime
    actor: str
    name: str | None = None
    metadata: dict[str, Any] = {}
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None
    parts: list[Any] | None = None
    answers_seq: int | None = None
    """The number of the user message that it answers."""


class Active(Record, frozen=True):
    """Since when a conversation is the one that its user and agent go on with."""

    created_at: datetime
    last_active_at: datetime


class KeptDigest(Record, frozen=True):
    """What a conversation comes to, and how far it has been learned from."""

    learned_seq: int
    updated_at: datetime
    summary: str | None = None
    summary_seq: int = 0
    summary_by: str | None = None
    sentiment: float | None = None
    sentiment_seq: int = 0


class KeptRefusal(Record, frozen=True):
    """Why something was not learned."""

    pool: str
    first_seq: int
    last_seq: int
    reason: str
    at: datetime


class KeptState(Record, frozen=True):
    """The state of a conversation; its status is the conversation's."""

    version: int
    created_at: datetime
    updated_at: datetime
    workflow: str | None = None
    workflow_version: int = 0
    """Which definition it follows; 0 is the one that comes with a release."""
    step: str | None = None
    draft: dict[str, Any] = {}
    last_action: str | None = None
    metadata: dict[str, Any] = {}


class KeptSnapshot(Record, frozen=True):
    """What a state was after a change."""

    step: str | None = None
    draft: dict[str, Any] = {}
    last_action: str | None = None
    metadata: dict[str, Any] = {}


class KeptStateChange(Record, frozen=True):
    """A change of a state, or what was refused."""

    version: int
    at_seq: int
    change: Literal["update", "move", "action", "undo", "refused"]
    cause: Kind
    actor: str
    at: datetime
    ref: str | None = None
    patch: Any = None
    from_step: str | None = None
    to_step: str | None = None
    refused: str | None = None
    snapshot: KeptSnapshot | None = None


class KeptMemoryDocument(Record, frozen=True):
    """The document that is kept beside a conversation's messages, free in form."""

    document: dict[str, Any]
    version: int
    actor: str
    created_at: datetime
    updated_at: datetime


class UsedMemory(msgspec.Struct, frozen=True, array_like=True):
    """A memory that was in a prompt; a list of its values in the document."""

    id: UUID
    score: float
    why: str


class KeptKnown(Record, frozen=True):
    """What was in the prompt of a turn, without text."""

    memories: list[UsedMemory] = []
    first: int | None = None
    dropped: list[Dropped] = []


class KeptTurn(Record, frozen=True):
    """Who answered, what it cost and what went wrong; not one that is still under way."""

    id: UUID
    fingerprint: bytes
    status: Literal["done", "failed"]
    tries: int
    user_seq: int
    started_at: datetime
    key: str | None = None
    first_seq: int | None = None
    last_seq: int | None = None
    model: str | None = None
    tokens: dict[str, int] = {}
    problems: list[str] = []
    seconds: float | None = None
    ended_at: datetime | None = None
    known: KeptKnown | None = None


class KeptAppendKey(Record, frozen=True):
    """What an idempotency key was answered with."""

    key: str
    fingerprint: bytes
    first_seq: int
    user_seq: int
    created_at: datetime
    ids: list[UUID]


class KeptConversation(Record, frozen=True):
    """A conversation with all of its messages."""

    id: UUID
    agent: str
    status: str
    last_seq: int
    last_user_seq: int
    message_count: int
    created_at: datetime
    updated_at: datetime
    title: str | None = None
    archived_at: datetime | None = None
    active: Active | None = None
    digest: KeptDigest | None = None
    refusals: list[KeptRefusal] = []
    state: KeptState | None = None
    state_history: list[KeptStateChange] = []
    """Also of a state that was never changed: what was refused is in it."""
    memory: KeptMemoryDocument | None = None
    turns: list[KeptTurn] = []
    keys: list[KeptAppendKey] = []
    messages: list[KeptMessage] = []


class KeptSource(Record, frozen=True):
    """The messages that a memory comes from."""

    conversation: UUID
    first_seq: int
    last_seq: int


class KeptMemoryVersion(Record, frozen=True):
    """What a memory was."""

    version: int
    text: str
    importance: float
    pinned: bool
    status: Literal["active", "quarantined", "retired"]
    valid_from: datetime
    change: str
    actor: str
    at: datetime
    category: str | None = None
    expires_at: datetime | None = None
    valid_to: datetime | None = None
    author: str | None = None
    trust: str | None = None
    source: KeptSource | None = None
    superseded_by: UUID | None = None


class KeptMemory(Record, frozen=True):
    """A memory with all of its versions."""

    id: UUID
    text: str
    pool: str
    agent: str
    importance: float
    pinned: bool
    status: Literal["active", "quarantined", "retired"]
    created_at: datetime
    updated_at: datetime
    valid_from: datetime
    author: str
    trust: str
    by_person: bool
    version: int
    versions: list[KeptMemoryVersion]
    category: str | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    superseded_by: UUID | None = None
    update_count: int = 0
    context: dict[str, Any] = {}
    source: KeptSource | None = None


class KeptNoteVersion(Record, frozen=True):
    """What some notes were."""

    version: int
    text: str
    operation: str
    actor: str
    created_at: datetime


class KeptNotes(Record, frozen=True):
    """What an agent has written down about the user, with every version."""

    agent: str
    text: str
    version: int
    created_at: datetime
    updated_at: datetime
    versions: list[KeptNoteVersion]


class KeptDocumentVersion(Record, frozen=True):
    """What a document was."""

    version: int
    value: dict[str, Any]
    actor: str
    created_at: datetime


class KeptDocument(Record, frozen=True):
    """A JSON value that belongs to the user, with its versions and what it is found by."""

    id: UUID
    namespace: list[str]
    key: str
    value: dict[str, Any]
    version: int
    created_at: datetime
    updated_at: datetime
    texts: list[str]
    versions: list[KeptDocumentVersion]
    ttl: float | None = None
    expires_at: datetime | None = None


class KeptPool(Record, frozen=True):
    """How often a pool was updated since it was last consolidated."""

    pool: str
    updates: int
    consolidated_at: datetime | None = None


class KeptTombstone(Record, frozen=True):
    """What is not to be learned again; a fingerprint, no text."""

    pool: str
    fingerprint: bytes
    created_at: datetime
    conversation: UUID | None = None
    first_seq: int | None = None
    last_seq: int | None = None


#: The lists of a document and what is in them, in the order in which they are written.
SECTIONS: dict[str, type[Record]] = {
    "agents": KeptAgent,
    "workflows": KeptWorkflow,
    "conversations": KeptConversation,
    "memories": KeptMemory,
    "notes": KeptNotes,
    "documents": KeptDocument,
    "pools": KeptPool,
    "tombstones": KeptTombstone,
}
