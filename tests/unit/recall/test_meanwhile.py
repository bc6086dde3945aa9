from __future__ import annotations

import asyncio

import pytest

from recollect.recall.meanwhile import begun


async def test_it_goes_on_at_once_up_to_where_it_waits_and_hands_back_what_comes_of_it() -> None:
    done: list[str] = []
    bell = asyncio.Event()

    async def work() -> str:
        done.append("begun")
        await bell.wait()
        done.append("ended")
        return "found"

    first = begun(work())
    done.append("meanwhile")
    asyncio.get_running_loop().call_soon(bell.set)
    assert await first == "found"
    assert done == ["begun", "meanwhile", "ended"]


async def test_what_waits_several_times_or_never_is_the_same() -> None:
    async def often() -> int:
        for _ in range(3):
            await asyncio.sleep(0)
        return 3

    async def never() -> int:
        return 0

    assert [await begun(often()), await begun(never())] == [3, 0]


async def test_what_goes_wrong_goes_wrong_for_whoever_waits() -> None:
    async def later() -> None:
        await asyncio.sleep(0)
        raise LookupError("later")

    async def at_once() -> None:
        raise LookupError("at once")

    waiting = begun(later())
    with pytest.raises(LookupError, match="later"):
        await waiting
    with pytest.raises(LookupError, match="at once"):
        begun(at_once())


async def test_whoever_is_cancelled_cancels_the_work_which_may_still_answer() -> None:
    ended: list[str] = []

    async def work(*, gives_in: bool) -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            if gives_in:
                raise
        return "all the same"

    async def waits(*, gives_in: bool) -> str:
        return await begun(work(gives_in=gives_in))

    for gives_in in (True, False):
        task = asyncio.create_task(waits(gives_in=gives_in))
        await asyncio.sleep(0)
        task.cancel()
        if gives_in:
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            assert await task == "all the same"
    assert ended == ["cancelled", "cancelled"]


async def test_work_that_nobody_waits_for_any_more_is_closed() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("closed")

    waiting = begun(work())
    del waiting
    assert ended == ["closed"]
