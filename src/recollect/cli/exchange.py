"""``recollect export`` and ``recollect import``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.bars import bar
from recollect.cli.door import must_be_there
from recollect.cli.files import into
from recollect.cli.options import Database, DataDir, Tenant
from recollect.cli.output import err, out, progress
from recollect.errors import Invalid
from recollect.exchange import chatgpt, langchain, mem0
from recollect.exchange.importing import FORMATS
from recollect.exchange.records import Imported
from recollect.opening import Recollect
from recollect.settings import Settings

#: Whose conversations or memories become where nobody says it; mem0's may name an agent themselves.
AGENTS = {"chatgpt": chatgpt.AGENT, "mem0": mem0.AGENT, "langchain-postgres": langchain.AGENT}
DEFAULTS = f"{chatgpt.AGENT}, {langchain.AGENT}, or what mem0's file says, else {mem0.AGENT}"


def export_command(
    user: Annotated[str, typer.Option(help="Whose data.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write [default: standard output].")
    ] = None,
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Tenant = None,
) -> None:
    """Write everything that there is of a user as JSON, as of one moment."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    must_be_there(settings)
    with bar("entries") as tell, into("output", output) as write:
        written = asyncio.run(_export(settings, user, write, tell))
    err.print(f"{written} conversations, memories and notes of {user!r} are exported", markup=False)


async def _export(
    settings: Settings, user: str, write: Callable[[bytes], object], tell: Callable[[int, int], None]
) -> int:
    async with Recollect.open(settings=settings, actor="export", progress=progress) as memory:
        return await memory.export_to(write, user, tell)


def import_command(
    file: Annotated[str, typer.Argument(help="The file; for langchain-postgres also the address of a database.")],
    format: Annotated[str, typer.Option(help=f"One of {', '.join(FORMATS)}.")] = "recollect",
    user: Annotated[str | None, typer.Option(help="For whom; may be left out if the file says it.")] = None,
    agent: Annotated[
        str | None, typer.Option(help=f"Whose conversations or memories these become [default: {DEFAULTS}].")
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="The table, where a database is given [default: chat_history].")
    ] = None,
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Tenant = None,
) -> None:
    """Bring in an export: of Recollect, ChatGPT, mem0 or langchain-postgres. Run it again to resume it."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    if format not in FORMATS:
        raise Invalid("format", f"must be one of {', '.join(FORMATS)}")
    if "://" not in file:
        _must_be_readable(Path(file))
    with bar("entries") as tell:
        done = asyncio.run(_import(settings, (format, file, user, agent, table), tell))
    out.print(
        f"imported {done.conversations} conversations, {done.messages} messages, {done.memories} memories and "
        f"{done.notes} notes {_whose(format, user, agent)}; {done.known} were there already",
        markup=False,
    )


def _whose(format: str, user: str | None, agent: str | None) -> str:
    """For whom, as far as that is not in the file alone."""
    if format == "recollect":
        return f"for {user!r}" if user else "for the user that the file names"
    whose = repr(user) if user else "the users that the file names"
    if format == "mem0" and agent is None:
        return f"for {whose} and the agents that the file names, else {mem0.AGENT!r}"
    return f"for {whose} and the agent {agent or AGENTS[format]!r}"


def _must_be_readable(file: Path) -> None:
    """Before a database is made for what is in it."""
    try:
        file.open("rb").close()
    except OSError as error:
        raise Invalid("file", f"{file} cannot be read: {error.strerror}") from None


async def _import(
    settings: Settings,
    given: tuple[str, str, str | None, str | None, str | None],
    tell: Callable[[int, int], None],
) -> Imported:
    format, file, user, agent, table = given
    async with Recollect.open(settings=settings, actor="import", progress=progress) as memory:
        return await memory.import_from(format, file, user=user, agent=agent, table=table, progress=tell)
