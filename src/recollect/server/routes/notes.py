"""Notes: the markdown document that an agent keeps about a user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from litestar import Request, Response, get, post
from litestar.params import FromQuery, JSONBody

from recollect.notes.records import Operation
from recollect.server.once import once
from recollect.server.rules import rule
from recollect.server.versions import tag, versioned, wanted
from recollect.server.who import Asking, Who
from recollect.server.wire.notes import NotesView, NoteVersions, NoteVersionView
from recollect.server.wire.view import shown


class Edit(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """One edit of the notes."""

    agent: str
    operation: Operation
    content: str | None = None
    section_header: str | None = None
    user: str | None = None


class Undo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The version to go back to; by default the one before."""

    agent: str
    version: int | None = None
    user: str | None = None


class Diff(msgspec.Struct, frozen=True, kw_only=True):
    """What changed, as a unified diff."""

    old: int
    new: int
    diff: str


@get("/api/notes", opt=rule("read"))
async def read(
    request: Request[Any, Any, Any],
    who: Asking,
    agent: FromQuery[str],
    user: FromQuery[str | None] = None,
    version: FromQuery[int | None] = None,
) -> Response[NotesView]:
    """The notes, or one of their earlier versions."""
    notes = await who.door.notes(who.user(user), agent, version=version)
    return versioned(request, shown(NotesView, notes), notes.version)


@post("/api/notes", status_code=200, opt=rule("write", versioned=True))
async def edit(request: Request[Any, Any, Any], data: JSONBody[Edit], who: Asking) -> Response[NotesView]:
    """Edit the notes; with If-Match, only if they are still at the version that was read; with an Idempotency-Key,
    exactly once."""
    user = who.user(data.user)

    async def make() -> NotesView:
        notes = await who.door.edit_notes(
            data.operation,
            data.content,
            user=user,
            agent=data.agent,
            section_header=data.section_header,
            version=wanted(request),
        )
        return shown(NotesView, notes)

    return await _changed_once(request, who, user, data.agent, make)


@get("/api/notes/versions", opt=rule("read"))
async def versions(
    who: Asking,
    agent: FromQuery[str],
    user: FromQuery[str | None] = None,
    limit: FromQuery[int] = 50,
    cursor: FromQuery[str | None] = None,
) -> NoteVersions:
    """The versions of the notes, newest first, without their texts."""
    page = await who.door.notes_history(who.user(user), agent, limit=limit, cursor=cursor)
    return NoteVersions(items=[shown(NoteVersionView, one) for one in page.items], cursor=page.cursor)


@get("/api/notes/diff", opt=rule("read"))
async def diff(
    who: Asking,
    agent: FromQuery[str],
    old: FromQuery[int],
    new: FromQuery[int],
    user: FromQuery[str | None] = None,
) -> Diff:
    """What changed between two versions."""
    return Diff(old=old, new=new, diff=await who.door.diff_notes(who.user(user), agent, old, new))


@post("/api/notes/undo", status_code=200, opt=rule("write", versioned=True))
async def undo(request: Request[Any, Any, Any], data: JSONBody[Undo], who: Asking) -> Response[NotesView]:
    """Go back to an earlier version, as a new one; with If-Match, only from the version that was read; with an
    Idempotency-Key, once."""
    user = who.user(data.user)

    async def make() -> NotesView:
        notes = await who.door.undo_notes(user, data.agent, data.version, current=wanted(request))
        return shown(NotesView, notes)

    return await _changed_once(request, who, user, data.agent, make)


async def _changed_once(
    request: Request[Any, Any, Any], who: Who, user: str, agent: str, make: Callable[[], Awaitable[NotesView]]
) -> Response[NotesView]:
    """Who asks again gets the version that was made."""

    async def read(version: int) -> NotesView:
        return shown(NotesView, await who.door.notes(user, agent, version=version))

    return await once(
        request,
        who,
        user,
        make,
        read,
        keep=lambda notes: notes.version,
        status=200,
        headers=lambda notes: tag(notes, notes.version),
    )


ROUTES = [read, edit, versions, diff, undo]
