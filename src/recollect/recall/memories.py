"""Recall over memories: the few that answer, or none.

Two arms look at one pool of one user: vectors for meaning, words for names, numbers and abbreviations. Each arm
gives a relatedness on the same scale, on which 0.5 means "related"; the better one counts, and what is related
is then ordered by importance, pinning and age as well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Literal
from uuid import UUID

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.models.generations import Embedders
from recollect.ports import Embedder
from recollect.records import Caller, Hit, Memory, Source
from recollect.storage.database import Database
from recollect.storage.rows import decoded

RELATED = 0.5
MAX_QUERY = 10_000
#: So many candidates each arm brings at least, and for each hit that is wanted: enough for what one arm puts a
#: little lower, and for those that say nearly the same.
NEAREST = 20
FOR_EACH = 3


class Candidate(msgspec.Struct, frozen=True):
    """A memory that might answer, with what the two arms saw, in the order of the search's columns."""

    id: UUID
    cosine: float | None
    wording: float
    """How much of what the question is about occurs here, from 0 to 1."""
    stems: str | None
    """Stems of the question that do, with spaces between."""
    text: str
    importance: float
    pinned: bool
    created_at: datetime
    updated_at: datetime
    agent: str
    category: str | None
    status: Literal["active", "quarantined", "retired"]
    valid_from: datetime
    valid_to: datetime | None
    expires_at: datetime | None
    superseded_by: UUID | None
    author: str
    trust: str
    version: int
    update_count: int
    context: str | None
    conversation: UUID | None
    first: int | None
    last: int | None


class Found(msgspec.Struct, frozen=True):
    """What a pool holds that could answer a question."""

    serving: str | None
    """The model whose vectors serve; none as long as there are no vectors."""
    user: str
    pool: str
    candidates: list[Candidate]


async def recall_memories(
    database: Database,
    caller: Caller,
    embedders: Embedders,
    query: str,
    user: str,
    agent: str,
    limit: int,
    threshold: float,
    as_of: datetime | None = None,
) -> list[Hit]:
    """The memories of the agent's pool that are related to the query, best first; nothing if none is."""
    query = inputs.text("query", query, MAX_QUERY)
    if not query.strip():
        raise Invalid("query", "must not be empty")
    user, agent = inputs.identifier("user", user), inputs.identifier("agent", agent)
    limit = inputs.amount("limit", limit)
    if isinstance(threshold, bool) or not 0 <= threshold <= 1:
        raise Invalid("threshold", f"must be between 0 and 1, not {threshold}")
    moment = None if as_of is None else inputs.moment("as_of", as_of)

    async def search(embedder: Embedder) -> tuple[str | None, Found]:
        asked = await search_arguments(embedder, query, moment, threshold, limit)
        rows = await database.call("find_memories", caller.tenant, user, agent, *asked)
        found = found_in(rows[0][:])
        return found.serving, found

    found, embedder = await embedders.ask(caller.tenant, search)
    return ranked(found, embedder, limit, threshold, datetime.now(UTC))


async def search_arguments(
    embedder: Embedder, query: str, as_of: datetime | None, threshold: float, limit: int
) -> tuple[object, ...]:
    """What the search needs of a question: its words, its vector, the names in it, and how near is near enough."""
    (vector,) = await embedder.embed([query])
    names = " ".join(marked_words(query))
    nearest = max(NEAREST, FOR_EACH * limit)
    return query, vector.tolist(), embedder.name, as_of, nearest, names, least_cosine(embedder, threshold)


@lru_cache(maxsize=64)
def least_cosine(embedder: Embedder, threshold: float) -> float:
    """A cosine below which nothing reaches the threshold by meaning, so that it need not be sent."""
    import numpy as np

    cosines = np.linspace(-1, 1, 401, dtype=np.float32)
    enough = np.flatnonzero(embedder.relatedness(cosines) >= threshold)
    place = int(enough[0]) - 1 if len(enough) else len(cosines) - 1
    return float(cosines[place]) if place >= 0 else -2.0  # rounding takes a cosine below -1


def found_in(row: Sequence[Any]) -> Found:
    """What ``find_memories`` answered."""
    serving, user, pool, *columns = row
    candidates = [] if columns[0] is None else list(map(Candidate, *columns))
    return Found(serving, user, pool, candidates)


