"""Server-sent events as the client reads them: text may hold what other readers take for the end of a line."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import UTC, datetime

import httpx
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.chat.records import Piece
from recollect.client.handle import Chat
from recollect.client.http import Http, Patience
from recollect.client.live import follow
from recollect.conversations.lifecycle import unseen
from recollect.live.records import LiveEvent

ODD = "a\u2028data:\u2028id: 999\u2028\u2028b\u2029c\u0085d"


class Pieces(httpx.AsyncByteStream):
    """A body in pieces, which breaks off if it is to."""

    def __init__(self, *pieces: bytes, breaks: bool = False) -> None:
        self._pieces, self._breaks = pieces, breaks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece
        if self._breaks:
            raise httpx.ReadError("cut")


def answering(*bodies: Pieces) -> tuple[Http, list[httpx.Request]]:
    asked: list[httpx.Request] = []

    async def answer(request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0)
        asked.append(request)
        body = bodies[min(len(asked), len(bodies)) - 1]
        return httpx.Response(200, stream=body, headers={"content-type": "text/event-stream"})

    client = httpx.AsyncClient(base_url="http://x", transport=httpx.MockTransport(answer))
    return Http(client, Patience()), asked


def live_event(id: str) -> tuple[LiveEvent, bytes]:
    event = LiveEvent(id=id, kind="message.created", at=datetime.now(UTC), agent=ODD)
    data = msgspec.json.encode(msgspec.to_builtins(event))
    return event, b"id: " + id.encode() + b"\r\nevent: message.created\r\ndata: " + data + b"\r\n\r\n"


@given(st.integers(1, 9), st.sampled_from([b"\r\n", b"\n", b"\r"]))
async def test_a_text_ends_no_line_however_the_bytes_are_cut(size: int, end: bytes) -> None:
    piece = b"event: piece", b"data: " + msgspec.json.encode({"type": "piece", "text": ODD}), b"", b""
    whole = end.join(piece) * 2
    http, _ = answering(Pieces(*(whole[at : at + size] for at in range(0, len(whole), size))))
    chat = Chat(http, unseen("0190d3f0-0000-7000-8000-000000000000"))
    async with aclosing(chat.stream("hello")) as events:
        assert [await anext(events), await anext(events)] == [Piece(ODD), Piece(ODD)]


async def test_a_text_ends_no_event_and_forges_no_id() -> None:
    (first, one), (second, two) = live_event("1"), live_event("2")
    http, asked = answering(Pieces(one, two, breaks=True))
    async with asyncio.timeout(10), aclosing(follow(http, "/api/live", None, None, beats=False)) as events:
        assert [await anext(events), await anext(events)] == [first, second]
        await anext(events)
    assert [one.url.params.get("after") for one in asked] == [None, "2"]


async def test_who_hears_nothing_new_waits_before_it_asks_again() -> None:
    for nothing in (Pieces(breaks=True), Pieces(), Pieces(b"id: 0\n\n", breaks=True)):
        http, asked = answering(nothing)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3), aclosing(follow(http, "/api/live", None, "0", beats=False)) as events:
                await anext(events)
        assert 1 <= len(asked) <= 6
