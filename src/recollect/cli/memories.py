"""``recollect remember``, ``recall``, ``memories``, ``forget`` and ``notes``: what an agent knows about a user."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time
from typing import Annotated, Literal

import msgspec
import typer

from recollect import inputs
from recollect.cli.door import at_the_door, must_be_there
from recollect.cli.files import given
from recollect.cli.options import Database, DataDir, Tenant
from recollect.cli.output import err, harmless, out
from recollect.errors import Invalid, NotFound
from recollect.notes.records import Notes
from recollect.opening import Recollect
from recollect.records import Hit, Memory
from recollect.settings import Settings
from recollect.text.fence import one_line

#: Characters of a text on its line; --json has all of it.
_SHOWN = 400
#: Operations that can write the first notes of all; the others need some that are there.
_BEGIN = ("overwrite", "append", "prepend")

User = Annotated[str, typer.Option(help="Whom it is about.")]
Agent = Annotated[str, typer.Option(help="Which assistant's memory.")]
AsOf = Annotated[
    str | None,
    typer.Option(help="As at another time: 2026-01-31 (at its end), or 2026-01-31T12:00Z.", metavar="WHEN"),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on each line, with all there is.")]


def remember_command(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="One short insight, in quotes; - reads it from standard input.")],
    user: User,
    agent: Agent,
    category: Annotated[str | None, typer.Option(help="What kind of thing it is.")] = None,
    importance: Annotated[float | None, typer.Option(min=0, max=1, help="From 0 to 1 [default: 0.5].")] = None,
    pin: Annotated[bool, typer.Option("--pin", help="Let it come before others.")] = False,
    expires: Annotated[
        str | None,
        typer.Option(help="How long it holds: 2026-01-31 (to its end), or 2026-01-31T12:00Z.", metavar="WHEN"),
    ] = None,
    as_json: AsJson = False,
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Tenant = None,
) -> None:
    """Remember something about a user, and print its id. The same thing again refreshes what is there."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    said, until = given("text", text, context.args), _moment("expires", expires)
    kept = at_the_door(
        settings,
        lambda memory: memory.remember(
            said, user, agent, category=category, importance=importance, pinned=pin or None, expires_at=until
        ),
    )
    err.print(_became(kept), style="dim")
    _print_json(kept) if as_json else out.print(kept.id)


def _became(kept: Memory) -> str:
    """What has become of what was to be remembered."""
    if kept.expires_at is not None and kept.expires_at <= datetime.now(UTC):
        return "stored, but it has expired already and is not recalled:"
    return "known already, and fresh again:" if kept.update_count else "remembered:"


def recall_command(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What to look for, in quotes; - reads it from standard input.")],
    user: User,
    agent: Agent,
    limit: Annotated[int, typer.Option(min=1, max=inputs.MAX_PAGE, help="How many, at most.")] = 5,
    threshold: Annotated[
        float | None, typer.Option(min=0, max=1, help="How well it has to fit; 0.5, the default, means related.")
    ] = None,
    over: Annotated[
        Literal["memories", "messages", "both"],
        typer.Option(help="Look into memories, what was said, or both."),
    ] = "memories",
    as_of: AsOf = None,
    as_json: AsJson = False,
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Tenant = None,
) -> None:
    """Show what belongs to a question, best first; nothing when nothing does."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    asked, moment = given("query", query, context.args), _moment("as-of", as_of)
    must_be_there(settings)
    hits = at_the_door(
        settings,
        lambda memory: memory.recall(
            asked, user, agent, limit=limit, threshold=threshold, as_of=moment, over=over
        ),
    )
    for hit in hits:
        _print_json(hit) if as_json else _print(f"{hit.score:.2f}  {hit.at:%Y-%m-%d}", _told(hit))
    if not hits:
        err.print("nothing is known about that")


def _told(hit: Hit) -> str:
    return hit.text if hit.message is None else f"{hit.message.name or hit.message.role}: {hit.text}"


def memories_command(
    user: User,
    agent: Agent,
    category: Annotated[str | None, typer.Option(help="Only those of this kind.")] = None,
    text: Annotated[str | None, typer.Option(help="Only those with this in their text.")] = None,
    status: Annotated[
        Literal["active", "quarantined", "retired"], typer.Option(help="Those that count, wait, or are replaced.")
    ] = "active",
    as_of: AsOf = None,
    limit: Annotated[int, typer.Option(min=1, max=inputs.MAX_PAGE, help="How many, at most.")] = 50,
    as_json: AsJson = False,
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Tenant = None,
) -> None:
    """List what is remembered about a user, newest first, each with its id."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    moment = _moment("as-of", as_of)
    must_be_there(settings)
    page = at_the_door(
        settings,
        lambda memory: memory.memories(
            user, agent, category=category, text=text, status=status, as_of=moment, limit=limit
        ),
    )
    for one in page.items:
        _print_json(one) if as_json else _print(f"{one.id}  {one.created_at:%Y-%m-%d}", one.text)
    if not page.items:
        err.print("nothing is remembered")
    elif page.cursor is not None:
        err.print(f"these are the newest {limit}; raise --limit, or `recollect export` everything")


