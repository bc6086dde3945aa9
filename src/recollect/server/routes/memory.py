"""One memory by its id alone, for clients that do not remember whose pool it is in."""

from __future__ import annotations

from typing import Any

from litestar import Request, Response, delete, get, post, put
from litestar.params import FromPath, JSONBody

from recollect.records import Memory
from recollect.server.naming import called
from recollect.server.routes.memories import Back, MemoryChange, undone_once
from recollect.server.rules import rule
from recollect.server.versions import versioned, wanted
from recollect.server.who import Asking
from recollect.server.wire.memories import MemoryVersionView, MemoryView, memory_view
from recollect.server.wire.view import shown


def _answer(request: Request[Any, Any, Any], memory: Memory) -> Response[MemoryView]:
    return versioned(request, memory_view(memory), memory.version)


@get("/api/memories/{id:str}", opt=rule("read"))
async def one(request: Request[Any, Any, Any], id: FromPath[str], who: Asking) -> Response[MemoryView]:
    """One memory."""
    return _answer(request, await who.memory(id))


@put("/api/memories/{id:str}", opt=rule("write", versioned=True) | called(text="keyPoint"))
async def revise(
    request: Request[Any, Any, Any], id: FromPath[str], data: JSONBody[MemoryChange], who: Asking
) -> Response[MemoryView]:
    """Change a memory; with If-Match, only if it is still the version that was read."""
    await who.memory(id)
    memory = await who.door.revise(
        id,
        data.key_point,
        version=wanted(request),
        category=data.category,
        importance=data.importance,
        pinned=data.pinned,
        expires_at=data.expires_at,
    )
    return _answer(request, memory)


@delete("/api/memories/{id:str}", opt=rule("write", versioned=True))
async def forget(request: Request[Any, Any, Any], id: FromPath[str], who: Asking) -> None:
    """Delete a memory with its versions; it is not learned again until a person says it."""
    await who.memory(id)
    await who.door.forget(id, version=wanted(request))


@get("/api/memories/{id:str}/versions", opt=rule("read"))
async def history(id: FromPath[str], who: Asking) -> list[MemoryVersionView]:
    """Every version of a memory, oldest first."""
    await who.memory(id)
    return [shown(MemoryVersionView, version) for version in await who.door.history(id)]


@post("/api/memories/{id:str}/undo", status_code=200, opt=rule("write"))
async def undo(
    request: Request[Any, Any, Any], id: FromPath[str], data: JSONBody[Back], who: Asking
) -> Response[MemoryView]:
    """Make an earlier version the current one again; with an Idempotency-Key, once."""
    return await undone_once(request, who, await who.memory(id), data.to)


@post("/api/memories/{id:str}/release", status_code=200, opt=rule("write"))
async def release(request: Request[Any, Any, Any], id: FromPath[str], who: Asking) -> Response[MemoryView]:
    """Let a quarantined memory take part."""
    await who.memory(id)
    return _answer(request, await who.door.release(id))


ROUTES = [one, revise, forget, history, undo, release]
