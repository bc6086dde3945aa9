"""``recollect cache``: fill it anew, compare it with the database, look at its numbers."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from recollect.cli.bars import bar
from recollect.cli.door import must_be_there
from recollect.cli.options import Database, DataDir, Tenant
from recollect.cli.output import out, progress
from recollect.opening import Recollect
from recollect.records import Verified
from recollect.settings import Settings

cache_app = typer.Typer(help="Look after the cache: a Valkey or Redis.", no_args_is_help=True)

Address = Annotated[str | None, typer.Option(help="Address of the cache, like redis://localhost:6379/0.")]
#: What a server says of itself that is worth a line.
TOLD = ("dbsize", "used_memory_human", "keyspace_hits", "keyspace_misses", "evicted_keys", "expired_keys")


@cache_app.command("rebuild")
def rebuild(
    conversation: Annotated[str | None, typer.Option(help="Only this conversation.")] = None,
    cache: Address = None,
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Tenant = None,
) -> None:
    """Drop what is cached of a tenant, or of one conversation, and fill it from the database."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant, cache=cache)
    must_be_there(settings)
    done = asyncio.run(_rebuild(settings, conversation))
    out.print(f"the cache of {done} conversations of {settings.tenant!r} is filled anew", markup=False)


async def _rebuild(settings: Settings, conversation: str | None) -> int:
    async with Recollect.open(settings=settings, actor="cache", progress=progress) as memory:
        with bar("conversations") as show:
            return await memory.rebuild_cache(conversation, show)


@cache_app.command("verify")
def verify(
    sample: Annotated[int, typer.Option(min=1, max=100_000, help="Conversations, newest first.")] = 1000,
    cache: Address = None,
    database: Database = None,
    data_dir: DataDir = None,
    tenant: Tenant = None,
) -> None:
    """Compare what is cached with the database; exit 1 if anything differs."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant, cache=cache)
    must_be_there(settings)
    found = asyncio.run(_verify(settings, sample))
    out.print(
        f"{found.looked_at} conversations, {found.cached} entries cached, {len(found.differences)} differences"
    )
    for one in found.differences:
        out.print(f"  {one}", markup=False)
    raise typer.Exit(code=1 if found.differences else 0)


async def _verify(settings: Settings, sample: int) -> Verified:
    async with Recollect.open(settings=settings, actor="cache", progress=progress) as memory:
        return await memory.verify_cache(sample)


@cache_app.command("stats")
def stats(
    cache: Address = None, database: Database = None, data_dir: DataDir = None, tenant: Tenant = None
) -> None:
    """What the servers of the cache say of themselves; hits and misses of a server process are at /metrics."""
    settings = Settings.read(database=database, data_dir=data_dir, tenant=tenant, cache=cache)
    must_be_there(settings)
    facts = asyncio.run(_stats(settings))
    believed = "not believed just now" if facts["distrusted"] else "believed"
    out.print(f"epoch {facts['epoch']}, {believed}; breaker {facts['breaker']}")
    if not facts["servers"]:
        out.print("no server of the cache answers")
    for server, told in facts["servers"].items():
        numbers = ", ".join(f"{name} {told[name]}" for name in TOLD if name in told)
        out.print(f"{server}: {numbers}", markup=False)


async def _stats(settings: Settings) -> dict[str, Any]:
    async with Recollect.open(settings=settings, actor="cache", progress=progress) as memory:
        return await memory.cache_stats()
