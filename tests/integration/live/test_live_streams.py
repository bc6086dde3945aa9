"""Live streams over HTTP: how many, how long, and how they end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from recollect import LiveEvent, Overloaded, Recollect, Unauthorized
from recollect.server.front import _Answer  # pyright: ignore[reportPrivateUsage]
from recollect.server.problems import TooManyRequests
from recollect.server.streams import Streams
from serving import serving

PATIENCE = 60


async def _endless() -> AsyncGenerator[LiveEvent]:
    number = 0
    while True:
        yield LiveEvent(id=f"log.{number}", kind="beat" if number % 2 else "ready", at=datetime.now(UTC))
        number += 1
        await asyncio.sleep(0.001)


async def _good() -> None: ...


async def test_so_many_streams_of_all_and_of_one() -> None:
    streams = Streams(3, 2, 60)
    opened = [streams.lines("ana", _endless(), _good) for _ in range(2)]
    for one in opened:
        assert (await anext(one)).startswith(b"id: log.0\nevent: ready\ndata: {")
        assert await anext(one) == b": nothing new\nid: log.1\n\n"
    with pytest.raises(TooManyRequests):
        await anext(streams.lines("ana", _endless(), _good))
    other = streams.lines("ben", _endless(), _good)
    await anext(other)
    with pytest.raises(Overloaded):
        await anext(streams.lines("eva", _endless(), _good))
    assert streams.open == 3
    await opened[0].aclose()
    await anext(streams.lines("eva", _endless(), _good))
    streams.end()
    assert b"connect again" in [line async for line in other][-1]
    with pytest.raises(Overloaded):
        await anext(streams.lines("ben", _endless(), _good))


async def test_a_stream_does_not_outlive_its_credential_or_its_time() -> None:
    async def revoked() -> None:
        raise Unauthorized("revoked")

    with pytest.raises(Unauthorized):
        await anext(Streams(9, 9, 60, look_again=0.0).lines("ana", _endless(), revoked))
    looked = [line async for line in Streams(9, 9, 60, look_again=0.05).lines("ana", _endless(), revoked)]
    assert looked[0].startswith(b"id: log.0")
    assert looked[-1].startswith(b"event: error\ndata: {")
    assert b"unauthorized" in looked[-1]
    began = time.monotonic()
    assert b"connect again" in [line async for line in Streams(9, 9, 0.1).lines("ana", _endless(), _good)][-1]
    assert time.monotonic() - began < PATIENCE


async def test_whoever_does_not_read_is_cut_off() -> None:
    sent: list[Any] = []

    async def send(event: Any) -> None:
        sent.append(event)
        if len(sent) > 1:
            await asyncio.Event().wait()

    async def receive() -> Any:
        await asyncio.Event().wait()

    answer = _Answer(send, [])
    answer.patience = 0.05
    either = answer.cut_or(receive)
    await answer({"type": "http.response.start", "status": 200, "headers": []})
    gone = asyncio.ensure_future(either())
    async with asyncio.timeout(PATIENCE):
        await answer({"type": "http.response.body", "body": b"x", "more_body": True})
        assert await gone == {"type": "http.disconnect"}
        await answer({"type": "http.response.body", "body": b"y", "more_body": True})
    assert len(sent) == 2, "nothing more was sent"


async def test_places_run_out_honestly_and_a_stop_ends_every_stream(
    memory: Recollect, dsn: str, tmp_path: Path
) -> None:
    settings = {"max_streams": "3", "max_streams_of_key": "2", "metrics_token": "watcher"}
    keys = [(await memory.create_key(user=name)).text for name in ("ana", "ben")]
    with serving(tmp_path, "--no-worker", database=dsn, **settings) as served:
        async with httpx.AsyncClient(base_url=served.url, timeout=PATIENCE) as client, AsyncExitStack() as streams:

            async def opened(key: str) -> httpx.Response:
                headers = {"authorization": f"Bearer {key}"}
                return await streams.enter_async_context(client.stream("GET", "/api/live", headers=headers))

            answers = [await opened(key) for key in (keys[0], keys[0], keys[0], keys[1], keys[1])]
            assert [one.status_code for one in answers] == [200, 200, 429, 200, 503]
            assert all("retry-after" in one.headers for one in answers if one.status_code != 200)
            assert answers[0].headers["cache-control"] == "no-store"
            numbers = await client.get("/metrics", headers={"authorization": "Bearer watcher"})
            assert "\nrecollect_live_streams 3\n" in numbers.text
            assert "\nrecollect_http_in_flight 0\n" in numbers.text, "a stream does not keep others out"
            served.process.terminate()
            for one in answers:
                if one.status_code == 200:
                    text = (await one.aread()).decode()
                    assert "event: ready" in text
                    assert text.rstrip().endswith("connect again to go on")
        served.process.wait(PATIENCE)
        assert "Finished server process" in served.said
