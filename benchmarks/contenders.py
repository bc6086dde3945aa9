"""Who is measured at recall: Recollect, raw pgvector, mem0 and LangGraph's store, over the same made-up memories.

Each is filled by COPY and SQL in its own schema, and searched by its own code. The memories' and the questions'
vectors are given, so no model is called by anyone.
"""

from __future__ import annotations

import os
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Protocol

import asyncpg
import numpy as np
from numpy.typing import NDArray
from synthetic import AGENT, DIMENSION, MODEL, TENANT, sent

from recollect import Recollect
from recollect.recall.candidates import RELATED
from recollect.recall.search import SPARE, Search, search_arguments

os.environ["MEM0_TELEMETRY"] = "False"
os.environ.setdefault("OPENAI_API_KEY", "never used: no model is called")

LIMIT = 5
Vectors = dict[str, NDArray[np.float32]]


class Contender(Protocol):
    """What each one has to do."""

    name: str

    async def take(self, admin: asyncpg.Connection) -> None:
        """Take over what stands in ``bench.stage``."""
        ...

    async def recall(self, user: str, question: str) -> list[str]:
        """The texts of the five that answer best."""
        ...


class Ours:
    """Recollect."""

    name = "recollect"

    def __init__(self, memory: Recollect) -> None:
        self.memory = memory
        self.taken_apart: dict[str, Search] = {}

    async def take(self, admin: asyncpg.Connection) -> None:
        async with admin.transaction():
            await admin.execute("set local session_replication_role = replica")  # no look-up of the tenant each
            await admin.execute(
                "insert into recollect.memories (tenant, id, user_id, pool, agent, key_point, author, "
                "fingerprint, words, model, embedding) "
                f"select '{TENANT}', id, user_id, '{AGENT}', '{AGENT}', text, 'user', "
                f"sha256(text::bytea), recollect.words_of(text), '{MODEL}', embedding from bench.stage"
            )
            # Triggers are off here, that of the words among them.
            await admin.execute(
                "insert into recollect.memory_words select w.* from bench.stage s "
                f"join recollect.memories m on m.tenant = '{TENANT}' and m.id = s.id "
                "cross join lateral recollect.words_of_memory(m) w"
            )
        # As the others build theirs after all rows are there.
        await admin.execute("reindex index recollect.memories_recalled")
        await admin.execute("reindex index recollect.memory_words_pkey")
        await admin.execute("vacuum analyze recollect.memories")
        await admin.execute("vacuum analyze recollect.memory_words")

    async def recall(self, user: str, question: str) -> list[str]:
        return [hit.text for hit in await self.memory.recall(question, user, AGENT, limit=LIMIT)]

    async def statement(self, user: str, question: str) -> list[str]:
        """What it asks the database, of questions that were taken apart before, and nothing else."""
        asked = self.taken_apart.get(question)
        if asked is None:
            embedders = self.memory._models.embedders
            asked = await search_arguments(embedders, embedders.current, question, None, RELATED, LIMIT)
            self.taken_apart[question] = asked
        rows = await self.memory._database.call("find_memories", TENANT, user, AGENT, *asked, LIMIT + SPARE)
        return [row["key_point"] for row in rows]


class Raw:
    """One statement over a table with a covering index, on a connection of its own, above every wall."""

    name = "raw pgvector"

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors

    async def start(self, address: dict[str, Any], exits: AsyncExitStack) -> None:
        self.connection = await asyncpg.connect(**address)
        exits.push_async_callback(self.connection.close)
        await self.connection.set_type_codec(
            "halfvec", encoder=sent, decoder=bytes, format="binary", schema="public"
        )
        await self.connection.execute(
            "create schema if not exists bench; create table bench.raw (tenant text not null, user_id text "
            "not null, pool text not null, id uuid primary key, text text not null, "
            f"embedding halfvec({DIMENSION}) not null, words tsvector not null)"
        )

    async def take(self, admin: asyncpg.Connection) -> None:
        await admin.execute(
            "drop index if exists bench.raw_of_scope, bench.raw_words_of_scope; insert into bench.raw "
            f"select '{TENANT}', user_id, '{AGENT}', id, text, embedding, to_tsvector('english', text) "
            "from bench.stage; "
            "create index raw_of_scope on bench.raw (tenant, user_id, pool) include (id, embedding); "
            "create index raw_words_of_scope on bench.raw (tenant, user_id, pool) include (id, words)"
        )
        await admin.execute("vacuum analyze bench.raw")

    async def recall(self, user: str, question: str) -> list[str]:
        rows = await self.connection.fetch(RAW_NEAREST, self.vectors[question], TENANT, user, AGENT)
        return [row["text"] for row in rows]

    async def recall_both(self, user: str, question: str) -> list[str]:
        """By vectors and words."""
        rows = await self.connection.fetch(RAW_BOTH, self.vectors[question], TENANT, user, AGENT, question)
        return [row["text"] for row in rows]


