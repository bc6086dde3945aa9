"""From an address to a checked pool: version, pgvector, schema and role are right, or it says what is not."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote_plus

import asyncpg
import msgspec
from asyncpg.connect_utils import SessionAttribute

from recollect.errors import Invalid, RecollectError, Unavailable
from recollect.storage.database import BROKEN, Database, tries
from recollect.storage.migrations import migrate, outdated, schema_there
from recollect.storage.pool import Pool, Ready
from recollect.storage.queries import named_queries
from recollect.storage.vectors import send_vectors

OLDEST_POSTGRES = 16
OLDEST_VECTOR = (0, 8, 4)
SERVER_ROLE = "recollect_server"
CONNECT_TIMEOUT = 10.0

#: Options of libpq and of other clients that our driver would send to the server, which does not know them.
_NOT_FOR_THE_SERVER = re.compile(
    r"channel_binding|require_auth|requirepeer|gssencmode|gssdelegation|connect_timeout|fallback_application_name|"
    r"load_balance_hosts|tcp_user_timeout|keepalives(_idle|_interval|_count)?|(min|max)_protocol_version|"
    r"sslcompression|sslcertmode|sslsni|sslkeylogfile|"
    r"pgbouncer|connection_limit|pool_timeout|socket_timeout|statement_cache_size|schema|supa"
)
_FILES = ("sslrootcert", "sslcert", "sslkey", "sslcrl")

#: What may be shown of an address. Anything unusual in it could be a part of a password.
_PLAIN = re.compile(
    r"postgres(?:ql)?://(?:[^@/?#\s]*@)?(?P<hosts>(?:[\w.-]+(?::\d+)?,?)*)(?P<name>/[\w.-]*)?(?:\?(?P<options>[^@#\s]*))?"
)


_POOLER = (
    "a pooler in transaction mode, such as PgBouncer, stands before the server, and keeps no settings of a "
    "connection; say so by `pgbouncer=true` in the address or RECOLLECT_POOLER=true, or name the server itself"
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
        hosts = self.options.get("host", "") + plain["hosts"]
        return (hosts or "the default host") + (plain["name"] or "")

    @property
    def options(self) -> dict[str, str]:
        """What the address asks for behind its question mark."""
        return dict(parse_qsl((self.dsn or "").partition("?")[2]))

    @property
    def timeout(self) -> float:
        """Seconds that connecting may take."""
        asked = self.options.get("connect_timeout", "0")
        if not re.fullmatch(r"-?\d{1,9}", asked):
            raise Invalid("database", "connect_timeout in the address must be a number of seconds")
        return float(asked) if int(asked) > 0 else CONNECT_TIMEOUT

    @property
    def pooled(self) -> bool:
        """Whether the address says that a pooler stands before the server, as it does for Prisma."""
        return self.options.get("pgbouncer") == "true"

    def for_driver(self) -> dict[str, Any]:
        """Arguments of the driver's ``connect``."""
        given: dict[str, Any] = {"timeout": self.timeout, **self.parts}
        if self.dsn is not None:
            before, _, asked = self.dsn.partition("?")
            names = ((one, unquote_plus(one.partition("=")[0])) for one in asked.split("&"))
            known = "&".join(one for one, name in names if not _NOT_FOR_THE_SERVER.fullmatch(name))
            given["dsn"] = f"{before}?{known}"
        if self.options.get("sslrootcert") == "system":
            given["ssl"] = True  # the driver's word for it
        return given


async def connect(address: Address) -> asyncpg.Connection:
    """One connection, for checks and migrations. It keeps no statements: behind a pooler in transaction mode they
    would be left on a connection to the server, and be in the way of whoever is given it next."""
    if address.dsn is not None and not re.match(r"postgres(ql)?://", address.dsn):
        raise Invalid("database", "must be an address like postgresql://user:password@host:5432/name")
    if address.options.get("gssencmode") == "require":
        raise Invalid("database", "gssencmode=require in the address cannot be done; use sslmode=require")
    try:
        return await asyncpg.connect(**address.for_driver(), statement_cache_size=0)
    except Exception as error:
        if isinstance(error, OSError) and await _another_kind_answers(address):
            error = asyncpg.TargetServerAttributeNotMatched()
        raise _why_not_connected(error, address) from None


