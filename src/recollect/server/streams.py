"""Live streams: how many there may be, when they end, and how events are written (server-sent events)."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import contextmanager

import msgspec

from recollect.errors import Overloaded, RecollectError
from recollect.live.records import BEAT, LiveEvent
from recollect.server.problems import TooManyRequests, problem_of
from recollect.server.wire.live import live_view

#: Seconds between two looks at the credential of a stream: it outlives its key by no more than this and a beat.
LOOK_AGAIN = 15.0
#: For whoever finds no place.
COME_BACK = 5.0


class Streams:
    """The live streams of this process."""

    def __init__(self, most: int, most_of_one: int, longest: float, look_again: float = LOOK_AGAIN) -> None:
        self._most = most
        self._most_of_one = most_of_one
        self._longest = longest
        self._look_again = look_again
        self._of: Counter[str] = Counter()
        self._ending = asyncio.Event()
        self.open = 0

    def end(self) -> None:
        """End them all, and let no new one begin: the server is stopping."""
        self._ending.set()

    @contextmanager
    def place(self, whose: str) -> Generator[None]:
        """A place for a stream of this credential."""
        if self._ending.is_set() or self.open >= self._most:
            raise Overloaded("no place for another live stream; come back in a moment", COME_BACK)
        if self._of[whose] >= self._most_of_one:
            raise TooManyRequests(f"at most {self._most_of_one} live streams of one credential", COME_BACK)
        self.open += 1
        self._of[whose] += 1
        try:
            yield
        finally:
            self.open -= 1
            self._of[whose] -= 1
            if not self._of[whose]:
                del self._of[whose]

    async def lines(
        self, whose: str, events: AsyncGenerator[LiveEvent], still_good: Callable[[], Awaitable[None]]
    ) -> AsyncGenerator[bytes]:
        """The events as text, until the time is over, the server stops, or the credential is no longer good."""
        until = time.monotonic() + self._longest
        looked = time.monotonic()
        began = False
        with self.place(whose):
            try:
                async for event in _until(events, self._ending, until):
                    if time.monotonic() - looked >= self._look_again:
                        await still_good()
                        looked = time.monotonic()
                    began = True
                    yield written(event)
                yield b": this stream ends here; connect again to go on\n\n"
            except RecollectError as error:
                if not began:
                    raise
                problem, _ = problem_of(error)
                yield b"event: error\ndata: " + msgspec.json.encode(problem) + b"\n\n"


async def _until(
    events: AsyncGenerator[LiveEvent], ending: asyncio.Event, until: float
) -> AsyncGenerator[LiveEvent]:
    """What there is to hear, until an event is set or the time is over."""
    end = asyncio.ensure_future(ending.wait())
    try:
        while True:
            step = asyncio.ensure_future(anext(events))
            try:
                left = max(0.0, until - time.monotonic())
                await asyncio.wait({step, end}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
                if not step.done():
                    return
                yield step.result()
            finally:
                if not step.done():
                    step.cancel()
                    with contextlib.suppress(asyncio.CancelledError, StopAsyncIteration):
                        await step
    finally:
        end.cancel()
        await events.aclose()


def written(event: LiveEvent) -> bytes:
    """An event as lines. A beat only moves the place on: a browser takes its id, and shows nobody an event."""
    if event.kind == BEAT:
        return f": nothing new\nid: {event.id}\n\n".encode()
    body = msgspec.json.encode(live_view(event))
    return b"id: " + event.id.encode() + b"\nevent: " + event.kind.encode() + b"\ndata: " + body + b"\n\n"
