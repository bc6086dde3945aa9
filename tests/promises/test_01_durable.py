"""Promise 1: what was acknowledged survives kill -9 of any process: writers, Postgres, its keeper."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from recollect import Chat, Message, Recollect

APPENDS = int(os.environ.get("PROMISE_APPENDS", "5000"))
KILLS = 20
PROCESSES = 8
TASKS = 8


class Crowd:
    """64 writers in 8 processes, each of which can be killed and started again."""

    def __init__(self, folder: Path, conversations: list[str], acks: Path) -> None:
        self._folder, self._conversations, self._acks = folder, conversations, acks
        self.processes = {name: self._start(name) for name in map(str, range(PROCESSES))}

    def _start(self, name: str) -> subprocess.Popen[bytes]:
        amount = APPENDS // (PROCESSES * TASKS)
        script = Path(__file__).with_name("writer.py")
        arguments = [self._folder, name, ",".join(self._conversations), amount, self._acks / name]
        with self._said(name).open("ab") as said:
            return subprocess.Popen([sys.executable, script, *map(str, arguments)], stderr=said)

    def _said(self, name: str) -> Path:
        """What a writer complained of, in case that it fails."""
        return self._acks.with_name(f"writer-{name}.log")

    def check(self) -> None:
        """Writers go on, or are done; one that gave up tells why."""
        for name, process in self.processes.items():
            assert process.poll() in (None, 0), self._said(name).read_text()[-4000:]

    def acknowledged(self) -> list[list[str]]:
        lines = [line for file in self._acks.iterdir() for line in file.read_text().splitlines()]
        return [line.split() for line in lines]

    def kill_one(self, chance: random.Random) -> bool:
        alive = [name for name, process in self.processes.items() if process.poll() is None]
        if not alive:
            return False
        name = chance.choice(alive)
        self.processes[name].kill()
        self.processes[name].wait()
        self.processes[name] = self._start(name)
        return True

    def end(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()


def kill_postmaster(folder: Path) -> bool:
    try:
        pid = int((folder / "postgres" / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)
    except (OSError, IndexError, ValueError):
        return False
    return True


def kill_keeper(folder: Path) -> bool:
    try:
        os.kill(json.loads((folder / "status.json").read_text())["keeper"], signal.SIGKILL)
    except (OSError, KeyError, ValueError):
        return False
    return True


async def test_a_lone_process_goes_on_after_keeper_and_server_were_killed(data_dir: Path) -> None:
    async with Recollect.open(data_dir=data_dir) as memory:
        chat = await memory.conversation(user="ana", agent="librarian")
        await chat.append("user", "before")
        assert kill_keeper(data_dir)
        await asyncio.sleep(0.2)
        assert kill_postmaster(data_dir)
        assert (await chat.append("user", "after")).seq == 2
        assert [message.content for message in await chat.window()] == ["before", "after"]


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_nothing_acknowledged_is_lost_doubled_or_out_of_order(data_dir: Path, tmp_path: Path) -> None:
    chance = random.Random(20)
    acks = tmp_path / "acks"
    acks.mkdir()
    slowest = 0.0
    killed = Counter[str]()
    async with Recollect.open(data_dir=data_dir) as memory:
        chats = [await memory.new_conversation(user="ana", agent=f"agent {n}") for n in range(4)]
        crowd = Crowd(data_dir, [chat.id for chat in chats], acks)
        try:
            for kill in range(1, KILLS + 1):
                while len(crowd.acknowledged()) < kill * APPENDS // (KILLS + 1):
                    crowd.check()
                    await asyncio.sleep(0.02)
                await asyncio.sleep(chance.random() * 0.05)
                what = ["writer", "postgres", "keeper"][kill % 3]
                done = {
                    "writer": lambda: crowd.kill_one(chance),
                    "postgres": lambda: kill_postmaster(data_dir),
                    "keeper": lambda: kill_keeper(data_dir),
                }[what]()
                killed[what] += done
                begun = time.monotonic()
                await chats[0].window(1)
                slowest = max(slowest, time.monotonic() - begun)
            for process in crowd.processes.values():
                await asyncio.to_thread(process.wait, 240)
            crowd.check()
        finally:
            crowd.end()
        stored = {chat.id: await everything(chat) for chat in chats}

    acknowledged = crowd.acknowledged()
    assert len(acknowledged) >= APPENDS // (PROCESSES * TASKS) * PROCESSES * TASKS
    for messages in stored.values():
        assert [message.seq for message in messages] == list(range(1, len(messages) + 1)), "gaps"
    contents = Counter(message.content for messages in stored.values() for message in messages)
    assert {content: n for content, n in contents.items() if n > 1} == {}, "duplicated"
    place = {(id, m.seq): m.content for id, messages in stored.items() for m in messages}
    lost = [key for _, key, id, seq in acknowledged if place.get((id, int(seq))) != f"message {key}"]
    assert lost == []
    assert killed["postgres"] >= 3
    assert killed["writer"] >= 3
    assert slowest < 10


async def everything(chat: Chat) -> list[Message]:
    items: list[Message] = []
    cursor = None
    while True:
        page = await chat.messages(limit=1000, cursor=cursor)
        items += page.items
        cursor = page.cursor
        if cursor is None:
            return items
