"""Which of the memories that the store found answer a question, and in which order. Pure.

What is related is ordered by importance, pinning and age as well, and by the dates that the question speaks of. Of
statements about the same thing the newest goes first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from operator import itemgetter
from typing import Any

import msgspec

from recollect.ports import Embedder
from recollect.records import Hit, Memory, Source
from recollect.storage.database import Row
from recollect.storage.rows import decoded
from recollect.text.dates import spans
from recollect.text.spans import Span, days, touches
from recollect.text.wordlists import listed

RELATED = 0.5
#: Of so many stems a row tells whether they occur.
TOLD = 60
#: What a date that the question speaks of is worth.
DATE = 0.15
#: What is true from when it was written down, give or take this, does not say since when.
AT_ONCE = timedelta(minutes=1)
#: Versions of one statement are about as important.
AS_IMPORTANT = 0.2

#: A row of ``find_memories``, or what is told in its place.
Candidate = Row | dict[str, Any]


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


def ranked(
    found: Found, embedder: Embedder, limit: int, threshold: float, dates: Sequence[Span] = ()
) -> list[Hit]:
    """Order the candidates; drop what is not related, and what says nearly the same as a better one."""
    if not found.candidates:
        return []
    related: list[Related] = []
    for row, meaning in zip(found.candidates, _meanings(embedder, found.candidates), strict=True):
        wording: float = row["wording"]
        surer, other = (meaning, wording) if meaning > wording else (wording, meaning)
        if surer >= threshold:
            # Both arms saturate, so what they agree on has to order what each of them is sure of.
            order = surer + 0.3 * other + row["standing"]
            related.append((order + DATE if dates and _dated(row, dates) else order, row, meaning))
    related.sort(key=_order, reverse=True)  # of equal ones the newest stays first
    chosen: list[Related] = []
    said: list[set[str]] = []
    for one in related:
        if len(chosen) == limit:
            break
        words = set(_WORD.findall(one[1]["key_point"].casefold()))
        if not _said_already(words, said):
            chosen.append(one)
            said.append(words)
    return [_hit(found, *one) for one in (chosen if dates else _newest_first(chosen))]


def _hit(found: Found, order: float, row: Candidate, meaning: float) -> Hit:
    memory = _memory(row, found)
    return Hit(
        text=memory.text,
        score=round(min(order, 1.0), 4),
        why=_why(row, found.stems, meaning),
        at=memory.valid_from,
        memory=memory,
    )


def _newest_first(chosen: list[Related]) -> list[Related]:
    """The best, and what shares the same words with the question, is as important and not nearer or farther in its
    meaning, in order of time: these may be versions of one statement."""
    if not chosen or chosen[0][1]["wording"] < RELATED:
        return chosen
    _, best, near = chosen[0]
    places = [
        place
        for place, (_, row, meaning) in enumerate(chosen)
        if row["wording"] >= RELATED
        and _shared(row) == _shared(best)
        and (meaning >= RELATED) == (near >= RELATED)
        and row["pinned"] == best["pinned"]
        and abs(row["importance"] - best["importance"]) <= AS_IMPORTANT
    ]
    newest = sorted((chosen[place] for place in places), key=lambda one: one[1]["valid_from"], reverse=True)
    changed = chosen.copy()
    for place, one in zip(places, newest, strict=True):
        changed[place] = (chosen[place][0], *one[1:])
    return changed


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


#: How far up it comes, a row of ``find_memories``, and how related it is by its meaning.
Related = tuple[float, Candidate, float]
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


def _why(row: Candidate, stems: Sequence[str], meaning: float) -> str:
    reasons: list[str] = []
    if meaning >= 0.5:
        reasons.append(f"close in meaning ({meaning:.2f})")
    occurring = _shared(row)
    shared = [stem for place, stem in enumerate(stems[:TOLD]) if occurring >> place & 1]
    if shared and row["wording"] >= 0.3:
        reasons.append(f"shares {', '.join(sorted(shared)[:4])}")
    if row["pinned"]:
        reasons.append("pinned")
    return ", ".join(reasons) or f"related ({max(meaning, row['wording']):.2f})"
