"""Recall and context at growing numbers of memories: Recollect beside raw pgvector, mem0 and LangGraph's store.

    make bench            or: .venv/bin/python benchmarks/recall.py [--sizes 1000,100000] [--seconds 2]

1,000 memories in each scope, and so many in all; conversations of 10,000 messages. All talk to the same embedded
PostgreSQL, with the same precomputed vectors, and no model is called. "raw" is one hand-written statement on a
connection of its own, without row level security, validity or standing: by vectors alone, or by both arms, since
our recall and our contexts always look at words as well. "vector" asks questions that share no word with any
memory, so that only vectors can answer; "hybrid" and "context" ask questions that share a few. "recollect,
statement" is what a recall asks the database, without taking the question apart before and ordering what was found
after. Fifty users ask in turn where there are so many, so that not all of their vectors are in the processor's
cache; "one user" asks the questions of "vector" for the same user at each size, and tells whether it matters how
many others there are.
CPU is that of this process and of the servers together. The peers keep their default indexes (HNSW), which take
long to build, so they are left out above --peers-up-to.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import asyncpg
import numpy as np
from contenders import LIMIT, Contender, LangGraph, Mem0, Ours, Raw, Vectors
from contexts import OurContext, PeerContexts, RawContext, Talk
from measure import Call, Timing, Watch, side_by_side
from plot import line_plot
from rich.console import Console
from rich.table import Table
from synthetic import IN_SCOPE, Kept, LookUp, World, fill, number_in, user_of

from recollect import Recollect
from recollect.handle import Models
from recollect.models.tokens import default_counter

PLOT = Path(__file__).parent.parent / "docs" / "benchmarks" / "recall.svg"
QUESTIONS = 200
SCOPES = 50
MESSAGES = 10_000
#: What the others are compared with, by task: one that looks for the same.
RAW, RAW_BOTH = "raw pgvector", "raw, both arms"
STATEMENT = "recollect, statement"
BESIDE = {"one user": RAW, "vector": RAW, "hybrid": RAW_BOTH, "context": RAW_BOTH}

Results = dict[tuple[str, int], dict[str, Timing]]
Asked = list[tuple[str, str]]


class Bench:
    """One run over one embedded server."""

    def __init__(self, console: Console, seconds: float, peers_up_to: int) -> None:
        self.console, self.seconds, self.peers_up_to = console, seconds, peers_up_to
        self.world = World()
        self.worded = self.world.questions(QUESTIONS)
        self.strange = self.world.strange_questions(QUESTIONS)
        self.vectors: Vectors = self.worded | self.strange
        self.results: Results = {}
        self.exact: dict[tuple[str, int], float] = {}

    async def run(self, sizes: Sequence[int]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            async with (
                Recollect.open(data_dir=folder + "/data", pool_size=4) as memory,
                AsyncExitStack() as exits,
            ):
                await self._start(memory, Path(folder), exits)
                await self._measure(memory, sizes)

    async def _start(self, memory: Recollect, folder: Path, exits: AsyncExitStack) -> None:
        memory._models = Models(lambda: LookUp(self.vectors), default_counter)
        pid, _, _, _, socket, *_ = (folder / "data" / "postgres" / "postmaster.pid").read_text().splitlines()
        address: dict[str, Any] = {"host": socket, "user": "postgres", "database": "postgres"}
        dsn = f"postgresql://postgres@/postgres?host={socket}"
        self.admin = await asyncpg.connect(**address)
        exits.push_async_callback(self.admin.close)
        self.ours, self.raw = Ours(memory), Raw(self.vectors)
        self.mem0, langgraph = Mem0(self.vectors), LangGraph(self.vectors)
        await self.raw.start(address, exits)
        await self.mem0.start(dsn, folder)
        await langgraph.start(dsn, exits)
        self.everyone: list[Contender] = [self.ours, self.raw, self.mem0, langgraph]
        self.peers = PeerContexts(self.mem0)
        await self.peers.start(dsn, exits)
        self.watch = Watch(int(pid), *self.peers.pids)

    async def _measure(self, memory: Recollect, sizes: Sequence[int]) -> None:
        talk = Talk(user_of(0), MESSAGES)
        self._say("filling conversations")
        ours, raw = OurContext(memory), RawContext(self.raw)
        await ours.prepare(talk)
        await raw.prepare(talk)
        await self.peers.prepare(talk)
        before = 0
        for size in sizes:
            with_peers = size <= self.peers_up_to
            contenders = self.everyone if with_peers else self.everyone[:2]
            rng = np.random.default_rng(size)
            there = np.arange(before // IN_SCOPE, size // IN_SCOPE)
            scopes = rng.choice(there, min(SCOPES, len(there)), replace=False).tolist()
            self._say(f"filling up to {size:,} memories" + ("" if with_peers else ", without the peers"))
            kept = await fill(self.admin, self.world, before, size, set(scopes))
            for one in contenders:
                await one.take(self.admin)
            await self.admin.execute("checkpoint")  # so that nobody is measured while the server writes this down
            always = [(user_of(0), question) for question in self.strange]
            one_user = {one.name: _recalls(one.recall, always) for one in contenders[:2]}
            await self._compare("one user", size, one_user)
            users = itertools.cycle(user_of(scope) for scope in scopes)
            for task, questions in (("vector", self.strange), ("hybrid", self.worded)):
                asked = list(zip(users, questions, strict=False))
                calls = {one.name: _recalls(one.recall, asked) for one in contenders}
                calls[STATEMENT] = _recalls(self.ours.statement, asked)
                if task == "hybrid":
                    calls[RAW_BOTH] = _recalls(self.raw.recall_both, asked)
                await self._compare(task, size, calls)
            for one in contenders:
                self.exact[one.name, size] = await self._exactness(one, scopes, kept, before, size)
            contexts = {"recollect": ours.calls(self.worded), RAW: raw.calls(self.worded)}
            contexts[RAW_BOTH] = raw.calls_both(self.worded)
            await self._compare("context", size, contexts | (self.peers.calls(self.worded) if with_peers else {}))
            before = size
        await ours.say_all(self.admin, self.world, MESSAGES)
        await self._compare("messages", MESSAGES, {"recollect": ours.recalls(self.worded)})

    async def _compare(self, task: str, size: int, calls: dict[str, Call]) -> None:
        self._say(f"{task} at {size:,}")
        for call in calls.values():
            for _ in range(20):
                await call()
        clients = {name: [call] for name, call in calls.items()}
        self.results[task, size] = await side_by_side(clients, seconds=self.seconds, rounds=8, watch=self.watch)

    async def _exactness(
        self, one: Contender, scopes: Sequence[int], kept: dict[int, Kept], first: int, last: int
    ) -> float:
        """Which share of the truly nearest five it finds, against a look at every vector of the scope."""
        step = (last - first) // IN_SCOPE
        shares: list[float] = []
        for scope, (question, vector) in zip(itertools.cycle(scopes), self.strange.items(), strict=False):
            stored = kept[scope].astype(np.float32)  # rounded, so not quite of length 1
            near = np.argsort(-(stored @ vector) / np.linalg.norm(stored, axis=1))[:LIMIT]
            truly = {first + int(row) * step + scope - first // IN_SCOPE for row in near}
            found = {number_in(text) for text in await one.recall(user_of(scope), question)}
            shares.append(len(truly & found) / LIMIT)
        return sum(shares) / len(shares)

    def _say(self, text: str) -> None:
        self.console.print(f"[dim]{text}[/dim]")


def _recalls(recall: Callable[[str, str], Awaitable[list[str]]], asked: Asked) -> Call:
    turns = itertools.cycle(asked)
    return lambda: recall(*next(turns))


def report(bench: Bench, console: Console) -> None:
    """A table with ratios to the raw statement that looks for the same, and the figures that are aimed at."""
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for column in ("task", "in all", "who", "p50 ms", "p95 ms", "CPU ms", "p50 : raw", "CPU : raw", "found"):
        table.add_column(column, justify="left" if column in ("task", "who") else "right")
    for (task, size), timings in bench.results.items():
        raw = timings[BESIDE[task]] if task in BESIDE else None
        for name, timing in timings.items():
            ratios = ("", "") if raw is None else (_ratio(timing, raw), f"{timing.cpu / raw.cpu:.2f}")
            found = bench.exact.get((name, size)) if task == "vector" else None
            table.add_row(
                task,
                f"{size:,}",
                name,
                f"{timing.percentile(50):.2f}",
                f"{timing.percentile(95):.2f}",
                f"{timing.cpu:.2f}",
                *ratios,
                "" if found is None else f"{found:.3f}",
            )
    console.print(table)
    sizes = sorted({size for task, size in bench.results if task == "vector"})
    console.print(f"{os.cpu_count()} cores, load {os.getloadavg()[1]:.1f}")
    for task, who in (("one user", "the same user"), ("vector", f"up to {SCOPES} users in turn")):
        few, many = bench.results[task, sizes[0]], bench.results[task, sizes[-1]]
        console.print(
            f"vector recall of {who}, among {sizes[-1]:,} : among {sizes[0]:,} memories = "
            f"{_ratio(many['recollect'], few['recollect'])} (raw {_ratio(many[RAW], few[RAW])})"
        )
    for size in sizes:
        timings = bench.results["context", size]
        for one in (RAW_BOTH, RAW):
            console.print(f"context at {size:,}, recollect : {one} = {_ratio(timings['recollect'], timings[one])}")
        for peer in timings.keys() - {"recollect", RAW, RAW_BOTH}:
            console.print(
                f"context at {size:,}, {peer} : recollect = {_ratio(timings[peer], timings['recollect'])}"
            )
    console.print(
        f"hybrid recall over {MESSAGES:,} messages: "
        f"{bench.results['messages', MESSAGES]['recollect'].cpu:.1f} ms of CPU"
    )


def _ratio(one: Timing, other: Timing) -> str:
    return f"{one.percentile(50) / other.percentile(50):.2f}"


def draw(bench: Bench) -> None:
    """The plot that the README shows: vector recall by the number of memories."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for (task, size), timings in bench.results.items():
        for name, timing in timings.items() if task == "vector" else ():
            lines.setdefault(name, []).append((size, timing.percentile(50)))
    line_plot(PLOT, "Recall of five memories", "memories in all, 1,000 in each scope", "median, ms", lines)


def main() -> None:
    """Parse, measure, report, draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2, help="for each contender at each task")
    parser.add_argument("--sizes", default="1000,100000,1000000", help="memories in all, growing")
    parser.add_argument("--peers-up-to", type=int, default=100_000, help="memories in all")
    given = parser.parse_args()
    console = Console(width=None if sys.stdout.isatty() else 140)
    bench = Bench(console, given.seconds, given.peers_up_to)
    sizes = [int(part) for part in given.sizes.split(",")]
    asyncio.run(bench.run(sizes))
    report(bench, console)
    if len(sizes) > 1:
        draw(bench)
        console.print(f"plot written to {PLOT}")


if __name__ == "__main__":
    main()
