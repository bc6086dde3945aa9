"""What changes, as it happens, over HTTP: a connection that ends is made again, from where it was."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime

import httpx
import msgspec

from recollect.client.calls import reading
from recollect.client.door import Part
from recollect.client.events import Sent, sent
from recollect.client.http import Http, pause
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
    in_vain = 0
    while True:
        began = after
        response = await http.send(reading(path, user=user, after=after), stream=True)
        try:
            async with aclosing(response), aclosing(sent(response.aiter_bytes())) as events:
                async for one in events:
                    event = _event(one)
                    after = event.id
                    if beats or event.kind != BEAT:
                        yield event
        except (httpx.TransportError, httpx.StreamError):
            pass  # nothing is lost: it goes on after the last event that was heard
        in_vain = in_vain + 1 if after == began else 0
        if in_vain:
            await asyncio.sleep(pause(in_vain))


def _event(one: Sent) -> LiveEvent:
    """What was sent; an event that has only an id says how far the stream has come."""
    if one.kind == "error":
        raise error_of(msgspec.json.decode(one.data, type=Problem))
    if one.data:
        return read(LiveEvent, one.data.encode())
    return LiveEvent(id=one.id, kind=BEAT, at=datetime.now(UTC))
