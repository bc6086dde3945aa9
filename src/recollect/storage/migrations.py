"""Numbered SQL files, forward only, applied in one transaction under a lock."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import suppress
from pathlib import Path

import asyncpg
import msgspec

from recollect.errors import Unavailable
from recollect.storage.queries import FOLDER, named_queries

#: How long the migration waits for others to end, and how often: each time less than the second after which the
#: database ends one of those that wait for each other.
WAIT, TRIES, PAUSE = "500ms", 90, 0.2


class Migration(msgspec.Struct, frozen=True):
    """One step of the schema."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """Tells whether the file is still the one that was applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


class Applied(msgspec.Struct, frozen=True):
    """A step that a database has had."""

    number: int
    name: str
    checksum: str


def shipped(folder: Path = FOLDER / "migrations") -> list[Migration]:
    """The migrations of this version, in order, numbered without a gap."""
    steps = [Migration(int(f.stem[:4]), f.stem[5:], f.read_text("utf-8")) for f in sorted(folder.glob("*.sql"))]
    if [step.number for step in steps] != list(range(1, len(steps) + 1)):
        raise ValueError("migrations must be numbered 0001, 0002, … without a gap")
    return steps


def pending(applied: list[Applied], steps: list[Migration]) -> list[Migration]:
    """The steps still to do; refuses a schema that is newer than this version, or was made by other files."""
    known = {step.number: step for step in steps}
    for done in applied:
        step = known.get(done.number)
        if step is None:
            raise Unavailable(
                "database",
                f"its schema is at step {applied[-1].number:04}, newer than this version of Recollect "
                f"({len(steps):04}); upgrade: pull its clone, and install it anew",
            )
        if step.checksum != done.checksum:
            raise Unavailable(
                "database",
                f"migration {done.number:04}_{done.name} was applied from another file than this version ships; "
                "use the version of Recollect that made this database, or a new database",
            )
    return steps[len(applied) :]


async def migrate(connection: asyncpg.Connection, steps: list[Migration] | None = None) -> list[Migration]:
    """Bring the schema up to date as an administrator of the database; returns what was applied."""
    queries = named_queries()
    steps = shipped() if steps is None else steps
    if await schema_there(connection) and not pending(await _applied(connection), steps):
        return []
    async with connection.transaction():
        await connection.execute(queries["migration_lock"])
        await _prepare(connection)
        todo = pending(await _applied(connection), steps)
        await connection.execute(queries["look_at_vectors"])
        await connection.execute(queries["become_owner"])
        await _alone(connection)
        for step in todo:
            await connection.execute(step.sql)
            await connection.execute(queries["record_migration"], step.number, step.name, step.checksum)
        await connection.execute(queries["become_self"])
    return todo


async def schema_there(connection: asyncpg.Connection) -> bool:
    """Whether there is a Recollect schema; refuses one that is not as migrations leave it."""
    if not await connection.fetchval(named_queries()["schema_there"]):
        return False
    other = await connection.fetchval(named_queries()["owned_by_others"])
    if other is not None:
        raise Unavailable(
            "database",
            f"its tables belong to {other!r} and not to recollect_owner, as after a restore where that role or "
            "recollect_server was missing: make both roles, and restore anew, with owners and privileges "
            "(docs/operating.md)",
        )
    return True


async def _alone(connection: asyncpg.Connection) -> None:
    """Wait until nobody is at work, and keep others out until the end; servers may run on meanwhile."""
    queries = named_queries()
    usual = await connection.fetchval("show lock_timeout")
    for _ in range(TRIES):
        with suppress(asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError):
            async with connection.transaction():  # what was locked in vain is let go with it
                await connection.execute(queries["lock_timeout"], WAIT)
                await connection.execute(queries["lock_tables"])
                await connection.execute(queries["lock_timeout"], usual)
                return
        await asyncio.sleep(PAUSE)
    raise Unavailable(
        "database",
        "others, such as an export or a backup, have been at work in it all the time; nothing was changed, try "
        "again when they have ended",
    )


async def _prepare(connection: asyncpg.Connection) -> None:
    """What the first migration stands on: roles, pgvector, the schema, the table of migrations."""
    queries = named_queries()
    try:
        async with connection.transaction():
            await connection.execute(queries["migration_roles"])
            await connection.execute(queries["migration_vectors"])
            await connection.execute(queries["migration_ground"])
    except asyncpg.InsufficientPrivilegeError as error:
        raise Unavailable("database", await _in_the_way(connection, error.args[0])) from None
    except (asyncpg.UndefinedFileError, asyncpg.FeatureNotSupportedError):
        raise Unavailable(
            "database", "it has no pgvector; install the extension `vector` 0.8.4 or newer on the server"
        ) from None


async def _in_the_way(connection: asyncpg.Connection, refusal: str) -> str:
    """Why the ground could not be prepared, and who can help."""
    facts = await connection.fetchrow(named_queries()["in_the_way"])
    assert facts is not None
    login = facts["login"]
    if facts["schema_of"] is not None:
        return (
            f"it has a schema `recollect` that belongs to {facts['schema_of']!r} and not to recollect_owner; "
            "rename it, or use another database"
        )
    lacks: list[str] = []
    if facts["no_member_of"]:
        roles = ", ".join(facts["no_member_of"])
        lacks.append(
            f"is no member of roles that another administrator made (`grant {roles} to {login} with inherit true, "
            "set true`, as that one or as a superuser)"
        )
    if facts["may_not_make_roles"]:
        lacks.append("may not make roles (CREATEROLE)")
    if facts["may_not_create"]:
        lacks.append("may not create in this database (`grant create on database … to …`)")
    if facts["needs_vector"]:
        lacks.append("may not install pgvector (`create extension vector`, as a superuser)")
    if facts["closed_vectors"] is not None:
        lacks.append(
            f"may not let others into the schema of pgvector (`grant usage on schema {facts['closed_vectors']} to "
            "recollect_owner, recollect_server`, as its owner)"
        )
    if facts["api_of"] is not None:
        lacks.append(
            f"may not open the schema `api`, which belongs to {facts['api_of']!r} (`grant usage, create on schema "
            "api to recollect_owner`)"
        )
    why = "; it ".join(lacks) or f"may not prepare it ({refusal})"
    return f"the login {login!r} {why}. Put that right, or run `recollect migrate` once as an administrator"


async def _applied(connection: asyncpg.Connection) -> list[Applied]:
    try:
        rows = await connection.fetch(named_queries()["migrations_applied"])
    except asyncpg.InsufficientPrivilegeError:
        raise Unavailable(
            "database", "this login may not read the schema `recollect`: grant recollect_server to it"
        ) from None
    return [Applied(row["number"], row["name"], row["checksum"]) for row in rows]


async def outdated(connection: asyncpg.Connection) -> list[Migration]:
    """The steps that this database still lacks."""
    return pending(await _applied(connection), shipped())
