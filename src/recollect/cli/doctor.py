"""``recollect doctor``: what is right, what is wrong, and what to do about it."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import asyncpg
import msgspec

import recollect
from recollect.cli.findings import Finding
from recollect.cli.trials import trials
from recollect.errors import Invalid, Unavailable
from recollect.opening import find_server
from recollect.settings import Settings, unknown_variables
from recollect.storage.connecting import Address, check_schema, check_server, check_serving, connect, in_our_words
from recollect.storage.embedded.places import check_place
from recollect.storage.embedded.throwaway import throwaway
from recollect.storage.migrations import outdated, schema_there

ENOUGH_SPACE = 500 << 20


async def examine(settings: Settings, progress: Callable[[str], None]) -> list[Finding]:
    """Look at the machine, at the models and the cache, then at the database, as far as one can get."""
    findings = [Finding("recollect", True, f"{recollect.__version__} on Python {platform.python_version()}")]
    findings += [Finding("settings", True, said, warning=True) for said in unknown_variables()]
    findings += await trials(settings)
    async with AsyncExitStack() as exits:
        try:
            if settings.database is None:
                settings = _embedded(settings, findings, exits)
            address, ours = await find_server(settings, exits, progress)
            await _database(address, ours, settings, findings)
        except Unavailable as error:
            findings.append(Finding(error.part, False, error.problem))
        except Invalid as error:
            findings.append(Finding(error.field, False, error.problem))
    return findings


def _embedded(settings: Settings, findings: list[Finding], exits: AsyncExitStack) -> Settings:
    """The folder and its disk. Where there is no folder yet, a trial in a temporary one tells whether it works."""
    folder = settings.folder
    there = check_place(Path(os.path.realpath(folder)))
    free = shutil.disk_usage(there).free
    findings.append(
        Finding(
            "disk",
            free >= ENOUGH_SPACE,
            f"{free >> 20:,} MB free at {there}" + ("" if free >= ENOUGH_SPACE else "; free some space"),
        )
    )
    if folder.exists():
        findings.append(Finding("data folder", True, str(folder)))
        return settings
    findings.append(
        Finding("data folder", True, f"{folder} will be made at the first start; tried in a temporary one")
    )
    trial = exits.enter_context(throwaway("recollect-"))
    return msgspec.structs.replace(settings, data_dir=str(trial / "trial"))


@in_our_words()
async def _database(address: Address, ours: bool, settings: Settings, findings: list[Finding]) -> None:
    connection = await connect(address)
    try:
        await check_server(connection)
        version = await connection.fetchval("show server_version")
        findings.append(Finding("database", True, f"{address.label}, PostgreSQL {version}"))
        if ours and await _lacks_steps(connection):
            findings.append(Finding("schema", True, "will be brought up to date at the next start"))
        else:
            pooler = settings.pooler or address.pooled
            ground = await check_schema(connection, pooler=pooler)
            findings.append(Finding("schema", True, "up to date"))
            await check_serving(address, ground, pooler=pooler, statement_timeout=settings.statement_timeout)
            role = ground.role
            findings.append(
                Finding("tenant wall", True, f"works as {role or 'an ordinary login'}, below row level security")
            )
        most = int(await connection.fetchval("show max_connections"))
        findings.append(
            Finding(
                "connections",
                settings.pool_size < most,
                f"{settings.pool_size} of {most}"
                + ("" if settings.pool_size < most else "; lower RECOLLECT_POOL_SIZE or raise max_connections"),
            )
        )
    finally:
        connection.terminate()


async def _lacks_steps(connection: asyncpg.Connection) -> bool:
    """Whether the schema is not there or older than we are; one that is newer is refused."""
    return not await schema_there(connection) or bool(await outdated(connection))
