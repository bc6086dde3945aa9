"""Documents when the embedding model changes, or does not answer."""

from __future__ import annotations

from collections.abc import Sequence

import asyncpg
import numpy as np
from numpy.typing import NDArray

from recollect import Recollect, Unavailable
from recollect.door import Door
from recollect.handle import Models
from recollect.models.tokens import default_counter


class Animals:
    """Knows that a terrier is a dog, and nothing else."""

    def __init__(self, name: str, dimension: int) -> None:
        self.name, self.dimension, self.answers = name, dimension, True

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if not self.answers:
            raise Unavailable("embedder", "asleep")
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[0 if "dog" in text or "terrier" in text else 1] = 1
        return rows

    def relatedness(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(cosine, np.float32)


def _door(memory: Recollect, embedder: Animals, *others: Animals) -> Door:
    known = {one.name: one for one in (embedder, *others)}
    database, caller = memory._database, memory._caller  # pyright: ignore[reportPrivateUsage]
    return Door(database, caller, Models(lambda: embedder, default_counter, known.get))


async def test_a_new_model_finds_old_documents_by_meaning(memory: Recollect, admin: asyncpg.Connection) -> None:
    old, new = Animals("old", 4), Animals("new", 7)
    before, after = _door(memory, old), _door(memory, new, old)
    await before.put_document(("pets",), "rex", {"text": "a terrier"})
    await before.put_document(("pets",), "tom", {"text": "a cat"})
    # The old generation serves until the new one is complete.
    assert [hit.document.key for hit in await after.search_documents("my dog")] == ["rex"]
    await after.reembed()
    assert [hit.document.key for hit in await after.search_documents("my dog")] == ["rex"]
    await after.reembed()
    rows = await admin.fetch(
        "select distinct model, vector_dims(embedding) as size from recollect.document_vectors where tenant = $1",
        memory.tenant,
    )
    assert [(row["model"], row["size"]) for row in rows] == [("new", 7)]


async def test_a_model_that_does_not_answer_costs_the_meaning_only(memory: Recollect) -> None:
    model = Animals("shy", 4)
    door = _door(memory, model)
    model.answers = False
    await door.put_document(("pets",), "rex", {"text": "a terrier"})
    assert [hit.document.key for hit in await door.search_documents("terriers")] == ["rex"]
    assert await door.search_documents("my dog") == []
    model.answers = True
    assert [hit.document.key for hit in await door.search_documents("my dog")] == ["rex"]
