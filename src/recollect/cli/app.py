"""The commands. Each one parses, calls the door and prints."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from typing import Annotated, Any, TypeVar

import typer

import recollect
from recollect.cli import demo as demonstration
from recollect.cli.bars import bar
from recollect.cli.cache import cache_app
from recollect.cli.chat import chat_command
from recollect.cli.doctor import examine
from recollect.cli.door import must_be_there
from recollect.cli.exchange import export_command, import_command
from recollect.cli.findings import report
from recollect.cli.forgetting import erase_command, retention_command, tidy_command
from recollect.cli.keys import keys_app, tenants_app
from recollect.cli.mcp import mcp_command
from recollect.cli.memories import (
    forget_command,
    memories_command,
    notes_command,
    recall_command,
    remember_command,
)
from recollect.cli.options import Database, DataDir, TextCommand
from recollect.cli.output import err, out, printing, progress
from recollect.cli.serve import serve_command
from recollect.cli.supabase import supabase_app
from recollect.cli.work import work_app
from recollect.cli.workflow import workflow_app
from recollect.errors import Invalid, RecollectError, Unavailable
from recollect.evaluate.command import evaluate_command
from recollect.opening import Recollect, find_server
from recollect.settings import Settings
from recollect.storage.connecting import check_schema, check_server, connect, in_our_words
from recollect.storage.embedded.places import holds_data
from recollect.storage.migrations import migrate as apply_migrations

T = TypeVar("T")

_terminal = out.is_terminal and err.is_terminal
app = typer.Typer(
    name="recollect",
    help="The memory of an AI agent. Settings come from options or from RECOLLECT_* variables.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich" if _terminal else None,
    # In a pipe nobody knows how wide the page is; better too wide than cut.
    context_settings={} if _terminal else {"terminal_width": 200},
)
#: Click's own complaint about arguments that are too many would quote them: these commands complain themselves.
UNQUOTED = {"allow_extra_args": True}


def run() -> None:
    """Run the command line; an error of ours is one line and exit code 1, not a traceback."""
    try:
        with printing():
            app()
    except RecollectError as error:
        err.print(f"error: {error}", style="red", markup=False)
        raise SystemExit(1) from None


def wait(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end."""
    return asyncio.run(work)


def _version(wanted: bool) -> None:
    if wanted:
        out.print(f"recollect {recollect.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options that come before a command."""


@app.command()
def demo(data_dir: DataDir = None, part: Annotated[str | None, typer.Option(hidden=True)] = None) -> None:
    """Store a conversation, restart the process, and show that it remembers.

    It always uses the embedded database in --data-dir, whatever RECOLLECT_DATABASE says.
    """
    settings = Settings.read(data_dir=data_dir)
    if part is None:
        demonstration.show(settings)
    elif part in demonstration.PARTS:
        wait(demonstration.PARTS[part](settings))
    else:
        raise Invalid("part", f"must be one of {', '.join(demonstration.PARTS)}")


@app.command()
def migrate(
    database: Database = None,
    data_dir: DataDir = None,
    check: Annotated[bool, typer.Option(help="Change nothing; exit 1 if migrations are missing.")] = False,
) -> None:
    """Bring the schema of the database up to date."""
    wait(_migrate(Settings.read(database=database, data_dir=data_dir), check))


async def _migrate(settings: Settings, check: bool) -> None:
    if check and settings.database is None and not holds_data(settings.folder):
        raise Unavailable("database", f"there is none in {settings.folder} yet; `recollect migrate` makes one")
    async with AsyncExitStack() as exits:
        address, _ = await find_server(settings, exits, progress)
        connection = await connect(address)
        exits.callback(connection.terminate)
        await check_server(connection)
        if check:
            await check_schema(connection, pooler=settings.pooler or address.pooled)
        async with in_our_words():
            applied = [] if check else await apply_migrations(connection)
        for step in applied:
            out.print(f"applied {step.number:04} {step.name}")
        out.print(f"the schema of {address.label} is up to date", markup=False)


@app.command()
def reembed(
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Annotated[str | None, typer.Option(help="Whose memories [default: default].")] = None,
) -> None:
    """Make new vectors for a tenant's memories and messages after a change of RECOLLECT_EMBEDDER; can be resumed.

    The old vectors serve until all new ones are made.
    """
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    must_be_there(settings)
    done = wait(_reembed(settings))
    out.print(f"{done} memories have new vectors")


async def _reembed(settings: Settings) -> int:
    with bar("vectors") as tell:
        async with Recollect.open(settings=settings, actor="reembed", progress=progress) as memory:
            return await memory.reembed(tell)


@app.command()
def doctor(database: Database = None, data_dir: DataDir = None) -> None:
    """Check this machine, models, cache and database, and say what is wrong and how to put it right."""
    findings = wait(examine(Settings.read(database=database, data_dir=data_dir), progress))
    report(findings)
    raise typer.Exit(code=0 if all(finding.fine for finding in findings) else 1)


app.command("evaluate")(evaluate_command)
app.command("chat")(chat_command)
app.command("remember", cls=TextCommand, context_settings=UNQUOTED)(remember_command)
app.command("recall", cls=TextCommand, context_settings=UNQUOTED)(recall_command)
app.command("memories")(memories_command)
app.command("forget")(forget_command)
app.command("notes", cls=TextCommand, context_settings=UNQUOTED)(notes_command)
app.command("export")(export_command)
app.command("import")(import_command)
app.command("erase")(erase_command)
app.command("retention")(retention_command)
app.command("tidy")(tidy_command)
app.command("serve")(serve_command)
app.command("mcp")(mcp_command)
app.add_typer(work_app, name="work")
app.add_typer(cache_app, name="cache")
app.add_typer(keys_app, name="keys")
app.add_typer(tenants_app, name="tenants")
app.add_typer(workflow_app, name="workflow")
app.add_typer(supabase_app, name="supabase")
