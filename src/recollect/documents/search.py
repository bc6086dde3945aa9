"""Search over documents: by meaning and by words, or by the vectors of a model of the caller's own."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from recollect import inputs
from recollect.documents import checking
from recollect.documents.records import DocumentHit, Vectors
from recollect.documents.store import document_from, refreshed
from recollect.errors import Invalid, Unavailable
from recollect.models.generations import Embedders
from recollect.models.many import vectors_of_many
from recollect.observe.logs import say
from recollect.ports import Embedder
from recollect.records import Caller
from recollect.storage.database import Database, Row
from recollect.storage.serving import serving_model
from recollect.storage.vectors import sent
from recollect.text.spoken import LONGEST

MAX_QUERY = 10_000
BATCH = 250
#: So many documents are given vectors within one call; the rest are found by their words until the next calls.
MOST_AT_ONCE = 4000
#: After so many seconds no more are begun: somebody waits for the answer.
LONGEST_FILL = 10.0
#: From a namespace, until the next one, of a user, with a filter.
Scope = tuple[list[str] | None, list[str] | None, str | None, str | None]


async def search(
    database: Database,
    caller: Caller,
    embedders: Embedders,
    query: str,
    namespace: Sequence[str],
    user: str | None,
    filter: Mapping[str, Any] | None,
    limit: int,
    offset: int,
    threshold: float,
    own: Vectors | None,
    *,
    refresh: bool,
) -> list[DocumentHit]:
    """The documents of a namespace and of all below it that belong to the query, best first.

    With a threshold of 0 the others follow, down to those that have no text at all. ``own`` is the question as a
    model of the caller's own sees it; scores are plain cosines then.
    """
    query = inputs.text("query", query, MAX_QUERY)
    if not query.strip():
        raise Invalid("query", "must not be empty")
    user = None if user is None else inputs.identifier("user", user)
    limit, offset = inputs.amount("limit", limit), inputs.amount("offset", offset, most=1 << 31, least=0)
    threshold, refresh = inputs.share("threshold", threshold), inputs.flag("refresh", refresh)
    start, end = checking.below(namespace)
    scope = (start, end, user, checking.filter(filter))
    if own is None:
        scores = await _scores(database, caller, embedders, query, scope)
    else:
        if len(own.vectors) != 1:
            raise Invalid("vectors", f"are {len(own.vectors)}, for one question")
        asked = (query, checking.vector(own.vectors[0], "vectors"), inputs.identifier("vectors", own.model))
        rows = await database.call("match_documents", caller.tenant, *scope, *asked)
        scores = {row["id"]: (row["cosine"], row["updated_at"]) for row in rows}
    ordered = sorted(
        ((score, at, id) for id, (score, at) in scores.items() if threshold == 0 or (score or 0) >= threshold),
        key=lambda entry: (entry[0] is not None, entry[0] or 0.0, entry[1], entry[2]),
        reverse=True,
    )
    chosen = {id: score for score, _, id in ordered[offset : offset + limit]}
    async with database.transaction(caller.tenant) as transaction:
        rows = await transaction.rows("documents_by_ids", list(chosen))
        if refresh:
            rows = await refreshed(transaction, rows)
    found = {row["id"]: row for row in rows}
    return [
        DocumentHit(document=document_from(found[id]), score=score)
        for id, score in chosen.items()
        if id in found  # deleted at this moment
    ]


async def _scores(
    database: Database, caller: Caller, embedders: Embedders, query: str, scope: Scope
) -> dict[UUID, tuple[float | None, Any]]:
    """How well each document of the scope fits, by the better of meaning and words, on the scale of recall."""

    async def matched(embedder: Embedder) -> tuple[str | None, Sequence[Row]]:
        (vector,) = await embedder.embed([query])
        asked = (*scope, query, vector.tolist(), embedder.name)
        rows = await database.call("match_documents", caller.tenant, *asked)
        missing = [row["id"] for row in rows if row["missing"]]
        name = await serving_model(database, caller.tenant)
        if missing and name in (None, embedder.name):
            try:
                await _fill(database, caller, embedder, missing[:MOST_AT_ONCE])
            except Unavailable as error:
                if error.part != "embedder":
                    raise
                # What has a vector is found by it, and the rest by its words.
                say(logging.WARNING, "documents.unfilled", model=embedder.name, error=type(error).__name__)
            rows = await database.call("match_documents", caller.tenant, *asked)
        return name, rows

    embedder = embedders.serving(caller.tenant)
    try:
        told = partial(serving_model, database, caller.tenant)
        rows, embedder = await embedders.ask(caller.tenant, matched, told)
    except Unavailable as error:
        if error.part != "embedder":
            raise
        say(logging.WARNING, "documents.words_only", model=embedder.name, error=type(error).__name__)
        rows = await database.call("match_documents", caller.tenant, *scope, query, None, embedder.name)
    scores = _relatedness(rows, embedder)
    return {row["id"]: (score, row["updated_at"]) for row, score in zip(rows, scores, strict=True)}


def _relatedness(rows: Sequence[Row], embedder: Embedder) -> list[float | None]:
    """None for a document that has no text."""
    import numpy as np

    if not rows:
        return []
    cosines = np.array([-np.inf if row["cosine"] is None else row["cosine"] for row in rows], np.float32)
    known = np.isfinite(cosines)
    meanings = np.where(known, embedder.relatedness(np.where(known, cosines, 0)), 0.0)
    shares = np.array([row["share"] for row in rows])
    # Both saturate, so what they agree on has to order what each of them is sure of.
    scores = np.minimum(np.maximum(meanings, shares) + 0.2 * np.minimum(meanings, shares), 1.0).round(4).tolist()
    return [score if row["texts"] else None for row, score in zip(rows, scores, strict=True)]


async def _fill(database: Database, caller: Caller, embedder: Embedder, documents: list[UUID]) -> None:
    """Vectors for texts that have none of this model yet, as after a change of the model."""
    began = time.monotonic()
    for start in range(0, len(documents), BATCH):
        if start and time.monotonic() - began > LONGEST_FILL:
            return
        some = documents[start : start + BATCH]
        rows = await database.read(caller.tenant, "document_texts_without", some, embedder.name, LONGEST)
        if not rows:
            continue
        made = await vectors_of_many(embedder, [row["text"] for row in rows])
        vectors = [sent(vector) for vector in made]
        given = ([row["document"] for row in rows], [row["place"] for row in rows], [row["text"] for row in rows])
        async with database.transaction(caller.tenant) as transaction:
            await transaction.run("take_generation", embedder.name)
            await transaction.run("store_document_vectors", embedder.name, *given, vectors, LONGEST)
