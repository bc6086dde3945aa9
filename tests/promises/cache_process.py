"""Readers and writers in a process of their own; run by test_05_the_cache_never_lies, twice at the same time.

Usage: cache_process.py DSN CACHE TENANT BOARD NUMBER VARIANT CONVERSATION…

BOARD is a file that both processes have in memory. A writer puts a number there as soon as its write was acknowledged;
a reader looks at it before it reads, and must see no less. Ends when its input ends, and says what it has seen.
"""

from __future__ import annotations

import asyncio
import json
import mmap
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import redis.asyncio

from recollect import Chat, Recollect, RecollectError
from recollect.cache.levels import Levels
from recollect.ports import Change, Load
from recollect.records import Message

READERS, WRITERS, PROCESSES = 8, 2, 2
#: Numbers on the board for each subject: one of each writer, so that nobody overwrites another's.
SLOTS = WRITERS * PROCESSES


class Board:
    """What was acknowledged, for each subject: conversations, then their documents, then an agent."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("r+b")
        self._numbers = memoryview(mmap.mmap(self._file.fileno(), 0)).cast("q")

    def put(self, subject: int, slot: int, number: int) -> None:
        place = subject * SLOTS + slot
        self._numbers[place] = max(self._numbers[place], number)

    def floor(self, subject: int) -> int:
        return max(self._numbers[subject * SLOTS : (subject + 1) * SLOTS])


async def pause() -> None:
    """Between reading the database and filling the cache: usually nothing, sometimes long."""
    await asyncio.sleep(random.choice((0, 0, 0.005, 0.02, 0.1)))


class Jittery(Levels):
    """The real cache, with a pause before each fill."""

    async def tail(self, tenant: str, conversation: str, limit: int, load: Load) -> list[Message]:
        async def slowly(amount: int) -> list[Message]:
            read = await load(amount)
            await pause()
            return read

        return await super().tail(tenant, conversation, limit, slowly)

    async def one(self, tenant: str, conversation: str, id: str | None, load: Callable[[], Any]) -> bytes | None:
        async def slowly() -> Any:
            read = await load()
            await pause()
            return read

        return await super().one(tenant, conversation, id, slowly)


class Naive:
    """What everybody writes first: read the cache, else the database and fill; delete after the commit."""

    def __init__(self, url: str) -> None:
        self._redis: Any = redis.asyncio.Redis.from_url(url)

    def touched(self, query: str, args: Sequence[object]) -> Sequence[Change]:
        return [Change(conversation=str(args[0]))] if query == "save_conversation_memory" else ()

    async def changed(self, tenant: str, changes: Sequence[Change]) -> None:
        for change in changes:
            await self._redis.delete(f"naive:{change.conversation}", f"naive:{change.conversation}:memory")

    async def tail(self, tenant: str, conversation: str, limit: int, load: Load) -> list[Message]:
        from recollect.cache.entries import _encode, _messages

        found = await self._redis.get(f"naive:{conversation}")
        if found is not None:
            return _messages.decode(found)
        read = await load(limit)
        await pause()
        await self._redis.set(f"naive:{conversation}", _encode(read), ex=3600)
        return read

    async def one(self, tenant: str, conversation: str, id: str | None, load: Callable[[], Any]) -> bytes | None:
        found = await self._redis.get(f"naive:{conversation}:memory")
        if found is not None:
            return found
        read = await load()
        await pause()
        await self._redis.set(f"naive:{conversation}:memory", read[1], ex=3600)
        return read[1]

    async def kept(self, tenant: str, name: tuple[str, ...], load: Callable[[], Any]) -> Any:
        return (await load())[0]

    async def close(self) -> None:
        await self._redis.aclose()


class Run:
    """The readers and writers of this process."""

    def __init__(self, memory: Recollect, chats: list[Chat], board: Board, process: int) -> None:
        self.memory, self.chats, self.board = memory, chats, board
        self.slots = range(process * WRITERS, (process + 1) * WRITERS)
        self.seen: Counter[str] = Counter()
        self.problems: list[str] = []
        self.over = asyncio.Event()

    async def read(self) -> None:
        while not self.over.is_set():
            subject = random.randrange(len(self.chats))
            what = random.choices(("window", "document", "agent"), (8, 2, 1))[0]
            try:
                if what == "window":
                    floor = self.board.floor(subject)
                    seqs = [message.seq for message in await self.chats[subject].window()]
                    newest = seqs[-1] if seqs else 0
                    if seqs != list(range(newest - len(seqs) + 1, newest + 1)):
                        self.problems.append(f"not in order: {seqs}")
                elif what == "document":
                    floor = self.board.floor(len(self.chats) + subject)
                    newest = (await self.chats[subject].memory_document()).version
                else:
                    floor = self.board.floor(2 * len(self.chats))
                    newest = (await self.memory.agent("clerk")).version
            except RecollectError as error:
                self.problems.append(f"{what}: {error}")
                continue
            self.seen["reads"] += 1
            if newest < floor:
                self.seen["stale"] += 1
                self.seen[f"stale {what}"] += 1
            await asyncio.sleep(random.random() * 0.01)

    async def write(self, slot: int) -> None:
        while not self.over.is_set():
            subject = random.randrange(len(self.chats))
            try:
                if random.random() < 0.8:
                    stored = await self.chats[subject].append("user", "something was said")
                    self.board.put(subject, slot, stored.seq)
                else:
                    saved = await self.chats[subject].save_memory_document({"by": slot})
                    self.board.put(len(self.chats) + subject, slot, saved.version)
            except RecollectError as error:
                self.problems.append(f"write: {error}")
            self.seen["writes"] += 1
            await asyncio.sleep(random.random() * 0.03)

    async def configure(self) -> None:
        while not self.over.is_set():
            try:
                saved = await self.memory.configure_agent("clerk", budget=random.randrange(1000, 2000))
                self.board.put(2 * len(self.chats), self.slots[0], saved.version)
            except RecollectError as error:
                self.problems.append(f"configure: {error}")
            await asyncio.sleep(random.random() * 0.5)

    def hits(self) -> int:
        used = self.memory.database.cache
        return used.measures.results["hit"] if isinstance(used, Levels) else 0

    async def heard(self) -> None:
        """Says every second how far it is, until its input ends."""
        loop = asyncio.get_running_loop()
        end = loop.run_in_executor(None, sys.stdin.read)
        while not end.done():
            said({"reads": self.seen["reads"], "hits": self.hits()})
            await asyncio.wait([end], timeout=0.5)
        self.over.set()


def said(what: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


async def main(
    dsn: str, cache: str, tenant: str, board: str, number: str, variant: str, *conversations: str
) -> None:
    async with Recollect.open(dsn, tenant=tenant, cache=None if variant == "naive" else cache) as memory:
        levels = memory.database.cache
        if variant == "naive":
            memory.database.cache = Naive(cache)
        else:
            assert isinstance(levels, Levels)
            memory.database.cache = Jittery(levels._trust, levels._shared)
        chats = [await memory.conversation(id=id) for id in conversations]
        run = Run(memory, chats, Board(Path(board)), int(number))
        tasks = [run.read() for _ in range(READERS)] + [run.write(slot) for slot in run.slots]
        await asyncio.gather(run.heard(), run.configure(), *tasks)
        used = memory.database.cache
        results = dict(used.measures.results) if isinstance(used, Levels) else {}
        if isinstance(used, Naive):
            await used.close()
        said({"seen": run.seen, "problems": run.problems[:20], "cache": results})


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
