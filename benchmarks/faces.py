"""What a face costs: langchain-postgres through our view beside its own table, and our history beside it.

    .venv/bin/python benchmarks/faces.py [--seconds 4] [--length 10000]

Appends: the class PostgresChatMessageHistory writes one message and commits, to its own table and through
`api.chat_message_history`, where it is also numbered, indexed for search and made due for learning. Reads: the
last 12 of a long conversation; that class reads all of it, ours the window. All on one embedded PostgreSQL.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import uuid
from pathlib import Path

import psycopg
from langchain_core.messages import BaseMessage, HumanMessage
from langchain_postgres import PostgresChatMessageHistory
from measure import side_by_side

from recollect import Recollect
from recollect.adapters.langchain import RecollectChatMessageHistory
from recollect.storage import embedded

TEXT = "I moved to Porto in May, and I am looking for a vegetarian restaurant near the river for Friday."
WINDOW = 12


async def measure(address: str, seconds: float, length: int) -> None:
    async with Recollect.open(address, migrate=True, tenant="bench") as memory:
        await memory.configure_agent("langchain", learn_every=0)
        settings = "-c role=recollect_server -c recollect.tenant=bench -c search_path=api"
        ours = await psycopg.AsyncConnection.connect(address, options=settings)
        theirs = await psycopg.AsyncConnection.connect(address)
        await PostgresChatMessageHistory.acreate_tables(theirs, "own_table")
        session = str(uuid.uuid4())
        view = PostgresChatMessageHistory("chat_message_history", session, async_connection=ours)
        table = PostgresChatMessageHistory("own_table", session, async_connection=theirs)

        said = [HumanMessage(TEXT)]
        appends = await side_by_side(
            {
                "langchain-postgres, its own table": [lambda: table.aadd_messages(said)],
                "langchain-postgres, our view": [lambda: view.aadd_messages(said)],
            },
            seconds=seconds,
            rounds=20,
        )
        for name, timing in appends.items():
            print(f"append  {name:36} p50 {timing.percentile(50):7.3f} ms  {timing.rate:7.0f}/s")
        own, through = (timing.percentile(50) for timing in appends.values())
        print(f"append  through the view: {through / own:.2f} × its own table\n")

        await theirs.execute("truncate own_table")
        await theirs.commit()
        long = str(uuid.uuid4())
        table = PostgresChatMessageHistory("own_table", long, async_connection=theirs)
        history = RecollectChatMessageHistory(memory, long, limit=WINDOW)
        many: list[BaseMessage] = [HumanMessage(f"{n}: {TEXT}") for n in range(length)]
        await table.aadd_messages(many)
        await history.aadd_messages(many)
        through_view = PostgresChatMessageHistory("chat_message_history", long, async_connection=ours)

        async def last_of_table() -> list[BaseMessage]:
            return (await table.aget_messages())[-WINDOW:]

        async def last_of_view() -> list[BaseMessage]:
            return (await through_view.aget_messages())[-WINDOW:]

        assert await last_of_table() == await history.aget_messages() == await last_of_view() == many[-WINDOW:]
        reads = await side_by_side(
            {
                "langchain-postgres, its own table": [last_of_table],
                "langchain-postgres, our view": [last_of_view],
                "RecollectChatMessageHistory": [history.aget_messages],
            },
            seconds=seconds,
        )
        for name, timing in reads.items():
            print(f"last {WINDOW} {name:36} p50 {timing.percentile(50):7.3f} ms")
        slow, _, fast = (timing.percentile(50) for timing in reads.values())
        print(f"last {WINDOW} of {length:,}: {slow / fast:.0f} × faster than langchain-postgres on its own table")
        await ours.close()
        await theirs.close()


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--length", type=int, default=10_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = await embedded.start(Path(folder) / "data")
        try:
            address = f"postgresql://postgres@/postgres?host={server.socket}&port={server.port}"
            await measure(address, given.seconds, given.length)
        finally:
            await server.close()


if __name__ == "__main__":
    asyncio.run(main())
