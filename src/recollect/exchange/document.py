"""A user's whole data as a document: what is in it, and what is let in. Vectors are not: they are made anew."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, cast
from uuid import UUID

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.exchange.wrong import converted
from recollect.records import Role
from recollect.remember import insight

FORMAT = "recollect.user/1"
MOST = (1 << 62) - 1


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
    status: str
    valid_from: datetime
    change: str
    actor: str
    at: datetime
    category: str | None = None
    expires_at: datetime | None = None
    valid_to: datetime | None = None


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
    "conversations": KeptConversation,
    "memories": KeptMemory,
    "notes": KeptNotes,
    "pools": KeptPool,
    "tombstones": KeptTombstone,
}


def entry(section: str, place: int, given: object) -> Record:
    """One entry of a list, checked: whatever it holds is what the door would have let in."""
    where = f"{section}[{place}]"
    record = converted(given, SECTIONS[section], where)
    _words(record, where)
    match record:
        case KeptConversation():
            _check_conversation(record, where)
        case KeptMemory():
            _check_memory(record, where)
        case KeptNotes():
            _check_versions(record.versions, record.version, where)
        case _:
            pass
    return record


#: Fields that hold more than an identifier, with how many bytes they may have.
_TEXTS = {
    "content": inputs.MAX_CONTENT,
    "instructions": inputs.MAX_CONTENT,
    "summary": inputs.MAX_CONTENT,
    "title": inputs.MAX_TITLE,
    "text": inputs.MAX_CONTENT,
}
_LARGE = ("tool_calls", "parts")


def _words(record: Record, where: str) -> None:
    """Check every field by its kind, and what is inside of it."""
    for name in record.__struct_fields__:
        value, field = getattr(record, name), f"{where}.{name}"
        match value:
            case str() if name in _TEXTS:
                inputs.text(field, value, _TEXTS[name])
            case str():
                inputs.identifier(field, value)
            case datetime():
                inputs.moment(field, value)
            case bool() | None:
                pass
            case int():
                inputs.amount(field, value, most=MOST if "seq" in name else (1 << 31) - 1, least=0)
            case float():
                least = 0 if name == "importance" else -1
                if not least <= value <= 1:
                    raise Invalid(field, f"must be between {least} and 1")
            case dict():
                inputs.json_text(field, _stored(field, value))
            case list() if name in _LARGE:
                inputs.json_text(field, _stored(field, value), inputs.MAX_CONTENT)
            case list():
                for place, item in enumerate(cast("list[Record]", value)):
                    _words(item, f"{field}[{place}]")
            case Record():
                _words(value, field)
            case _:
                pass


def _stored(field: str, value: Any, depth: int = 0) -> Any:
    """JSON as it was before it was stored: Postgres writes out a large number with all of its digits."""
    match value:
        case int() if abs(value) >= 1 << 63:
            try:
                return float(value)
            except OverflowError:
                raise Invalid(field, "contains a number that is too large") from None
        case list() if depth <= inputs.MAX_DEPTH:
            return [_stored(field, item, depth + 1) for item in cast("list[Any]", value)]
        case dict() if depth <= inputs.MAX_DEPTH:
            return {key: _stored(field, item, depth + 1) for key, item in cast("dict[str, Any]", value).items()}
        case _:
            return value


def _check_conversation(given: KeptConversation, where: str) -> None:
    before = 0
    for place, message in enumerate(given.messages):
        if not before < message.seq <= given.last_seq:
            raise Invalid(
                f"{where}.messages[{place}].seq",
                f"must be above that of the message before, and at most last_seq ({given.last_seq})",
            )
        before = message.seq
    if given.message_count != len(given.messages):
        raise Invalid(f"{where}.message_count", f"is {given.message_count}, with {len(given.messages)} messages")
    if given.last_user_seq > given.last_seq:
        raise Invalid(f"{where}.last_user_seq", f"must be at most last_seq ({given.last_seq})")


def _check_memory(given: KeptMemory, where: str) -> None:
    for field, check, value in (
        ("text", insight.key_point, given.text),
        ("category", insight.category, given.category),
    ):
        try:
            if value is not None:
                check(value)
        except Invalid as error:
            raise Invalid(f"{where}.{field}", error.problem) from None
    for field, word, allowed in (
        ("author", given.author, insight.AUTHORS),
        ("trust", given.trust, insight.TRUSTS),
    ):
        if word.partition(":")[0] not in allowed:
            raise Invalid(f"{where}.{field}", f"must be one of {', '.join(allowed)}")
    _check_versions(given.versions, given.version, where)


def _check_versions(
    versions: Sequence[KeptMemoryVersion] | Sequence[KeptNoteVersion], last: int, where: str
) -> None:
    numbers = [one.version for one in versions]
    if numbers != sorted(set(numbers)) or (numbers and numbers[-1] > last):
        raise Invalid(f"{where}.versions", f"must be in order, each once, and none above version {last}")
