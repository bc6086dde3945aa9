"""Export a user's whole data, as of one moment: as one document, or piece by piece into a file."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from recollect import inputs
from recollect.exchange.document import (
    FORMAT,
    SECTIONS,
    KeptAgent,
    KeptAppendKey,
    KeptConversation,
    KeptDocument,
    KeptMemory,
    KeptMessage,
    KeptNotes,
    KeptNoteVersion,
    KeptPool,
    KeptStateChange,
    KeptTombstone,
    KeptTurn,
    KeptWorkflow,
    Record,
)
from recollect.exchange.records import Progress, told
from recollect.records import Caller
from recollect.storage.database import Database, Transaction

PAGE = 200
MESSAGES = 1000
CHANGES = 100
#: What a progress bar counts.
COUNTED = ("conversations", "memories", "notes", "documents")
T = TypeVar("T", bound=Record)


async def export(database: Database, caller: Caller, user: str) -> dict[str, Any]:
    """The document as plain values, ready for any JSON encoder."""
    user = inputs.identifier("user", user)
    document: dict[str, Any] = _head(user) | {section: [] for section in SECTIONS}
    async with aclosing(_entries(database, caller, user, None)) as found:
        async for section, record in found:
            document[section].append(msgspec.to_builtins(record))
    return document


async def export_to(
    database: Database,
    caller: Caller,
    user: str,
    write: Callable[[bytes], object],
    progress: Progress | None,
) -> int:
    """The same document, written piece by piece: no more than one conversation is held at a time. Returns how many
    conversations, memories, notes and documents it holds."""
    user = inputs.identifier("user", user)
    encode = msgspec.json.Encoder().encode
    for name, value in _head(user).items():
        write(b"{\n" if name == "format" else b",\n")
        write(encode(name) + b": " + encode(value))
    names, current, entries, counted = iter(SECTIONS), "", 0, 0
    async with aclosing(_entries(database, caller, user, progress)) as found:
        async for section, record in found:
            while current != section:
                write(b"\n]" if current else b"")
                current, entries = next(names), 0
                write(b",\n" + encode(current) + b": [")
            write((b",\n" if entries else b"\n") + encode(record))
            entries, counted = entries + 1, counted + (section in COUNTED)
    write(b"\n]" if current else b"")
    for name in names:
        write(b",\n" + encode(name) + b": []")
    write(b"\n}\n")
    return counted


def _head(user: str) -> dict[str, Any]:
    now = msgspec.to_builtins(datetime.now(UTC))
    return {"format": FORMAT, "user": user, "exported_at": now}


async def _entries(
    database: Database, caller: Caller, user: str, progress: Progress | None
) -> AsyncGenerator[tuple[str, Record]]:
    """Every entry of every section, in the order of the sections."""
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("record_audit", caller.actor, "user.export", user, "all")
    async with database.transaction(caller.tenant, snapshot=True) as transaction:
        await transaction.row("use_utc")
        size = await transaction.row("size_of_user", user)
        total, done = (0 if size is None else size[0]), 0
        told(progress, 0, total)
        async for section, record in _read(transaction, user):
            yield section, record
            if section in COUNTED:
                done += 1
                told(progress, done, total)


async def _read(transaction: Transaction, user: str) -> AsyncGenerator[tuple[str, Record]]:
    for row in await transaction.rows("export_agents", user):
        yield "agents", _record(row[0], KeptAgent)
    for row in await transaction.rows("export_workflows", user):
        yield "workflows", _record(row[0], KeptWorkflow)
    after: UUID | None = None
    while rows := await transaction.rows("export_conversations", user, after, PAGE):
        for row in rows:
            conversation = _record(row[0], KeptConversation)
            after = conversation.id
            messages = await _messages(transaction, after)
            yield (
                "conversations",
                msgspec.structs.replace(
                    conversation,
                    messages=messages,
                    message_count=len(messages),
                    state_history=await _state_history(transaction, after),
                    turns=await _turns(transaction, after),
                    keys=await _keys(transaction, after),
                ),
            )
    after = None
    while rows := await transaction.rows("export_memories", user, after, PAGE):
        for row in rows:
            memory = _record(row[0], KeptMemory)
            after = memory.id
            yield "memories", memory
    last = ""
    while rows := await transaction.rows("export_notes", user, last, 1):
        notes = _record(rows[0][0], KeptNotes)
        last = notes.agent
        versions = await _note_versions(transaction, user, last)
        yield "notes", msgspec.structs.replace(notes, versions=versions)
    after = UUID(int=0)
    while rows := await transaction.rows("export_documents", user, after, 1):
        document = _record(rows[0][0], KeptDocument)
        after = document.id
        yield "documents", document
    for row in await transaction.rows("export_pools", user):
        yield "pools", _record(row[0], KeptPool)
    for row in await transaction.rows("export_tombstones", user):
        yield "tombstones", _record(row[0], KeptTombstone)


async def _messages(transaction: Transaction, conversation: UUID) -> list[KeptMessage]:
    messages: list[KeptMessage] = []
    while True:
        last = messages[-1].seq if messages else 0
        rows = await transaction.rows("export_messages", conversation, last, MESSAGES)
        messages += [_record(row[0], KeptMessage) for row in rows]
        if len(rows) < MESSAGES:
            return messages


async def _state_history(transaction: Transaction, conversation: UUID) -> list[KeptStateChange]:
    changes: list[KeptStateChange] = []
    last = 0
    while rows := await transaction.rows("export_state_history", conversation, last, CHANGES):
        last = rows[-1][0]
        changes += [_record(row[1], KeptStateChange) for row in rows]
    return changes


async def _turns(transaction: Transaction, conversation: UUID) -> list[KeptTurn]:
    turns: list[KeptTurn] = []
    last = UUID(int=0)
    while rows := await transaction.rows("export_turns", conversation, last, MESSAGES):
        turns += [_record(row[0], KeptTurn) for row in rows]
        last = turns[-1].id
    return turns


async def _keys(transaction: Transaction, conversation: UUID) -> list[KeptAppendKey]:
    keys: list[KeptAppendKey] = []
    last = ""
    while rows := await transaction.rows("export_append_keys", conversation, last, MESSAGES):
        keys += [_record(row[0], KeptAppendKey) for row in rows]
        last = keys[-1].key
    return keys


async def _note_versions(transaction: Transaction, user: str, agent: str) -> list[KeptNoteVersion]:
    versions: list[KeptNoteVersion] = []
    last = 0
    while rows := await transaction.rows("export_note_versions", user, agent, last, CHANGES):
        versions += [_record(row[0], KeptNoteVersion) for row in rows]
        last = versions[-1].version
    return versions


def _record(text: str, kind: type[T]) -> T:
    return msgspec.json.decode(text, type=kind)
