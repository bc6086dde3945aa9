"""What travels along the write road: candidates from messages, what is near them, and what becomes of them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from recollect.records import Memory

#: The longest text that is learned; a person may write up to ``insight.MAX_TEXT``.
MAX_LEARNED = 200


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """Something that messages say about someone, in the third person, before anybody has checked it."""

    text: str
    first: int
    """``seq`` of the first message that it comes from."""
    last: int
    """``seq`` of the last one."""
    category: str | None = None
    importance: float = 0.5
    valid_from: datetime | None = None
    expires_at: datetime | None = None
    trust: Literal["trusted", "untrusted"] = "trusted"
    said_at: datetime | None = None
    """When the last of its messages was; it may have been true for longer."""


class Neighbour(msgspec.Struct, frozen=True):
    """A memory of the same pool, and the cosine between its vector and a candidate's."""

    memory: Memory
    cosine: float
    by_person: bool = False
    """Whether a person wrote or corrected it; what is learned then leaves it alone."""
    said_at: datetime | None = None
    """When the last of its messages was, as far as that is known."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of a candidate. ``memories`` are the ids that it refreshes or replaces."""

    verb: Literal["add", "refresh", "replace", "ignore"]
    why: str
    memories: tuple[str, ...] = ()


class Merge(msgspec.Struct, frozen=True, kw_only=True):
    """Memories that say one thing, or cannot both be: ``keep`` gets ``text``, the others are retired for it."""

    keep: str
    text: str
    retire: tuple[str, ...]
    contradicted: tuple[str, ...] = ()
    """Those of the retired that the kept one contradicts: they held until it began."""
