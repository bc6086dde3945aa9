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

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.models.generations import Embedders
from recollect.ports import Embedder
from recollect.records import Caller, Hit, Memory, Source
from recollect.storage.database import Database

NEAREST = 50
RELATED = 0.5
MAX_QUERY = 10_000
K1, B = 0.9, 0.4


class Candidate(msgspec.Struct, frozen=True, array_like=True):
    """A memory that might answer, with what the two arms saw; the record itself is read only if it does."""

    cosine: float | None
    size: int
    stems: list[str] | None
    """Stems of the question that occur here, …"""
    times: list[int] | None
    """… how often, …"""
    among: list[int] | None
    """… and in how many memories of the pool."""
    id: str
    text: str
    importance: float
    pinned: bool
    created_at: datetime
    updated_at: datetime
    record: msgspec.Raw


class Found(msgspec.Struct, frozen=True, array_like=True):
    """What a pool holds that could answer a question."""

    held: int
    usual: float
    wanted: list[str]
    """Stems of what the question is about."""
    marked: frozenset[str]
    """Stems of words that look like names or codes: capitals inside the sentence, digits."""
    candidates: list[Candidate]
    serving: str | None = None
    """The model whose vectors serve; none as long as there are no vectors."""


class _Record(msgspec.Struct, frozen=True, array_like=True):
    """The rest of a memory, as the search sends it."""

    user: str
    pool: str
    agent: str
    category: str | None
    status: Literal["active", "quarantined", "retired"]
    valid_from: datetime
    valid_to: datetime | None
    expires_at: datetime | None
    superseded_by: str | None
    author: str
    trust: str
    version: int
    update_count: int
    context: dict[str, Any] | None
    conversation: str | None
    first: int | None
    last: int | None


_found = msgspec.json.Decoder(Found)
_record = msgspec.json.Decoder(_Record)


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
        asked = await search_arguments(embedder, query, moment, threshold)
        rows = await database.call("find_memories", caller.tenant, user, agent, *asked)
        found = found_in(rows[0][0])
        return found.serving, found

    found, embedder = await embedders.ask(caller.tenant, search)
    return ranked(found, embedder, limit, threshold, datetime.now(UTC))


async def search_arguments(
    embedder: Embedder, query: str, as_of: datetime | None, threshold: float
) -> tuple[object, ...]:
    """What the search needs of a question: its words, its vector, the names in it, and how near is near enough."""
    (vector,) = await embedder.embed([query])
    names = " ".join(marked_words(query))
    return query, vector.tolist(), embedder.name, as_of, NEAREST, names, least_cosine(embedder, threshold)


@lru_cache(maxsize=64)
def least_cosine(embedder: Embedder, threshold: float) -> float:
    """A cosine below which nothing reaches the threshold by meaning, so that it need not be sent."""
    import numpy as np

    cosines = np.linspace(-1, 1, 401, dtype=np.float32)
    enough = np.flatnonzero(embedder.relatedness(cosines) >= threshold)
    place = int(enough[0]) - 1 if len(enough) else len(cosines) - 1
    return float(cosines[place]) if place >= 0 else -2.0  # rounding takes a cosine below -1


def found_in(sent: str) -> Found:
    """What ``find_memories`` answered."""
    return _found.decode(sent)


def ranked(found: Found, embedder: Embedder, limit: int, threshold: float, now: datetime) -> list[Hit]:
    """Order the candidates; drop what is not related, and what says nearly the same as a better one."""
    meanings = _meanings(embedder, found.candidates)
    related: list[tuple[float, float, str, Candidate, float, float]] = []
    for one, meaning in zip(found.candidates, meanings, strict=True):
        wording = lexical(one, found)
        if max(meaning, wording) < threshold:
            continue
        # Both arms saturate, so what they agree on has to order what each of them is sure of.
        order = max(meaning, wording) + 0.3 * min(meaning, wording) + _standing(one, now)
        related.append((-order, -one.created_at.timestamp(), one.id, one, meaning, wording))
    related.sort(key=lambda entry: entry[:3])
    chosen: list[Hit] = []
    said: list[set[str]] = []
    for order, _, _, one, meaning, wording in related:
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
                why=_why(one, meaning, wording),
                at=one.created_at,
                memory=_memory(one),
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


def _memory(one: Candidate) -> Memory:
    rest = _record.decode(one.record)
    source = None
    if rest.conversation is not None and rest.first is not None and rest.last is not None:
        source = Source(rest.conversation, rest.first, rest.last)
    return Memory(
        id=one.id,
        text=one.text,
        user=rest.user,
        pool=rest.pool,
        agent=rest.agent,
        category=rest.category,
        importance=one.importance,
        pinned=one.pinned,
        status=rest.status,
        created_at=one.created_at,
        updated_at=one.updated_at,
        valid_from=rest.valid_from,
        valid_to=rest.valid_to,
        expires_at=rest.expires_at,
        superseded_by=rest.superseded_by,
        author=rest.author,
        trust=rest.trust,
        version=rest.version,
        update_count=rest.update_count,
        context=rest.context or {},
        source=source,
    )


def _nearly_the_same(one: set[str], other: set[str]) -> bool:
    """Nine words of ten in common: a prompt has better use for the room."""
    return len(one & other) >= 0.9 * len(one | other)


def lexical(one: Candidate, asked: Found) -> float:
    """How much of what the question is about occurs here: BM25, as a share of what a full match would score.

    A name or a code that matches is worth "related" by itself, whatever else the question says.
    """
    if not one.stems or one.times is None or one.among is None:
        return 0.0
    length = 1 - B + B * one.size / max(asked.usual, 1.0)
    full = (len(asked.wanted) - len(one.stems)) * _rarity(asked.held, 0)
    found = 0.0
    for times, among in zip(one.times, one.among, strict=True):
        rarity = _rarity(asked.held, among)
        full += rarity
        found += rarity * times * (K1 + 1) / (times + K1 * length)
    share = min(found / full, 1.0) if full else 0.0
    named = 0.0 if asked.marked.isdisjoint(one.stems) else 0.6
    return max(share, named)


@lru_cache(maxsize=4096)
def _rarity(held: int, among: int) -> float:
    return math.log(1 + (max(held, 10) - among + 0.5) / (among + 0.5))


def _standing(memory: Candidate, now: datetime) -> float:
    """A little for what matters more, is pinned, or is fresh: enough to order, never to make unrelated related."""
    age = max((now - memory.updated_at).total_seconds() / 86_400, 0.0)
    return 0.1 * (memory.importance - 0.5) + (0.05 if memory.pinned else 0.0) + 0.04 * math.exp(-age / 30)


def _why(one: Candidate, meaning: float, wording: float) -> str:
    reasons: list[str] = []
    if meaning >= 0.5:
        reasons.append(f"close in meaning ({meaning:.2f})")
    matched = sorted(one.stems or ())
    if matched and wording >= 0.3:
        reasons.append(f"shares {', '.join(matched[:4])}")
    if one.pinned:
        reasons.append("pinned")
    return ", ".join(reasons) or f"related ({max(meaning, wording):.2f})"


def marked_words(query: str) -> list[str]:
    """Words that look like names or codes: a capital that does not begin the sentence, or a digit in a word."""
    words = re.findall(r"[^\W_]+(?:[-'][^\W_]+)*", query)
    marked = [word for word in words if any(sign.isdigit() for sign in word) and not word.isdigit()]
    return marked + [word for place, word in enumerate(words) if place and word[:1].isupper() and word != "I"]
