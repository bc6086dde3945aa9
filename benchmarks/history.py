"""Append a message, and read the last 12, at growing lengths: Recollect beside raw asyncpg and two peers.

    make bench            or: .venv/bin/python benchmarks/history.py [--seconds 1.5] [--lengths 100,1000]

All four talk to the same embedded PostgreSQL. Raw asyncpg is as bare as it gets: an indexed table without tenants,
row level security, numbering or idempotency, one dedicated connection for each client. CPU is that of this process
and of the server together.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import uuid
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Protocol

import asyncpg
import psycopg
from agents.extensions.memory import SQLAlchemySession
from langchain_core.messages import HumanMessage, message_to_dict
from langchain_postgres import PostgresChatMessageHistory
from measure import Call, Timing, Watch, side_by_side
from plot import line_plot
from rich.console import Console
from rich.table import Table
from sqlalchemy.ext.asyncio import create_async_engine

from recollect import Recollect

TEXT = "I moved to Porto in May, and I am looking for a vegetarian restaurant near the river for Friday."
WINDOW = 12
PLOT = Path(__file__).parent.parent / "docs" / "benchmarks" / "history.svg"


class Contender(Protocol):
    """What each one has to do. Every client has a conversation of its own for appending."""

    name: str

    async def prepare(self, length: int, clients: int) -> None:
        """Make conversations, the first of them ``length`` long."""
        ...

    def readers(self) -> list[Call]:
        """For each client, a call that reads the last 12 of the long conversation."""
        ...

    def appenders(self) -> list[Call]:
        """For each client, a call that appends to its own conversation."""
        ...


class Ours:
    """Recollect."""

    name = "recollect"

    def __init__(self, memory: Recollect) -> None:
        self.memory = memory

    async def prepare(self, length: int, clients: int) -> None:
        self.chats = [await self.memory.new_conversation(user="bench", agent=f"{n}") for n in range(clients)]
        for start in range(0, length, 1000):
            await self.chats[0].extend([("user", TEXT)] * min(1000, length - start))

    def readers(self) -> list[Call]:
        return [lambda: self.chats[0].window(WINDOW) for _ in self.chats]

    def appenders(self) -> list[Call]:
        return [lambda chat=chat: chat.append("user", TEXT) for chat in self.chats]

    def crowd(self) -> list[Call]:
        """All clients append to one conversation."""
        return [lambda: self.chats[0].append("user", TEXT) for _ in self.chats]


class Raw:
    """asyncpg on an indexed table."""

    name = "raw asyncpg"

    def __init__(self, address: dict[str, Any], exits: AsyncExitStack) -> None:
        self.address, self.exits = address, exits
        self.connections: list[asyncpg.Connection] = []

    async def prepare(self, length: int, clients: int) -> None:
        while len(self.connections) < clients:
            self.connections.append(await asyncpg.connect(**self.address))
            self.exits.push_async_callback(self.connections[-1].close)
        await self.connections[0].execute(
            "create table if not exists raw_messages (id bigint generated always as identity primary key, "
            "session_id uuid not null, role text not null, content text not null, metadata jsonb, "
            "created_at timestamptz not null default now());"
            "create index if not exists raw_by_session on raw_messages (session_id, id)"
        )
        self.sessions = [uuid.uuid4() for _ in range(clients)]
        rows = [(self.sessions[0], "user", TEXT)] * length
        await self.connections[0].copy_records_to_table(
            "raw_messages", records=rows, columns=["session_id", "role", "content"]
        )
        await self.connections[0].execute("analyze raw_messages")

    def readers(self) -> list[Call]:
        query = (
            "select id, role, content, metadata, created_at from raw_messages "
            f"where session_id = $1 order by id desc limit {WINDOW}"
        )
        pairs = zip(self.connections, self.sessions, strict=False)
        return [lambda one=one: one.fetch(query, self.sessions[0]) for one, _ in pairs]

    def appenders(self) -> list[Call]:
        async def append(connection: asyncpg.Connection, session: uuid.UUID) -> None:
            async with connection.transaction():
                await connection.execute(
                    "insert into raw_messages (session_id, role, content) values ($1, $2, $3)",
                    session,
                    "user",
                    TEXT,
                )

        pairs = zip(self.connections, self.sessions, strict=False)
        return [lambda one=one, session=session: append(one, session) for one, session in pairs]


class LangChain:
    """langchain-postgres, which reads a conversation whole."""

    name = "langchain-postgres"

    def __init__(self, dsn: str, exits: AsyncExitStack) -> None:
        self.dsn, self.exits = dsn, exits
        self.connections: list[psycopg.AsyncConnection[Any]] = []

    async def prepare(self, length: int, clients: int) -> None:
        while len(self.connections) < clients:
            self.connections.append(await psycopg.AsyncConnection.connect(self.dsn))
            self.exits.push_async_callback(self.connections[-1].close)
        first = self.connections[0]
        await PostgresChatMessageHistory.acreate_tables(first, "peer_history")
        self.histories = [
            PostgresChatMessageHistory("peer_history", str(uuid.uuid4()), async_connection=connection)
            for connection in self.connections[:clients]
        ]
        message = json.dumps(message_to_dict(HumanMessage(TEXT)))
        session = self.histories[0]._session_id  # pyright: ignore[reportPrivateUsage]
        async with (
            first.cursor() as cursor,
            cursor.copy("copy peer_history (session_id, message) from stdin") as copy,
        ):
            for _ in range(length):
                await copy.write_row((session, message))
        await first.execute("analyze peer_history")
        await first.commit()

    def readers(self) -> list[Call]:
        async def read(connection: psycopg.AsyncConnection[Any]) -> object:
            history = PostgresChatMessageHistory(
                "peer_history",
                self.histories[0]._session_id,
                async_connection=connection,  # pyright: ignore
            )
            return (await history.aget_messages())[-WINDOW:]

        return [lambda one=one: read(one) for one in self.connections[: len(self.histories)]]

    def appenders(self) -> list[Call]:
        return [lambda history=history: history.aadd_messages([HumanMessage(TEXT)]) for history in self.histories]


class Agents:
    """The OpenAI Agents SDK's SQLAlchemy session, on asyncpg."""

    name = "openai-agents"

    def __init__(self, address: dict[str, Any], exits: AsyncExitStack) -> None:
        url = f"postgresql+asyncpg://{address['user']}@/{address['database']}?host={address['host']}"
        self.engine = create_async_engine(url, pool_size=16)
        exits.push_async_callback(self.engine.dispose)

    async def prepare(self, length: int, clients: int) -> None:
        self.sessions = [
            SQLAlchemySession(str(uuid.uuid4()), engine=self.engine, create_tables=True) for _ in range(clients)
        ]
        item: Any = {"role": "user", "content": TEXT}
        for start in range(0, length, 1000):
            await self.sessions[0].add_items([item] * min(1000, length - start))

    def readers(self) -> list[Call]:
        return [lambda: self.sessions[0].get_items(limit=WINDOW) for _ in self.sessions]

    def appenders(self) -> list[Call]:
        item: Any = {"role": "user", "content": TEXT}
        return [lambda session=session: session.add_items([item]) for session in self.sessions]


