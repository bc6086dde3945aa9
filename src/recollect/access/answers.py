"""What was answered under an idempotency key, so that the same request again has no second effect.

The effect and its answer are two transactions. Whoever dies between them leaves a lease; when it is over, the same
request may be tried again.
"""

from __future__ import annotations

import msgspec

from recollect import inputs
from recollect.errors import KeyReused, UnderWay
from recollect.records import Caller
from recollect.storage.database import Database

#: Seconds after which a request that never got an answer may be tried again.
LEASE = 120.0


class Answer(msgspec.Struct, frozen=True):
    """An answer that was given before."""

    status: int
    headers: dict[str, str]
    body: bytes


async def begin(database: Database, caller: Caller, user: str, key: str, fingerprint: bytes) -> Answer | None:
    """The answer that was given before; None if it is now ours to give."""
    key = inputs.identifier("Idempotency-Key", key)
    row = (await database.call("begin_answer", caller.tenant, user, key, fingerprint, LEASE))[0]
    if row["ours"]:
        return None
    if not row["same"]:
        raise KeyReused(key)
    if row["status"] is None:
        raise UnderWay
    return Answer(row["status"], msgspec.json.decode(row["headers"], type=dict[str, str]), row["body"])


async def save(database: Database, caller: Caller, user: str, key: str, answer: Answer) -> None:
    """Keep the answer."""
    headers = msgspec.json.encode(answer.headers).decode()
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("save_answer", user, key, answer.status, headers, answer.body)


async def drop(database: Database, caller: Caller, user: str, key: str) -> None:
    """Nothing came of it."""
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("drop_answer", user, key)
