"""`recollect work`: run a worker, or look at work that is due or has failed."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Annotated

import msgspec
import typer

from recollect.cli.door import at_the_door, must_be_there
from recollect.cli.options import Database, DataDir, Tenant
from recollect.cli.output import err, out, progress, table
from recollect.errors import Invalid
from recollect.opening import Recollect
from recollect.records import Digested, Work
from recollect.settings import Settings
from recollect.worker import Worker, orders_to_stop

work_app = typer.Typer(
    help="Run a worker: learn from new messages, consolidate, summarise, clean up, until Ctrl-C.",
    invoke_without_command=True,
)


@work_app.callback()
def work(
    context: typer.Context,
    database: Database = None,
    data_dir: DataDir = None,
    at_once: Annotated[int, typer.Option(min=1, max=64, help="Pieces of work at the same time.")] = 4,
    everything: Annotated[
        bool, typer.Option("--everything", help="Learn now from all that one tenant has said, and end.")
    ] = False,
    tenant: Annotated[
        str | None, typer.Option(help="Whose work is done, with --everything [default: default].")
    ] = None,
) -> None:
    """Do due work of all tenants, until Ctrl-C; any number of workers may run."""
    if context.invoked_subcommand is not None:
        return
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    if everything:
        _learn(settings)
    elif tenant is not None:
        raise Invalid("tenant", "goes with --everything; a worker does the work of all")
    else:
        asyncio.run(_work(settings, at_once))


def _learn(settings: Settings) -> None:
    """Without waiting for ten messages, or for silence."""
    must_be_there(settings)
    done = at_the_door(settings, lambda memory: memory.digest(everything=True))
    out.print(
        f"learned from {done.messages} messages: {done.added} memories added, {done.refreshed} refreshed, "
        f"{done.replaced} replaced; {done.refused} insights refused"
    )
    if done.failed or done.given_up:
        err.print(f"{done.failed + done.given_up} pieces of work failed; `recollect work list` says why")
        raise typer.Exit(code=1)


async def _work(settings: Settings, at_once: int) -> None:
    async with Recollect.open(settings=settings, actor="worker", progress=progress) as memory:
        worker = Worker(memory, at_once=at_once, did=_report)
        loop = asyncio.get_running_loop()
        for name in orders_to_stop():
            loop.add_signal_handler(name, worker.stop)
        err.print("working; Ctrl-C stops after what is under way", style="dim")
        await worker.run()


def _report(tenant: str, done: Digested) -> None:
    parts = [f"{name} {value}" for name, value in msgspec.structs.asdict(done).items() if value]
    out.print(f"{tenant}: {', '.join(parts)}", markup=False)


@work_app.command("list")
def list_work(
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Tenant = None,
    failed: Annotated[bool, typer.Option(help="Only what was tried too often.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 50,
) -> None:
    """Show a tenant's work: what is due, under way or waits for its time, and what has failed."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    must_be_there(settings)
    _show(asyncio.run(_listed(settings, failed, limit)))


async def _listed(settings: Settings, failed: bool, limit: int) -> list[Work]:
    async with Recollect.open(settings=settings, actor="cli", progress=progress) as memory:
        return await memory.work(failed=failed, limit=limit)


def _show(listed: list[Work]) -> None:
    if not listed:
        out.print("nothing is due")
        return
    table(("kind", "subject", "user", "due", "tries", "state", "error"), map(_row, listed), whole=2)


def _row(one: Work) -> tuple[str, ...]:
    waits = one.due_at > datetime.now(UTC)
    state = "failed" if one.failed_at else "under way" if one.leased_until else "waits" if waits else "due"
    due = f"{one.due_at:%Y-%m-%d %H:%M:%S}"
    return one.kind, one.subject, one.user or "", due, str(one.attempts), state, one.error or ""


@work_app.command()
def retry(
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Tenant = None,
    kind: Annotated[str | None, typer.Option(help="Only work of this kind.")] = None,
    subject: Annotated[str | None, typer.Option(help="Only this piece.")] = None,
) -> None:
    """Let a tenant's failed work be tried again."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    must_be_there(settings)
    count = asyncio.run(_retry(settings, kind, subject))
    out.print(f"{count} pieces of work will be tried again")


async def _retry(settings: Settings, kind: str | None, subject: str | None) -> int:
    async with Recollect.open(settings=settings, actor="cli", progress=progress) as memory:
        return await memory.retry_work(kind, subject)
