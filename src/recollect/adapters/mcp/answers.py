"""What the tools answer: data for programs, and a text for the model in which everything recalled is fenced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby

import msgspec

from recollect.records import Hit, Memory
from recollect.text.fence import fence, fence_notes, one_line

MOST_SHOWN = 400


class MemoryAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A memory."""

    id: str
    text: str
    category: str | None
    importance: float
    status: str
    author: str
    created_at: datetime
    updated_at: datetime
    version: int


class Memories(msgspec.Struct, frozen=True, kw_only=True):
    """Memories, and the cursor of the next page."""

    memories: list[MemoryAnswer]
    cursor: str | None = None


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was found, a memory or a message."""

    text: str
    score: float
    why: str
    at: datetime
    memory: str | None = None
    conversation: str | None = None
    seq: int | None = None
    role: str | None = None


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """What was found, best first."""

    found: list[Found]


class Deleted(msgspec.Struct, frozen=True, kw_only=True):
    """How many memories are gone."""

    deleted: int


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A message of the context."""

    role: str
    content: str


class ContextAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What the next prompt needs."""

    conversation: str | None
    messages: list[Section]
    tokens: dict[str, int]


class NotesAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The notes after the operation."""

    text: str
    version: int


Answer = MemoryAnswer | Memories | Findings | Deleted | ContextAnswer | NotesAnswer


def of_memory(memory: Memory) -> MemoryAnswer:
    """A memory as it is answered."""
    return msgspec.convert(memory, MemoryAnswer, from_attributes=True)


def of_hit(hit: Hit) -> Found:
    """A hit as it is answered."""
    message = hit.message
    return Found(
        text=hit.text,
        score=hit.score,
        why=hit.why,
        at=hit.at,
        memory=None if hit.memory is None else hit.memory.id,
        conversation=None if message is None else message.conversation,
        seq=None if message is None else message.seq,
        role=None if message is None else message.role,
    )


def told(answer: Answer) -> str:
    """The answer as the model reads it."""
    match answer:
        case MemoryAnswer():
            return fence(_memory_line(answer), "memory")
        case Memories(memories=memories):
            return fence("\n".join(map(_memory_line, memories)), "memories") if memories else "There are none."
        case Findings(found=found):
            return fence("\n".join(map(_found_line, found)), "found") if found else "Nothing is known about that."
        case Deleted(deleted=count):
            return f"{count} deleted."
        case ContextAnswer(messages=messages):
            return "\n\n".join(_told_in_turn(messages)) or "Nothing is known yet."
        case NotesAnswer(text=text, version=version):
            return f"Version {version}.\n" + fence_notes(text) if text else "There are no notes."


def _told_in_turn(messages: Sequence[Section]) -> Iterator[str]:
    """What was said before is recalled like anything else; what the user says now was given to us."""
    now = messages[-1:] if messages and messages[-1].role == "user" else ()
    before = messages[: len(messages) - len(now)]
    for role, several in groupby(before, lambda one: one.role if one.role == "system" else None):
        lines = [f"{one.role}: {one.content}" for one in several]
        yield from lines if role else [fence("\n".join(lines), "messages")]
    for one in now:
        yield f"{one.role}: {one.content}"


def _memory_line(memory: MemoryAnswer) -> str:
    waits = " (waits to be confirmed)" if memory.status == "quarantined" else ""
    text = one_line(memory.text, MOST_SHOWN)
    return f"[{memory.id}] {memory.updated_at.date().isoformat()} - {text}{waits}"


def _found_line(found: Found) -> str:
    which = "" if found.memory is None else f"[{found.memory}] "
    who = "" if found.role is None else f"{found.role}: "
    return f"{which}{found.at.date().isoformat()} - {who}{one_line(found.text, MOST_SHOWN)}"
