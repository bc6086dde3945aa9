"""The state of a conversation, and the workflows that move it."""

from __future__ import annotations

from typing import Any

import msgspec
from litestar import Request, Response, get, patch, post, put
from litestar.params import FromPath, FromQuery, JSONBody

from recollect.errors import Invalid
from recollect.server.naming import called
from recollect.server.once import append_key, once
from recollect.server.rules import rule
from recollect.server.versions import tag, versioned, wanted
from recollect.server.who import Asking
from recollect.server.wire.states import StateChanges, StateChangeView, StateView, state_view
from recollect.server.wire.view import shown
from recollect.workflows.definition import Workflow
from recollect.workflows.layout import Layout, layout
from recollect.workflows.records import State


class Moving(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The step to go to; ``cause`` says why, such as ``message:12``."""

    step: str
    cause: str | None = None


class Acting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The action to do, and what goes along with it."""

    action: str
    cause: str | None = None
    arguments: dict[str, Any] = {}


class BackTo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The version to go back to; by default the one before."""

    to: int | None = None
    cause: str | None = None


def _answer(request: Request[Any, Any, Any], state: State) -> Response[StateView]:
    return versioned(request, state_view(state), state.version)


@get("/api/conversations/{id:str}/state", opt=rule("read"))
async def read(
    request: Request[Any, Any, Any], id: FromPath[str], who: Asking, at: FromQuery[int | None] = None
) -> Response[StateView]:
    """Its working memory: step, draft, what is missing; or as it stood when message ``at`` was the newest."""
    return _answer(request, await (await who.chat(id)).state(at))


@patch("/api/conversations/{id:str}/state", opt=rule("write", versioned=True) | called(step="workflowStep"))
async def update(
    request: Request[Any, Any, Any],
    id: FromPath[str],
    data: JSONBody[dict[str, Any]],
    who: Asking,
    cause: FromQuery[str | None] = None,
) -> Response[StateView]:
    """Merge a patch into the state: the draft under its name, workflowStep, lastAction, metadata; null deletes."""
    chat = await who.chat(id)
    return _answer(request, await chat.update_state(data, version=wanted(request), cause=cause))


@post("/api/conversations/{id:str}/state/move", status_code=200, opt=rule("write", versioned=True))
async def move(
    request: Request[Any, Any, Any], id: FromPath[str], data: JSONBody[Moving], who: Asking
) -> Response[StateView]:
    """Go to another step of the workflow."""
    chat = await who.chat(id)
    return _answer(request, await chat.move(data.step, version=wanted(request), cause=data.cause))


@post("/api/conversations/{id:str}/state/act", status_code=200, opt=rule("write", versioned=True))
async def act(
    request: Request[Any, Any, Any], id: FromPath[str], data: JSONBody[Acting], who: Asking
) -> Response[StateView]:
    """Do a guarded action of the workflow; refused where it is not allowed. With an Idempotency-Key, once."""
    chat = await who.chat(id)
    if clash := {"action", "version", "cause", "key"} & set(data.arguments):
        raise Invalid("arguments", f"cannot have {min(clash)}")
    given: dict[str, Any] = {"version": wanted(request), "cause": data.cause, "key": append_key(request)}
    return _answer(request, await chat.act(data.action, **given, **data.arguments))


@get("/api/conversations/{id:str}/state/history", opt=rule("read"))
async def history(
    id: FromPath[str], who: Asking, limit: FromQuery[int] = 50, cursor: FromQuery[str | None] = None
) -> StateChanges:
    """What has changed in the state and what was refused, newest first."""
    page = await (await who.chat(id)).state_history(limit, cursor)
    return StateChanges(items=[shown(StateChangeView, one) for one in page.items], cursor=page.cursor)


@post("/api/conversations/{id:str}/state/undo", status_code=200, opt=rule("write", versioned=True))
async def undo(
    request: Request[Any, Any, Any], id: FromPath[str], data: JSONBody[BackTo], who: Asking
) -> Response[StateView]:
    """Go back to an earlier version of the state, as a new one; with If-Match, only from the one that was read;
    with an Idempotency-Key, once."""
    chat = await who.chat(id)

    async def make() -> StateView:
        return state_view(await chat.undo_state(data.to, version=wanted(request), cause=data.cause))

    async def read(_: int) -> StateView:
        return state_view(await chat.state())

    return await once(
        request,
        who,
        chat.user,
        make,
        read,
        keep=lambda state: state.version,
        status=200,
        headers=lambda state: tag(state, state.version),
    )


@get("/api/workflows", opt=rule("read"))
async def listed(who: Asking) -> list[Workflow]:
    """All workflows: those that come along, and the tenant's own."""
    return await who.door.workflows()


@get("/api/workflows/{name:str}", opt=rule("read"))
async def one(name: FromPath[str], who: Asking, version: FromQuery[int | None] = None) -> Workflow:
    """One workflow."""
    return await who.door.workflow(name, version)


@get("/api/workflows/{name:str}/layout", opt=rule("read"))
async def drawn(name: FromPath[str], who: Asking, version: FromQuery[int | None] = None) -> Layout:
    """Where the boxes and arrows of its picture go, for whoever draws it."""
    return layout(await who.door.workflow(name, version))


@put("/api/workflows/{name:str}", opt=rule("admin"))
async def define(name: FromPath[str], data: JSONBody[dict[str, Any]], who: Asking) -> Workflow:
    """Add a workflow, or a new version of it; conversations go on with the version that they began with."""
    return await who.door.define_workflow(name, data)


ROUTES = [read, update, move, act, history, undo, listed, one, drawn, define]
