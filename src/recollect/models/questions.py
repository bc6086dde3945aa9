"""The vector of a question, as far as the model can read it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from recollect.errors import Unavailable
from recollect.ports import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def reads(embedder: Embedder, text: str) -> bool:
    """Whether the embedder's scale of relatedness holds for this text. One that has no ``reads`` takes all; to
    ask whether it is of a protocol that has one would take five times as long."""
    says: Callable[[str], bool] | None = getattr(embedder, "reads", None)
    return says is None or says(text)


async def ready(embedder: Embedder) -> None:
    """Before its scale is asked for: what has to be loaded is, off the event loop. If that fails, the scale is as
    it can be told."""
    load: Callable[[], Awaitable[None]] | None = getattr(embedder, "load", None)
    if load is not None:
        with suppress(Unavailable):
            await load()


def slack(embedder: Embedder, question: str) -> float:
    """By how much the cosines of this question are below those that the scale was made for; one that has no
    ``slack`` has none."""
    says: Callable[[str], float] | None = getattr(embedder, "slack", None)
    return 0.0 if says is None else says(question)


def ease(embedder: Embedder, size: int) -> float:
    """By how much less near is as related among so few memories; one that has no ``ease`` makes no difference."""
    says: Callable[[int], float] | None = getattr(embedder, "ease", None)
    return 0.0 if says is None else says(size)


async def vector_of(embedder: Embedder, question: str) -> NDArray[np.float32]:
    """What a model makes of a question; zeros, which are near to nothing, if it cannot read it. What is stored
    keeps its vectors: texts of one language can still be compared, only "near" does not mean "related" there."""
    return (await vectors_of(embedder, [question]))[0]


async def vectors_of(embedder: Embedder, forms: Sequence[str]) -> NDArray[np.float32]:
    """The same for several forms of one question, the first of which tells whether it can be read."""
    if not reads(embedder, forms[0]):
        import numpy as np

        return np.zeros((len(forms), embedder.dimension), np.float32)
    return await embedder.embed(forms)
