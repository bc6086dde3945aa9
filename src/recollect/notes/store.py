"""Notes in the database: read, edit, look back, undo."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from recollect import inputs
from recollect.errors import NotFound, Refused
from recollect.notes.differences import unified
from recollect.notes.records import Notes, NoteVersion
from recollect.notes.sections import check, edited
from recollect.paging import read_cursor, write_cursor
from recollect.records import Caller, Page
from recollect.storage.database import Database, Row, Transaction

#: So many lines are read in a few milliseconds, which is not worth a thread: on a busy machine it is started late,
#: and the notes are locked until then.
READ_AT_ONCE = 500


async def read(database: Database, caller: Caller, user: str, agent: str, version: int | None = None) -> Notes:
    """The notes as they stand, or as they stood at an earlier version; empty and of version 0 if never written."""
    user, agent = _owner(user, agent)
    if version is None:
        rows = await database.call("notes_of", caller.tenant, user, agent)
    else:
        rows = await database.read(caller.tenant, "note_version", user, agent, inputs.version("version", version))
        if not rows and version != 0:
            raise NotFound("version of these notes", str(version))
    return _notes(rows[0] if rows else None, user, agent)


async def edit(
    database: Database,
    caller: Caller,
    operation: str,
    content: str | None,
    user: str,
    agent: str,
    section_header: str | None,
    version: int | None,
) -> Notes:
    """One of the seven operations. With ``version`` only if that is still the current one, else Conflict;
    without it, on whatever the text is by then. What changes nothing makes no new version."""
    user, agent = _owner(user, agent)
    if version is not None:
        inputs.version("version", version)
    check(operation, content, section_header)
    if operation == "read":
        return (await read(database, caller, user, agent)).at(version)

    async def changed(notes: Notes) -> str:
        text = notes.at(version).text
        if _line_ends(text) + _line_ends(content or "") <= READ_AT_ONCE:
            return edited(text, operation, content, section_header)
        return await asyncio.to_thread(edited, text, operation, content, section_header)

    async with database.transaction(caller.tenant) as transaction:
        notes = await _change(transaction, caller, user, agent, operation, changed)
        await transaction.made(notes)
        return notes


async def history(
    database: Database, caller: Caller, user: str, agent: str, limit: int = 50, cursor: str | None = None
) -> Page[NoteVersion]:
    """The versions there have been, newest first, without their texts."""
    user, agent = _owner(user, agent)
    limit = inputs.amount("limit", limit)
    before = None if cursor is None else inputs.version("cursor", read_cursor(cursor, int))
    rows = await database.read(caller.tenant, "note_versions_before", user, agent, before, limit + 1)
    items = [
        NoteVersion(
            version=row["version"],
            operation=row["operation"],
            actor=row["actor"],
            created_at=row["created_at"],
            size=row["size"],
        )
        for row in rows[:limit]
    ]
    return Page(items=items, cursor=write_cursor(items[-1].version) if len(rows) > limit else None)


async def diff(database: Database, caller: Caller, user: str, agent: str, old: int, new: int) -> str:
    """What changed from one version to another, as a unified diff; empty if nothing did."""
    before = await read(database, caller, user, agent, inputs.version("old", old))
    after = await read(database, caller, user, agent, inputs.version("new", new))
    # Comparing long texts takes a while, in which others go on.
    names = f"version {before.version}", f"version {after.version}"
    return await asyncio.to_thread(unified, before.text, after.text, *names)


async def undo(
    database: Database,
    caller: Caller,
    user: str,
    agent: str,
    version: int | None = None,
    seen: int | None = None,
) -> Notes:
    """Go back to the text of an earlier version, by default the one before; this makes a new version. With
    ``seen`` only if that is still the current one, else Conflict."""
    user, agent = _owner(user, agent)
    for field, number in (("version", version), ("current", seen)):
        if number is not None:
            inputs.version(field, number)
    async with database.transaction(caller.tenant) as transaction:
        # Locked before the earlier version is chosen, or an edit in between would be undone with it.
        current = (await _locked(transaction, user, agent)).at(seen)
        if current.version == 0 and not version:
            raise Refused("there is nothing to undo: these notes were never written")
        wanted = current.version - 1 if version is None else version
        text = ""
        if wanted > 0:
            row = await transaction.row("note_version", user, agent, wanted)
            if row is None:
                raise NotFound("version of these notes", str(wanted))
            text = row["text"]

        async def undone(_: Notes) -> str:
            return text

        notes = await _change(transaction, caller, user, agent, "undo", undone)
        await transaction.made(notes)
        return notes


async def _change(
    transaction: Transaction,
    caller: Caller,
    user: str,
    agent: str,
    operation: str,
    changed: Callable[[Notes], Awaitable[str]],
) -> Notes:
    """Lock, decide, save. The decision is made again if these are the first notes and another edit came first."""
    notes = await _locked(transaction, user, agent)
    text = await changed(notes)
    if text != notes.text and notes.version == 0:
        await transaction.run("begin_notes", user, agent)
        notes = await _locked(transaction, user, agent)
        if notes.version != 0:
            text = await changed(notes)
    if text == notes.text:
        return notes
    return _notes(await transaction.row("save_notes", user, agent, text, operation, caller.actor), user, agent)


async def _locked(transaction: Transaction, user: str, agent: str) -> Notes:
    return _notes(await transaction.row("lock_notes", user, agent), user, agent)


def _owner(user: str, agent: str) -> tuple[str, str]:
    return inputs.identifier("user", user), inputs.identifier("agent", agent)


def _notes(row: Row | None, user: str, agent: str) -> Notes:
    if row is None:
        return Notes(text="", version=0, updated_at=None, user=user, agent=agent)
    return Notes(text=row["text"], version=row["version"], updated_at=row["updated_at"], user=user, agent=agent)


def _line_ends(text: str) -> int:
    return text.count("\n") + text.count("\r")
