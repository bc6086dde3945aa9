"""The document that a conversation may have beside its messages: free in form, versioned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from recollect import inputs
from recollect.errors import Conflict, Invalid, NotFound
from recollect.records import Caller, MemoryDocument
from recollect.storage.database import Database

_decode = msgspec.json.Decoder(MemoryDocument).decode


async def read(database: Database, caller: Caller, conversation: str) -> MemoryDocument:
    """The document of a conversation, empty at first."""

    async def load() -> tuple[int, bytes] | None:
        found = await stored(database, caller, conversation)
        return found.version, msgspec.json.encode(found)

    if database.cache is None:
        return await stored(database, caller, conversation)
    found = await database.cache.one(caller.tenant, conversation, None, load)
    try:
        return MemoryDocument() if found is None else _decode(found)
    except msgspec.DecodeError:
        return await stored(database, caller, conversation)


async def stored(database: Database, caller: Caller, conversation: str) -> MemoryDocument:
    """The document as the database has it."""
    rows = await database.call("conversation_memory", caller.tenant, conversation)
    if not rows:
        raise NotFound("conversation", conversation)
    row = rows[0]
    if row["version"] is None:
        return MemoryDocument()
    value = msgspec.json.decode(row["document"])
    return MemoryDocument(value=value, version=row["version"], updated_at=row["updated_at"])


async def save(
    database: Database, caller: Caller, conversation: str, value: Mapping[str, Any], version: int | None
) -> MemoryDocument:
    """Replace the document; Conflict if ``version`` is given and no longer the current one."""
    if not isinstance(value, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Invalid("document", f"must be a mapping, not {type(value).__name__}")
    text = inputs.json_text("document", dict(value), inputs.MAX_CONTENT)
    if version is not None:
        inputs.version("version", version)
    async with database.transaction(caller.tenant) as transaction:
        chat = await transaction.row("lock_conversation_row", conversation)
        if chat is None:
            raise NotFound("conversation", conversation)
        old = await transaction.row("conversation_memory_version", conversation)
        there = 0 if old is None else old["version"]
        if version is not None and version != there:
            raise Conflict(f"the document is at version {there}, not {version}; read it again")
        row = await transaction.row("save_conversation_memory", conversation, text, caller.actor)
        await transaction.run(
            "record_audit", caller.actor, "conversation.document", chat["user_id"], str(conversation)
        )
    assert row is not None
    return MemoryDocument(
        value=msgspec.json.decode(row["document"]), version=row["version"], updated_at=row["updated_at"]
    )