def forget_command(
    ids: Annotated[list[str], typer.Argument(metavar="ID", help="As `recollect memories` shows them.")],
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Tenant = None,
) -> None:
    """Delete memories for good; they are not learned again until somebody remembers them by hand."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    must_be_there(settings)
    at_the_door(settings, lambda memory: _forget(memory, ids))


async def _forget(memory: Recollect, ids: Sequence[str]) -> None:
    # All of them are looked up before the first one goes: with a wrong id among them nobody knows what was meant.
    for id in dict.fromkeys([(await memory.memory(id)).id for id in ids]):
        with suppress(NotFound):  # what was merged into one of the others is gone with it
            await memory.forget(id)
        out.print(f"memory {id} is forgotten", markup=False)


def notes_command(
    context: typer.Context,
    user: User,
    agent: Agent,
    operation: Annotated[str, typer.Argument(help="What to do with them.")] = "read",
    content: Annotated[
        str | None, typer.Argument(help="What to write, in quotes; - reads it from standard input.")
    ] = None,
    section: Annotated[
        str | None, typer.Option(help="The header of a section, such as '# Tone'.", metavar="HEADER")
    ] = None,
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Tenant = None,
) -> None:
    """Show the notes about a user, a markdown document, or edit them.

    The operations are read, overwrite, append, prepend, replace_section_by_header, delete_section_by_header and
    delete_all_notes.
    """
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    text = None if content is None else given("content", content, context.args)
    if operation not in _BEGIN:
        must_be_there(settings)
    try:
        notes = at_the_door(
            settings,
            lambda memory: memory.edit_notes(operation, text, user=user, agent=agent, section_header=section),
        )
    except Invalid as error:
        if error.field != "section_header":
            raise
        raise Invalid("section", error.problem) from None
    _show(notes) if operation == "read" else out.print(f"the notes are at version {notes.version}")


def _show(notes: Notes) -> None:
    """To their last sign, in a pipe."""
    if not notes.text:
        err.print("there are no notes yet")
        return
    text = harmless(notes.text) if out.is_terminal else notes.text
    out.file.write(text if text.endswith("\n") else f"{text}\n")


def _print(start: str, text: str) -> None:
    out.print(f"{start} - {harmless(one_line(text, _SHOWN))}", markup=False)


def _print_json(record: Memory | Hit) -> None:
    typer.echo(msgspec.json.encode(record))


def _moment(field: str, value: str | None) -> datetime | None:
    """A time as it is written; a day alone is meant to its end. It is checked where the option's name is known."""
    return None if value is None else inputs.moment(field, _written(field, value))


def _written(field: str, value: str) -> datetime:
    with suppress(ValueError):
        return datetime.combine(date.fromisoformat(value), time.max, UTC)
    with suppress(ValueError):
        return datetime.fromisoformat(value)
    raise Invalid(field, "must be a time like 2026-01-31 or 2026-01-31T12:00Z")
