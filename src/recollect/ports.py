"""What the roads need from the outside, as protocols of one to three methods. No implementation is named here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # importing recollect must not import numpy
    import numpy as np
    from numpy.typing import NDArray


class Counter(Protocol):
    """Counts the tokens of a text as a model will count them, or a few too many."""

    def count(self, text: str) -> int:
        """How many tokens; may load a vocabulary at the first call."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors whose cosine tells how near their meanings are."""

    @property
    def name(self) -> str:
        """Stamped on every vector: vectors of two names are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """The length of its vectors."""
        ...

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 for each text (all zeros where there is nothing to embed), off the event loop."""
        ...

    def relatedness(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        """Its cosines on the common scale from 0 to 1, where 0.5 means "related"."""
        ...
