"""The body of a request on its way to us: whoever sends slowly waits outside, and does not do so for ever."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from recollect.server.problems import Gone, TooSlow

#: Seconds for a body to arrive in, and bytes that each further second must bring.
PATIENCE = 15.0
LEAST_RATE = 8 << 10
#: Bytes that are taken from whoever has no turn yet: as many as wait in front of us anyway.
MOST_OUTSIDE = 64 << 10


class Arriving:
    """What a client sends, as an ASGI app receives it."""

    def __init__(
        self, receive: Callable[[], Awaitable[Any]], patience: float = PATIENCE, least_rate: float = LEAST_RATE
    ) -> None:
        self._receive = receive
        self._patience = patience
        self._least_rate = least_rate
        self._began = time.monotonic()
        self._size = 0
        self._here: list[bytes] = []
        self._complete = False

    async def begin(self) -> None:
        """Take the body, or its first part; Gone if the client leaves, TooSlow if it lets us wait."""
        while not self._complete and self._size < MOST_OUTSIDE:
            event = await self._next()
            if event["type"] == "http.disconnect":
                raise Gone("the client left before its request was here")
            self._here.append(event.get("body", b""))

    async def __call__(self) -> Any:
        """What was taken already, then what comes."""
        if self._here:
            body = b"".join(self._here)
            self._here = []
            return {"type": "http.request", "body": body, "more_body": not self._complete}
        return await (self._receive() if self._complete else self._next())

    async def _next(self) -> Any:
        until = self._began + self._patience + self._size / self._least_rate
        try:
            async with asyncio.timeout(until - time.monotonic()):
                event = await self._receive()
        except TimeoutError:
            raise TooSlow("the body of the request did not arrive in time") from None
        self._size += len(event.get("body", b""))
        self._complete = not event.get("more_body", False)
        return event
