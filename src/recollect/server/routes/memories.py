"""Memories of an agent, a bot to some clients: both paths are the same, but a bot's list is a plain array."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from litestar import Request, Response, delete, get, post, put
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from recollect import inputs
from recollect.errors import Invalid, NotFound
from recollect.records import Memory, Page, Source
from recollect.server.bodies import moment_in
from recollect.server.naming import called
from recollect.server.once import once
from recollect.server.rules import rule
from recollect.server.sizes import fitting, paged
from recollect.server.versions import tag, versioned, wanted
from recollect.server.who import Asking, Who
from recollect.server.wire.admin import DigestedView
from recollect.server.wire.memories import Memories, MemoryVersionView, MemoryView, SourceView, memory_view
from recollect.server.wire.view import shown

MOST_AT_ONCE = 1000
Status = Literal["active", "quarantined", "retired"]
AsOf = Annotated[str | None, QueryParameter(name="asOf", schema_extra={"format": "date-time"})]
LeastImportance = Annotated[
    float | None,
    QueryParameter(
        name="minImportance",
        description="Only memories of at least this importance.",
        schema_extra={"minimum": 0, "maximum": 1},
    ),
]


class NewMemory(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """An insight to remember."""

    key_point: str
    category: str | None = None
    importance: float | None = None
    pinned: bool | None = None
    expires_at: datetime | None = None
    valid_from: datetime | None = None
    source: SourceView | None = None
    author: str | None = None
    trust: str | None = None
    context: dict[str, Any] | None = None


class FromTemplate(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A template, and what to fill in."""

    template: str
    fields: dict[str, Any]
    """Texts. The door looks at each, and knows its name."""
    expires_at: datetime | None = None
    source: SourceView | None = None


