"""When to come back."""

from __future__ import annotations

from itertools import pairwise

from recollect.server.pace import FREED_FOR_ONE, LATEST, SOONEST, Pace


def test_each_is_told_a_time_of_its_own_at_the_pace_of_the_server() -> None:
    pace = Pace()
    now = 0.0
    for _ in range(500):
        now += 0.1
        pace.freed(now, wanted=True)
    told = [pace.come_back(now) for _ in range(50)]
    assert told == sorted(told)
    steps = {round(later - sooner, 3) for sooner, later in pairwise(told) if sooner > SOONEST}
    assert steps == {round(FREED_FOR_ONE * 0.1, 3)}


def test_nobody_is_told_less_than_a_second_or_more_than_the_latest() -> None:
    pace = Pace()
    assert pace.come_back(0.0) == SOONEST
    assert max(pace.come_back(0.0) for _ in range(100_000)) == LATEST


def test_an_idle_server_says_nothing_about_its_pace() -> None:
    pace = Pace()
    for now in (0.0, 100.0, 200.0):
        pace.freed(now, wanted=False)
    pace.freed(300.0, wanted=True)
    assert pace.come_back(300.0) == SOONEST
