"""The vector of a question, as far as the model can read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.ports import Embedder, Reader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


async def vector_of(embedder: Embedder, question: str) -> NDArray[np.float32]:
    """What a model makes of a question; zeros, which are near to nothing, if it cannot read it. What is stored
    keeps its vectors: texts of one language can still be compared, only "near" does not mean "related" there."""
    if isinstance(embedder, Reader) and not embedder.reads(question):
        import numpy as np

        return np.zeros(embedder.dimension, np.float32)
    return (await embedder.embed([question]))[0]