async def _another_kind_answers(address: Address) -> bool:
    """Of several hosts, the driver tells of the one that is dead, also when another is only of the wrong kind."""
    if address.options.get("target_session_attrs", "any") == "any":
        return False
    try:
        connection = await asyncpg.connect(**address.for_driver(), target_session_attrs=SessionAttribute.any)
    except Exception:
        return False
    connection.terminate()
    return True


def _why_not_connected(error: Exception, address: Address) -> Exception:
    """What the server says before anybody is logged in quotes nothing that is stored."""
    label = address.label
    said = str(error.args[0]) if error.args else ""
    match error:
        case RecollectError():
            return error
        case asyncpg.InvalidAuthorizationSpecificationError() | asyncpg.InvalidCatalogNameError():
            return Unavailable("database", f"{label} refused the login: {said}")
        case asyncpg.InsufficientPrivilegeError():
            return Unavailable(
                "database",
                f"{label} refused the login: {said}; an administrator may grant it, as in "
                "`grant connect on database … to …`",
            )
        case asyncpg.TooManyConnectionsError():
            return Unreachable(
                "database",
                f"{label} has no connection left: {said}; close some, lower RECOLLECT_POOL_SIZE, or raise the "
                "limit of the server, the database or the login",
            )
        case (
            asyncpg.UndefinedObjectError()
            | asyncpg.InvalidParameterValueError()
            | asyncpg.CantChangeRuntimeParamError()
            | asyncpg.PostgresSyntaxError()
        ):
            return _refused_option(error, said, address)
        case asyncpg.TargetServerAttributeNotMatched():
            return Unavailable(
                "database",
                f"no server of {label} that answers is of the kind that the address asks for "
                "(target_session_attrs)",
            )
        case asyncpg.PostgresError() if _of_a_pooler(error, said):
            return Unavailable("database", _POOLER)
        case asyncpg.CannotConnectNowError():
            return Unreachable("database", f"{label} is starting up or shutting down; try again in a moment")
        case asyncpg.PostgresError() if not isinstance(error, BROKEN) or error.sqlstate == "08P01":
            return Unavailable("database", f"{label} refused the connection: {said} ({error.sqlstate})")
        case OverflowError():
            return Invalid("database", "the port in the address must be between 1 and 65535")
        case FileNotFoundError() | PermissionError() | IsADirectoryError() if unread := _unread_file(address):
            return Invalid("database", f"the file that the address names as {unread} cannot be read")
        case ssl.SSLError():
            return Unavailable("database", f"TLS with {label} failed ({error.reason or type(error).__name__})")
        case ValueError() | asyncpg.InterfaceError():
            return Invalid(
                "database",
                "the address cannot be read; it is like postgresql://user:password@host:5432/name, with special "
                "characters of the password percent-encoded",
            )
        case OSError() | asyncpg.PostgresError() | asyncpg.InternalClientError():
            return Unreachable("database", f"cannot reach {label} ({_reason(error, address)}); is it running?")
        case _:
            return error


def _of_a_pooler(error: asyncpg.PostgresError, said: str) -> bool:
    """Whether a server would never say this: it takes all settings that we ask for, and no two of our statements
    have one name on a connection."""
    return "startup parameter" in said or error.sqlstate in ("42P05", "26000")


