"""Promise 2: the same idempotency key gives one message and the same answer; another body is refused."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import asyncpg
import pytest

from recollect import Chat, KeyReused, Message, Recollect
from recollect.storage.database import Database, Lost


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

    messages: list[Message] = []

    async def append(text: str) -> None:
        messages.append(await chat.append("user", text))

    async def cut() -> int:
        cuts = 0
        while not done.is_set():
            cuts += await admin.fetchval(
                "select count(pg_terminate_backend(pid)) from pg_stat_activity "
                "where application_name = 'recollect' and pid <> pg_backend_pid()"
            )
            before = len(messages)
            await asyncio.sleep(0.05 + random.random() * 0.05)
            while len(messages) == before and not done.is_set():  # noqa: ASYNC110  # a busy machine needs longer
                await asyncio.sleep(0.01)
        return cuts

    cutting = asyncio.create_task(cut())
    try:
        for batch in range(100):
            await asyncio.gather(*(append(f"{batch} {n}") for n in range(10)))
    finally:
        done.set()
    assert await cutting > 10
    stored = (await chat.messages(limit=1000)).items
    assert {(m.seq, m.content) for m in stored} == {(m.seq, m.content) for m in messages}
    assert [m.seq for m in stored] == list(range(1, 1001))


class Forgetful(Database):
    """A database whose answers get lost after the statement was carried out."""

    losing = 0

    async def call_once(self, query: str, *args: object) -> Any:
        rows = await super().call_once(query, *args)
        if self.losing and query.startswith("append"):
            self.losing -= 1
            raise Lost
        return rows


@pytest.mark.parametrize("key", [None, "k"])
async def test_an_answer_that_was_lost_is_found_again(memory: Recollect, key: str | None) -> None:
    database = Forgetful(memory._database._pool, patience=5)  # pyright: ignore[reportPrivateUsage]
    record = (await memory.conversation(user="ana", agent="librarian")).record
    chat = Chat(database, memory._caller, memory._models, record)  # pyright: ignore[reportPrivateUsage]
    await chat.append("user", "first")
    for said in ([("assistant", "reply")], [("assistant", "a"), ("user", "b"), ("assistant", "c")]):
        database.losing = 3
        stored = await chat.extend(said, key=key and f"{key}{len(said)}")
        assert stored == (await chat.window(len(said)))
    assert [m.seq for m in await chat.window()] == [1, 2, 3, 4, 5]
