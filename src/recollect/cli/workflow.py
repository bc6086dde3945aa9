"""`recollect workflow`: look at workflows, draw them, define one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.options import Database, DataDir, Tenant
from recollect.cli.output import err, out, progress, table
from recollect.errors import Invalid, NotFound
from recollect.opening import Recollect
from recollect.settings import Settings
from recollect.storage.embedded.places import holds_data
from recollect.workflows.definition import Workflow
from recollect.workflows.drawing import mermaid, svg
from recollect.workflows.reading import parse, shipped

workflow_app = typer.Typer(help="Look at workflows, draw them, define one.", no_args_is_help=True)

_FILES = (".toml", ".json")


@workflow_app.command("list")
def list_workflows(database: Database = None, data_dir: DataDir = None, tenant: Tenant = None) -> None:
    """List the workflows: those that come along, and the tenant's own."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    listed = asyncio.run(_known(settings))
    table(("name", "title", "steps", "draft", "actions"), map(_row, listed))


def _row(one: Workflow) -> tuple[str, ...]:
    actions = ", ".join(action.name for action in one.actions)
    return one.name, one.title or "", str(len(one.steps)), one.draft_name, actions


@workflow_app.command()
def show(
    name: Annotated[str, typer.Argument(help="A workflow, or a file that defines one.", metavar="NAME")],
    as_mermaid: Annotated[bool, typer.Option("--mermaid", help="As Mermaid text.")] = False,
    as_svg: Annotated[bool, typer.Option("--svg", help="As a picture.")] = False,
    step: Annotated[str | None, typer.Option(help="Mark this step and where it leads.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write to this file.")] = None,
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Tenant = None,
) -> None:
    """Show a workflow: its steps as lines, as Mermaid text or as an SVG picture."""
    if as_mermaid and as_svg:
        raise Invalid("--svg", "give either --mermaid or --svg")
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    workflow = _read(Path(name)) if name.endswith(_FILES) else asyncio.run(_named(settings, name))
    if step is not None and workflow.step(step) is None:
        names = ", ".join(one.name for one in workflow.steps)
        raise Invalid("--step", f"{workflow.name!r} has no step {step!r}; the steps are {names}")
    if not as_mermaid and not as_svg:
        if output is not None:
            raise Invalid("--output", "needs --mermaid or --svg")
        typer.echo("\n".join(_lines(workflow, step)))
        return
    drawn = mermaid(workflow, step) if as_mermaid else svg(workflow, step)
    if output is None:
        typer.echo(drawn, nl=False)
        return
    try:
        output.write_text(drawn, "utf-8")
    except OSError as error:
        raise Invalid("--output", f"cannot be written: {error.strerror}") from None
    err.print(f"wrote {output}", style="dim", markup=False)


@workflow_app.command()
def define(
    name: Annotated[str, typer.Argument(help="What it is called.", metavar="NAME")],
    file: Annotated[Path, typer.Argument(help="Its definition, as TOML or JSON.", metavar="FILE")],
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Tenant = None,
) -> None:
    """Define a workflow from a file, or a new version of it."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    workflow = asyncio.run(_define(settings, name, _text(file)))
    out.print(f"defined {workflow.name} with {len(workflow.steps)} steps", markup=False)


async def _define(settings: Settings, name: str, definition: str) -> Workflow:
    parse(name, definition)  # what is wrong is said before a server is started for it
    async with Recollect.open(settings=settings, actor="cli", progress=progress) as memory:
        return await memory.define_workflow(name, definition)


async def _known(settings: Settings) -> list[Workflow]:
    """All workflows. Where there is no database yet, only ours: to look at them, none has to be made."""
    if settings.database is None and not holds_data(settings.folder):
        return list(shipped().values())
    async with Recollect.open(settings=settings, actor="cli", progress=progress) as memory:
        return await memory.workflows()


async def _named(settings: Settings, name: str) -> Workflow:
    for one in await _known(settings):
        if one.name == name:
            return one
    raise NotFound("workflow", name)


def _read(file: Path) -> Workflow:
    return parse(file.stem, _text(file))


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except OSError as error:
        raise Invalid("file", f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Invalid("file", f"{file} is not text in UTF-8") from None


def _lines(workflow: Workflow, step: str | None) -> Iterator[str]:
    yield workflow.title or workflow.name
    for one in workflow.steps:
        status = f" (status {one.status})" if one.status else ""
        yield f"{'*' if one.name == step else '-'} {one.name}{status}"
        if one.required:
            yield f"    required: {', '.join(one.required)}"
        for move in one.moves:
            needs = f", needs {', '.join(move.needs)}" if move.needs else ""
            by = f", only by {' or '.join(move.by)}" if move.by else ""
            yield f"    to {move.to}{needs}{by}"
    for action in workflow.actions:
        leads = f", leads to {action.to}" if action.to else ""
        yield f"action {action.name}: at {', '.join(action.steps)}{leads}"
