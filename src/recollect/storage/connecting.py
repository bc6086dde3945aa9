"""From an address to a checked pool: version, pgvector, schema and role are right, or it says what is not."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl

import asyncpg
import msgspec

from recollect.errors import Invalid, Unavailable
from recollect.storage.database import BROKEN, Database, tries
from recollect.storage.migrations import migrate, outdated
from recollect.storage.pool import Pool, Ready
from recollect.storage.queries import named_queries
from recollect.storage.vectors import send_vectors

OLDEST_POSTGRES = 16
OLDEST_VECTOR = (0, 8, 4)
SERVER_ROLE = "recollect_server"


#: What may be shown of an address. Anything unusual in it could be a part of a password.
_PLAIN = re.compile(
    r"postgres(?:ql)?://(?:[^@/?#\s]*@)?(?P<hosts>(?:[\w.-]+(?::\d+)?,?)*)(?P<name>/[\w.-]*)?(?:\?(?P<options>[^@#\s]*))?"
)


class Unreachable(Unavailable):
    """Nobody answers at the address, or not yet."""


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Where a Postgres is: a DSN, or the socket of the embedded one. Never printed: a DSN holds a password."""

    dsn: str | None = None
    parts: Mapping[str, Any] = {}
    revive: Callable[[], Awaitable[None]] | None = None
    """Called when nobody answers: what the embedded server needs to come back."""

    @property
    def label(self) -> str:
        """The hosts and the database, without user and password."""
        if self.dsn is None:
            return "the embedded PostgreSQL"
        plain = _PLAIN.fullmatch(self.dsn)
        if plain is None:
            return "the address given"
        hosts = [value for key, value in parse_qsl(plain["options"] or "") if key == "host"]
        return "".join(hosts) + plain["hosts"] + (plain["name"] or "")


async def connect(address: Address) -> asyncpg.Connection:
    """One connection, for checks and migrations."""
    if address.dsn is not None and not re.match(r"postgres(ql)?://", address.dsn):
        raise Invalid("database", "must be an address like postgresql://user:password@host:5432/name")
    try:
        return await asyncpg.connect(address.dsn, timeout=10, **address.parts)
    except (asyncpg.InvalidAuthorizationSpecificationError, asyncpg.InvalidCatalogNameError) as error:
        raise Unavailable("database", f"{address.label} refused the login: {error.args[0]}") from None
    except (asyncpg.ClientConfigurationError, asyncpg.InterfaceError, ValueError):
        raise Invalid(
            "database",
            "the address cannot be read; it is like postgresql://user:password@host:5432/name, with special "
            "characters of the password percent-encoded",
        ) from None
    except asyncpg.TargetServerAttributeNotMatched:
        raise Unavailable(
            "database", f"no server of {address.label} is of the kind that the address asks for"
        ) from None
    except (OSError, TimeoutError, asyncpg.PostgresError) as error:
        reason = "no answer within 10 s" if isinstance(error, TimeoutError) else type(error).__name__
        raise Unreachable("database", f"cannot reach {address.label} ({reason}); is it running?") from None


async def check_server(connection: asyncpg.Connection) -> None:
    """Refuse a server that cannot hold a Recollect schema."""
    facts = await connection.fetchrow(named_queries()["server_facts"])
    assert facts is not None
    if facts["version"] < OLDEST_POSTGRES * 10000:
        raise Unavailable(
            "database", f"it is PostgreSQL {facts['version'] // 10000}; {OLDEST_POSTGRES} or newer is needed"
        )
    if facts["encoding"] != "UTF8":
        raise Unavailable(
            "database", f"its encoding is {facts['encoding']}; create the database with encoding 'UTF8'"
        )
    if facts["forgetful"]:
        raise Unavailable(
            "database",
            "synchronous_commit is off for this login, so that acknowledged messages could be lost; "
            "turn it on: alter role … set synchronous_commit = on",
        )
    vector = facts["vector"] or facts["vector_available"]
    if vector is None:
        raise Unavailable(
            "database", "it has no pgvector; install the extension `vector` 0.8.4 or newer on the server"
        )
    if tuple(int(part) for part in vector.split(".")[:3]) < OLDEST_VECTOR:
        raise Unavailable(
            "database", f"its pgvector is {vector}; 0.8.4 or newer is needed: `alter extension vector update`"
        )


class Ground(msgspec.Struct, frozen=True):
    """What a checked database tells about itself."""

    role: str | None
    """The role to work as."""
    vectors: str
    """The schema of the extension `vector`."""


