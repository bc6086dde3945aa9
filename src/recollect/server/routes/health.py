"""For whoever watches: alive, ready, and numbers."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from litestar import Request, Response, get

from recollect.errors import RecollectError
from recollect.server.rules import rule
from recollect.work.queue import due_tenants

#: Seconds in which the database must answer for the server to be ready.
IN_TIME = 3.0


class Health(msgspec.Struct, frozen=True):
    """How the server is."""

    status: str


@get("/healthz", opt=rule("public"))
async def healthz() -> Health:
    """The process is alive."""
    return Health("ok")


@get("/readyz", opt=rule("public"))
async def readyz(request: Request[Any, Any, Any]) -> Response[Health]:
    """The database answers; 503 if it does not."""
    try:
        async with asyncio.timeout(IN_TIME):
            await due_tenants(request.app.state.memory.database)
    except (RecollectError, TimeoutError):
        return Response(Health("the database does not answer"), status_code=503, headers={"retry-after": "1"})
    return Response(Health("ready"))


@get("/metrics", opt=rule("operator"), media_type="text/plain; version=0.0.4; charset=utf-8")
async def metrics(request: Request[Any, Any, Any]) -> str:
    """Numbers of this process, for Prometheus."""
    try:
        async with asyncio.timeout(IN_TIME):
            due = len(await due_tenants(request.app.state.memory.database))
    except (RecollectError, TimeoutError):
        due = None
    return request.app.state.measures.text(due)


ROUTES = [healthz, readyz, metrics]