Results = dict[tuple[str, int, int], dict[str, Timing]]


async def measure(lengths: list[int], clients: list[int], seconds: float, console: Console) -> Results:
    """Every task at every length and number of clients."""
    results: Results = {}
    with tempfile.TemporaryDirectory() as folder:
        async with Recollect.open(data_dir=folder + "/data", pool_size=16) as memory, AsyncExitStack() as exits:
            pid, _, _, _, socket, *_ = (Path(folder) / "data/postgres/postmaster.pid").read_text().splitlines()
            watch = Watch(int(pid))
            address = {"host": socket, "user": "postgres", "database": "postgres"}
            dsn = f"postgresql://postgres@/postgres?host={socket}"
            ours = Ours(memory)
            contenders: list[Contender] = [
                ours,
                Raw(address, exits),
                LangChain(dsn, exits),
                Agents(address, exits),
            ]
            for length in lengths:
                console.print(f"[dim]filling conversations of {length:,} messages[/dim]")
                for contender in contenders:
                    await contender.prepare(length, max(clients))
                for count in clients:
                    for task in ("last 12", "append"):
                        console.print(f"[dim]{task} at {length:,}, {count} clients[/dim]")
                        calls = {
                            one.name: (one.readers() if task == "last 12" else one.appenders())[:count]
                            for one in contenders
                        }
                        # Short rounds even out a machine that changes its mind; long conversations take some peers
                        # seconds for each call.
                        results[task, length, count] = await side_by_side(
                            calls, seconds=seconds, rounds=15 if length <= 1000 else 5, watch=watch
                        )
            crowd = {"recollect": ours.crowd(), "raw asyncpg": contenders[1].appenders()}
            results["append to one", lengths[-1], max(clients)] = await side_by_side(
                crowd, seconds=seconds, watch=watch
            )
    return results


def report(results: Results, console: Console) -> None:
    """A table with ratios to raw asyncpg."""
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("task")
    for column in ("length", "clients"):
        table.add_column(column, justify="right")
    table.add_column("who")
    for column in ("p50 ms", "p95 ms", "ops/s", "CPU ms", "p50 : raw", "CPU : raw"):
        table.add_column(column, justify="right")
    for (task, length, count), timings in results.items():
        raw = timings["raw asyncpg"]
        for name, timing in timings.items():
            table.add_row(
                task,
                f"{length:,}",
                str(count),
                name,
                f"{timing.percentile(50):.3f}",
                f"{timing.percentile(95):.3f}",
                f"{timing.rate:,.0f}",
                f"{timing.cpu:.3f}",
                f"{timing.percentile(50) / raw.percentile(50):.2f}",
                f"{timing.cpu / raw.cpu:.2f}",
            )
    console.print(table)
    lengths = sorted({length for task, length, _ in results if task == "last 12"})
    ours = {length: results["last 12", length, 1]["recollect"].percentile(50) for length in lengths}
    console.print(f"last 12, longest : shortest conversation = {ours[lengths[-1]] / ours[lengths[0]]:.2f}")
    if 10_000 in lengths:
        peer = results["last 12", 10_000, 1]["langchain-postgres"].percentile(50)
        console.print(f"last 12 at 10,000 messages, langchain-postgres : recollect = {peer / ours[10_000]:,.0f}")


def draw(results: Results) -> None:
    """The plot that the README shows: reading the last 12 by length."""
    lengths = sorted({length for task, length, _ in results if task == "last 12"})
    names = list(next(iter(results.values())))
    lines = {
        name: [(length, results["last 12", length, 1][name].percentile(50)) for length in lengths]
        for name in names
    }
    line_plot(PLOT, "Reading the last 12 messages", "messages in the conversation", "median, ms", lines)


def main() -> None:
    """Parse, measure, report, draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.5, help="for each contender at each task")
    parser.add_argument("--lengths", default="100,1000,10000,100000")
    parser.add_argument("--clients", default="1,16")
    given = parser.parse_args()
    lengths, clients = ([int(part) for part in text.split(",")] for text in (given.lengths, given.clients))
    console = Console()
    results = asyncio.run(measure(lengths, clients, given.seconds, console))
    report(results, console)
    if len(lengths) > 1:
        draw(results)
        console.print(f"plot written to {PLOT}")


if __name__ == "__main__":
    main()
