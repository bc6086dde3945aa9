"""What all requests of the proxy share: the upstream, what tenants may use of it, and what outlives a request."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from recollect.models.spending import Allowance
from recollect.opening import Recollect
from recollect.server.proxy.upstream import Upstream
from recollect.settings import Settings
from recollect.storage.spending import TenantLedger

#: Seconds that what is still being written down gets, when the server stops.
TO_WRITE = 15.0


class Gateway:
    """The upstream, if the operator has set one."""

    def __init__(self, memory: Recollect, settings: Settings) -> None:
        self._memory = memory
        self._limit = settings.model_tokens_per_day
        self.upstream = None if settings.upstream is None else Upstream(settings)
        self._tasks: set[asyncio.Task[Any]] = set()

    def allowance(self, tenant: str) -> Allowance:
        """What a tenant may use in a day."""
        return Allowance(TenantLedger(self._memory.database, tenant), self._limit)

    async def finish(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something to its end, whether or not the client stays."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        await asyncio.shield(task)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # heard, even if nobody waits any more

    async def close(self) -> None:
        """Let what is being written down come to its end."""
        if self._tasks:
            await asyncio.wait(list(self._tasks), timeout=TO_WRITE)
        if self.upstream is not None:
            await self.upstream.close()