class MemoryChange(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What to change; what is not there stays as it is. ``null`` takes the category or the expiry away, and leaves
    the others as they are."""

    key_point: str | None = None
    category: str | msgspec.UnsetType | None = msgspec.UNSET
    importance: float | None = None
    pinned: bool | None = None
    expires_at: datetime | msgspec.UnsetType | None = msgspec.UNSET


class Back(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The version to go back to; by default the one before."""

    to: int | None = None


class Several(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Some memories."""

    ids: list[str]


class Forgotten(msgspec.Struct, frozen=True, kw_only=True):
    """How many were forgotten, and which were not there."""

    forgotten: int
    missing: list[str]


def both(rest: str = "") -> list[str]:
    """The paths of a route, for agents and for bots."""
    return [f"/api/agents/{{agent:str}}/memories{rest}", f"/api/bots/{{agent:str}}/memories{rest}"]


def _source(given: SourceView | None) -> Source | None:
    """Where a memory is said to come from; the door sees to it that these are messages of its user."""
    return None if given is None else Source(given.conversation, given.first, given.last)


@get("/api/agents/{agent:str}/memories", opt=rule("read"))
async def listed(
    agent: FromPath[str],
    who: Asking,
    user: FromQuery[str | None] = None,
    category: FromQuery[str | None] = None,
    text: FromQuery[str | None] = None,
    status: FromQuery[Status] = "active",
    as_of: AsOf = None,
    min_importance: LeastImportance = None,
    limit: FromQuery[int] = 50,
    cursor: FromQuery[str | None] = None,
    offset: FromQuery[int] = 0,
) -> Memories:
    """The memories of the agent's pool, newest first; ``offset`` leaves out so many after the cursor."""
    whose, moment = who.user(user), moment_in("asOf", as_of)

    async def part(most: int, after: str | None) -> Page[Memory]:
        return await who.door.memories(
            whose,
            agent,
            category=category,
            text=text,
            status=status,
            as_of=moment,
            min_importance=min_importance,
            limit=most,
            cursor=after,
            offset=offset if after == cursor else 0,
        )

    page = await paged(part, limit, cursor)
    return Memories(items=[memory_view(one) for one in page.items], cursor=page.cursor)


@get("/api/bots/{agent:str}/memories", opt=rule("read"))
async def of_bot(
    agent: FromPath[str],
    who: Asking,
    user: FromQuery[str | None] = None,
    category: FromQuery[str | None] = None,
    text: FromQuery[str | None] = None,
    status: FromQuery[Status] = "active",
    as_of: AsOf = None,
    min_importance: LeastImportance = None,
    limit: FromQuery[int] = 50,
    cursor: FromQuery[str | None] = None,
    offset: FromQuery[int] = 0,
) -> list[MemoryView]:
    """The memories of a bot, newest first, by limit and offset; also after a cursor of the agent's list."""
    page = await who.door.memories(
        who.user(user),
        agent,
        category=category,
        text=text,
        status=status,
        as_of=moment_in("asOf", as_of),
        min_importance=min_importance,
        limit=limit,
        cursor=cursor,
        offset=offset,
    )
    return fitting([memory_view(one) for one in page.items])


@post(both(), opt=rule("write") | called(text="keyPoint"))
async def remember(
    request: Request[Any, Any, Any],
    agent: FromPath[str],
    data: JSONBody[NewMemory],
    who: Asking,
    user: FromQuery[str | None] = None,
) -> Response[MemoryView]:
    """Remember an insight. The same thing said again refreshes what is there."""
    whose = who.user(user)

    async def make() -> MemoryView:
        return memory_view(
            await who.door.remember(
                data.key_point,
                whose,
                agent,
                category=data.category,
                importance=data.importance,
                pinned=data.pinned,
                expires_at=data.expires_at,
                valid_from=data.valid_from,
                source=_source(data.source),
                author=data.author,
                trust=data.trust,
                context=data.context,
            )
        )

    return await _made_once(request, who, whose, make)


async def _made_once(
    request: Request[Any, Any, Any],
    who: Who,
    user: str,
    make: Callable[[], Awaitable[MemoryView]],
    *,
    status: int = 201,
) -> Response[MemoryView]:
    """Who asks again gets the memory as it is by now, if it is still there."""

    async def read(id: str) -> MemoryView:
        return memory_view(await who.memory(id, user))

    return await once(
        request, who, user, make, read, status=status, headers=lambda memory: tag(memory, memory.version)
    )


async def undone_once(
    request: Request[Any, Any, Any], who: Who, memory: Memory, to: int | None
) -> Response[MemoryView]:
    """An earlier version made the current one again."""

    async def make() -> MemoryView:
        return memory_view(await who.door.undo(memory.id, to))

    return await _made_once(request, who, memory.user, make, status=200)


@post(both("/from-template"), opt=rule("write") | called(text="fields"))
async def remember_as(
    request: Request[Any, Any, Any],
    agent: FromPath[str],
    data: JSONBody[FromTemplate],
    who: Asking,
    user: FromQuery[str | None] = None,
) -> Response[MemoryView]:
    """Remember by a template."""
    whose = who.user(user)

    async def make() -> MemoryView:
        return memory_view(
            await who.door.remember_as(
                data.template,
                data.fields,
                whose,
                agent,
                expires_at=data.expires_at,
                source=_source(data.source),
            )
        )

    return await _made_once(request, who, whose, make)


@post(both("/summarize"), status_code=200, opt=rule("write"))
async def summarize(agent: FromPath[str], who: Asking, user: FromQuery[str | None] = None) -> DigestedView:
    """Merge what the pool says twice, now."""
    return shown(DigestedView, await who.door.consolidate(who.user(user), agent))


@post(both("/forget"), status_code=200, opt=rule("write") | called(id="ids"))
async def forget_several(
    agent: FromPath[str], data: JSONBody[Several], who: Asking, user: FromQuery[str | None] = None
) -> Forgotten:
    """Delete several memories; those that are not there are named. An id that is none lets all stay."""
    if not 1 <= len(data.ids) <= MOST_AT_ONCE:
        raise Invalid("ids", f"must be 1 to {MOST_AT_ONCE} at once, not {len(data.ids)}")
    whose = who.user_if_any(user)
    ids = dict.fromkeys(str(inputs.uuid("id", id)) for id in data.ids)
    there: list[str] = []
    missing: list[str] = []
    for id in ids:
        try:
            there.append((await who.memory_of(agent, id, whose)).id)
        except NotFound:
            missing.append(id)
    for id in there:
        with suppress(NotFound):  # what was merged into one of the others is gone with it
            await who.door.forget(id)
    return Forgotten(forgotten=len(there), missing=missing)


@get(both("/{id:str}"), opt=rule("read"))
async def one(
    request: Request[Any, Any, Any],
    agent: FromPath[str],
    id: FromPath[str],
    who: Asking,
    user: FromQuery[str | None] = None,
) -> Response[MemoryView]:
    """One memory."""
    memory = await who.memory_of(agent, id, user)
    return versioned(request, memory_view(memory), memory.version)


@put(both("/{id:str}"), opt=rule("write", versioned=True) | called(text="keyPoint"))
async def revise(
    request: Request[Any, Any, Any],
    agent: FromPath[str],
    id: FromPath[str],
    data: JSONBody[MemoryChange],
    who: Asking,
    user: FromQuery[str | None] = None,
) -> Response[MemoryView]:
    """Change a memory; with If-Match, only if it is still the version that was read."""
    await who.memory_of(agent, id, user)
    memory = await who.door.revise(
        id,
        data.key_point,
        version=wanted(request),
        category=data.category,
        importance=data.importance,
        pinned=data.pinned,
        expires_at=data.expires_at,
    )
    return versioned(request, memory_view(memory), memory.version)


@delete(both("/{id:str}"), opt=rule("write", versioned=True))
async def forget(
    request: Request[Any, Any, Any],
    agent: FromPath[str],
    id: FromPath[str],
    who: Asking,
    user: FromQuery[str | None] = None,
) -> None:
    """Delete a memory with its versions; it is not learned again until a person says it."""
    await who.memory_of(agent, id, user)
    await who.door.forget(id, version=wanted(request))


@get(both("/{id:str}/versions"), opt=rule("read"))
async def history(
    agent: FromPath[str], id: FromPath[str], who: Asking, user: FromQuery[str | None] = None
) -> list[MemoryVersionView]:
    """Every version of a memory, oldest first."""
    await who.memory_of(agent, id, user)
    return [shown(MemoryVersionView, version) for version in await who.door.history(id)]


@post(both("/{id:str}/undo"), status_code=200, opt=rule("write"))
async def undo(
    request: Request[Any, Any, Any],
    agent: FromPath[str],
    id: FromPath[str],
    data: JSONBody[Back],
    who: Asking,
    user: FromQuery[str | None] = None,
) -> Response[MemoryView]:
    """Make an earlier version the current one again; with an Idempotency-Key, once."""
    return await undone_once(request, who, await who.memory_of(agent, id, user), data.to)


@post(both("/{id:str}/release"), status_code=200, opt=rule("write"))
async def release(
    request: Request[Any, Any, Any],
    agent: FromPath[str],
    id: FromPath[str],
    who: Asking,
    user: FromQuery[str | None] = None,
) -> Response[MemoryView]:
    """Let a quarantined memory take part."""
    await who.memory_of(agent, id, user)
    memory = await who.door.release(id)
    return versioned(request, memory_view(memory), memory.version)


ROUTES = [
    listed,
    of_bot,
    remember,
    remember_as,
    summarize,
    forget_several,
    one,
    revise,
    forget,
    history,
    undo,
    release,
]
