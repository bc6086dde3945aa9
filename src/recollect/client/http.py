"""Sends calls to a server, again where that is safe, and turns its problems into errors."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Any, TypeVar

import httpx
import msgspec

from recollect.client.calls import Call
from recollect.client.problems import error_in
from recollect.client.wire import read
from recollect.errors import Busy, NotFound, Overloaded, RecollectError, Unavailable, UnderWay

T = TypeVar("T")

#: Seconds before the second try; each further one waits twice as long, up to the other.
FIRST_PAUSE = 0.1
LONGEST_PAUSE = 2.0
#: Seconds that an idle connection is kept: less than servers do, so that none breaks just as it is used.
IDLE = 15.0
CONNECT = 10.0


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """How long to wait for what."""

    timeout: float = 60.0
    """Seconds for one answer."""
    turn_timeout: float = 150.0
    """Seconds for one that a language model gives."""
    retrying: float = 30.0
    """Seconds for all tries of a call together, after which the last error is raised."""


class Http:
    """A pool of connections to one server."""

    def __init__(self, client: httpx.AsyncClient, patience: Patience) -> None:
        self._client = client
        self._patience = patience

    async def ask(self, kind: type[T], call: Call) -> T:
        """The record that a call is answered with."""
        body = await self.bytes(call)
        try:
            return read(kind, body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise not_ours(str(self._client.base_url)) from None

    async def bytes(self, call: Call) -> bytes:
        """The body of an answer."""
        return (await self.send(call)).content

    async def send(self, call: Call, stream: bool = False) -> httpx.Response:
        """The answer, if it is a good one. A stream is the caller's to close.

        What the server turned away at its door, or what never reached it, is sent again; what may have arrived,
        only if that can do no harm. Both end when the patience does.
        """
        until = time.monotonic() + (self._patience.turn_timeout if call.turn else self._patience.retrying)
        lost = call.lost  # whether an earlier try may have had its effect
        tries = 0
        while True:
            tries += 1
            try:
                response = await self._once(call, stream)
                error = None if response.status_code < 400 else await _error(response)
                if error is None or (lost and call.ends and isinstance(error, NotFound)):
                    return response
                again = _worth_it(error, response.status_code, call.again, lost)
                lost = lost or response.status_code >= 500
            except httpx.PoolTimeout:
                raise Overloaded("all connections of this client are in use; open it with more") from None
            except (httpx.ConnectError, httpx.ConnectTimeout):
                error, again = Unavailable("server", f"{self._client.base_url} cannot be reached"), True
            except (httpx.TransportError, httpx.StreamError) as problem:
                error, again, lost = broken(problem), call.again, True
            wait = pause(tries, error)
            if not again or time.monotonic() + wait > until:
                raise error
            await asyncio.sleep(wait)

    async def _once(self, call: Call, stream: bool) -> httpx.Response:
        content: Any = call.content() if callable(call.content) else call.content
        headers = dict(call.headers)
        if content is not None:
            headers["content-type"] = "application/json"
        seconds = self._patience.turn_timeout if call.turn else self._patience.timeout
        request = self._client.build_request(
            call.method,
            call.path,
            params=dict(call.params) or None,
            content=content,
            headers=headers,
            timeout=httpx.Timeout(seconds, connect=CONNECT),
        )
        return await self._client.send(request, stream=stream)


def _worth_it(error: RecollectError, status: int, harmless: bool, lost: bool) -> bool:
    """Whether to send a call again that the server has answered with an error."""
    if isinstance(error, Busy | UnderWay):
        return lost  # then it is our own earlier try that is still being worked on
    if status == 429:
        return True  # turned away before anything was looked at
    waits_for_model = isinstance(error, Unavailable) and error.part == "model"
    return harmless and status in (502, 503, 504) and not waits_for_model


def pause(tries: int, error: RecollectError | None = None) -> float:
    """Seconds until the next try: as long as the server wants, or longer each time; never all clients at once."""
    asked = getattr(error, "retry_after", None)
    if asked is not None:
        return asked + random.uniform(0, 0.25 * asked + 0.05)  # noqa: S311  (not a secret)
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(tries - 1, 10))
    return random.uniform(longest / 2, longest)  # noqa: S311


async def _error(response: httpx.Response) -> RecollectError:
    await response.aread()
    await response.aclose()
    return error_in(response.status_code, response.content, response.headers.get("retry-after"))


def broken(error: Exception) -> Unavailable:
    """A connection that ended too early."""
    said = "it did not answer in time" if isinstance(error, httpx.TimeoutException) else "the connection broke"
    return Unavailable("server", f"{said}; a change may or may not have happened")


def not_ours(url: str) -> Unavailable:
    """What answers there is something else."""
    return Unavailable("server", f"what answers at {url} is not a Recollect that this client understands")
