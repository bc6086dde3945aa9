"""A worker goes on, whatever it stumbles over: nobody would notice that it has ended."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from recollect import Recollect
from recollect.storage.database import Database
from recollect.worker import Worker


class Stumbling(Database):
    """Fails as a driver does that nobody understands."""

    failing = 0
    asked = 0

    async def call(self, query: str, *args: object) -> Sequence[Any]:
        if query == "due_tenants":
            self.asked += 1
            if self.failing:
                self.failing -= 1
                raise RuntimeError("zinnwaldite: the handler is closed")
        return await super().call(query, *args)


class Doors(msgspec.Struct):
    """What a worker uses of an open door."""

    memory: Recollect
    database: Database
    failing: int = 0

    def for_tenant(self, tenant: str) -> Any:
        if self.failing:
            self.failing -= 1
            raise RuntimeError("zinnwaldite: no door")
        return self.memory.for_tenant(tenant)


async def test_a_worker_survives_what_nobody_expected(memory: Recollect, caplog: pytest.LogCaptureFixture) -> None:
    database = Stumbling(memory.database._pool, patience=5)  # pyright: ignore[reportPrivateUsage]
    database.failing = 3
    doors: Any = Doors(memory, database, failing=1)
    done: list[str] = []
    worker = Worker(doors, look_again=0.05, did=lambda tenant, _: done.append(tenant))
    running = asyncio.create_task(worker.run())
    with caplog.at_level(logging.ERROR, "recollect"):
        chat = await memory.conversation("ana", "cook")
        await chat.extend([("user", f"I live in Porto {n}") for n in range(10)])
        for _ in range(200):
            if running.done() or memory.tenant in done:
                break
            await asyncio.sleep(0.05)
    assert not running.done()
    assert memory.tenant in done
    worker.stop()
    await running
    said = [record.getMessage() for record in caplog.records]
    assert said.count("worker.failed error=RuntimeError") == 4
    assert "zinnwaldite" not in caplog.text