def _refused_option(error: asyncpg.PostgresError, said: str, address: Address) -> Invalid:
    """The server quotes the name; it is shown only where it cannot be a part of a password."""
    plain = _PLAIN.fullmatch(address.dsn or "") is not None
    name = next((name for name in address.options if plain and f'"{name}"' in said), None)
    what = "an option of the address" if name is None else f"the option {name!r} of the address"
    problem = "does not know" if isinstance(error, asyncpg.UndefinedObjectError) else "refuses"
    return Invalid("database", f"the server {problem} {what} ({error.sqlstate}); correct it, or take it out")


def _unread_file(address: Address) -> str | None:
    for option in _FILES:
        name = address.options.get(option)
        if name is not None and name != "system":
            try:
                Path(name).open("rb").close()
            except (OSError, ValueError):
                return option
    return None


def _reason(error: Exception, address: Address) -> str:
    match error:
        case TimeoutError():
            reason = f"no answer within {address.timeout:g} s"
        case socket.gaierror():
            reason = "there is no host of this name"
        case ConnectionError() if "rejected SSL" in str(error):
            reason = "it has no TLS, which the address asks for by sslmode"
        case _:
            reason = type(error).__name__
    return reason + ("; the address names no host" if address.label.startswith("the default host") else "")


@asynccontextmanager
async def in_our_words() -> AsyncGenerator[None]:
    """What the driver says while a database is checked or migrated, as an error of ours. Server details are left
    out: they can quote stored text."""
    try:
        yield
    except RecollectError:
        raise
    except asyncpg.ReadOnlySQLTransactionError:
        raise Unavailable(
            "database",
            "this server or login is read-only; name the primary, and let default_transaction_read_only be off",
        ) from None
    except asyncpg.QueryCanceledError:
        raise Unavailable(
            "database",
            "a statement took too long and was cancelled; nothing was changed. Raise statement_timeout, which the "
            "address or the login sets",
        ) from None
    except asyncpg.LockNotAvailableError:
        raise Unavailable(
            "database",
            "another session, perhaps a migration, held a lock for longer than lock_timeout; nothing was changed, "
            "try again",
        ) from None
    except BROKEN as error:
        raise Unreachable("database", f"the connection broke ({type(error).__name__}); try again") from None
    except asyncpg.PostgresError as error:
        if _of_a_pooler(error, ""):
            raise Unavailable("database", _POOLER) from None
        names = [str(name) for name in (error.sqlstate, error.table_name, error.constraint_name) if name]
        raise Unavailable("database", f"refused a statement ({', '.join(names)})") from None


@in_our_words()
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
    path: str
    """The same, quoted as it stands in a search_path."""


@in_our_words()
async def check_schema(connection: asyncpg.Connection, *, pooler: bool) -> Ground:
    """Refuse a database that was not migrated to this version."""
    if not await schema_there(connection):
        raise Unavailable("database", "it has no Recollect schema yet; run `recollect migrate`")
    role = await serving_role(connection, pooler=pooler)
    async with connection.transaction():  # with which the role goes, which a pooler would give to others
        if role is not None:
            await connection.execute("select set_config('role', $1, true)", role)
        missing = await outdated(connection)
        vectors = await connection.fetchrow(named_queries()["place_of_vectors"])
    if missing:
        raise Unavailable(
            "database",
            f"{len(missing)} migrations are missing, from {missing[0].number:04} on; run `recollect migrate`",
        )
    assert vectors is not None
    if not vectors["may_look"]:
        raise Unavailable(
            "database",
            f"{SERVER_ROLE} may not use the schema of pgvector: "
            f"grant usage on schema {vectors['path']} to {SERVER_ROLE}",
        )
    if pooler and not vectors["looks"]:
        raise Unavailable(
            "database",
            f"pgvector is in the schema {vectors['path']}, where this login does not look, and behind a pooler "
            f"nothing can be set on a connection: alter role … set search_path = public, {vectors['path']}",
        )
    return Ground(role, vectors["schema"], vectors["path"])


