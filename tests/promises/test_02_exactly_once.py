"""Promise 2: the same idempotency key gives one message and the same answer; another body is refused."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import asyncpg

from recollect import KeyReused, Message, Recollect


async def test_fifty_parallel_retries_store_one_message(dsn: str, tenant: str, admin: asyncpg.Connection) -> None:
    async with Recollect.open(dsn, tenant=tenant) as one, Recollect.open(dsn, tenant=tenant) as two:
        chat = await one.conversation(user="ana", agent="librarian")
        same = await two.conversation(id=chat.id)
        answers = await asyncio.gather(
            *([chat, same][n % 2].append("user", "once", key="retry", metadata={"n": 1}) for n in range(50))
        )
        assert len({(answer.id, answer.seq, answer.created_at) for answer in answers}) == 1
        stored = await admin.fetch("select id::text from recollect.messages where tenant = $1", tenant)
        assert [row["id"] for row in stored] == [answers[0].id]


async def test_fifty_parallel_bodies_with_one_key_store_one(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    results: list[Any] = await asyncio.gather(
        *(chat.append("user", f"body {n}", key="retry") for n in range(50)), return_exceptions=True
    )
    assert sum(isinstance(result, KeyReused) for result in results) == 49
    assert len(await chat.window(50)) == 1


async def test_without_a_key_a_broken_connection_is_not_a_second_message(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    """The server ends every connection again and again while a thousand appends without a key are under way."""
    chat = await memory.conversation(user="ana", agent="librarian")
    done = asyncio.Event()

    async def cut() -> int:
        cuts = 0
        while not done.is_set():
            cuts += await admin.fetchval(
                "select count(pg_terminate_backend(pid)) from pg_stat_activity "
                "where application_name = 'recollect' and pid <> pg_backend_pid()"
            )
            await asyncio.sleep(0.05 + random.random() * 0.05)
        return cuts

    cutting = asyncio.create_task(cut())
    messages: list[Message] = []
    for batch in range(100):
        messages += await asyncio.gather(*(chat.append("user", f"{batch} {n}") for n in range(10)))
    done.set()
    assert await cutting > 10
    stored = (await chat.messages(limit=1000)).items
    assert {(m.seq, m.content) for m in stored} == {(m.seq, m.content) for m in messages}
    assert [m.seq for m in stored] == list(range(1, 1001))
