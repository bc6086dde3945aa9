"""``recollect erase``, ``recollect retention`` and ``recollect tidy``."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from recollect.cli.door import must_be_there
from recollect.cli.options import Database, DataDir, Tenant
from recollect.cli.output import out, progress
from recollect.errors import Invalid
from recollect.forget.records import Minutes, Receipt, Retention, Tidied
from recollect.opening import Recollect
from recollect.settings import Settings


def erase_command(
    user: Annotated[str, typer.Option(help="Who is to be forgotten.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Tenant = None,
) -> None:
    """Remove everything that there is of a user, for good, and print the receipt."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    must_be_there(settings)
    if not yes:
        if not out.is_terminal:
            raise Invalid("yes", "an erasure cannot be undone: say --yes")
        typer.confirm(f"Erase everything of {user!r} in tenant {settings.tenant!r}, for good?", abort=True)
    receipt = asyncio.run(_erase(settings, user))
    out.print(f"erased; receipt {receipt.id} of {receipt.at:%Y-%m-%d %H:%M:%S} UTC")
    for kind, amount in receipt.counts.items():
        if amount:
            out.print(f"  {kind.replace('_', ' ')}: {amount}")


async def _erase(settings: Settings, user: str) -> Receipt:
    async with Recollect.open(settings=settings, actor="erase", progress=progress) as memory:
        return await memory.erase(user)


def retention_command(
    minutes: Annotated[int | None, typer.Option(help="Keep messages for so many minutes.")] = None,
    forever: Annotated[bool, typer.Option("--forever", help="Keep messages for ever.")] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Take the rule away.")] = False,
    agent: Annotated[str | None, typer.Option(help="The rule of one agent, instead of the tenant's.")] = None,
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Tenant = None,
) -> None:
    """Show how long messages are kept, or set it. What is too old goes with the next `recollect tidy`."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    if (minutes is not None) + forever + remove > 1:
        raise Invalid("minutes", "give one of --minutes, --forever and --remove")
    changes = minutes is not None or forever or remove
    if agent is not None and not changes:
        raise Invalid("agent", "give --minutes, --forever or --remove with it")
    if remove or not changes:
        must_be_there(settings)
    rule: Minutes = "forever" if forever else minutes
    rules = asyncio.run(_retention(settings, changes, rule, agent))
    out.print(f"tenant {settings.tenant}: {_said(rules.usual)}", markup=False)
    for name in rules.agents:
        out.print(f"agent {name}: {_said(rules.minutes(name))}", markup=False)


async def _retention(settings: Settings, changes: bool, rule: Minutes, agent: str | None) -> Retention:
    async with Recollect.open(settings=settings, actor="retention", progress=progress) as memory:
        return await memory.set_retention(rule, agent) if changes else await memory.retention()


def _said(minutes: int | None) -> str:
    return "messages are kept for ever" if minutes is None else f"messages are kept for {minutes} minutes"


def tidy_command(database: Database = None, data_dir: DataDir = None, tenant: Tenant = None) -> None:
    """Remove what is kept no longer: old messages, expired memories and documents, old idempotency keys."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant)
    must_be_there(settings)
    done = asyncio.run(_tidy(settings))
    rest = f"{done.documents} documents and {done.keys} keys"
    out.print(f"removed {done.messages} messages, {done.memories} memories, {rest}")


async def _tidy(settings: Settings) -> Tidied:
    async with Recollect.open(settings=settings, actor="tidy", progress=progress) as memory:
        return await memory.tidy()
