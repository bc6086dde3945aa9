"""How much at once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import Overloaded
from recollect.server.front import Front
from recollect.server.limits import MOST_BUCKETS, Rates, Turnstile
from recollect.server.measures import Measures
from recollect.server.places import MOST_IMPORTS, is_import
from recollect.server.problems import TooManyRequests
from recollect.server.streams import Streams
from recollect.settings import Settings


async def test_a_turnstile_lets_some_in_some_wait_and_sends_the_rest_away() -> None:
    turnstile = Turnstile(2, 3)
    go = asyncio.Event()
    most = 0

    async def visit() -> bool:
        nonlocal most
        try:
            async with turnstile.turn():
                most = max(most, turnstile.inside)
                await go.wait()
                return True
        except Overloaded as error:
            return error.retry_after <= 0

    visits = [asyncio.create_task(visit()) for _ in range(9)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (turnstile.inside, turnstile.waiting) == (2, 3)
    go.set()
    assert sorted(await asyncio.gather(*visits)) == [False] * 4 + [True] * 5
    assert (turnstile.inside, turnstile.waiting, most) == (0, 0, 2)


async def test_whoever_waits_too_long_or_gives_up_leaves_no_trace() -> None:
    turnstile = Turnstile(1, 5, longest=0.02)
    async with turnstile.turn():
        with pytest.raises(Overloaded):
            async with turnstile.turn():
                pass
        waiting = asyncio.create_task(_enter(turnstile))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert turnstile.waiting == 0
    async with turnstile.turn():
        assert turnstile.inside == 1


async def _enter(turnstile: Turnstile) -> None:
    async with turnstile.turn():
        pass


async def test_whoever_finds_it_full_is_answered_without_asking_anybody() -> None:
    asked: list[object] = []
    sent: list[Any] = []
    read: list[bool] = []

    async def routes(scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(event: Any) -> None:
        sent.append(event)

    async def receive() -> Any:
        read.append(True)
        return {"type": "http.request", "body": b"", "more_body": False}

    turnstile = Turnstile(1, 0)
    front = Front(routes, Settings(), turnstile, Turnstile(1, 1), Measures(turnstile, Streams(1, 1, 1)))
    request = {"type": "http", "method": "POST", "headers": [(b"host", b"localhost")]}
    async with turnstile.turn():
        await front({**request, "path": "/api/agents"}, receive, send)
        assert (sent[0]["status"], asked, read) == (503, [], [])
        headers = dict(sent[0]["headers"])
        assert headers[b"retry-after"] == b"1"
        assert headers[b"content-type"] == b"application/problem+json"
        assert int(headers[b"content-length"]) == len(sent[1]["body"])
        await front({**request, "path": "/healthz"}, receive, send)
        await front({**request, "path": "/api/chat"}, receive, send)
        assert len(asked) == 2, "machines that watch, and turns, have places of their own"
    await front({**request, "path": "/api/agents"}, receive, send)
    assert len(asked) == 3


async def test_imports_have_few_places_and_keep_nobody_else_out() -> None:
    go = asyncio.Event()
    inside, most = 0, 0
    answers: list[int] = []

    async def routes(scope: Any, receive: Any, send: Any) -> None:
        nonlocal inside, most
        if is_import(scope["path"]):
            inside += 1
            most = max(most, inside)
            await go.wait()
            inside -= 1
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(event: Any) -> None:
        if event["type"] == "http.response.start":
            answers.append(event["status"])

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    turnstile = Turnstile(32, 512)
    settings = Settings(max_waiting=1)
    front = Front(routes, settings, turnstile, Turnstile(1, 1), Measures(turnstile, Streams(1, 1, 1)))
    request = {"type": "http", "method": "POST", "headers": [(b"host", b"localhost")]}
    paths = ["/api/import", "/api/users/ana/import"] * 4
    imports = [asyncio.create_task(front({**request, "path": path}, receive, send)) for path in paths]
    await asyncio.sleep(0.05)
    assert answers == [503] * (len(paths) - MOST_IMPORTS - 1)
    await front({**request, "path": "/api/agents/import"}, receive, send)
    assert answers[-1] == 200
    go.set()
    await asyncio.gather(*imports)
    assert (most, answers.count(200)) == (MOST_IMPORTS, MOST_IMPORTS + 2)


@given(st.floats(0.5, 100), st.lists(st.floats(0, 2), max_size=200))
def test_no_more_than_the_rate_and_what_was_saved_up(rate: float, pauses: list[float]) -> None:
    rates, now, taken, waits = Rates(rate), 0.0, 0, [0.5 / rate]
    for pause in pauses:
        now += pause
        try:
            rates.take("ana", now)
            taken += 1
        except TooManyRequests as error:
            waits.append(error.retry_after)
    assert 0 < min(waits) <= max(waits) <= 1 / rate + 0.001
    assert taken <= max(1.0, 2 * rate) + rate * now + 0.001


def test_credentials_have_buckets_of_their_own_and_not_without_end() -> None:
    rates = Rates(1)
    for _ in range(2):
        rates.take("ana", 0)
    with pytest.raises(TooManyRequests):
        rates.take("ana", 0)
    for number in range(MOST_BUCKETS + 5):
        rates.take(f"user {number}", 0)
    assert len(rates._buckets) == MOST_BUCKETS  # pyright: ignore[reportPrivateUsage]
    Rates(0).take("anybody")
