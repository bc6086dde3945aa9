"""Recall over memories: the few that answer, or none.

Two arms look at one pool of one user: vectors for meaning, words for names, numbers and abbreviations. Each arm
gives a relatedness on the same scale, on which 0.5 means "related"; the better one counts, and what is related
is then ordered by importance, pinning and age as well, and by the dates that the question speaks of. Of statements
about the same thing the newest goes first.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from operator import itemgetter
from typing import Any

import msgspec

from recollect import inputs
from recollect.errors import Invalid, Unavailable
from recollect.models.generations import Embedders
from recollect.models.questions import vector_of
from recollect.observe.logs import say
from recollect.ports import Embedder
from recollect.recall.question import sought, timeless, uncontracted
from recollect.records import Caller, Hit, Memory, Source
from recollect.storage.database import Database, Row
from recollect.storage.rows import decoded
from recollect.text.changes import Matter, changing, of_user
from recollect.text.dates import spans
from recollect.text.inflections import Wanted, happened, share, wanted, words_in
from recollect.text.kin import kin, of_somebody_else
from recollect.text.languages import language
from recollect.text.spans import Span, days, touches
from recollect.text.wordlists import listed

RELATED = 0.5
MAX_QUERY = 10_000
#: So many candidates each arm brings at least, and for each hit that is wanted: enough for what one arm puts a
#: little lower, and for those that say nearly the same.
NEAREST = 20
FOR_EACH = 3
#: So many more than are wanted come back, in place of those that say nearly the same as a better one.
SPARE = 3
#: What the store chooses by: relatedness at this many cosines, from so far below what is near enough.
STEPS = 33
BELOW = 0.4
#: Of so many stems a row tells whether they occur.
TOLD = 60
#: What a date that the question speaks of is worth.
DATE = 0.15
#: What is true from when it was written down, give or take this, does not say since when.
AT_ONCE = timedelta(minutes=1)
#: A name that matches is worth this much by itself.
BY_NAME = 0.6
#: Versions of one statement are about as important.
AS_IMPORTANT = 0.2


Arguments = tuple[object, ...]
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
    threshold = inputs.share("threshold", threshold)
    moment = None if as_of is None else inputs.moment("as_of", as_of)
    dates = asked_dates(query, moment)

    async def search(embedder: Embedder) -> tuple[str | None, list[Hit]]:
        asked = await search_arguments(embedders, embedder, query, moment, threshold, limit)

        async def ask(asked: Arguments, amount: int) -> Found:
            return found_in(user, await database.call("find_memories", caller.tenant, user, agent, *asked, amount))

        def rank(found: Found) -> list[Hit]:
            return ranked(found, embedder, limit, threshold, dates)

        found, hits = await best(ask, rank, asked, query, threshold, limit, everything=bool(dates))
        return found.serving, hits

    hits, _ = await embedders.ask(caller.tenant, search)
    return hits


async def best(
    ask: Callable[[Arguments, int], Awaitable[Found]],
    rank: Callable[[Found], list[Hit]],
    asked: Arguments,
    query: str,
    threshold: float,
    limit: int,
    *,
    everything: bool,
) -> tuple[Found, list[Hit]]:
    """What answers; ``ask`` takes what to search for, and how many to send: all candidates if ``everything`` must
    be known to choose. It is asked once, as a rule: but again for all candidates if the best say nearly the same,
    and again by the words in which people tell what the question is about, if its own words find nothing."""
    amount = 2 * candidates(limit) if everything else limit + SPARE
    tongue = language(query)
    if tongue == "en":
        found = await ask(asked, amount)
        hits = rank(found)
        if len(hits) < limit and len(found.candidates) == amount and not everything:
            found = await ask(asked, 2 * candidates(limit))
            return found, rank(found)
    else:
        found = await _in_any_form(ask, asked, wanted(timeless(query), tongue), threshold, limit)
        hits = rank(found)
    if not hits and (past := happened(timeless(query))):
        found = await _in_any_form(ask, asked, past, threshold, limit)
        hits = rank(found)
    if hits and threshold <= BY_NAME and (matter := changing(query)):
        told = rank(await ask((matter.words, *asked[1:5], matter.words, *asked[6:]), 2 * candidates(limit)))
        return found, _changed_first(hits, told, matter, limit)
    if not hits and threshold <= BY_NAME and (words := kin(query) or kin(sought(query))):
        # They are names for it: one of them is enough.
        found = await ask((words, *asked[1:5], words, *asked[6:]), amount)
        hits = [
            msgspec.structs.replace(hit, why=hit.why.replace("shares", "speaks of", 1))
            for hit in rank(found)
            if not of_somebody_else(query, hit.text)
        ]
    return found, hits


def _changed_first(hits: list[Hit], told: Sequence[Hit], matter: Matter, limit: int) -> list[Hit]:
    """The newest that tells of a change comes first, if it is newer than what is known of the user otherwise:
    "user moved to Oslo" answers where they live, if they lived elsewhere before."""
    known = {hit.text for hit in hits}
    since = [hit.memory.valid_from for hit in hits if hit.memory and of_user(hit.text)]
    changes = [
        (hit.memory.valid_from, hit)
        for hit in told
        if hit.memory and hit.text not in known and matter.told.search(hit.text)
    ]
    at, newest = max(changes, key=itemgetter(0), default=(None, None))
    if at is None or newest is None or any(at <= one for one in since):
        return hits
    score, why = max(newest.score, hits[0].score), newest.why.replace("shares", "speaks of", 1)
    return [msgspec.structs.replace(newest, score=score, why=why), *hits][:limit]


async def _in_any_form(
    ask: Callable[[Arguments, int], Awaitable[Found]],
    asked: Arguments,
    words: Sequence[Wanted],
    threshold: float,
    limit: int,
) -> Found:
    """What has the words of a question in any of their forms. The store does not know that these are one word, so
    it is asked for each as for a name, and what a memory says of the question is told here."""
    forms = " ".join(form for word in words for form in word.forms)
    found = await ask(
        (forms, *asked[1:5], forms, asked[6], min(threshold, BY_NAME), *asked[8:]), 2 * candidates(limit)
    )
    names = words_in(str(asked[5]))
    told = [_told(row, words, names) for row in found.candidates]
    return msgspec.structs.replace(found, stems=[word.forms[0] for word in words], candidates=told)


def _told(row: Candidate, words: Sequence[Wanted], names: set[str]) -> Candidate:
    """A candidate with how much of these words it says, and which."""
    there = words_in(row["key_point"])
    here = [word.occurs(there) for word in words]
    wording = share(words, here)
    return {
        **row,
        "wording": wording if names.isdisjoint(there) else max(wording, BY_NAME),
        "occurring": sum(1 << place for place, one in enumerate(here[:TOLD]) if one),
    }


async def search_arguments(
    embedders: Embedders,
    embedder: Embedder,
    query: str,
    as_of: datetime | None,
    threshold: float,
    limit: int,
) -> Arguments:
    """What the search needs of a question: its words, its vector, the names in it, how near is near enough, and
    how near is how related. For how many is said last."""
    vector = await _vector(embedders, embedder, query)
    names = " ".join(marked_words(query))
    least = least_cosine(embedder, threshold)
    scale = _scale(embedder, least)
    return sought(query), vector, embedder.name, as_of, candidates(limit), names, least, threshold, *scale


async def _vector(embedders: Embedders, embedder: Embedder, query: str) -> Any:
    """What the model makes of a question. If it does not answer, words must do; an old one has a successor."""
    try:
        return await vector_of(embedder, query)
    except Unavailable as error:
        if error.part != "embedder" or embedder is not embedders.current:
            raise
        say(logging.WARNING, "recall.words_only", model=embedder.name, error=type(error).__name__)
        return None


def asked_dates(query: str, moment: datetime | None) -> list[Span]:
    """The dates that a question speaks of."""
    return spans(query, (datetime.now(UTC) if moment is None else moment).date())


def candidates(limit: int) -> int:
    """How many each arm brings."""
    return max(NEAREST, FOR_EACH * limit)


@lru_cache(maxsize=64)
def _scale(embedder: Embedder, least: float) -> tuple[float, str]:
    """What the store needs to choose the best: a cosine, and how related those from it up to 1 are; as text, since
    the driver takes longer over each number of a list."""
    import numpy as np

    lowest = max(least - BELOW, -1.0)
    related: list[float] = embedder.relatedness(np.linspace(lowest, 1, STEPS, dtype=np.float32)).tolist()
    return lowest, "{" + ",".join(f"{one:.6f}" for one in related) + "}"


@lru_cache(maxsize=64)
def least_cosine(embedder: Embedder, threshold: float) -> float:
    """A cosine below which nothing reaches the threshold by meaning, so that it need not be sent."""
    import numpy as np

    cosines = np.linspace(-1, 1, 401, dtype=np.float32)
    enough = np.flatnonzero(embedder.relatedness(cosines) >= threshold)
    place = int(enough[0]) - 1 if len(enough) else len(cosines) - 1
    return float(cosines[place]) if place >= 0 else -2.0  # rounding takes a cosine below -1


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


def marked_words(query: str) -> list[str]:
    """Words that look like names or codes: a capital that does not begin the sentence, or does as "Clara's", or a
    digit in a word."""
    words = re.findall(r"[^\W_]+(?:[-'][^\W_]+)*", uncontracted(query))
    odd = [word for word in words if not (word.isalpha() or word.isdigit())]
    marked = [word for word in odd if any(sign.isdigit() for sign in word)]
    if (owner := _OWNER.match(query)) and owner[1].casefold() not in _NO_OWNER:
        marked.append(owner[1])
    return marked + [word for place, word in enumerate(words) if place and word[:1].isupper() and word != "I"]


_OWNER = re.compile(r"\W*([^\W\d_]+)['’]s\b")
_NO_OWNER = listed("what who where when why how which that this it there here he she let one everyone someone")
