"""Recall over memories: the few that answer, or none.

Two arms look at one pool of one user: vectors for meaning, words for names, numbers and abbreviations. Each arm
gives a relatedness on the same scale, on which 0.5 means "related"; the better one counts, and what is related
is then ordered by importance, pinning and age as well.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import Any, cast

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.models.generations import Embedders, vector_text
from recollect.ports import Embedder
from recollect.records import Caller, Hit, Memory
from recollect.storage.database import Database

NEAREST = 50
RELATED = 0.5
MAX_QUERY = 10_000
K1, B = 0.9, 0.4


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that might answer, with what the two arms saw."""

    memory: Memory
    cosine: float | None
    size: int
    stems: list[str]
    times: list[int]
    among: list[int]

    @property
    def words(self) -> dict[str, tuple[int, int]]:
        """Stem of the question → how often it occurs here, and in how many memories of the pool."""
        return dict(zip(self.stems, zip(self.times, self.among, strict=True), strict=True))


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a pool holds that could answer a question."""

    held: int
    usual: float
    wanted: list[str]
    """Stems of what the question is about."""
    marked: list[str]
    """Stems of words that look like names or codes: capitals inside the sentence, digits."""
    candidates: list[Candidate]
    serving: str | None = None
    """The model whose vectors serve; none as long as there are no vectors."""


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
        asked = await search_arguments(embedder, query, moment)
        rows = await database.call("find_memories", caller.tenant, user, agent, *asked)
        found = msgspec.json.decode(rows[0][0], type=Found)
        return found.serving, found

    found, embedder = await embedders.ask(caller.tenant, search)
    return ranked(found, embedder, limit, threshold, datetime.now(UTC))


async def search_arguments(embedder: Embedder, query: str, as_of: datetime | None) -> tuple[object, ...]:
    """What the search needs of a question: its words, its vector, the names in it."""
    (vector,) = await embedder.embed([query])
    return query, vector_text(vector), embedder.name, as_of, NEAREST, " ".join(marked_words(query))


def ranked(found: Found, embedder: Embedder, limit: int, threshold: float, now: datetime) -> list[Hit]:
    """Order the candidates; drop what is not related, and what says nearly the same as a better one."""
    hits: list[tuple[float, Hit]] = []
    for one in found.candidates:
        meaning = 0.0 if one.cosine is None else _relatedness(embedder, one.cosine)
        wording = lexical(one, found)
        if max(meaning, wording) < threshold:
            continue
        # Both arms saturate, so what they agree on has to order what each of them is sure of.
        order = max(meaning, wording) + 0.3 * min(meaning, wording) + _standing(one.memory, now)
        hit = Hit(
            text=one.memory.text,
            score=round(min(order, 1.0), 4),
            why=_why(one, meaning, wording, found),
            at=one.memory.created_at,
            memory=one.memory,
        )
        hits.append((order, hit))
    hits.sort(key=lambda pair: (-pair[0], -pair[1].at.timestamp()))
    chosen: list[Hit] = []
    for _, hit in hits:
        if len(chosen) < limit and not any(_nearly_the_same(hit.text, better.text) for better in chosen):
            chosen.append(hit)
    return chosen


def _nearly_the_same(one: str, other: str) -> bool:
    """Nine words of ten in common: a prompt has better use for the room."""
    first, second = (set(re.findall(r"\w+", text.casefold())) for text in (one, other))
    return len(first & second) >= 0.9 * len(first | second)


def _relatedness(embedder: Embedder, cosine: float) -> float:
    return float(embedder.relatedness(cast("Any", cosine)))


def lexical(one: Candidate, asked: Found) -> float:
    """How much of what the question is about occurs here: BM25, as a share of what a full match would score.

    A name or a code that matches is worth "related" by itself, whatever else the question says.
    """
    words = one.words
    if not words:
        return 0.0
    full = sum(_rarity(asked.held, words.get(stem, (0, 0))[1]) for stem in asked.wanted)
    length = 1 - B + B * one.size / max(asked.usual, 1.0)
    found = sum(
        _rarity(asked.held, among) * times * (K1 + 1) / (times + K1 * length) for times, among in words.values()
    )
    share = min(found / full, 1.0) if full else 0.0
    named = 0.6 if words.keys() & set(asked.marked) else 0.0
    return max(share, named)


def _rarity(held: int, among: int) -> float:
    return math.log(1 + (max(held, 10) - among + 0.5) / (among + 0.5))


def _standing(memory: Memory, now: datetime) -> float:
    """A little for what matters more, is pinned, or is fresh: enough to order, never to make unrelated related."""
    age = max((now - memory.updated_at).total_seconds() / 86_400, 0.0)
    return 0.1 * (memory.importance - 0.5) + (0.05 if memory.pinned else 0.0) + 0.04 * math.exp(-age / 30)


def _why(one: Candidate, meaning: float, wording: float, asked: Found) -> str:
    reasons: list[str] = []
    if meaning >= 0.5:
        reasons.append(f"close in meaning ({meaning:.2f})")
    matched = sorted(one.words.keys() & set(asked.wanted))
    if matched and wording >= 0.3:
        reasons.append(f"shares {', '.join(matched[:4])}")
    if one.memory.pinned:
        reasons.append("pinned")
    return ", ".join(reasons) or f"related ({max(meaning, wording):.2f})"


def marked_words(query: str) -> list[str]:
    """Words that look like names or codes: a capital that does not begin the sentence, or a digit in a word."""
    words = re.findall(r"[^\W_]+(?:[-'][^\W_]+)*", query)
    marked = [word for word in words if any(sign.isdigit() for sign in word) and not word.isdigit()]
    return marked + [word for place, word in enumerate(words) if place and word[:1].isupper() and word != "I"]
