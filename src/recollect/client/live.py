"""What changes, as it happens, over HTTP: a connection that ends is made again, from where it was."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from datetime import UTC, datetime

import httpx
import msgspec

from recollect.client.calls import reading
from recollect.client.door import Part
from recollect.client.http import Http
from recollect.client.problems import Problem, error_of
from recollect.client.wire import read
from recollect.live.records import BEAT, LiveEvent


class Live(Part):
    """What there is to hear of a user."""

    async def live(self, user: str, after: str | None = None, *, beats: bool = False) -> AsyncGenerator[LiveEvent]:
        """What changes for a user, as it happens, in one order for all who listen: messages, conversations, notes,
        memories, states. It begins with ``ready``, or goes on ``after`` the event with this id; where what came
        after it is no longer kept, with ``reset``. At both, load what you show, and then follow.

        With ``beats``, also an event now and then that says that nothing has happened.
        """
        async with aclosing(follow(self._http, "/api/live", self._whose(user), after, beats)) as events:
            async for event in events:
                yield event


async def follow(
    http: Http, path: str, user: str | None, after: str | None, beats: bool
) -> AsyncGenerator[LiveEvent]:
    """The events of a stream, over as many connections as it takes."""
    while True:
        response = await http.send(reading(path, user=user, after=after), stream=True)
        try:
            async with aclosing(response), aclosing(_heard(response.aiter_lines())) as events:
                async for event in events:
                    after = event.id
                    if beats or event.kind != BEAT:
                        yield event
        except (httpx.TransportError, httpx.StreamError):
            continue  # nothing is lost: it goes on after the last event that was heard


async def _heard(lines: AsyncIterator[str]) -> AsyncGenerator[LiveEvent]:
    """Events out of lines; one that has only an id says how far the stream has come."""
    kind, id, data = "", "", ""
    async for line in lines:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if line:
            kind, id, data = (
                value if field == "event" else kind,
                value if field == "id" else id,
                value if field == "data" else data,
            )
            continue
        if kind == "error":
            raise error_of(msgspec.json.decode(data, type=Problem))
        if data:
            yield read(LiveEvent, data.encode())
        elif id:
            yield LiveEvent(id=id, kind=BEAT, at=datetime.now(UTC))
        kind, id, data = "", "", ""
