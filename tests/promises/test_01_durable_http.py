"""Promise 1 over HTTP: what was answered 2xx survives kill -9 of the server, of its worker and of Postgres."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest
from test_01_durable import everything, kill_postmaster

from recollect import Recollect

APPENDS = int(os.environ.get("PROMISE_APPENDS", "5000")) // 5
KILLS = 9
CLIENTS = 16
#: Some of it is learned from, so that the worker has something to do whenever it is killed.
SAID = ("I moved to town number {0}.", "My cat number {0} is called Tom.", "ok {0}", "I work on project {0}.")


class Service:
    """``recollect serve`` on one port, killed and started again."""

    def __init__(self, folder: Path, log: Path) -> None:
        self._folder, self._log = folder, log
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        options = ["--port", str(self._port), "--data-dir", str(self._folder)]
        with self._log.open("ab") as said:
            return subprocess.Popen(
                [sys.executable, "-m", "recollect", "serve", *options], stdout=subprocess.DEVNULL, stderr=said
            )

    def kill(self) -> None:
        """It and its worker, which is a part of it, and at once a new one."""
        assert self.process.poll() is None, self._log.read_text()[-4000:]
        self.process.kill()
        self.process.wait()
        self.process = self._start()

    async def ready(self) -> float:
        """Seconds until it answers."""
        begun = time.monotonic()
        async with httpx.AsyncClient(base_url=self.url) as client:
            while True:
                try:
                    if (await client.get("/readyz")).status_code == 200:
                        return time.monotonic() - begun
                except httpx.TransportError:
                    assert self.process.poll() is None, self._log.read_text()[-4000:]
                assert time.monotonic() - begun < 60, "it never came back"
                await asyncio.sleep(0.05)

    def end(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


class Clients:
    """Each appends one message after the other, and asks again with the same key until it is answered."""

    def __init__(self, url: str, conversations: list[str]) -> None:
        self._url, self._conversations = url, conversations
        self.acknowledged: list[tuple[str, int, str]] = []
        self._more = asyncio.Event()
        self.statuses: Counter[int | str] = Counter()

    async def write(self, number: int) -> None:
        async with httpx.AsyncClient(base_url=self._url, timeout=30) as client:
            for turn in range(APPENDS // CLIENTS):
                key = f"{number}.{turn}"
                id = self._conversations[(number + turn) % len(self._conversations)]
                said = f"{SAID[turn % len(SAID)].format(turn)} ({key})"
                stored = await self._until_answered(client, f"/api/conversations/{id}/messages", key, said)
                self.acknowledged.append((id, stored["seq"], said))
                self._more.set()

    async def written(self, amount: int) -> None:
        """Until so many are acknowledged."""
        while len(self.acknowledged) < amount:
            self._more.clear()
            await asyncio.wait_for(self._more.wait(), 120)

    async def _until_answered(self, client: httpx.AsyncClient, path: str, key: str, said: str) -> dict[str, Any]:
        while True:
            try:
                answer = await client.post(
                    path, json={"role": "user", "content": said}, headers={"Idempotency-Key": key}
                )
            except httpx.TransportError as error:
                self.statuses[type(error).__name__] += 1
            else:
                self.statuses[answer.status_code] += 1
                if answer.is_success:
                    return answer.json()
                assert answer.status_code in (409, 429, 503), answer.text
            await asyncio.sleep(0.05)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_nothing_answered_is_lost_when_the_server_is_killed(data_dir: Path, tmp_path: Path) -> None:
    chance = random.Random(12)
    async with Recollect.open(data_dir=data_dir) as memory:
        chats = [await memory.new_conversation(user="ana", agent=f"agent {n}") for n in range(4)]
        service = Service(data_dir, tmp_path / "server.log")
        slowest = 0.0
        killed = Counter[str]()
        try:
            await service.ready()
            clients = Clients(service.url, [chat.id for chat in chats])
            writing = asyncio.gather(*(clients.write(number) for number in range(CLIENTS)))
            for kill in range(1, KILLS + 1):
                await clients.written(kill * APPENDS // (KILLS + 1))
                await asyncio.sleep(chance.random() * 0.05)
                if kill % 3:
                    service.kill()
                    killed["server"] += 1
                else:
                    killed["postgres"] += kill_postmaster(data_dir)
                slowest = max(slowest, await service.ready())
            await asyncio.wait_for(writing, 240)
        finally:
            service.end()
        stored = {chat.id: await everything(chat) for chat in chats}
        await memory.retry_work()  # what was under way in five killed workers, if there is any
        learned = await memory.digest()
        assert (learned.failed, await memory.work(failed=True)) == (0, [])

    assert len(clients.acknowledged) == APPENDS // CLIENTS * CLIENTS
    for messages in stored.values():
        assert [message.seq for message in messages] == list(range(1, len(messages) + 1)), "gaps"
    contents = Counter(message.content for messages in stored.values() for message in messages)
    assert {content: n for content, n in contents.items() if n > 1} == {}, "doubled"
    place = {(id, message.seq): message.content for id, messages in stored.items() for message in messages}
    assert [one for one in clients.acknowledged if place.get(one[:2]) != one[2]] == [], "lost"
    assert len(place) == len(clients.acknowledged)
    assert killed["server"] >= 6
    assert killed["postgres"] >= 2
    assert set(clients.statuses) > {201}, "nobody noticed a kill"
    assert slowest < 30
