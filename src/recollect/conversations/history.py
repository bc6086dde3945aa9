"""Read messages: the newest ones for a prompt, or page by page."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from functools import partial
from uuid import UUID

import msgspec

from recollect import inputs
from recollect.errors import Invalid, NotFound
from recollect.paging import read_cursor, write_cursor
from recollect.records import Caller, Message, Page
from recollect.storage.database import Database, Lost
from recollect.storage.joining import Apart
from recollect.storage.rows import message_from, messages_from

WINDOW = 12
#: Messages of a window that may be read together with those of others; more would keep them waiting.
JOINED = 50

_message = msgspec.json.Decoder(Message)


async def window(
    database: Database, caller: Caller, conversation: str, limit: int | None, since: datetime | None
) -> list[Message]:
    """The newest messages, oldest first; a time window without a limit goes up to the largest page."""
    if limit is None:
        limit = WINDOW if since is None else inputs.MAX_PAGE
    limit = inputs.amount("limit", limit, least=0)
    if since is None:
        load = partial(newest, database, caller, conversation)
        return await (
            load(limit)
            if database.cache is None
            else database.cache.tail(caller.tenant, conversation, limit, load)
        )
    moment = inputs.moment("since", since)
    rows = await database.call("recent_messages_since", caller.tenant, conversation, limit, moment)
    if not rows:
        await must_exist(database, caller, conversation)
    return messages_from(conversation, reversed(rows))


async def newest(database: Database, caller: Caller, conversation: str, amount: int) -> list[Message]:
    """The newest messages as the database has them, oldest first."""
    try:
        if amount <= JOINED:
            rows = await database.windows.call(caller.tenant, conversation, amount)
        else:
            rows = await database.call_once("recent_messages", caller.tenant, conversation, amount)
    except (Lost, Apart):
        rows = await database.call("recent_messages", caller.tenant, conversation, amount)
    if not rows:
        await must_exist(database, caller, conversation)
    return messages_from(conversation, reversed(rows))


async def message(database: Database, caller: Caller, conversation: str, id: str | UUID) -> Message:
    """One message of a conversation by its id."""
    key = inputs.uuid("id", id)

    async def load() -> tuple[int, bytes] | None:
        rows = await database.call("message_by_id", caller.tenant, conversation, key)
        if not rows:
            return None
        found = message_from(conversation, rows[0])
        return found.seq, msgspec.json.encode(found)

    found: bytes | None = None
    if database.cache is not None:
        found = await database.cache.one(caller.tenant, conversation, str(key), load)
        if found is not None:
            with suppress(msgspec.DecodeError):
                return _message.decode(found)
    if database.cache is None or found is not None:
        read = await load()
        if read is not None:
            return _message.decode(read[1])
    raise NotFound("message", str(key))


async def page(
    database: Database, caller: Caller, conversation: str, limit: int, cursor: str | None, before: int | None
) -> Page[Message]:
    """A page of the history, oldest first: from the beginning on, or the last ones before a number."""
    limit = inputs.amount("limit", limit)
    if before is not None and cursor is not None:
        raise Invalid("before", "cannot be given with a cursor, which says itself where it goes on")
    if before is not None:
        return await _older(database, caller, conversation, limit, before)
    after = 0 if cursor is None else inputs.amount("cursor", read_cursor(cursor, int), 1 << 62, -(1 << 62))
    if after < 0:  # a page that goes back in time has left its number negative
        return await _older(database, caller, conversation, limit, -after)
    rows = await database.read(caller.tenant, "messages_after", conversation, after, limit + 1)
    if not rows:
        await must_exist(database, caller, conversation)
    items = [message_from(conversation, row) for row in rows[:limit]]
    return Page(items=items, cursor=write_cursor(items[-1].seq) if len(rows) > limit else None)


async def _older(database: Database, caller: Caller, conversation: str, limit: int, before: int) -> Page[Message]:
    before = inputs.amount("before", before, most=1 << 62)
    rows = await database.read(caller.tenant, "messages_before", conversation, before, limit + 1)
    if not rows:
        await must_exist(database, caller, conversation)
    items = [message_from(conversation, row) for row in reversed(rows[:limit])]
    return Page(items=items, cursor=write_cursor(-items[0].seq) if len(rows) > limit else None)


async def must_exist(database: Database, caller: Caller, conversation: str) -> None:
    """Only an empty answer costs this second look, which tells an empty conversation from none."""
    if not await database.read(caller.tenant, "conversation_by_id", conversation):
        raise NotFound("conversation", conversation)
