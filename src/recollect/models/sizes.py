"""Answers of endpoints have a size that they may not pass, while they are read."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from recollect.models.assembly import TooLong


def client_reading(most: int, streamed: int | None = None) -> Any:
    """The HTTP client for one of ``openai``, which reads no more of an answer; uncompressed, so that a small one
    cannot become a large one in memory."""
    return importlib.import_module("openai").DefaultAsyncHttpxClient(
        event_hooks={"response": [_limiting(most, streamed or most)]}, headers={"Accept-Encoding": "identity"}
    )


def _limiting(most: int, streamed: int) -> Callable[[Any], Awaitable[None]]:
    async def limit(response: Any) -> None:
        """Let no more of a response through than an answer can have; whoever reads it meets TooLong."""
        is_stream = "event-stream" in response.headers.get("content-type", "")
        response.stream = _limited(response, streamed if is_stream else most)

    return limit


def _limited(response: Any, most: int) -> Any:
    stream = response.stream
    # The client's HTTP library differs between its versions, and takes only streams of its own kind.
    kind: Any = importlib.import_module(type(response).__module__.split(".")[0]).AsyncByteStream

    class Limited(kind):
        def __getattr__(self, name: str) -> Any:
            return getattr(stream, name)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            read = 0
            async for chunk in stream:
                read += len(chunk)
                if read > most:
                    raise TooLong
                yield chunk

        async def aclose(self) -> None:
            await stream.aclose()

    return Limited()
