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

import msgspec
import redis.asyncio

from recollect import Chat, Recollect, RecollectError
from recollect.cache import rules
from recollect.cache.levels import Levels
from recollect.ports import Asked, Change, Load
from recollect.recall.context import fetch
from recollect.records import Message

READERS, WRITERS, PROCESSES = 8, 2, 2
#: What is written, and has a place on the board for each conversation.
WHAT = ("messages", "document", "state", "memory")
QUESTION = "Does the user live in Porto?"
#: Numbers on the board for each subject: one of each writer, so that nobody overwrites another's.
SLOTS = WRITERS * PROCESSES


class Board:
    """What was acknowledged, for each subject: an agent, conversations, their documents, their states, and a memory
    that each has."""

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

    async def context(self, asked: Asked, kind: type[Any], load: Callable[[bool], Any]) -> Any:
        async def slowly(to_keep: bool) -> Any:
            read = await load(to_keep)
            await pause()
            return read

        return await super().context(asked, kind, slowly)


class Naive:
    """What everybody writes first: read the cache, else the database and fill; delete after the commit."""

    def __init__(self, url: str, conversations: Sequence[str]) -> None:
        self._redis: Any = redis.asyncio.Redis.from_url(url)
        self._conversations = conversations

    def touched(self, query: str, args: Sequence[object], rows: Sequence[Any] = ()) -> Sequence[Change]:
        return rules.touched(query, args, rows)

    async def changed(self, tenant: str, changes: Sequence[Change]) -> None:
        for change in changes:
            talk = change.conversation or change.context
            await self._redis.delete(f"naive:{talk}", f"naive:{talk}:memory", f"naive:{talk}:context")
            if change.user is not None:
                await self._redis.delete(*(f"naive:{one}:context" for one in self._conversations))

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

    async def context(self, asked: Asked, kind: type[Any], load: Callable[[bool], Any]) -> Any:
        found = await self._redis.get(f"naive:{asked.conversation}:context")
        if found is not None:
            return msgspec.json.decode(found, type=kind)
        read = (await load(False)).value
        await pause()
        await self._redis.set(f"naive:{asked.conversation}:context", msgspec.json.encode(read), ex=3600)
        return read

    async def kept(self, tenant: str, name: tuple[str, ...], load: Callable[[], Any]) -> Any:
        return (await load())[0]

    async def close(self) -> None:
        await self._redis.aclose()


class Run:
    """The readers and writers of this process."""

    def __init__(self, memory: Recollect, chats: list[Chat], known: list[str], board: Board, process: int) -> None:
        self.memory, self.chats, self.known, self.board = memory, chats, known, board
        self.slots = range(process * WRITERS, (process + 1) * WRITERS)
        self.seen: Counter[str] = Counter()
        self.problems: list[str] = []
        self.over = asyncio.Event()

    async def read(self) -> None:
        while not self.over.is_set():
            subject = random.randrange(len(self.chats))
            what = random.choices(("window", "context", "document", "agent"), (5, 5, 2, 1))[0]
            try:
                if what == "context":
                    await self.context(subject)
                    continue
                if what == "window":
                    floor = self.board.floor(self.place("messages", subject))
                    seqs = [message.seq for message in await self.chats[subject].window()]
                    newest = seqs[-1] if seqs else 0
                    if seqs != list(range(newest - len(seqs) + 1, newest + 1)):
                        self.problems.append(f"not in order: {seqs}")
                elif what == "document":
                    floor = self.board.floor(self.place("document", subject))
                    newest = (await self.chats[subject].memory_document()).version
                else:
                    floor = self.board.floor(0)
                    newest = (await self.memory.agent("clerk")).version
            except RecollectError as error:
                self.problems.append(f"{what}: {error}")
                continue
            self.seen["reads"] += 1
            self.check(what, newest, floor)
            await asyncio.sleep(random.random() * 0.01)

    def place(self, what: str, subject: int) -> int:
        """Where the board has it; the agent is first."""
        return 1 + WHAT.index(what) * len(self.chats) + subject

    def check(self, what: str, newest: int, floor: int) -> None:
        if newest < floor:
            self.seen["stale"] += 1
            self.seen[f"stale {what}"] += 1

    async def context(self, subject: int) -> None:
        """The parts that a context is made of, each at least as new as what was acknowledged."""
        chat, floors = self.chats[subject], {what: self.board.floor(self.place(what, subject)) for what in WHAT}
        models = self.memory._models
        caller, database = self.memory._caller, self.memory.database
        fetched = await fetch(database, caller, models.embedders, chat.id, QUESTION, None)
        self.seen["reads"] += 1
        state = 0 if fetched.state is None else msgspec.json.decode(fetched.state)["version"]
        versions = [hit.memory.version for hit in fetched.memories if hit.memory and hit.memory.pool == chat.agent]
        self.check("context messages", fetched.window[-1].seq if fetched.window else 0, floors["messages"])
        self.check("context state", state or 0, floors["state"])
        self.check("context memory", max(versions, default=0), floors["memory"])
        await asyncio.sleep(random.random() * 0.01)

    async def write(self, slot: int) -> None:
        while not self.over.is_set():
            subject = random.randrange(len(self.chats))
            chat = self.chats[subject]
            what = random.choices(WHAT, (8, 2, 2, 2))[0]
            try:
                if what == "messages":
                    number = (await chat.append("user", "something was said")).seq
                elif what == "document":
                    number = (await chat.save_memory_document({"by": slot})).version
                elif what == "state":
                    number = (await chat.update_state({"metadata": {"by": slot}})).version
                else:
                    number = (await self.memory.revise(self.known[subject], importance=random.random())).version
                self.board.put(self.place(what, subject), slot, number)
            except RecollectError as error:
                self.problems.append(f"write: {error}")
            self.seen["writes"] += 1
            await asyncio.sleep(random.random() * 0.03)

    async def configure(self) -> None:
        while not self.over.is_set():
            try:
                saved = await self.memory.configure_agent("clerk", budget=random.randrange(1000, 2000))
                self.board.put(0, self.slots[0], saved.version)
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
            memory.database.cache = Naive(cache, conversations)
        else:
            assert isinstance(levels, Levels)
            memory.database.cache = Jittery(levels._trust, levels._shared)
        chats = [await memory.conversation(id=id) for id in conversations]
        known = [(await memory.memories(chat.user, chat.agent)).items[0].id for chat in chats]
        run = Run(memory, chats, known, Board(Path(board)), int(number))
        tasks = [run.read() for _ in range(READERS)] + [run.write(slot) for slot in run.slots]
        await asyncio.gather(run.heard(), run.configure(), *tasks)
        used = memory.database.cache
        results = (await used.facts())["by_type"] | used.measures.results if isinstance(used, Levels) else {}
        if isinstance(used, Naive):
            await used.close()
        said({"seen": run.seen, "problems": run.problems[:20], "cache": results})


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
