from __future__ import annotations

import asyncio

import pytest

from recollect.server.together import Together


class Desk:
    """Looks things up, one at a time as the test lets it, and counts."""

    def __init__(self) -> None:
        self.looks: list[str] = []
        self.may = asyncio.Semaphore(0)

    async def look(self, what: str) -> int:
        self.looks.append(what)
        number = len(self.looks)
        await self.may.acquire()
        if what == "bad":
            raise LookupError(number)
        return number


async def _begun(*tasks: asyncio.Task[int]) -> None:
    for _ in range(5):
        await asyncio.sleep(0)
    assert not any(task.done() for task in tasks)


async def test_nobody_gets_an_answer_older_than_the_question() -> None:
    desk = Desk()
    together = Together(desk.look)
    first = asyncio.create_task(together.ask("key"))
    await _begun(first)
    late = [asyncio.create_task(together.ask("key")) for _ in range(10)]
    other = asyncio.create_task(together.ask("other"))
    await _begun(first, other, *late)
    assert desk.looks == ["key", "other"]
    for _ in range(3):
        desk.may.release()
    assert await first == 1
    assert await other == 2
    assert await asyncio.gather(*late) == [3] * 10
    assert desk.looks == ["key", "other", "key"]
    desk.may.release()
    assert await together.ask("key") == 4


async def test_whoever_goes_away_takes_nobody_along() -> None:
    desk = Desk()
    together = Together(desk.look)
    first = asyncio.create_task(together.ask("key"))
    await _begun(first)
    late = [asyncio.create_task(together.ask("key")) for _ in range(3)]
    await _begun(*late)
    first.cancel()
    late[0].cancel()
    desk.may.release()
    desk.may.release()
    assert await late[1] == await late[2] == 2
    assert first.cancelled()


async def test_what_goes_wrong_goes_wrong_for_all_who_asked_and_not_later() -> None:
    desk = Desk()
    together = Together(desk.look)
    asked = [asyncio.create_task(together.ask("bad")) for _ in range(3)]
    for _ in range(3):
        desk.may.release()
    for task in asked:
        with pytest.raises(LookupError):
            await task
    desk.may.release()
    with pytest.raises(LookupError):
        await together.ask("bad")
