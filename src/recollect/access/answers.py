"""What was answered under an idempotency key, so that the same request again has no second effect.

The effect and its answer are one transaction (``Transaction.made``). Whoever dies before it leaves a lease; when
it is over, the same request may be tried again, and the earlier attempt, should it still live, makes nothing.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

import msgspec

from recollect import inputs
from recollect.errors import KeyReused, RecollectError, Refused, UnderWay
from recollect.records import Caller
from recollect.storage.database import Database
from recollect.storage.making import Answer, Making

#: Seconds after which a request that never got an answer may be tried again.
LEASE = 120.0


async def begin(
    database: Database, caller: Caller, user: str, key: str, fingerprint: bytes, lease: float = LEASE
) -> Answer | Making:
    """The answer that was given before; an attempt if it is now ours to give."""
    mine = Making(caller.tenant, user, inputs.identifier("Idempotency-Key", key))
    try:
        # Safe to repeat: an attempt that has begun already is known again.
        rows = await database.call("begin_answer", mine.tenant, user, mine.key, fingerprint, lease, mine.attempt)
    except asyncio.CancelledError:
        await asyncio.shield(_take_back(database, mine))
        raise
    row = rows[0]
    if row["ours"]:
        return mine
    if not row["same"]:
        raise KeyReused(mine.key)
    if row["status"] is None:
        raise UnderWay
    return Answer(row["status"], msgspec.json.decode(row["headers"], type=dict[str, str]), row["body"])


async def _take_back(database: Database, mine: Making) -> None:
    """Whoever was called off while they began has begun nothing: nobody need wait for the end of the lease."""
    await database.settled()
    await drop(database, mine)


def told(answer: Answer) -> bytes:
    """The body of an answer that was given before; Refused if it is kept no longer."""
    if answer.body is None:
        raise Refused(
            "a request with this idempotency key was answered before, and the answer is kept no longer; "
            "read what came of it"
        )
    return answer.body


async def drop(database: Database, mine: Making) -> None:
    """Nothing came of it, as far as we know: what was made has its answer by now, and keeps it. If the database
    does not hear of it, the lease ends by itself."""
    with suppress(RecollectError):
        async with database.transaction(mine.tenant) as transaction:
            await transaction.run("drop_answer", mine.user, mine.key, mine.attempt)