def ranked(found: Found, embedder: Embedder, limit: int, threshold: float, now: datetime) -> list[Hit]:
    """Order the candidates; drop what is not related, and what says nearly the same as a better one."""
    meanings = _meanings(embedder, found.candidates)
    related: list[tuple[float, float, UUID, Candidate, float]] = []
    for one, meaning in zip(found.candidates, meanings, strict=True):
        surer, other = (meaning, one.wording) if meaning > one.wording else (one.wording, meaning)
        if surer < threshold:
            continue
        # Both arms saturate, so what they agree on has to order what each of them is sure of.
        order = surer + 0.3 * other + _standing(one, now)
        related.append((-order, -one.created_at.timestamp(), one.id, one, meaning))
    related.sort(key=lambda entry: entry[:3])
    chosen: list[Hit] = []
    said: list[set[str]] = []
    for order, _, _, one, meaning in related:
        if len(chosen) == limit:
            break
        words = set(re.findall(r"\w+", one.text.casefold()))
        if any(_nearly_the_same(words, better) for better in said):
            continue
        said.append(words)
        chosen.append(
            Hit(
                text=one.text,
                score=round(min(-order, 1.0), 4),
                why=_why(one, meaning),
                at=one.created_at,
                memory=_memory(one, found),
            )
        )
    return chosen


def _meanings(embedder: Embedder, candidates: Sequence[Candidate]) -> list[float]:
    """How related each is by its vector; 0 where it has none of this model."""
    import numpy as np

    if not candidates:
        return []
    cosines = np.array([-np.inf if one.cosine is None else one.cosine for one in candidates], np.float32)
    known = np.isfinite(cosines)
    return np.where(known, embedder.relatedness(np.where(known, cosines, 0)), 0.0).tolist()


def _memory(one: Candidate, found: Found) -> Memory:
    source = None
    if one.conversation is not None and one.first is not None and one.last is not None:
        source = Source(str(one.conversation), one.first, one.last)
    return Memory(
        id=str(one.id),
        text=one.text,
        user=found.user,
        pool=found.pool,
        agent=one.agent,
        category=one.category,
        importance=round(one.importance, 4),
        pinned=one.pinned,
        status=one.status,
        created_at=one.created_at,
        updated_at=one.updated_at,
        valid_from=one.valid_from,
        valid_to=one.valid_to,
        expires_at=one.expires_at,
        superseded_by=None if one.superseded_by is None else str(one.superseded_by),
        author=one.author,
        trust=one.trust,
        version=one.version,
        update_count=one.update_count,
        context=decoded(one.context) or {},
        source=source,
    )


def _nearly_the_same(one: set[str], other: set[str]) -> bool:
    """Nine words of ten in common: a prompt has better use for the room."""
    return len(one & other) >= 0.9 * len(one | other)


def _standing(memory: Candidate, now: datetime) -> float:
    """A little for what matters more, is pinned, or is fresh: enough to order, never to make unrelated related."""
    age = max((now - memory.updated_at).total_seconds() / 86_400, 0.0)
    return 0.1 * (memory.importance - 0.5) + (0.05 if memory.pinned else 0.0) + 0.04 * math.exp(-age / 30)


def _why(one: Candidate, meaning: float) -> str:
    reasons: list[str] = []
    if meaning >= 0.5:
        reasons.append(f"close in meaning ({meaning:.2f})")
    if one.stems and one.wording >= 0.3:
        reasons.append(f"shares {', '.join(sorted(one.stems.split())[:4])}")
    if one.pinned:
        reasons.append("pinned")
    return ", ".join(reasons) or f"related ({max(meaning, one.wording):.2f})"


def marked_words(query: str) -> list[str]:
    """Words that look like names or codes: a capital that does not begin the sentence, or a digit in a word."""
    words = re.findall(r"[^\W_]+(?:[-'][^\W_]+)*", query)
    odd = [word for word in words if not (word.isalpha() or word.isdigit())]
    marked = [word for word in odd if any(sign.isdigit() for sign in word)]
    return marked + [word for place, word in enumerate(words) if place and word[:1].isupper() and word != "I"]
