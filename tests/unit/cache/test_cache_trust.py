"""Leases, breaker, single flight and what a process keeps: the parts that need no server."""

from __future__ import annotations

import asyncio
from typing import Any

from recollect.cache.breaker import Breaker
from recollect.cache.flights import Flights
from recollect.cache.inprocess import Kept
from recollect.cache.trust import Trust


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Register:
    """What the database would say, and how long it takes to say it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.epoch, self.remaining, self.held, self.takes = 1, 0.0, 0.0, 0.0
        self.asked: list[tuple[object, ...]] = []

    async def __call__(self, query: str, *args: object) -> list[dict[str, Any]]:
        self.asked.append((query, *args))
        self._clock.now += self.takes
        if query == "distrust_cache":
            anew = self.remaining == 0 or args[1]
            self.epoch += bool(anew)
            return [
                {"epoch": self.epoch, "remaining": 0 if anew else self.remaining, "held": 0 if anew else self.held}
            ]
        return [{"installation": "db", "epoch": self.epoch, "settings": 1, "server": "s", "distrusted": False}]


async def test_the_lease_counts_from_before_the_question() -> None:
    clock = Clock()
    register = Register(clock)
    trust = Trust(register, clock, lease=1.0)
    register.takes = 0.75
    await trust.refresh()
    clock.now += 0.2
    assert trust.current() is not None
    clock.now += 0.1
    assert trust.current() is None
    await trust.close()


async def test_answers_in_the_wrong_order_do_not_take_back_what_is_known() -> None:
    clock = Clock()
    register = Register(clock)
    trust = Trust(register, clock, lease=1.0)
    register.epoch = 7
    await trust.refresh()
    clock.now += 0.1
    register.epoch = 6
    await trust.refresh()
    assert trust.last_known is not None
    assert trust.last_known.epoch == 7


async def test_distrust_that_is_new_is_waited_for_and_one_that_has_held_is_not() -> None:
    clock = Clock()
    register = Register(clock)
    trust = Trust(register, clock, lease=0.05)
    begun = asyncio.get_running_loop().time()
    await trust.distrust()
    assert asyncio.get_running_loop().time() - begun >= 0.05
    assert trust.holding
    await trust.distrust()
    assert len(register.asked) == 1, "it holds already"
    clock.now += 10
    assert not trust.holding
    register.remaining, register.held = 2.0, 5.0
    await trust.distrust()
    assert register.epoch == 2, "somebody else's goes on"


async def test_distrust_that_ended_while_it_was_prolonged_begins_anew() -> None:
    clock = Clock()
    register = Register(clock)
    trust = Trust(register, clock, lease=0.01)
    register.remaining, register.held, register.takes = 0.5, 5.0, 0.6
    await trust.distrust()
    assert [asked[2] for asked in register.asked] == [False, True]
    assert register.epoch == 2


def test_the_breaker_opens_after_failures_in_a_row() -> None:
    breaker = Breaker(most=3)
    assert [breaker.failed(), breaker.failed()] == [False, False]
    breaker.succeeded()
    assert [breaker.failed(), breaker.failed(), breaker.failed(), breaker.failed()] == [False, False, True, False]
    assert breaker.open
    breaker.succeeded()
    assert not breaker.open
    assert breaker.trip()
    assert breaker.opened == 2


async def test_readers_share_a_read_only_if_it_has_not_begun() -> None:
    flights = Flights()
    begun: list[int] = []
    go_on = asyncio.Event()

    async def load() -> int:
        begun.append(len(begun))
        await go_on.wait()
        return begun[-1]

    first = [asyncio.ensure_future(flights.share("k", load)) for _ in range(5)]
    await asyncio.sleep(0.01)
    assert begun == [0], "those who came together share"
    later = [asyncio.ensure_future(flights.share("k", load)) for _ in range(5)]
    await asyncio.sleep(0.01)
    assert begun == [0], "one at a time"
    go_on.set()
    assert set(await asyncio.gather(*first)) == {0}
    assert set(await asyncio.gather(*later)) == {1}, "what was read before they came is not for them"


async def test_whoever_stops_waiting_does_not_stop_the_read_of_others() -> None:
    flights = Flights()
    go_on = asyncio.Event()

    async def load() -> str:
        await go_on.wait()
        return "read"

    gone, stays = (asyncio.ensure_future(flights.share("k", load)) for _ in range(2))
    await asyncio.sleep(0.01)
    gone.cancel()
    go_on.set()
    assert await stays == "read"


def test_a_process_keeps_few_for_a_short_time_and_under_one_number() -> None:
    clock = Clock()
    kept = Kept(2, clock)
    kept.put("a", 1, 10, "A")
    kept.put("b", 1, 10, "B")
    assert kept.get("a", 1) == "A"
    kept.put("c", 1, 10, "C")
    assert kept.get("b", 1) is None, "used longest ago"
    assert kept.get("c", 2) is None, "another number"
    clock.now += 11
    assert kept.get("a", 1) is None
    assert len(kept) == 0
