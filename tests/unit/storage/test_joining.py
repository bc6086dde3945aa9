"""Calls that go out together: who waits, who goes with whom, and whose trouble is whose."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from recollect.errors import Overloaded, Unavailable
from recollect.storage.joining import AT_ONCE, MOST, SLOW, Apart, Joined, by_last_column, one_each

Sent = tuple[str, str, tuple[Any, ...]]


class Server:
    """Answers when it is let; a row is the value that was asked with."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []
        self.doors: list[asyncio.Future[None]] = []

    async def call(self, statement: str, tenant: str, *values: Any) -> Sequence[Any]:
        self.sent.append((statement, tenant, values))
        self.doors.append(asyncio.get_running_loop().create_future())
        await self.doors[-1]
        return values[0] if statement == "several" else [values[0]]

    async def let(self, place: int, error: Exception | None = None) -> None:
        if error is None:
            self.doors[place].set_result(None)
        else:
            self.doors[place].set_exception(error)
        await _settled()


async def _settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.fixture
def server() -> Server:
    return Server()


def _joined(server: Server, **named: bool) -> Joined:
    return Joined(server.call, "single", "several", one_each, (Overloaded,), **named)


async def _start(joined: Joined, *calls: tuple[str, Any]) -> list[asyncio.Task[Any]]:
    tasks = [asyncio.create_task(joined.call(tenant, value)) for tenant, value in calls]
    await _settled()
    return tasks


async def test_who_is_alone_does_not_wait(server: Server) -> None:
    tasks = await _start(_joined(server), *(("t", n) for n in range(AT_ONCE)))
    assert [statement for statement, _, _ in server.sent] == ["single"] * AT_ONCE
    for place in reversed(range(AT_ONCE)):
        await server.let(place)
    assert [await task for task in tasks] == [[n] for n in range(AT_ONCE)]


async def test_who_comes_then_goes_out_together_and_gets_their_own(server: Server) -> None:
    tasks = await _start(_joined(server), *(("t", n) for n in range(AT_ONCE + 3)))
    await server.let(0)
    assert server.sent[AT_ONCE:] == [("several", "t", ([AT_ONCE, AT_ONCE + 1, AT_ONCE + 2],))]
    for place in range(1, AT_ONCE + 1):
        await server.let(place)
    assert [list(await task) for task in tasks] == [[n] for n in range(AT_ONCE + 3)]


async def test_tenants_never_go_together(server: Server) -> None:
    waiting = [("a", 10), ("b", 20), ("a", 11), ("b", 21)]
    tasks = await _start(_joined(server), *(("t", n) for n in range(AT_ONCE)), *waiting)
    await server.let(0)
    await server.let(1)
    assert server.sent[AT_ONCE:] == [("several", "a", ([10, 11],)), ("several", "b", ([20, 21],))]
    for place in range(2, AT_ONCE + 2):
        await server.let(place)
    assert [list(await task) for task in tasks[AT_ONCE:]] == [[10], [20], [11], [21]]


async def test_there_is_a_most(server: Server) -> None:
    tasks = await _start(_joined(server), *(("t", n) for n in range(AT_ONCE + MOST + 1)))
    await server.let(0)
    await server.let(1)
    together, rest = server.sent[AT_ONCE:]
    assert len(together[2][0]) == MOST
    assert rest == ("single", "t", (AT_ONCE + MOST,))
    for place in range(2, AT_ONCE + 2):
        await server.let(place)
    await asyncio.gather(*tasks)


async def test_what_locks_the_same_goes_in_turn(server: Server) -> None:
    joined = _joined(server, in_turn=True)
    tasks = await _start(joined, ("t", "hot"), ("t", "hot"), ("t", "hot"), ("u", "hot"))
    assert [sent[1:] for sent in server.sent] == [("t", ("hot",)), ("u", ("hot",))]
    await server.let(1)
    tasks += await _start(joined, ("t", "cold"))
    assert [sent[1:] for sent in server.sent[2:]] == [("t", ("cold",))], "the hot one is still under way"
    await server.let(2)
    assert len(server.sent) == 3
    await server.let(0)
    assert server.sent[3:] == [("several", "t", (["hot", "hot"],))]
    await server.let(3)
    await asyncio.gather(*tasks)


async def test_what_takes_long_keeps_nobody_waiting(server: Server) -> None:
    tasks = await _start(_joined(server, in_turn=True), *(("t", n) for n in range(AT_ONCE + 2)), ("t", 0))
    assert len(server.sent) == AT_ONCE
    await asyncio.sleep(4 * SLOW)
    assert server.sent[AT_ONCE:] == [("several", "t", ([AT_ONCE, AT_ONCE + 1],))], "0 is locked still"
    for place in range(AT_ONCE + 1):
        await server.let(place)
    await server.let(AT_ONCE + 1)
    assert [list(await task) for task in tasks] == [[n] for n in [*range(AT_ONCE + 2), 0]]


async def test_who_gives_up_takes_nothing_from_the_others(server: Server) -> None:
    tasks = await _start(_joined(server), *(("t", n) for n in range(AT_ONCE + 4)))
    tasks[AT_ONCE].cancel()
    await _settled()
    await server.let(0)
    assert server.sent[-1][2] == ([AT_ONCE + 1, AT_ONCE + 2, AT_ONCE + 3],)
    tasks[AT_ONCE + 1].cancel()
    await _settled()
    for place in range(1, AT_ONCE + 1):
        await server.let(place)
    assert list(await tasks[AT_ONCE + 2]) == [AT_ONCE + 2]
    assert list(await tasks[AT_ONCE + 3]) == [AT_ONCE + 3]
    assert (await _start(_joined(server), ("t", 1)))[0] is not None


async def test_whose_trouble_it_was_is_found_out_one_by_one(server: Server) -> None:
    tasks = await _start(_joined(server), *(("t", n) for n in range(AT_ONCE + 2)))
    await server.let(0, Unavailable("database", "refused a statement"))
    with pytest.raises(Unavailable):
        await tasks[0]
    await server.let(AT_ONCE, Unavailable("database", "refused a statement"))
    for task in tasks[AT_ONCE:]:
        with pytest.raises(Apart):
            await task


async def test_what_has_to_do_with_none_of_them_is_told_to_all(server: Server) -> None:
    tasks = await _start(_joined(server), *(("t", n) for n in range(AT_ONCE + 2)))
    await server.let(0)
    await server.let(AT_ONCE, Overloaded("all connections were busy"))
    for task in tasks[AT_ONCE:]:
        with pytest.raises(Overloaded):
            await task


def test_rows_are_told_apart_by_their_last_column() -> None:
    assert by_last_column([("a", 1), ("b", 3), ("c", 1)], 3) == [[("a",), ("c",)], [], [("b",)]]
