"""Look after the cache: fill it anew, compare it with the database, say what it has done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

import msgspec

from recollect import inputs
from recollect.conversations import document
from recollect.conversations.history import newest
from recollect.errors import NotFound, Refused, Unavailable
from recollect.ports import Cache, Change, Load, Tended
from recollect.records import Caller, MemoryDocument, Message, Verified
from recollect.storage.database import Database

#: Whether a context of a conversation that was cached is what the database says now.
Agrees = Callable[[str, bytes], Awaitable[bool]]

PAGE = 200
#: Conversations that are filled at the same time.
AT_ONCE = 8
#: An entry that differs is looked at again: a write may have been under way.
LOOKS = 5

_messages = msgspec.json.Decoder(list[Message])
_document = msgspec.json.Decoder(MemoryDocument)


async def windows(
    database: Database, caller: Caller, conversations: Sequence[str], limit: int
) -> dict[str, list[Message]]:
    """The newest messages of several conversations; one question for all that are cached."""
    limit = inputs.amount("limit", limit, least=0)
    ids = [str(inputs.uuid("conversations", one)) for one in conversations]

    def load(id: str) -> Load:
        return partial(newest, database, caller, id)

    if isinstance(database.cache, Tended):
        found = await database.cache.tails(caller.tenant, ids, limit, load)
    else:
        found = [await load(id)(limit) for id in ids]
    return dict(zip(ids, found, strict=True))


async def rebuild(
    database: Database,
    caller: Caller,
    conversation: str | UUID | None,
    progress: Callable[[int, int], None] | None,
) -> int:
    """Drop what is cached of a conversation, or of all of a tenant, and fill it from the database."""
    cache = await _believed(database)
    if conversation is not None:
        await _refill(database, cache, caller, str(inputs.uuid("conversation", conversation)))
        await cache.settled()
        return 1
    done, after = 0, None
    while rows := await database.read(caller.tenant, "conversations_by_id", after, PAGE):
        for start in range(0, len(rows), AT_ONCE):
            some = rows[start : start + AT_ONCE]
            await asyncio.gather(*(_refill_if_there(database, cache, caller, str(row["id"])) for row in some))
            await cache.settled()
            done += len(some)
            if progress is not None:
                progress(done, max(done, rows[0]["of"]))
        after = rows[-1]["id"]
    return done


async def verify(database: Database, caller: Caller, sample: int, agrees: Agrees) -> Verified:
    """Compare what is cached of the most recently active conversations with the database; ``agrees`` knows
    contexts."""
    cache = await _believed(database)
    rows = await database.read(caller.tenant, "some_conversations", inputs.amount("sample", sample, most=100_000))
    cached = 0
    differences: list[str] = []
    for row in rows:
        entries, wrong = await _compared(database, cache, caller, str(row["id"]), row["user_id"], agrees)
        cached += entries
        differences += wrong
    return Verified(looked_at=len(rows), cached=cached, differences=differences)


async def stats(database: Database) -> dict[str, Any]:
    """What the cache of this process has counted, and what its servers say."""
    return await _tended(database).facts()


async def _refill_if_there(database: Database, cache: Tended, caller: Caller, id: str) -> None:
    """It may have been deleted since it was listed."""
    try:
        await _refill(database, cache, caller, id)
    except NotFound:
        return


async def _refill(database: Database, cache: Tended, caller: Caller, id: str) -> None:
    await cache.changed(caller.tenant, [Change(conversation=id)])
    await cache.tail(caller.tenant, id, 1, partial(newest, database, caller, id))
    await document.read(database, caller, id)


async def _compared(
    database: Database, cache: Tended, caller: Caller, id: str, user: str, agrees: Agrees
) -> tuple[int, list[str]]:
    """How many entries there are, and which of them differ whenever they are looked at."""
    entries = 0
    wrong: list[str] = []
    for look in range(LOOKS):
        found = await cache.peek(caller.tenant, id) or {}
        contexts = await cache.contexts(caller.tenant, user, id)
        if not found and not contexts:
            return 0, []
        entries, wrong = len(found) + len(contexts), []
        try:
            for kind, text in found.items():
                if not await _agrees(database, caller, id, kind, text):
                    wrong.append(f"{id}:{kind}")
            for question, text in contexts.items():
                if not await agrees(id, text):
                    wrong.append(f"{id}:context:{question.hex()}")
        except NotFound:
            wrong = [f"{id}:{kind}" for kind in (*found, *(["context"] if contexts else []))]
        if not wrong:
            break
        await asyncio.sleep(0.05 * look)
    return entries, wrong


async def _agrees(database: Database, caller: Caller, id: str, kind: str, text: bytes) -> bool:
    head, *lines = text.split(b"\n")
    try:
        if kind == "memory":
            return _document.decode(lines[0]) == await document.stored(database, caller, id)
        cached = _messages.decode(b"[" + b",".join(lines) + b"]")
    except msgspec.DecodeError:
        return False
    there = await newest(database, caller, id, len(cached) + 1)
    return cached == (there if head.startswith(b"1") else there[-len(cached) :])


async def _believed(database: Database) -> Tended:
    cache = _tended(database)
    if not await cache.ready():
        raise Unavailable("cache", "no Redis is believed just now; `recollect cache stats` tells more")
    return cache


def _tended(database: Database) -> Tended:
    cache: Cache | None = database.cache
    if not isinstance(cache, Tended):
        raise Refused("there is no cache; set RECOLLECT_CACHE, like redis://localhost:6379/0")
    return cache
