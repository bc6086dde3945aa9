"""Does a turn wait for learning? Append beside an idle and a busy worker; write-to-recall lag; memories per second.

    make bench            or: .venv/bin/python benchmarks/learning.py [--seconds 6] [--conversations 300]

The worker is a process of its own, as ``recollect work`` runs it. It is busy with a backlog that lasts for the whole
measurement, or stopped by a signal; the two take turns in short rounds, so that both meet the same machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

from measure import Timing, side_by_side
from rich.console import Console
from rich.table import Table

from recollect import Chat, Recollect

TEXT = "That sounds good, thank you, and let us talk about the weather in the mountains for a while."
PLACES = ("Porto", "Lyon", "Ghent", "Turin", "Malmö", "Graz", "Bergen", "Cork", "Basel", "Vigo")
TRADES = ("carpenter", "nurse", "teacher", "baker", "lawyer", "driver", "farmer", "welder", "painter", "clerk")


def facts(number: int) -> list[tuple[str, str]]:
    """Ten messages, three of which say something about the user."""
    said = [
        f"I live in {PLACES[number % 10]} and I love the market there.",
        f"I work as a {TRADES[number // 10 % 10]} in a small workshop.",
        f"My brother has {number % 7 + 2} dogs and a garden.",
    ]
    return [("user", text) for text in said] + [("assistant", TEXT)] * 7


@contextmanager
def worker(folder: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker on this folder; in the end it is told to stop."""
    command = [sys.executable, "-m", "recollect", "work", "--data-dir", folder]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGCONT)
            process.terminate()
            process.wait()


async def backlog(memory: Recollect, conversations: int, first: int = 0) -> None:
    """Conversations of as many users, all due."""
    for number in range(first, first + conversations):
        chat = await memory.new_conversation(user=f"user {number}", agent="learner")
        await chat.extend(facts(number))


async def due(memory: Recollect) -> int:
    """How many pieces of work are due."""
    return sum(one.kind == "extract" for one in await memory.work(limit=1000))


async def beside(memory: Recollect, process: subprocess.Popen[bytes], seconds: float) -> dict[str, Timing]:
    """Appends while the worker is stopped, and while it works."""
    await memory.configure_agent("talker", learn_every=0)
    chats: list[Chat] = [await memory.new_conversation(user=f"talker {n}", agent="talker") for n in range(2)]

    async def idle() -> None:
        await chats[0].append("user", TEXT)

    async def busy() -> None:
        await chats[1].append("user", TEXT)

    timings = {"idle": Timing(), "busy": Timing()}
    rounds = 10
    for _ in range(rounds):
        for name, call, signal_ in (("idle", idle, signal.SIGSTOP), ("busy", busy, signal.SIGCONT)):
            os.kill(process.pid, signal_)
            await asyncio.sleep(0.1)  # what the database had under way for the worker comes to its end
            some = await side_by_side({name: [call]}, seconds=seconds / rounds, rounds=1)
            timings[name].durations += some[name].durations
            timings[name].elapsed += some[name].elapsed
    os.kill(process.pid, signal.SIGCONT)
    return timings


async def lag(memory: Recollect, times: int) -> list[float]:
    """Seconds from the answer to the tenth append until the fact can be recalled as a memory."""
    taken: list[float] = []
    for number in range(times):
        user = f"lag {number}"
        chat = await memory.new_conversation(user=user, agent="learner")
        await chat.extend([("user", TEXT)] * 9)
        await chat.append("user", "I live in Lisbon with my two cats.")
        begun = time.perf_counter()
        while not await memory.recall("Where does the user live?", user=user, agent="learner"):
            await asyncio.sleep(0.002)
        taken.append(time.perf_counter() - begun)
    return taken


async def measure(seconds: float, conversations: int, console: Console) -> None:
    """All three, on one embedded server."""
    with tempfile.TemporaryDirectory() as folder:
        async with Recollect.open(data_dir=folder + "/data") as memory:
            with worker(folder + "/data") as process:
                await backlog(memory, 1)
                while await due(memory):
                    await asyncio.sleep(0.05)
                os.kill(process.pid, signal.SIGSTOP)
                console.print(f"[dim]a backlog of {conversations} conversations[/dim]")
                await backlog(memory, conversations, first=1)
                timings = await beside(memory, process, seconds)
                left = await due(memory)
                if left == 0:
                    console.print(
                        "[red]the backlog ended before the measurement: ask for more conversations[/red]"
                    )
                before, begun = await known(memory, conversations), time.perf_counter()
                while await due(memory):
                    await asyncio.sleep(0.1)
                took = time.perf_counter() - begun
                rate = (await known(memory, conversations) - before) / took if left else float("nan")
                while await memory.work():
                    await asyncio.sleep(0.1)
                lags = await lag(memory, 20)
    report(timings, rate, lags, console)


async def known(memory: Recollect, conversations: int) -> int:
    """How many memories there are of all users of the backlog."""
    users = range(conversations + 1)
    pages = [await memory.memories(user=f"user {number}", agent="learner") for number in users]
    return sum(len(page.items) for page in pages)


def report(timings: dict[str, Timing], rate: float, lags: list[float], console: Console) -> None:
    """A table, and the ratio that is promised."""
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for column in ("append beside a worker that is", "p50 ms", "p95 ms", "appends/s", "p50 : idle"):
        table.add_column(column, justify="left" if column.startswith("append b") else "right")
    base = timings["idle"].percentile(50)
    for name, timing in timings.items():
        cells = (timing.percentile(50), timing.percentile(95), timing.rate, timing.percentile(50) / base)
        table.add_row(name, f"{cells[0]:.3f}", f"{cells[1]:.3f}", f"{cells[2]:,.0f}", f"{cells[3]:.2f}")
    console.print(table)
    console.print(f"learned, by rules: {rate:,.0f} memories a second")
    ordered = sorted(lags)
    console.print(
        f"write to recall: median {statistics.median(ordered) * 1000:.0f} ms, longest {ordered[-1] * 1000:.0f} ms"
    )


def main() -> None:
    """Parse and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=6.0, help="for each of the two")
    parser.add_argument("--conversations", type=int, default=600, help="how many the worker has to learn from")
    given = parser.parse_args()
    asyncio.run(measure(given.seconds, given.conversations, Console()))


if __name__ == "__main__":
    main()
