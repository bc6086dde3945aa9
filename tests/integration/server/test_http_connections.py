"""Clients that send slowly, too much, or nothing at all, on real connections."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import msgspec
import pytest
import uvicorn

from recollect.errors import RecollectError
from recollect.server.arriving import Arriving
from recollect.server.connections import MOST_HEAD, Connection
from recollect.server.problems import Gone, TooSlow

AWAY = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 4\r\nretry-after: 1\r\n\r\nfull"


class Serving:
    """A small app behind our connections: whether it is full, and what it was asked."""

    def __init__(self) -> None:
        self.full = False
        self.asked: list[bytes] = []
        self.port = 0

    def no_place(self, _method: str, _address: bytes, _headers: object) -> bytes | None:
        return AWAY if self.full else None

    async def app(self, _scope: Any, receive: Any, send: Any) -> None:
        event = await receive()
        self.asked.append(event["body"])
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)


@asynccontextmanager
async def served(latest_head: float) -> AsyncGenerator[Serving]:
    serving = Serving()
    listening = socket.create_server(("127.0.0.1", 0))
    serving.port = listening.getsockname()[1]
    http: Any = partial(Connection, no_place=serving.no_place, latest_head=latest_head)
    config = uvicorn.Config(serving.app, http=http, ws="none", lifespan="off", log_config=None, interface="asgi3")
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield serving
    finally:
        server.should_exit = True
        await running


@pytest.mark.parametrize("sent", [b"", b"\r\n", b"POST / HTTP/1.1\r\nhost: here\r\nx-slow: "])
async def test_a_connection_that_never_brings_a_request_is_closed(sent: bytes) -> None:
    async with served(latest_head=0.2) as serving:
        reader, writer = await serving.open()
        writer.write(sent)
        said = await asyncio.wait_for(reader.read(), 60)
        assert said[:12] == (b"HTTP/1.1 408" if len(sent) > 2 else b"")
        assert serving.asked == []
        writer.close()


@pytest.mark.parametrize("sent", ["GET /api/search?query=café HTTP/1.1\r\nhost: here\r\n\r\n", "hello?\r\n\r\n"])
async def test_what_is_no_request_is_refused_with_a_problem(sent: str) -> None:
    """curl sends an address as it was typed."""
    async with served(latest_head=60) as serving:
        reader, writer = await serving.open()
        writer.write(sent.encode())
        head, _, body = (await asyncio.wait_for(reader.read(), 60)).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400")
        assert b"content-type: application/problem+json" in head
        problem = msgspec.json.decode(body)
        assert (problem["status"], problem["type"]) == (400, "urn:recollect:problem:malformed")
        assert "caf%C3%A9" in problem["detail"]
        assert serving.asked == []
        writer.close()


async def test_a_head_without_end_is_refused() -> None:
    async with served(latest_head=60) as serving:
        reader, writer = await serving.open()
        writer.write(b"GET / HTTP/1.1\r\nhost: here\r\nx-long: " + b"a" * (2 * MOST_HEAD))
        assert (await asyncio.wait_for(reader.readline(), 60)).startswith(b"HTTP/1.1 431")
        assert serving.asked == []
        writer.close()


async def test_who_finds_no_place_is_sent_away_and_may_ask_again_on_the_same_connection() -> None:
    async with served(latest_head=60) as serving:
        reader, writer = await serving.open()
        request = b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 5\r\n\r\n"
        serving.full = True
        writer.write(request)
        assert await asyncio.wait_for(reader.readexactly(len(AWAY)), 60) == AWAY, "before the body is here"
        serving.full = False
        writer.write(b"first" + request + b"again")
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
        assert head.startswith(b"HTTP/1.1 200")
        assert serving.asked == [b"again"]
        serving.full = True
        writer.write(request.replace(b"here", b"here\r\nconnection: close") + b"never")
        rest = await asyncio.wait_for(reader.read(), 60)
        assert b"503 Service Unavailable\r\nconnection: close\r\n" in rest
        writer.close()


def _said(*events: dict[str, Any]) -> Any:
    waiting = list(events)

    async def receive() -> Any:
        return waiting.pop(0) if waiting else await asyncio.Event().wait()

    return receive


@pytest.mark.parametrize(
    ("events", "problem"),
    [
        ([{"type": "http.request", "body": b"a", "more_body": True}], TooSlow),
        ([{"type": "http.request", "body": b"a", "more_body": True}, {"type": "http.disconnect"}], Gone),
    ],
)
async def test_a_body_that_does_not_arrive_is_given_up(
    events: list[dict[str, Any]], problem: type[RecollectError]
) -> None:
    with pytest.raises(problem):
        await Arriving(_said(*events), patience=0.05).begin()


async def test_a_body_is_passed_on_as_it_came() -> None:
    large = b"x" * (64 << 10)
    body = Arriving(
        _said(
            {"type": "http.request", "body": b"begin", "more_body": True},
            {"type": "http.request", "body": large, "more_body": True},
            {"type": "http.request", "body": b"end", "more_body": False},
        )
    )
    await body.begin()
    first = await body()
    assert (first["body"], first["more_body"]) == (b"begin" + large, True)
    assert await body() == {"type": "http.request", "body": b"end", "more_body": False}
