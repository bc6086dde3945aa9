from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from recollect import Unavailable
from recollect.models.breaker import Breaker, Guarded
from recollect.ports import Answer, Prompt

PROMPT = Prompt(messages=[])
DOWN = Unavailable("model", "down")


class Moody:
    """Answers, or fails with what it is given."""

    name = "moody"

    def __init__(self) -> None:
        self.calls = 0
        self.mood: Exception | None = None
        self.gate: asyncio.Event | None = None

    async def complete(self, prompt: Prompt) -> Answer:
        self.calls += 1
        mood = self.mood
        if self.gate:
            await self.gate.wait()
        if mood:
            raise mood
        return Answer(text="yes", model=self.name)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        answer = await self.complete(prompt)
        yield "y"
        yield answer


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def moody() -> Moody:
    return Moody()


@pytest.fixture
def guarded(moody: Moody, clock: Clock) -> Guarded:
    return Guarded(moody, Breaker(failures=3, pause=10, clock=clock))


async def fail(guarded: Guarded, times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(Unavailable):
            await guarded.complete(PROMPT)


async def test_it_opens_tries_and_closes(guarded: Guarded, moody: Moody, clock: Clock) -> None:
    moody.mood = DOWN
    await fail(guarded, 3)
    with pytest.raises(Unavailable, match="left alone") as caught:
        await guarded.complete(PROMPT)
    assert (moody.calls, caught.value.retry_after) == (3, 10)
    clock.now = 9.9
    await fail(guarded)
    assert moody.calls == 3

    clock.now = 10
    await fail(guarded)
    assert moody.calls == 4, "one call tries"
    await fail(guarded, 5)
    assert moody.calls == 4, "and its failure opens it again"

    clock.now = 20
    moody.mood = None
    assert (await guarded.complete(PROMPT)).text == "yes"
    moody.mood = DOWN
    await fail(guarded, 2)
    moody.mood = None
    assert (await guarded.complete(PROMPT)).text == "yes", "two failures are not three"
    assert moody.calls == 8


async def test_only_failures_in_a_row_count(guarded: Guarded, moody: Moody) -> None:
    for _ in range(5):
        moody.mood = DOWN
        await fail(guarded, 2)
        moody.mood = None
        await guarded.complete(PROMPT)
    assert moody.calls == 15


async def test_while_one_tries_the_others_wait(guarded: Guarded, moody: Moody, clock: Clock) -> None:
    moody.mood = DOWN
    await fail(guarded, 3)
    clock.now, moody.mood, moody.gate = 10, None, asyncio.Event()
    trying = asyncio.create_task(guarded.complete(PROMPT))
    await asyncio.sleep(0)
    await fail(guarded)
    moody.gate.set()
    assert (await trying).text == "yes"
    assert (await guarded.complete(PROMPT)).text == "yes"
    assert moody.calls == 5


async def test_a_try_that_is_cancelled_lets_another_one_try(guarded: Guarded, moody: Moody, clock: Clock) -> None:
    moody.mood = DOWN
    await fail(guarded, 3)
    clock.now, moody.mood, moody.gate = 10, None, asyncio.Event()
    trying = asyncio.create_task(guarded.complete(PROMPT))
    await asyncio.sleep(0)
    trying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await trying
    moody.gate = None
    assert (await guarded.complete(PROMPT)).text == "yes"


async def test_it_stays_open_as_long_as_the_endpoint_asks(guarded: Guarded, moody: Moody, clock: Clock) -> None:
    moody.mood = Unavailable("model", "busy", status=429, retry_after=60)
    await fail(guarded, 3)
    clock.now = 59
    await fail(guarded)
    assert moody.calls == 3
    clock.now = 60
    await fail(guarded)
    assert moody.calls == 4


async def test_a_bad_prompt_is_not_the_models_fault(guarded: Guarded, moody: Moody) -> None:
    moody.mood = Unavailable("model", "answered 400", status=400)
    await fail(guarded, 10)
    assert moody.calls == 10


async def test_streams_count_as_well(guarded: Guarded, moody: Moody, clock: Clock) -> None:
    async def listen() -> list[str | Answer]:
        return [item async for item in guarded.stream(PROMPT)]

    moody.mood = DOWN
    for _ in range(4):
        with pytest.raises(Unavailable):
            await listen()
    assert moody.calls == 3
    clock.now, moody.mood = 10, None
    stream = guarded.stream(PROMPT)
    assert await anext(stream) == "y"
    await stream.aclose()
    assert [item if isinstance(item, str) else item.text for item in await listen()] == ["y", "yes"]
    assert guarded.name == "moody"
