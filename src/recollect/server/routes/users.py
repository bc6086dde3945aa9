"""Everything of a user: take it along, bring it back, erase it."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator
from typing import IO, Any, Literal

from litestar import delete, get, post
from litestar.params import FromPath, FromQuery, JSONBody
from litestar.response import Stream

from recollect.server.rules import rule
from recollect.server.who import Asking
from recollect.server.wire.users import ImportedView, ReceiptView
from recollect.server.wire.view import shown

#: An export up to this size stays in memory; a larger one goes through a file.
IN_MEMORY = 4 << 20
PIECE = 256 << 10
MOST_IMPORT = 128 << 20
Format = Literal["recollect", "chatgpt", "mem0", "langchain-postgres"]


async def _pieces(file: IO[bytes]) -> AsyncGenerator[bytes]:
    with file:
        while piece := file.read(PIECE):
            yield piece


@get("/api/users/{user:str}/export", opt=rule("read"))
async def export(user: FromPath[str], who: Asking) -> Stream:
    """Everything that there is of a user, as of one moment."""
    whose = who.user(user)
    file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  (closed when it is sent)
    try:
        entries = await who.door.export_to(file.write, whose)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    headers = {
        "content-disposition": 'attachment; filename="recollect-export.json"',
        "recollect-entries": str(entries),
    }
    return Stream(_pieces(file), media_type="application/json", headers=headers)  # pyright: ignore[reportArgumentType]


@post("/api/users/{user:str}/import", status_code=200, opt=rule("write"), request_max_body_size=MOST_IMPORT)
async def bring_back(
    user: FromPath[str],
    data: JSONBody[dict[str, Any] | list[Any]],
    who: Asking,
    format: FromQuery[Format] = "recollect",
    agent: FromQuery[str | None] = None,
) -> ImportedView:
    """Bring in an export. What is there already stays, so that it can be sent again. Settings of agents and
    workflows, which concern all users, come along only with the scope admin; without it, a workflow that a state
    follows must be defined already."""
    whose = who.user(user)
    if "admin" in who.holder.scopes:
        done = await who.door.import_from(format, data, user=whose, agent=agent)
    else:
        done = await who.door.import_own(format, data, whose, agent)
    return shown(ImportedView, done)


@post("/api/import", status_code=200, opt=rule("admin"), request_max_body_size=MOST_IMPORT)
async def bring_all(
    data: JSONBody[dict[str, Any] | list[Any]],
    who: Asking,
    format: FromQuery[Format] = "recollect",
    agent: FromQuery[str | None] = None,
) -> ImportedView:
    """The same for whomever the document names: memories of several users, or an export's own user."""
    return shown(ImportedView, await who.door.import_from(format, data, agent=agent))


@delete("/api/users/{user:str}", status_code=200, opt=rule("write", all_users="admin"))
async def erase(user: FromPath[str], who: Asking) -> ReceiptView:
    """Remove everything of a user, for good; the receipt says how much it was, and not of whom."""
    return shown(ReceiptView, await who.door.erase(who.user(user)))


ROUTES: list[Any] = [export, bring_back, bring_all, erase]
