"""Recall over memories: the few that answer, or none.

Two arms look at one pool of one user: vectors for meaning, words for names, numbers and abbreviations. Each arm
gives a relatedness on the same scale, on which 0.5 means "related"; the better one counts. What is related is then
ordered by what the arms say together, by importance, pinning and age, and by the dates that the question speaks
of. Of statements about the same thing the newest goes first.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from functools import partial

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.models.generations import Embedders
from recollect.models.questions import slack
from recollect.observe.logs import say
from recollect.ports import Embedder
from recollect.recall.asking import best
from recollect.recall.candidates import FEWEST, RELATED, Found, Ranked, found_in, ranked
from recollect.recall.search import MAX_QUERY, Search, asked_dates, easier, search_arguments
from recollect.records import Caller, Hit
from recollect.storage.database import Database


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
        less = slack(embedder, query)

        async def related(threshold: float) -> tuple[Found, list[Hit]]:
            asked = await search_arguments(embedders, embedder, query, moment, threshold, limit)

            async def ask(asked: Search, amount: int) -> Found:
                rows = await database.call("find_memories", caller.tenant, user, agent, *asked, amount)
                return found_in(user, rows)

            def rank(found: Found, ease: float) -> Ranked:
                return ranked(found, embedder, max(limit, FEWEST), threshold, dates, less + ease)

            ease = partial(easier, database, caller, embedder)
            return await best(ask, rank, ease, asked, query, threshold, limit, dates=dates)

        found, hits = await related(max(threshold, RELATED))
        if threshold < RELATED and len(hits) < limit:
            found, more = await related(threshold)
            hits = _and_then(hits, more, limit)
        return found.serving, hits

    hits, _ = await embedders.ask(caller.tenant, search)
    recalled(caller, "memories", len(hits))
    return hits


def recalled(caller: Caller, over: str, found: int) -> None:
    """Who was told something from memory, and how much of it: reading leaves no other trace."""
    say(logging.INFO, "memory.recalled", tenant=caller.tenant, actor=caller.actor, over=over, found=found)


def _and_then(hits: list[Hit], more: Sequence[Hit], limit: int) -> list[Hit]:
    """Who is content with less gets what others get, and then what is less related."""
    known = {hit.text for hit in hits}
    least = hits[-1].score if hits else 1.0
    others = [msgspec.structs.replace(hit, score=min(hit.score, least)) for hit in more if hit.text not in known]
    return (hits + others)[:limit]
