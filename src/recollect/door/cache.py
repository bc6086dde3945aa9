"""The cache beside the store."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from recollect.conversations import caching
from recollect.door.part import Part
from recollect.records import Verified


class Cache(Part):
    """What an operator asks of the cache."""

    async def rebuild_cache(
        self, conversation: str | UUID | None = None, progress: Callable[[int, int], None] | None = None
    ) -> int:
        """Fill the cache anew from the database, for one conversation or for all; returns for how many."""
        return await caching.rebuild(self._database, self._caller, conversation, progress)

    async def verify_cache(self, sample: int = 1000) -> Verified:
        """Compare what is cached of the most recently active conversations with the database."""
        from recollect.recall.context import agrees  # loads the models' libraries

        same = partial(agrees, self._database, self._caller, self._models.embedders)
        return await caching.verify(self._database, self._caller, sample, same)

    async def cache_stats(self) -> dict[str, Any]:
        """What the cache of this process has counted, and what its servers say of themselves."""
        return await caching.stats(self._database)
