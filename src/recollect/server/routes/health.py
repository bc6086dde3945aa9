"""For whoever watches: alive, ready, and numbers."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import msgspec
from litestar import Request, Response, get

from recollect.errors import RecollectError
from recollect.opening import Recollect
from recollect.ports import Tended
from recollect.server.rules import rule
from recollect.work.queue import DueWork, due_tenants, work_in_numbers

#: Seconds in which the database must answer for the server to be ready.
IN_TIME = 3.0
#: Seconds that an answer of the database stands for.
FRESH = 1.0


class Health(msgspec.Struct, frozen=True):
    """How the server is."""

    status: str


@get("/healthz", opt=rule("public"))
async def healthz() -> Health:
    """The process is alive."""
    return Health("ok")


class Due:
    """How many tenants have due work, asked at most once a second: whoever asks here needs no credential."""

    def __init__(self, memory: Recollect) -> None:
        self._memory = memory
        self._asked = -FRESH
        self._due: int | None = None
        self.work: list[DueWork] = []
        self._lock = asyncio.Lock()

    async def count(self) -> int | None:
        """How many; None if the database does not answer."""
        async with self._lock:
            if time.monotonic() - self._asked >= FRESH:
                try:
                    async with asyncio.timeout(IN_TIME):
                        self._due = len(await due_tenants(self._memory.database))
                        self.work = await work_in_numbers(self._memory.database)
                except (RecollectError, TimeoutError):
                    self._due = None
                self._asked = time.monotonic()
        return self._due


@get("/readyz", opt=rule("public"))
async def readyz(request: Request[Any, Any, Any]) -> Response[Health]:
    """The database answers; 503 if it does not."""
    if await request.app.state.due.count() is None:
        return Response(Health("the database does not answer"), status_code=503, headers={"retry-after": "1"})
    return Response(Health("ready"))


@get("/metrics", opt=rule("metrics"), media_type="text/plain; version=0.0.4; charset=utf-8")
async def metrics(request: Request[Any, Any, Any]) -> str:
    """Numbers of this process, for Prometheus."""
    due: Due = request.app.state.due
    text = request.app.state.measures.text(await due.count(), due.work)
    cache = request.app.state.memory.database.cache
    return text + "".join(f"{line}\n" for line in cache.lines()) if isinstance(cache, Tended) else text


ROUTES = [healthz, readyz, metrics]
