"""How vectors travel: in pgvector's own binary form, since the driver would look at every number of a list."""

from __future__ import annotations

from typing import Any

import asyncpg


def sent(vector: Any) -> bytes:
    """A numpy array as a ``halfvec``; one that was made so before stays as it is."""
    if isinstance(vector, bytes):
        return vector
    return len(vector).to_bytes(2) + bytes(2) + vector.astype(">f2").tobytes()


async def send_vectors(connection: asyncpg.Connection, schema: str) -> asyncpg.Connection:
    """Let a connection take arrays for ``halfvec``, a type of the extension in this schema."""
    await connection.set_type_codec("halfvec", schema=schema, encoder=sent, decoder=bytes, format="binary")
    return connection
