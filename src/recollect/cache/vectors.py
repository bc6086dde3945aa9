"""Vectors of questions, kept in this process: the same question is often asked twice within a turn."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from recollect.cache.inprocess import Kept
from recollect.cache.rules import VECTOR_LIFE
from recollect.ports import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST = 1000


class Remembering:
    """An embedder that remembers the vectors of single texts, by a hash and not by the text."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._kept = Kept(MOST)

    @property
    def name(self) -> str:
        """As the embedder's."""
        return self._embedder.name

    @property
    def dimension(self) -> int:
        """As the embedder's."""
        return self._embedder.dimension

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row for each text; a single one may be remembered."""
        if len(texts) != 1:
            return await self._embedder.embed(texts)
        key = hashlib.blake2b(texts[0].encode(), digest_size=16).digest()
        found = self._kept.get(key, None)
        if found is None:
            found = await self._embedder.embed(texts)
            self._kept.put(key, None, VECTOR_LIFE, found)
        return found.copy()

    @property
    def calibration(self) -> object:
        """As the embedder's, if it has one."""
        return getattr(self._embedder, "calibration", None)

    async def load(self) -> None:
        """As the embedder's, if it has to be loaded."""
        load: Callable[[], Awaitable[None]] | None = getattr(self._embedder, "load", None)
        if load is not None:
            await load()

    def relatedness(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        """As the embedder's."""
        return self._embedder.relatedness(cosine)

    def reads(self, text: str) -> bool:
        """As the embedder's."""
        says: Callable[[str], bool] | None = getattr(self._embedder, "reads", None)
        return says is None or says(text)

    def ease(self, size: int) -> float:
        """As the embedder's."""
        says: Callable[[int], float] | None = getattr(self._embedder, "ease", None)
        return 0.0 if says is None else says(size)

    def slack(self, text: str) -> float:
        """As the embedder's."""
        says: Callable[[str], float] | None = getattr(self._embedder, "slack", None)
        return 0.0 if says is None else says(text)

    def forget(self) -> None:
        """Forget all: somebody was erased."""
        self._kept.clear()
