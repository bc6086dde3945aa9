"""Memories and notes as resources, by address."""

from __future__ import annotations

from urllib.parse import quote, unquote, urlsplit

import mcp_types as types

from recollect.adapters.mcp.seat import Seat
from recollect.errors import NotFound
from recollect.text.fence import escaped, fence, fence_notes, one_line

MOST_LISTED = 100
MOST_TITLE = 80
TEMPLATES = [
    types.ResourceTemplate(
        name="memory",
        title="A memory",
        uri_template="memory://{id}",
        description="One memory about the user.",
        mime_type="text/plain",
    ),
    types.ResourceTemplate(
        name="notes",
        title="Notes",
        uri_template="notes://{agent}",
        description="The notes of an assistant about the user.",
        mime_type="text/markdown",
    ),
    types.ResourceTemplate(
        name="notes_of",
        title="Notes about somebody",
        uri_template="notes://{agent}/{user}",
        description="The notes of an assistant about one of several users.",
        mime_type="text/markdown",
    ),
]


async def listed(seat: Seat, cursor: str | None) -> types.ListResourcesResult:
    """The notes, and the memories of whoever is connected, page by page."""
    user, agent = seat.about(None, None)
    page = await seat.who.door.memories(user, agent, limit=MOST_LISTED, cursor=cursor)
    memories = [
        types.Resource(
            uri=f"memory://{one.id}",
            name=f"memory {one.id}",
            title=escaped(one_line(one.text, MOST_TITLE)),
            mime_type="text/plain",
            annotations=types.Annotations(priority=one.importance),
        )
        for one in page.items
    ]
    notes = types.Resource(
        uri=f"notes://{quote(agent, safe='')}",
        name="notes",
        title=f"Notes of {agent}",
        mime_type="text/markdown",
    )
    return types.ListResourcesResult(
        resources=[*([notes] if cursor is None else []), *memories], next_cursor=page.cursor
    )


async def read(seat: Seat, uri: str) -> types.ReadResourceResult:
    """What is at an address; NotFound if nothing of theirs is."""
    try:
        parts = urlsplit(uri)
    except ValueError:  # such as memory://[
        raise NotFound("resource", uri) from None
    name, rest = unquote(parts.netloc), unquote(parts.path.lstrip("/"))
    match parts.scheme:
        case "memory" if name and not rest:
            user = seat.about(None, None)[0] if seat.user is not None else seat.who.user_if_any(None)
            memory = await seat.who.door.memory(name)
            if user is not None and memory.user != user:
                raise NotFound("memory", name)
            text, kind = fence(memory.text, "memory"), "text/plain"
        case "notes" if name:
            user, agent = seat.about(rest or None, name)
            text, kind = fence_notes((await seat.who.door.notes(user, agent)).text), "text/markdown"
        case _:
            raise NotFound("resource", uri)
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=kind, text=text)])
