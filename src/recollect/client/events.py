"""Server-sent events: from bytes to the events of a turn."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator

import msgspec

from recollect.chat.records import Done, Event, Piece, Started, ToolAnswered, ToolCalled
from recollect.client.problems import Problem, error_of
from recollect.client.wire import read_streamed_reply

#: The end of a line; after a carriage return, a line feed may still come.
_END = re.compile(rb"\r\n|\n|\r(?!\Z)")
Plain = Started | Piece | ToolCalled | ToolAnswered


class Sent(msgspec.Struct, frozen=True):
    """One event as it was sent."""

    kind: str
    id: str
    data: str


async def sent(pieces: AsyncIterator[bytes]) -> AsyncGenerator[Sent]:
    """The events in a stream of bytes; an event ends with an empty line."""
    kind, id, data = "message", "", list[str]()
    async for line in _lines(pieces):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data or id:
                yield Sent(kind, id, "\n".join(data))
            kind, id, data = "message", "", []
        elif field == "event":
            kind = value
        elif field == "id":
            id = value
        elif field == "data":
            data.append(value)


async def _lines(pieces: AsyncIterator[bytes]) -> AsyncGenerator[str]:
    """The whole lines. Only line feeds and carriage returns end one: httpx, like ``str.splitlines``, would also
    split at characters that a text may have in it, such as U+2028."""
    rest = b""
    async for piece in pieces:
        *whole, rest = _END.split(rest + piece)
        for line in whole:
            yield line.decode(errors="replace")
    if rest.endswith(b"\r"):
        yield rest[:-1].decode(errors="replace")


def event_in(kind: str, data: str) -> Event | None:
    """The event that this is; raises the error that it may be instead; None for a kind that is not known here."""
    match kind:
        case "done":
            return Done(read_streamed_reply(msgspec.json.decode(data)))
        case "error":
            raise error_of(msgspec.json.decode(data, type=Problem))
        case "started" | "piece" | "tool_called" | "tool_answered":
            return msgspec.json.decode(data, type=Plain)
        case _:
            return None
