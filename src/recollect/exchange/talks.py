"""Conversations from elsewhere: appended, each message under an id that follows from where it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from recollect.conversations.append import append
from recollect.conversations.incoming import Draft, draft
from recollect.errors import Refused
from recollect.exchange.names import derived
from recollect.exchange.records import Imported
from recollect.forget.since import Since
from recollect.records import Caller
from recollect.storage.database import Database

BATCH = 500


class Talk(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation that comes from elsewhere."""

    id: UUID
    title: str | None = None
    begun: datetime | None = None
    said: list[tuple[UUID, Draft]]
    """The messages, each with the id it gets."""


def said(talk: UUID, origin: object, given: Mapping[str, Any], where: str) -> tuple[UUID, Draft]:
    """A message of a talk, checked; ``origin`` tells it from the others of the same talk."""
    return derived(talk, origin), draft(given, where)


async def bring(database: Database, caller: Caller, since: Since, agent: str, talk: Talk) -> Imported:
    """Add what is missing. A conversation that was spoken in meanwhile just gets longer."""
    fresh = await _begin(database, caller, since, agent, talk)
    missing = await _missing(database, caller, talk)
    for start in range(0, len(missing), BATCH):
        some = missing[start : start + BATCH]
        ids = [id for id, _ in some]
        await append(database, caller, str(talk.id), [one for _, one in some], None, ids)
    if missing:
        async with database.transaction(caller.tenant) as transaction:
            await transaction.run("last_said", talk.id)
    return Imported(conversations=int(fresh), messages=len(missing), known=int(not fresh and not missing))


async def _begin(database: Database, caller: Caller, since: Since, agent: str, talk: Talk) -> bool:
    """It does not become the active conversation: nobody is having it now."""
    user = since.user
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("ensure_tenant")
        await since.check(transaction)
        begun = talk.begun or next((one.at for _, one in talk.said if one.at is not None), None)
        facts = (user, agent, talk.title, "open", 0, 0, begun, begun, None)
        if await transaction.row("restore_conversation", talk.id, *facts) is not None:
            await transaction.run("record_audit", caller.actor, "conversation.import", user, str(talk.id))
            return True
        rows = await transaction.rows("conversation_owners", [talk.id])
        if any((row["user_id"], row["agent"]) != (user, agent) for row in rows):
            raise Refused(f"conversation {talk.id} is already here, of another user or agent")
    return False


async def _missing(database: Database, caller: Caller, talk: Talk) -> Sequence[tuple[UUID, Draft]]:
    rows = await database.read(caller.tenant, "message_ids_there", talk.id, [id for id, _ in talk.said])
    there = {row["id"] for row in rows}
    return [(id, one) for id, one in talk.said if id not in there]
