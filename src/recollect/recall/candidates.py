"""Which of the memories that the store found answer a question, and in which order. Pure.

What is related is ordered by how much of the question it says and how near it is, added up: how sure one is that
it is related says no more once one is. Importance, pinning and age count a little, and so do the dates that the
question speaks of. Of statements about the same thing the newest goes first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from operator import itemgetter, ne
from typing import Any, NamedTuple

import msgspec

from recollect.ports import Embedder
from recollect.records import Hit, Memory, Source
from recollect.storage.database import Row
from recollect.storage.rows import decoded
from recollect.text.dates import spans
from recollect.text.spans import Span, days, touches
from recollect.text.wordlists import listed

RELATED = 0.5
#: A name that matches is worth this much by itself.
BY_NAME = 0.6
#: What is related by neither arm alone is related by both if together they come to this much more than one must.
TOGETHER = 1.4
NEARLY = TOGETHER - 1
#: Of so many stems a row tells whether they occur, and then whether one of them is a name.
TOLD = 60
NAMED = 1 << TOLD
#: What is related by a name alone, and comes to less than this share of what the best comes to, is left out: it is
#: about the same person, and not about what is asked.
FAR_BEHIND = 0.5
#: What a date that the question speaks of is worth: about what sets the best apart from the last that is related.
DATE = 0.4
#: What is true from when it was written down, give or take this, does not say since when.
AT_ONCE = timedelta(minutes=1)
#: Versions of one statement are about as important.
AS_IMPORTANT = 0.2

#: A row of ``find_memories``, or what is told in its place.
Candidate = Row | dict[str, Any]


class Related(NamedTuple):
    """A candidate that is related: how far up it comes, and how related it is by its meaning, by its words, and in
    all."""

    order: float
    row: Candidate
    meaning: float
    wording: float
    score: float


class Ranked(NamedTuple):
    """What answers, and whether there were as many as were wanted: then nothing after these candidates matters."""

    hits: list[Hit]
    full: bool


class Found(msgspec.Struct, frozen=True):
    """What a pool holds that could answer a question."""

    serving: str | None
    """The model whose vectors serve; none as long as there are no vectors."""
    user: str
    pool: str
    stems: list[str]
    """Those of the question that occur in the pool; which of them a memory has, its row tells by their places."""
    candidates: Sequence[Candidate]
    """Rows of ``find_memories``: memories with what the two arms saw."""


def found_in(user: str, rows: Sequence[Row]) -> Found:
    """What ``find_memories`` answered: a row for each memory, or one without any."""
    first = rows[0]
    stems = first["stems"]
    return Found(
        first["serving"],
        user,
        first["pool"],
        [] if stems is None else stems.split(" "),
        [] if first["id"] is None else rows,
    )


def ranked(found: Found, embedder: Embedder, limit: int, threshold: float, dates: Sequence[Span] = ()) -> Ranked:
    """Order the candidates; drop what is not related, what says nearly the same as a better one, and of the others
    those that share no more than a name and are far behind."""
    if not found.candidates:
        return Ranked([], False)
    related: list[Related] = []
    for row, meaning in zip(found.candidates, _meanings(embedder, found.candidates), strict=True):
        wording: float = row["wording"]
        sure = max(wording, BY_NAME) if (row["occurring"] or 0) & NAMED else wording
        surer, other = (meaning, sure) if meaning > sure else (sure, meaning)
        surer = max(surer, (meaning + wording) / TOGETHER)
        if surer >= threshold:
            dated = DATE if dates and _dated(row, dates) else 0.0
            order = wording + (row["cosine"] or 0.0) + row["standing"] + dated
            score = min(surer + 0.3 * other + row["standing"] + dated, 1.0)
            related.append(Related(order, row, meaning, sure, score))
    related.sort(key=_order, reverse=True)  # of equal ones the newest stays first
    chosen: list[Related] = []
    said: list[set[str]] = []
    for one in related:
        if len(chosen) == limit:
            break
        words = set(_WORD.findall(one.row["key_point"].casefold()))
        if not _said_already(words, said):
            chosen.append(one)
            said.append(words)
    full = len(chosen) == limit
    chosen = [
        one for one in chosen if _by_more_than_a_name(one, threshold) or one.order >= FAR_BEHIND * chosen[0].order
    ]
    # A score tells how related something is, and never rises on the way down.
    scores = sorted((one.score for one in chosen), reverse=True)
    in_order = chosen if dates else _newest_first(chosen)
    return Ranked([_hit(found, one, score) for one, score in zip(in_order, scores, strict=True)], full)


def _by_more_than_a_name(one: Related, threshold: float) -> bool:
    wording: float = one.row["wording"]
    return max(one.meaning, wording, (one.meaning + wording) / TOGETHER) >= threshold


def _hit(found: Found, one: Related, score: float) -> Hit:
    memory = _memory(one.row, found)
    return Hit(
        text=memory.text,
        score=round(score, 4),
        why=_why(one, found.stems),
        at=memory.valid_from,
        memory=memory,
    )


def _newest_first(chosen: list[Related]) -> list[Related]:
    """The best and what may be versions of it, as they are as important, in order of time."""
    if not chosen:
        return chosen
    best = chosen[0]
    places = [
        place
        for place, one in enumerate(chosen)
        if (_answers_alike(one, best) or _reads_alike(one, best))
        and one.row["pinned"] == best.row["pinned"]
        and abs(one.row["importance"] - best.row["importance"]) <= AS_IMPORTANT
    ]
    newest = sorted((chosen[place] for place in places), key=lambda one: one.row["valid_from"], reverse=True)
    changed = chosen.copy()
    for place, one in zip(places, newest, strict=True):
        changed[place] = one
    return changed


def _answers_alike(one: Related, best: Related) -> bool:
    """Whether they share the same words with the question, and enough of them, and neither is nearer by far."""
    return (
        min(one.row["wording"], best.row["wording"]) >= RELATED
        and _shared(one.row) == _shared(best.row)
        and (one.meaning >= RELATED) == (best.meaning >= RELATED)
    )


def _reads_alike(one: Related, best: Related) -> bool:
    """Whether they are the same but for one word, such as a number."""
    words, others = one.row["key_point"].split(), best.row["key_point"].split()
    return len(words) == len(others) > 2 and sum(map(ne, words, others)) <= 1


def _shared(row: Candidate) -> int:
    """Which stems of the question occur, by their places as bits."""
    return (row["occurring"] or 0) & ((1 << TOLD) - 1)


def _dated(row: Candidate, dates: Sequence[Span]) -> bool:
    """Whether a memory speaks of one of these dates, or was said to have become true then."""
    began, written = row["valid_from"], row["created_at"]
    said = spans(row["key_point"], written.date())
    if abs(written - began) > AT_ONCE:
        said.append(days(began.date()))
    return any(touches(one, other) for one in dates for other in said)


_WORD = re.compile(r"\w+")
_order = itemgetter(0)


def _meanings(embedder: Embedder, candidates: Sequence[Candidate]) -> list[float]:
    """How related each is by its vector; 0 where it has none of this model."""
    import numpy as np

    cosines = [row["cosine"] for row in candidates]
    if None not in cosines:
        return embedder.relatedness(np.array(cosines, np.float32)).tolist()
    known = np.array([cosine is not None for cosine in cosines])
    return np.where(known, embedder.relatedness(np.array([c or 0.0 for c in cosines], np.float32)), 0.0).tolist()


def _memory(row: Candidate, found: Found) -> Memory:
    conversation, superseded_by = row["conversation"], row["superseded_by"]
    source = None
    if conversation is not None and row["first_seq"] is not None and row["last_seq"] is not None:
        source = Source(str(conversation), row["first_seq"], row["last_seq"])
    return Memory(
        id=str(row["id"]),
        text=row["key_point"],
        user=found.user,
        pool=found.pool,
        agent=row["through"],
        category=row["category"],
        importance=round(row["importance"], 4),
        pinned=row["pinned"],
        status=row["status"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        expires_at=row["expires_at"],
        superseded_by=None if superseded_by is None else str(superseded_by),
        author=row["author"],
        trust=row["trust"],
        version=row["version"],
        update_count=row["update_count"],
        context=decoded(row["context"]) or {},
        source=source,
    )


#: What turns a statement into its opposite.
_NEGATIONS = listed(
    """not no never nor none without cannot t longer stopped quit nunca jamás tampoco sin ni dejó"""
)


def _said_already(words: set[str], said: Sequence[set[str]]) -> bool:
    """Nine words of ten in common with a better one: a prompt has better use for the room. What differs by a
    number or by a "not" says something else."""
    for better in said:
        common = len(words & better)
        if common >= 0.9 * (len(words) + len(better) - common) and not any(
            word in _NEGATIONS or not word.isalpha() for word in words ^ better
        ):
            return True
    return False


def _why(one: Related, stems: Sequence[str]) -> str:
    reasons: list[str] = []
    if one.meaning >= 0.5:
        reasons.append(f"close in meaning ({one.meaning:.2f})")
    occurring = _shared(one.row)
    shared = [stem for place, stem in enumerate(stems[:TOLD]) if occurring >> place & 1]
    if shared and one.wording >= 0.3:
        reasons.append(f"shares {', '.join(sorted(shared)[:4])}")
    if one.row["pinned"]:
        reasons.append("pinned")
    return ", ".join(reasons) or f"related ({max(one.meaning, one.wording):.2f})"