async def check_schema(connection: asyncpg.Connection, *, pooler: bool) -> Ground:
    """Refuse a database that was not migrated to this version."""
    if not await connection.fetchval(named_queries()["schema_there"]):
        raise Unavailable("database", "it has no Recollect schema yet; run `recollect migrate`")
    role = await serving_role(connection, pooler=pooler)
    if role is not None:
        await connection.execute("select set_config('role', $1, false)", role)
    missing = await outdated(connection)
    if missing:
        raise Unavailable(
            "database",
            f"{len(missing)} migrations are missing, from {missing[0].number:04} on; run `recollect migrate`",
        )
    return Ground(role, await connection.fetchval(named_queries()["schema_of_vectors"]))


async def serving_role(connection: asyncpg.Connection, *, pooler: bool) -> str | None:
    """The role to take on each connection, so that no login ever works above the wall.

    Behind a pooler nothing can be set on a connection: there the login itself must be an ordinary one.
    """
    facts = await connection.fetchrow(named_queries()["role_facts"])
    assert facts is not None
    if facts["server_above_wall"] or facts["server_owns"]:
        raise Unavailable(
            "database",
            f"the role {SERVER_ROLE} is superuser, bypasses row level security or owns tables; make it ordinary",
        )
    if pooler:
        if facts["above_wall"] or facts["is_owner"] or not facts["has_rights"]:
            raise Unavailable(
                "database",
                f"behind a pooler the login must be an ordinary one that inherits {SERVER_ROLE}: "
                f"create role app login password '…' in role {SERVER_ROLE}",
            )
        return None
    if not facts["may_serve"]:
        raise Unavailable("database", f"this login may not act as {SERVER_ROLE}: grant {SERVER_ROLE} to it")
    return SERVER_ROLE


async def prepared(address: Address, *, migrating: bool, pooler: bool) -> Ground:
    """Check the server, and migrate it if asked and needed."""
    connection = await connect(address)
    try:
        await check_server(connection)
        if migrating:
            await migrate(connection)
        return await check_schema(connection, pooler=pooler)
    except BROKEN as error:
        raise Unreachable(
            "database", f"the connection to {address.label} broke ({type(error).__name__})"
        ) from None
    finally:
        connection.terminate()


async def open_database(
    address: Address,
    *,
    pool_size: int,
    pooler: bool,
    patience: float,
    statement_timeout: float,
    migrating: bool,
) -> Database:
    """Check the server (and migrate it, if asked), then make the pool. The embedded server may be restarting
    just now, so it gets the patience that it gets later; an address that does not answer is told at once."""
    ground = Ground(None, "public")
    unreachable: Unreachable | None = None
    async for _ in tries(patience if address.dsn is None else 0):
        try:
            ground = await prepared(address, migrating=migrating, pooler=pooler)
            break
        except Unreachable as error:
            unreachable = error
    else:
        assert unreachable is not None
        raise unreachable

    async def another() -> asyncpg.Connection:
        try:
            return await _connected()
        except OSError:
            if address.revive is not None:
                await address.revive()
            raise

    async def _connected() -> asyncpg.Connection:
        connection = await asyncpg.connect(
            address.dsn,
            timeout=10,
            statement_cache_size=0 if pooler else 200,
            connection_class=asyncpg.Connection if pooler else Ready,
            server_settings={} if pooler else _on_each_connection(ground.role, statement_timeout),
            **address.parts,
        )
        try:
            return await send_vectors(connection, ground.vectors)
        except BaseException:
            connection.terminate()
            raise

    longest = statement_timeout + max(1.0, statement_timeout / 6)
    pool = Pool(another, size=pool_size, patience=patience, longest=longest)
    return Database(pool, patience=patience, pooler=pooler)


def _on_each_connection(role: str | None, statement_timeout: float) -> dict[str, str]:
    """The server ends a statement itself, so that one that was given up has certainly not happened; the
    pool's own limit, a little later, is for a server that no longer answers. Our statements are few and look
    up by key, so they are planned once: planning the last 12 messages anew costs more than reading them. A process
    that was stopped in the middle of a transaction holds its locks no longer than a statement may take."""
    settings = {
        "application_name": "recollect",
        "statement_timeout": f"{int(statement_timeout * 1000)}",
        "idle_in_transaction_session_timeout": f"{int(statement_timeout * 1000)}",
        "plan_cache_mode": "force_generic_plan",
        "default_transaction_isolation": "read committed",
    }
    return settings | ({"role": role} if role else {})
