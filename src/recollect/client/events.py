"""Server-sent events: from lines to the events of a turn."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator

import msgspec

from recollect.chat.records import Done, Event, Piece, Started, ToolAnswered, ToolCalled
from recollect.client.problems import Problem, error_of
from recollect.client.wire import read_streamed_reply

Plain = Started | Piece | ToolCalled | ToolAnswered


async def sent(lines: AsyncIterator[str]) -> AsyncGenerator[tuple[str, str]]:
    """The kind and the data of each event; an event ends with an empty line."""
    kind, data = "message", list[str]()
    async for line in lines:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            if data:
                yield kind, "\n".join(data)
            kind, data = "message", []
        elif field == "event":
            kind = value
        elif field == "data":
            data.append(value)


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
