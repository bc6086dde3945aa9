"""Vectors of many texts, of which some may have none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.errors import Unavailable
from recollect.ports import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: No endpoint refuses it, unless it refuses everything.
HARMLESS = "hello"


class NoVector(Unavailable):
    """The embedder answers, and has no vector for any of the texts."""


async def vectors_of_many(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """One row for each text, zeros where the embedder has none for it: were this to fail, the same texts would be
    sent again and again. A harmless one beside them tells it from an endpoint that refuses everything."""
    try:
        return await embedder.embed(texts)
    except NoVector:
        return (await embedder.embed([*texts, HARMLESS]))[:-1]
