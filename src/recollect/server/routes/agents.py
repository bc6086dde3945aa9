"""Agents: how they are set up, what they recall, and what they did not learn."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec
from litestar import Request, Response, get, post, put
from litestar.params import FromPath, FromQuery, JSONBody

from recollect.server.rules import rule
from recollect.server.versions import versioned, wanted
from recollect.server.who import Asking
from recollect.server.wire.agents import AgentView
from recollect.server.wire.memories import RefusalView
from recollect.server.wire.search import HitView, hit_view
from recollect.server.wire.view import shown


class AgentChange(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What to change; what is not there stays as it is. ``null``, as does ``""``, takes the workflow or the model
    away; ``null`` leaves the others as they are."""

    instructions: str | None = None
    window: int | None = None
    budget: int | None = None
    pool: str | None = None
    learn_every: int | None = None
    workflow: str | msgspec.UnsetType | None = msgspec.UNSET
    model: str | msgspec.UnsetType | None = msgspec.UNSET


class Question(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What to recall."""

    query: str
    limit: int = 5
    threshold: float | None = None
    as_of: datetime | None = None
    over: Literal["memories", "messages", "both"] = "memories"


@get("/api/agents", opt=rule("read"))
async def listed(who: Asking, user: FromQuery[str | None] = None, limit: FromQuery[int] = 200) -> list[str]:
    """The names of the agents that were set up, or that somebody has talked to."""
    return await who.door.agents(who.user_if_any(user), limit=limit)


@get("/api/agents/{agent:str}", opt=rule("read"))
async def one(request: Request[Any, Any, Any], agent: FromPath[str], who: Asking) -> Response[AgentView]:
    """How an agent is set up; the defaults if nobody has."""
    found = await who.door.agent(agent)
    return versioned(request, shown(AgentView, found), found.version)


@put("/api/agents/{agent:str}", opt=rule("admin", versioned=True))
async def configure(
    request: Request[Any, Any, Any], agent: FromPath[str], data: JSONBody[AgentChange], who: Asking
) -> Response[AgentView]:
    """Set an agent up."""
    given = msgspec.structs.asdict(data)
    for name in ("workflow", "model"):  # absent keeps, as None does at the door; null takes away, as "" does there
        given[name] = None if given[name] is msgspec.UNSET else given[name] or ""
    found = await who.door.configure_agent(agent, **given, version=wanted(request))
    return versioned(request, shown(AgentView, found), found.version)


@post(["/api/agents/{agent:str}/recall", "/api/bots/{agent:str}/recall"], status_code=200, opt=rule("read"))
async def recall(
    agent: FromPath[str], data: JSONBody[Question], who: Asking, user: FromQuery[str | None] = None
) -> list[HitView]:
    """What belongs to a question, best first; nothing when nothing does."""
    hits = await who.door.recall(
        data.query,
        who.user(user),
        agent,
        limit=data.limit,
        threshold=data.threshold,
        as_of=data.as_of,
        over=data.over,
    )
    return [hit_view(hit) for hit in hits]


@get(["/api/agents/{agent:str}/refusals", "/api/bots/{agent:str}/refusals"], opt=rule("read"))
async def refusals(
    agent: FromPath[str], who: Asking, user: FromQuery[str | None] = None, limit: FromQuery[int] = 50
) -> list[RefusalView]:
    """What was not learned about a user, and why, newest first."""
    found = await who.door.refusals(who.user(user), agent, limit=limit)
    return [shown(RefusalView, refusal) for refusal in found]


ROUTES = [listed, one, configure, recall, refusals]
