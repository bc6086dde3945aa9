"""Addresses as providers hand them out are understood; what is refused is refused for its true reason."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path

import asyncpg
import pytest

from recollect import Invalid, Recollect, Unavailable
from recollect.errors import RecollectError
from recollect.storage import embedded
from recollect.storage.connecting import Address, Unreachable, check_server, connect

NewDatabase = Callable[[], Awaitable[str]]
LOCK = "select pg_advisory_xact_lock(hashtextextended('recollect.migrations', 0))"


def _as(dsn: str, login: str) -> str:
    return dsn.replace("postgres@", f"{login}@")


def run(*arguments: str) -> str:
    """A command that fails, with one line."""
    done = subprocess.run([sys.executable, "-m", "recollect", *arguments], capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().split("\nerror: ")) == 1
    return (done.stdout + done.stderr).replace("\n", " ")


@pytest.mark.parametrize(
    "options",
    [
        "channel_binding=require",
        "connect_timeout=10",
        "connect_timeout=0",
        "gssencmode=disable",
        "keepalives=1&keepalives_idle=30&keepalives_interval=5&keepalives_count=3",
        "load_balance_hosts=random",
        "tcp_user_timeout=1000",
        "fallback_application_name=app",
        "application_name=app",
        "krbsrvname=postgres&gsslib=gssapi&gssdelegation=0",
        "requirepeer=postgres&require_auth=none",
        "sslcompression=0&sslsni=1&sslcertmode=disable",
        "channel%5Fbinding=prefer",
        "supa=base-pooler.x",
        "schema=public&connection_limit=1&pool_timeout=10",
        "options=-c%20statement_timeout%3D5000",
    ],
)
async def test_options_that_libpq_and_others_know(dsn: str, tenant: str, options: str) -> None:
    async with Recollect.open(f"{dsn}&{options}", tenant=tenant) as memory:
        chat = await memory.conversation(user="ana", agent="librarian")
        assert (await chat.append("user", "hi")).seq == 1


async def test_settings_in_the_address_reach_the_server(dsn: str) -> None:
    connection = await connect(Address(dsn=f"{dsn}&keepalives=1&options=-cstatement_timeout%3D7s&geqo=off"))
    assert await connection.fetchval("show statement_timeout") == "7s"
    assert await connection.fetchval("show geqo") == "off"
    await connection.close()


async def test_the_address_says_how_long_connecting_may_take() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://ana@127.0.0.1:{silent.getsockname()[1]}/x?sslmode=disable"
        with pytest.raises(Unreachable, match="no answer within 1 s"):
            await connect(Address(dsn=f"{address}&connect_timeout=1"))
        with pytest.raises(Invalid, match="connect_timeout"):
            await connect(Address(dsn=f"{address}&connect_timeout=soon"))


async def test_an_address_that_names_a_pooler(dsn: str, login: str, admin: asyncpg.Connection) -> None:
    with pytest.raises(Unavailable, match="behind a pooler the login must be an ordinary one"):
        await Recollect.open(f"{dsn}&pgbouncer=true")
    await admin.execute(f"grant recollect_server to {login}")
    async with Recollect.open(f"{_as(dsn, login)}&pgbouncer=true", tenant=f"t-{uuid.uuid4()}") as memory:
        assert (await memory.conversation(user="ana", agent="librarian")).id


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("colour=red", "the server does not know the option 'colour'"),
        ("hostaddr=127.0.0.1", "the server does not know the option 'hostaddr'"),
        ("statement_timeout=soon", "the server refuses the option 'statement_timeout'"),
        ("max_connections=3", "the server refuses the option 'max_connections'"),
        ("options=endpoint%3Dx", "the server refuses an option"),
        ("gssencmode=require", "gssencmode=require"),
    ],
)
async def test_an_option_that_the_server_does_not_take(dsn: str, options: str, told: str) -> None:
    with pytest.raises(Invalid, match=told):
        await Recollect.open(f"{dsn}&{options}")


async def test_a_login_that_may_not_connect(
    new_database: NewDatabase, login: str, admin: asyncpg.Connection
) -> None:
    address = await new_database()
    name = address.split("/")[3].split("?")[0]
    await admin.execute(f"revoke connect on database {name} from public")
    with pytest.raises(Unavailable, match=f"refused the login: .*{name}.*grant connect") as caught:
        await Recollect.open(_as(address, login))
    assert "is it running" not in str(caught.value)
    await admin.execute(f"grant connect on database {name} to public")
    await admin.execute(f"alter database {name} connection limit 0")
    with pytest.raises(Unavailable, match=r"no connection left.*raise the limit") as caught:
        await Recollect.open(_as(address, login))
    assert "is it running" not in str(caught.value)


async def test_a_certificate_that_is_not_there(tmp_path: Path) -> None:
    address = "postgresql://ana@127.0.0.1:1/x?sslmode=verify-full&sslrootcert="
    with pytest.raises(Invalid, match="names as sslrootcert cannot be read"):
        await Recollect.open(address + "/nope.pem")
    (tmp_path / "empty.pem").write_text("")
    with pytest.raises(Unavailable, match="TLS"):
        await Recollect.open(f"{address}{tmp_path}/empty.pem")
    with pytest.raises(Unreachable, match="cannot reach"):
        await Recollect.open(f"{address}system")


async def test_a_server_without_tls() -> None:
    async def no(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(8)
        writer.write(b"N")
        writer.close()

    async with await asyncio.start_server(no, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        for options in ("sslmode=require", "sslrootcert=system"):
            with pytest.raises(Unreachable, match="has no TLS"):
                await Recollect.open(f"postgresql://ana@127.0.0.1:{port}/x?{options}")


async def test_a_live_server_of_the_wrong_kind_beside_a_dead_one(dsn: str, server: embedded.Server) -> None:
    hosts = f"host={server.socket},/nowhere&port={server.port},5432"
    with pytest.raises(Unavailable, match=r"of the kind that the address asks for \(target_session_attrs\)"):
        await Recollect.open(f"postgresql://postgres@/postgres?{hosts}&target_session_attrs=read-only")


async def test_an_address_without_a_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGHOST", "/nowhere")
    with pytest.raises(Unavailable, match=r"cannot reach the default host .*the address names no host"):
        await Recollect.open("postgresql://")


@pytest.mark.parametrize("port", ["99999", "-1"])
async def test_a_port_that_is_none(port: str) -> None:
    with pytest.raises(Invalid, match="between 1 and 65535"):
        await Recollect.open(f"postgresql://ana@127.0.0.1:{port}/x")
    assert "between 1 and 65535" in await asyncio.to_thread(
        run, "migrate", "--database", f"postgresql://ana@127.0.0.1:{port}/x"
    )


async def test_a_database_that_is_read_only(new_database: NewDatabase) -> None:
    address = f"{await new_database()}&default_transaction_read_only=on"
    with pytest.raises(Unavailable, match="read-only; name the primary"):
        await Recollect.open(address, migrate=True)
    assert "read-only" in await asyncio.to_thread(run, "migrate", "--database", address)


async def test_statements_that_may_take_no_time(new_database: NewDatabase) -> None:
    """The catalogue is read in less than a millisecond, so a migration has to wait for another one."""
    address = await new_database()
    blocking = await asyncpg.connect(address)
    async with blocking.transaction():
        await blocking.execute(LOCK)
        with pytest.raises(Unavailable, match="Raise statement_timeout"):
            await Recollect.open(f"{address}&statement_timeout=50", migrate=True)
        with pytest.raises(Unavailable, match="longer than lock_timeout"):
            await Recollect.open(f"{address}&lock_timeout=50", migrate=True)
        said = await asyncio.to_thread(run, "migrate", "--database", f"{address}&statement_timeout=50")
        assert "statement_timeout" in said
        said = await asyncio.to_thread(run, "migrate", "--database", f"{address}&lock_timeout=50")
        assert "lock_timeout" in said
    await blocking.close()


async def test_a_check_that_is_cancelled_is_told_in_our_words(dsn: str) -> None:
    class Slow:
        async def fetchrow(self, statement: str) -> None:
            raise asyncpg.QueryCanceledError("canceling statement due to statement timeout")

    with pytest.raises(Unavailable, match="statement_timeout"):
        await check_server(Slow())  # pyright: ignore[reportArgumentType]


async def test_a_server_that_goes_away_while_it_is_migrated(
    new_database: NewDatabase, admin: asyncpg.Connection
) -> None:
    address = await new_database()
    name = address.split("/")[3].split("?")[0]
    blocking = await asyncpg.connect(address)
    async with blocking.transaction():
        await blocking.execute(LOCK)
        opening = asyncio.create_task(Recollect.open(address, migrate=True)._open())  # pyright: ignore[reportPrivateUsage]
        end = (
            "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'advisory' and datname = $1"
        )
        for _ in range(500):
            if await admin.fetchval(end, name):
                break
            await asyncio.sleep(0.02)
        with pytest.raises(Unavailable, match="the connection broke"):
            await opening
    await blocking.close()


@pytest.mark.usefixtures("dsn")  # which makes the roles
@pytest.mark.parametrize(
    ("owner", "told"), [("recollect_owner", "refused a statement"), ("postgres", "belong to")]
)
async def test_what_is_stored_is_in_no_error(new_database: NewDatabase, owner: str, told: str) -> None:
    """A foreign table of the same name: what the server says of it could quote its rows."""
    address = await new_database()
    other = await asyncpg.connect(address)
    await other.execute("create schema recollect; create table recollect.migrations (secret text)")
    await other.execute(f"alter table recollect.migrations owner to {owner}")
    await other.close()
    with pytest.raises(RecollectError, match=told) as caught:
        await Recollect.open(address, migrate=True)
    assert "secret" not in str(caught.value)
    assert os.linesep not in str(caught.value)