async def serving_role(connection: asyncpg.Connection, *, pooler: bool) -> str | None:
    """The role to take on each connection, so that no login ever works above the wall.

    Behind a pooler nothing can be set on a connection: there the login itself must be an ordinary one.
    """
    facts = await connection.fetchrow(named_queries()["role_facts"])
    assert facts is not None
    if facts["server_above_wall"]:
        raise Unavailable(
            "database",
            f"the role {SERVER_ROLE} is superuser or bypasses row level security; make it ordinary",
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
            async with in_our_words():
                await migrate(connection)
        return await check_schema(connection, pooler=pooler)
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
    pooler = pooler or address.pooled
    unreachable: Unreachable | None = None
    async for _ in tries(patience if address.dsn is None else 0):
        try:
            ground = await prepared(address, migrating=migrating, pooler=pooler)
            pool = _pool(address, ground, pool_size, pooler, patience, statement_timeout)
            try:
                await _first_of(pool, address)
            except BaseException:
                await pool.close()
                raise
            return Database(pool, patience=patience, pooler=pooler)
        except Unreachable as error:
            unreachable = error
    assert unreachable is not None
    raise unreachable


def _pool(
    address: Address, ground: Ground, size: int, pooler: bool, patience: float, statement_timeout: float
) -> Pool:
    async def another() -> asyncpg.Connection:
        try:
            return await _serving_connection(address, ground, pooler, statement_timeout)
        except OSError:
            if address.revive is not None:
                await address.revive()
            raise

    longest = statement_timeout + max(1.0, statement_timeout / 6)
    return Pool(another, size=size, patience=patience, longest=longest)


async def _first_of(pool: Pool, address: Address) -> None:
    """Let the pool make its first connection, so that what is wrong with all of them is told at once."""
    try:
        pool.give_back(await pool.take())
    except Exception as error:
        raise _why_not_connected(error, address) from None


async def check_serving(address: Address, ground: Ground, *, pooler: bool, statement_timeout: float) -> None:
    """Refuse an address whose connections are not what they are asked to be."""
    pool = _pool(address, ground, 1, pooler, 0, statement_timeout)
    try:
        await _first_of(pool, address)
    finally:
        await pool.close()


async def _serving_connection(
    address: Address, ground: Ground, pooler: bool, statement_timeout: float
) -> asyncpg.Connection:
    """A connection to work with, below the wall. Some poolers drop what is asked of a connection without a word;
    to ask whether it was heeded leaves nothing on one that is not ours."""
    connection = await asyncpg.connect(
        **address.for_driver(),
        statement_cache_size=0 if pooler else 200,
        connection_class=asyncpg.Connection if pooler else Ready,
        server_settings={} if pooler else _on_each_connection(ground, statement_timeout),
    )
    try:
        if ground.role is not None and await connection.execute(named_queries()["serving"]) != "SELECT 1":
            raise Unavailable("database", _POOLER)
        return await send_vectors(connection, ground.vectors)
    except BaseException:
        connection.terminate()
        raise


def _on_each_connection(ground: Ground, statement_timeout: float) -> dict[str, str]:
    """The server ends a statement itself, so that one that was given up has certainly not happened; the
    pool's own limit, a little later, is for a server that no longer answers. Our statements are few and look
    up by key, so they are planned once: planning the last 12 messages anew costs more than reading them. A process
    that was stopped in the middle of a transaction holds its locks no longer than a statement may take, and others
    wait for them as long. Nothing is looked for but in our schemas, which are named, and in that of pgvector,
    wherever the login looks."""
    settings = {
        "application_name": "recollect",
        "statement_timeout": f"{int(statement_timeout * 1000)}",
        "idle_in_transaction_session_timeout": f"{int(statement_timeout * 1000)}",
        "plan_cache_mode": "force_generic_plan",
        "default_transaction_isolation": "read committed",
        "lock_timeout": "0",
        "search_path": ground.path,
    }
    return settings | ({"role": ground.role} if ground.role else {})
