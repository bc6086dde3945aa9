"""What the store is asked with for a question: its words, its vectors, and how near is near enough."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any, NamedTuple

from recollect.errors import Unavailable
from recollect.models.generations import Embedders
from recollect.models.questions import ease, slack, vectors_of
from recollect.observe.logs import say
from recollect.ports import Embedder
from recollect.recall.candidates import BY_NAME, NEARLY, Found
from recollect.recall.question import marked_words, only_dated, sought, unframed, unnamed
from recollect.recall.scale import least_cosine
from recollect.records import Caller
from recollect.storage.database import Database
from recollect.text.dates import spans, undated
from recollect.text.overview import about_user
from recollect.text.spans import Span

MAX_QUERY = 10_000
#: So many candidates each arm brings at least, and for each hit that is wanted: enough for what one arm puts a
#: little lower, and for those that say nearly the same.
NEAREST = 20
FOR_EACH = 3
#: So many more than are wanted come back, in place of those that say nearly the same as a better one.
SPARE = 1
#: So many memories are counted, where it matters whether there are few.
MANY = 1000
#: So many memories are read for their dates, where nothing but a date is asked for.
DATED = 500
#: No cosine is below this: all is asked for that is known of the user, …
ALL = -3.0
#: … and this comes first.
OF_THE_USER = "user's name, home, work, family, pets, health, and what user likes and plans"


class Search(NamedTuple):
    """What the store is asked with, in its order; for how many is said last."""

    words: str
    near: Any
    """The vector of the question, if its model answered."""
    unnamed: Any
    """What it is where a name in it is known: half of it speaks of the rest of the question alone."""
    model: str
    as_of: datetime | None
    nearest: int
    names: str
    least: float
    """A cosine below which nothing is related by its meaning alone."""
    lowest: float
    """One below which it says nothing for a memory that is nearly related by its words."""
    threshold: float


async def search_arguments(
    embedders: Embedders,
    embedder: Embedder,
    query: str,
    as_of: datetime | None,
    threshold: float,
    limit: int,
) -> Search:
    """What the search needs of a question: its words, its vector, the names in it, and how near is near enough."""
    nearest = candidates(limit)
    if threshold <= BY_NAME and about_user(query):
        near, without = await _vectors(embedders, embedder, OF_THE_USER, None)
        words, names, least, lowest = "", (), ALL, ALL
    elif threshold <= BY_NAME and only_dated(unframed(query)):
        near, without = await _vectors(embedders, embedder, query, None)
        words, names, least, lowest, nearest = "", (), ALL, ALL, DATED
    else:
        names, less = marked_words(query), slack(embedder, query)
        query = unframed(query)
        words = sought(query)
        names = tuple(name for name in names if name != "May" or name in words)  # the month is no name
        near, without = await _vectors(embedders, embedder, query, unnamed(query, names, words))
        least = least_cosine(embedder, threshold) - less
        lowest = least_cosine(embedder, NEARLY * threshold) - less
    return Search(words, near, without, embedder.name, as_of, nearest, " ".join(names), least, lowest, threshold)


async def _vectors(embedders: Embedders, embedder: Embedder, query: str, rest: str | None) -> tuple[Any, Any]:
    """What the model makes of a question, and of one whose names are known. If it does not answer, words must do;
    an old one has a successor."""
    try:
        near, *without = await vectors_of(embedder, [query] if rest is None else [query, rest])
    except Unavailable as error:
        if error.part != "embedder" or embedder is not embedders.current:
            raise
        say(logging.WARNING, "recall.words_only", model=embedder.name, error=type(error).__name__)
        return None, None
    return near, near + without[0] if without else None


async def easier(database: Database, caller: Caller, embedder: Embedder, found: Found) -> float:
    """By how much less near is as related in the pool that was looked at, if the embedder knows."""
    if not ease(embedder, 1):
        return 0.0
    rows = await database.call("size_of_pool", caller.tenant, found.user, found.pool, MANY)
    return ease(embedder, rows[0]["size"])


def asked_dates(query: str, moment: datetime | None) -> list[Span]:
    """The dates that a question speaks of."""
    if undated(query) == query:  # as it is known already of most
        return []
    return spans(query, (datetime.now(UTC) if moment is None else moment).date())


def candidates(limit: int) -> int:
    """How many each arm brings."""
    return max(NEAREST, FOR_EACH * limit)
