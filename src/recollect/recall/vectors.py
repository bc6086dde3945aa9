"""The vectors of messages: made when a recall first meets a message, and kept."""

from __future__ import annotations

import logging
import time
from functools import partial

import numpy as np
from numpy.typing import NDArray

from recollect.errors import Unavailable
from recollect.models.generations import Embedders
from recollect.models.many import vectors_of_many
from recollect.models.questions import vector_of
from recollect.observe.logs import say
from recollect.ports import Embedder
from recollect.recall.scope import Scope, column
from recollect.records import Caller
from recollect.storage.database import Database, Row
from recollect.storage.serving import serving_model
from recollect.storage.vectors import sent
from recollect.text.spoken import LONGEST, spoken

#: So many are embedded within one call; the rest are found by their words until the next calls.
MOST_AT_ONCE = 4000
#: Few enough for one request of an embedder, so that what it made is kept if the next one fails.
BATCH = 250
#: After so many seconds no more are begun: somebody waits for the answer.
LONGEST_FILL = 10.0


async def cosines(
    database: Database, caller: Caller, embedders: Embedders, scope: Scope, question: str, stressed: str = ""
) -> tuple[NDArray[np.float32], Embedder]:
    """How near each row is to the question, of which a part may be ``stressed``, and by whose measure; NaN where
    it has no vector. A failing model costs the vectors only."""
    near = np.full(len(scope), np.nan, np.float32)

    async def search(embedder: Embedder) -> tuple[str | None, tuple[NDArray[np.float32], Row]]:
        asked = await vector_of(embedder, question)
        if stressed:
            both = asked + await vector_of(embedder, stressed)
            asked = both / max(float(np.linalg.norm(both)), 1e-9)
        # A question that means nothing to this model may mean something to the one that serves.
        wanted = (caller.tenant, scope.conversations, embedder.name, asked)
        row = (await database.call("recall_vectors", *wanted))[0]
        return row["serving"], (asked, row)

    embedder = embedders.serving(caller.tenant)
    try:
        told = partial(serving_model, database, caller.tenant)
        (asked, row), embedder = await embedders.ask(caller.tenant, search, told)
        if not asked.any():
            return near, embedder
        if row["key"] is not None:
            places, known = scope.rows(column(row["key"], ">i8"))
            near[places] = -column(row["far"], ">f4")[known]
        missing = np.flatnonzero(np.isnan(near))
        if len(missing):
            await _embed(database, caller, embedder, scope, missing, asked, near)
    except Unavailable as error:
        say(logging.WARNING, "recall.words_only", model=embedder.name, error=type(error).__name__)
    return near, embedder


async def _embed(
    database: Database,
    caller: Caller,
    embedder: Embedder,
    scope: Scope,
    missing: NDArray[np.int64],
    asked: NDArray[np.float32],
    near: NDArray[np.float32],
) -> None:
    """The newest first: they are what is asked for most."""
    newest = missing[np.argsort(-scope.at[missing], kind="stable")][:MOST_AT_ONCE]
    began = time.monotonic()
    for start in range(0, len(newest), BATCH):
        if start and time.monotonic() - began > LONGEST_FILL:
            return
        conversations, seqs = scope.ids(newest[start : start + BATCH])
        rows = await database.call("recall_texts", caller.tenant, conversations, seqs, LONGEST)
        if not rows:
            continue
        made = await vectors_of_many(embedder, [spoken(row["name"], row["content"]) for row in rows])
        there, numbers = [row["conversation"] for row in rows], [row["seq"] for row in rows]
        places, known = scope.rows(scope.keys(there, numbers))
        near[places] = (made @ asked)[known]
        async with database.transaction(caller.tenant) as transaction:
            await transaction.run("take_generation", embedder.name)
            await transaction.run(
                "store_message_vectors",
                there,
                numbers,
                embedder.name,
                [sent(one) for one in made],
            )