RAW_NEAREST = f"""
with nearest as (
  select id, embedding <=> $1 as far from bench.raw where tenant = $2 and user_id = $3 and pool = $4
  order by far limit {LIMIT}
)
select id, text, far from nearest join bench.raw using (id) order by far
"""

#: Both arms as they are usually written by hand: twenty by vectors and twenty by words, joined by their ranks.
#: Each arm has an index that holds all it reads, without which words take longer. (An index of words alone, GIN,
#: knows nothing of scopes, and takes longer the more there is in all.)
BOTH = """
select id, sum(1.0::float8 / (60 + place)) as score
from (
  select id, row_number() over (order by far) as place
  from (
    select id, embedding <=> $1 as far from bench.raw where tenant = $2 and user_id = $3 and pool = $4
    order by far limit 20
  ) as near
  union all
  select id, row_number() over (order by rank desc) as place
  from (
    select id, ts_rank_cd(words, asked) as rank
    from bench.raw, (
      select string_agg(quote_literal(stem), '|')::tsquery as asked
      from unnest(tsvector_to_array(to_tsvector('english', {question}))) as stem
    ) as question
    where tenant = $2 and user_id = $3 and pool = $4 and words @@ asked
    order by rank desc limit 20
  ) as worded
) as either
group by id order by score desc limit {limit}
"""
RAW_BOTH = f"""
with best as ({BOTH.format(question="$5", limit=LIMIT)})
select id, text, score from best join bench.raw using (id) order by score desc
"""


class Mem0:
    """mem0 on pgvector with its default index (HNSW). Without spaCy it leaves out lemmas and entities."""

    name = "mem0"

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors

    async def start(self, dsn: str, folder: Path) -> None:
        os.environ["MEM0_DIR"] = str(folder / "mem0")
        from mem0 import AsyncMemory

        self.memory = AsyncMemory.from_config(
            {
                "history_db_path": str(folder / "mem0.db"),
                "vector_store": {
                    "provider": "pgvector",
                    "config": {
                        "connection_string": dsn,
                        "collection_name": "mem0",
                        "embedding_model_dims": DIMENSION,
                    },
                },
            }
        )
        self.memory.embedding_model = self  # which knows the vectors
        self.memory.vector_store._ensure_collection()

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002 (mem0 gives it)
        return self.vectors[text].tolist()

    async def take(self, admin: asyncpg.Connection) -> None:
        await admin.execute(
            "drop index mem0_hnsw_idx; insert into mem0 (id, vector, payload) select id, embedding::vector, "
            f"jsonb_build_object('user_id', user_id, 'agent_id', '{AGENT}', 'role', 'user', 'data', text, "
            "'hash', md5(text), 'created_at', now(), 'updated_at', now(), 'text_lemmatized', text) "
            "from bench.stage; "
            "create index mem0_hnsw_idx on mem0 using hnsw (vector vector_cosine_ops)"
        )
        await admin.execute("vacuum analyze mem0")

    async def recall(self, user: str, question: str) -> list[str]:
        wanted = {"user_id": user, "agent_id": AGENT}
        found = await self.memory.search(question, filters=wanted, top_k=LIMIT)
        return [one["memory"] for one in found["results"]]


class LangGraph:
    """LangGraph's AsyncPostgresStore with its default index (HNSW)."""

    name = "langgraph store"

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors

    async def start(self, dsn: str, exits: AsyncExitStack) -> None:
        from langgraph.store.postgres.aio import AsyncPostgresStore

        async def embed(texts: list[str]) -> list[list[float]]:
            return [self.vectors[text].tolist() for text in texts]

        self.store = await exits.enter_async_context(
            AsyncPostgresStore.from_conn_string(
                dsn, index={"dims": DIMENSION, "embed": embed, "fields": ["text"]}, pool_config={"min_size": 1}
            )
        )
        await self.store.setup()

    async def take(self, admin: asyncpg.Connection) -> None:
        async with admin.transaction():
            await admin.execute("set local session_replication_role = replica")
            await admin.execute(
                "drop index store_vectors_embedding_idx; insert into store (prefix, key, value) "
                f"select '{AGENT}.' || user_id, id::text, jsonb_build_object('text', text) from bench.stage; "
                "insert into store_vectors (prefix, key, field_name, embedding) "
                f"select '{AGENT}.' || user_id, id::text, 'text', embedding::vector from bench.stage"
            )
            await admin.execute(
                "create index store_vectors_embedding_idx on store_vectors "
                "using hnsw (embedding vector_cosine_ops)"
            )
        await admin.execute("vacuum analyze store")
        await admin.execute("vacuum analyze store_vectors")

    async def recall(self, user: str, question: str) -> list[str]:
        return [one.value["text"] for one in await self.store.asearch((AGENT, user), query=question, limit=LIMIT)]
