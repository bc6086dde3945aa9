"""The model behind the proxy: an OpenAI-compatible endpoint that the operator has set. Bytes in, bytes out.

The size and the time of all that it answers are bounded, and nothing of a client's credential reaches it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, cast

import httpx
import msgspec

from recollect.server.openai_shape import UpstreamFailed, openai_error
from recollect.settings import Settings

MOST_WHOLE = 8 << 20
MOST_ERROR = 64 << 10
MOST_STREAMED = 64 << 20
#: Seconds to reach it.
CONNECT = 10.0
#: What of its headers is of use to a client: when to come back, and how much is left.
_PASSED_ON = ("retry-after", "retry-after-ms", "x-ratelimit-")


class Whole(msgspec.Struct, frozen=True):
    """An answer in one piece."""

    headers: dict[str, str]
    body: bytes


class Streamed:
    """An answer in pieces, whose head is here."""

    def __init__(self, response: httpx.Response, until: float, silence: float) -> None:
        self._response = response
        self._until = until
        self._silence = silence
        self.headers = _useful(response.headers)

    async def pieces(self) -> AsyncGenerator[bytes]:
        """The bytes as they come; UpstreamFailed if they stop coming, or never stop."""
        size = 0
        async with aclosing(cast("AsyncGenerator[bytes]", self._response.aiter_raw())) as pieces:
            while (piece := await self._next(pieces)) is not None:
                size += len(piece)
                if size > MOST_STREAMED:
                    raise too_large(MOST_STREAMED)
                yield piece

    async def _next(self, pieces: AsyncGenerator[bytes]) -> bytes | None:
        patience = max(0.0, min(self._silence, self._until - time.monotonic()))
        try:
            async with asyncio.timeout(patience):
                return await anext(pieces, None)
        except (TimeoutError, httpx.TimeoutException):
            raise late() from None
        except httpx.HTTPError:
            raise broken("it broke off") from None

    async def close(self) -> None:
        """Let go of it; an answer that nobody reads any more need not be written."""
        await self._response.aclose()


class Upstream:
    """The endpoint."""

    def __init__(self, settings: Settings) -> None:
        assert settings.upstream is not None
        self._url = settings.upstream
        self._seconds = settings.turn_timeout
        self._silence = min(settings.model_timeout, settings.turn_timeout)
        # Uncompressed, so that a small answer cannot become a large one in memory.
        headers = {"accept-encoding": "identity", "user-agent": "recollect"}
        if settings.openai_api_key:
            headers["authorization"] = f"Bearer {settings.openai_api_key}"
        self._client = httpx.AsyncClient(
            headers=headers,
            timeout=httpx.Timeout(None, connect=CONNECT),
            limits=httpx.Limits(max_connections=settings.max_turns, max_keepalive_connections=20),
            follow_redirects=False,
        )

    async def close(self) -> None:
        """Close its connections."""
        await self._client.aclose()

    async def complete(self, body: bytes) -> Whole:
        """The answer to a chat completion, in one piece."""
        return await self._whole(self._post(body), self._seconds)

    async def models(self) -> Whole:
        """What it offers."""
        return await self._whole(self._client.build_request("GET", f"{self._url}/models"), self._silence)

    async def stream(self, body: bytes) -> Streamed | Whole:
        """The head of a streamed answer; or the whole, from an endpoint that does not stream."""
        until = time.monotonic() + self._seconds
        try:
            async with asyncio.timeout(self._silence):
                response = await self._send(self._post(body))
                if "text/event-stream" in response.headers.get("content-type", ""):
                    return Streamed(response, until, self._silence)
            async with asyncio.timeout(self._seconds):
                return await _read(response)
        except (TimeoutError, httpx.TimeoutException):
            raise late() from None
        except httpx.HTTPError as error:
            raise broken(_kind(error)) from None

    def _post(self, body: bytes) -> httpx.Request:
        headers = {"content-type": "application/json"}
        return self._client.build_request("POST", f"{self._url}/chat/completions", content=body, headers=headers)

    async def _whole(self, request: httpx.Request, seconds: float) -> Whole:
        try:
            async with asyncio.timeout(seconds):
                return await _read(await self._send(request))
        except (TimeoutError, httpx.TimeoutException):
            raise late() from None
        except httpx.HTTPError as error:
            raise broken(_kind(error)) from None

    async def _send(self, request: httpx.Request) -> httpx.Response:
        """The head of an answer; UpstreamFailed, with what it says, if it is a refusal."""
        response = await self._client.send(request, stream=True)
        if response.status_code == 200 and response.headers.get("content-encoding", "identity") == "identity":
            return response
        try:
            raise await _refusal(response)
        finally:
            await response.aclose()


async def _read(response: httpx.Response) -> Whole:
    try:
        return Whole(_useful(response.headers), await _body(response, MOST_WHOLE))
    finally:
        await response.aclose()


async def _body(response: httpx.Response, most: int) -> bytes:
    read: list[bytes] = []
    size = 0
    async for piece in response.aiter_raw():
        size += len(piece)
        if size > most:
            raise too_large(most)
        read.append(piece)
    return b"".join(read)


async def _refusal(response: httpx.Response) -> UpstreamFailed:
    """Its status and its words; but a key that it does not take is the operator's, and no client can do anything
    about it, nor should read what is said of it."""
    status = response.status_code
    if status == 401:
        return UpstreamFailed(502, openai_error(502, "the upstream refuses the operator's key", "upstream_key"))
    if status < 400:
        return broken(f"it answered {status}, which is of no use here")
    usual = openai_error(status, f"the upstream answered {status}", "upstream_error")
    try:
        said: Any = msgspec.json.decode(await _body(response, MOST_ERROR))
    except (msgspec.DecodeError, UnicodeDecodeError, UpstreamFailed, httpx.HTTPError):
        said = None
    found: Any = cast("dict[str, Any]", said).get("error") if isinstance(said, dict) else None
    if isinstance(found, str):
        found = {"message": found}
    error = {**usual, **cast("dict[str, Any]", found)} if isinstance(found, dict) else usual
    return UpstreamFailed(status, error, _useful(response.headers))


def _useful(headers: httpx.Headers) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.startswith(_PASSED_ON)}


def _kind(error: httpx.HTTPError) -> str:
    return "it cannot be reached" if isinstance(error, httpx.ConnectError) else "the connection broke"


def late() -> UpstreamFailed:
    """It took too long."""
    return UpstreamFailed(504, openai_error(504, "the upstream did not answer in time", "upstream_timeout"))


def broken(how: str) -> UpstreamFailed:
    """It cannot be heard, or makes no sense."""
    return UpstreamFailed(502, openai_error(502, f"the upstream failed: {how}", "upstream_failed"))


def too_large(most: int) -> UpstreamFailed:
    """It says more than anybody will read."""
    said = f"the upstream's answer has more than {most:,} bytes"
    return UpstreamFailed(502, openai_error(502, said, "upstream_too_large"))
