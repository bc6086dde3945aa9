"""Promise 3: one dense sequence for all, whatever runs at the same time; never by a clock."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from recollect import Message, Recollect

APPENDERS = 100
EACH = 5


async def test_a_hundred_appenders_give_one_order_to_all_readers(dsn: str, tenant: str) -> None:
    async with Recollect.open(dsn, tenant=tenant) as one, Recollect.open(dsn, tenant=tenant) as two:
        chat = await one.conversation(user="ana", agent="librarian")
        doors = [chat, await two.conversation(id=chat.id)]
        seen: list[list[Message]] = []
        finished = asyncio.Event()

        async def append(appender: int) -> list[int]:
            # Said at odd times on purpose: what the clock says must not matter.
            said = datetime(2024, 1, 1, tzinfo=UTC) - timedelta(days=appender)
            return [
                (await doors[appender % 2].append("user", f"{appender} {turn}", at=said if turn % 2 else None)).seq
                for turn in range(EACH)
            ]

        async def read(reader: int) -> None:
            while not finished.is_set():
                seen.append(await doors[reader % 2].window(1000))

        readers = [asyncio.create_task(read(reader)) for reader in range(4)]
        numbers = await asyncio.gather(*(append(appender) for appender in range(APPENDERS)))
        finished.set()
        await asyncio.gather(*readers)
        final = await chat.window(1000)

    assert sorted(number for turns in numbers for number in turns) == list(range(1, APPENDERS * EACH + 1))
    assert all(turns == sorted(turns) for turns in numbers), "an appender's own messages changed places"
    assert [message.seq for message in final] == list(range(1, APPENDERS * EACH + 1))
    assert any(0 < len(view) < len(final) for view in seen), "nobody read while it grew"
    for view in seen:
        assert view == final[: len(view)], "a reader saw another order, or a gap that was filled later"
