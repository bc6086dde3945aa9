"""One real Postgres for the whole run; a tenant of its own for every test."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from pathlib import Path

import asyncpg
import pytest
from hypothesis import settings

from recollect import Recollect
from recollect.storage import embedded
from scripted_model import ScriptedModel

# Machines are shared: how long an example takes says nothing.
settings.register_profile("shared", deadline=None)
settings.load_profile("shared")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Fast tests first, so that a mistake shows early."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a test that cannot run is a failure: nobody would look at what was left out."""
    report = yield
    if report.skipped and os.environ.get("CI") == "true":
        report.outcome = "failed"
    return report


@pytest.fixture(scope="session", autouse=True)
def _no_settings_from_outside() -> None:
    for name in [name for name in os.environ if name.startswith(("RECOLLECT_", "OPENAI_"))]:
        del os.environ[name]


@pytest.fixture(scope="session")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[embedded.Server]:
    """An embedded PostgreSQL in a temporary folder."""
    running = await embedded.start(tmp_path_factory.mktemp("server") / "data")
    yield running
    await running.close()


@pytest.fixture(scope="session")
async def admin(server: embedded.Server) -> AsyncIterator[asyncpg.Connection]:
    """A connection above the wall, to look at what is really stored."""
    connection = await asyncpg.connect(
        host=str(server.socket), port=server.port, user="postgres", database="postgres"
    )
    yield connection
    await connection.close()


@pytest.fixture(scope="session")
async def dsn(server: embedded.Server) -> str:
    """The address of a migrated database, as a user would give it."""
    address = f"postgresql://postgres@/postgres?host={server.socket}&port={server.port}"
    async with Recollect.open(address, migrate=True):
        return address


NewDatabase = Callable[[], Awaitable[str]]


@pytest.fixture
async def new_database(server: embedded.Server, admin: asyncpg.Connection) -> AsyncIterator[NewDatabase]:
    """Makes empty databases, and drops them in the end."""
    names: list[str] = []

    async def make() -> str:
        names.append(f"test_{uuid.uuid4().hex}")
        await admin.execute(f"create database {names[-1]}")
        return f"postgresql://postgres@/{names[-1]}?host={server.socket}&port={server.port}"

    yield make
    for name in names:
        await admin.execute(f"drop database {name} with (force)")


@pytest.fixture
def scripted() -> Iterator[ScriptedModel]:
    """An OpenAI-compatible server that says what the test tells it to."""
    with ScriptedModel() as server:
        yield server


@pytest.fixture
def tenant() -> str:
    return f"tenant-{uuid.uuid4().hex[:12]}"


@pytest.fixture
async def memory(dsn: str, tenant: str) -> AsyncIterator[Recollect]:
    """An open door, of a tenant that nobody else uses."""
    async with Recollect.open(dsn, tenant=tenant) as opened:
        yield opened


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"
