"""From settings to an open door. The only module that names implementations."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from types import TracebackType

from recollect import inputs
from recollect.door import Door, Models
from recollect.errors import Invalid
from recollect.forget.records import Keeping
from recollect.ports import Counter, Embedder
from recollect.records import Caller
from recollect.settings import Settings
from recollect.storage import embedded
from recollect.storage.connecting import Address, open_database

Progress = Callable[[str], None]


class Recollect(Door):
    """The memory of an AI agent. Open it with ``async with Recollect.open() as memory``."""

    _exits: AsyncExitStack

    @classmethod
    def open(
        cls,
        database: str | None = None,
        *,
        tenant: str | None = None,
        data_dir: str | Path | None = None,
        pool_size: int | None = None,
        migrate: bool = False,
        actor: str = "library",
        settings: Settings | None = None,
        progress: Progress | None = None,
    ) -> Opening:
        """An embedded PostgreSQL in ``./.recollect``, or the one at this address.

        What is not given comes from the environment (``RECOLLECT_…``). An embedded database is migrated as it
        is opened; another one only with ``migrate=True`` or by ``recollect migrate``.
        """
        given: dict[str, object] = {
            "database": database,
            "tenant": tenant,
            "data_dir": data_dir,
            "pool_size": pool_size,
        }
        if settings is not None and any(value is not None for value in given.values()):
            raise Invalid("settings", f"give either settings, or {', '.join(given)}")
        given["data_dir"] = None if data_dir is None else str(data_dir)
        chosen = settings or Settings.read(None, **given)
        return Opening(cls, chosen, migrate, actor, progress or show)

    async def close(self) -> None:
        """Give back the connections, and stop the embedded server if nobody else uses it."""
        await self._exits.aclose()


class Opening:
    """A door about to open: ``async with`` closes it at the end; ``await`` leaves that to you."""

    def __init__(
        self, cls: type[Recollect], settings: Settings, migrate: bool, actor: str, progress: Progress
    ) -> None:
        self._cls = cls
        self._settings = settings
        self._migrate = migrate
        self._progress = progress
        self._caller = Caller(inputs.identifier("tenant", settings.tenant), inputs.identifier("actor", actor))
        self._opened: Recollect | None = None

    async def _open(self) -> Recollect:
        settings = self._settings
        async with AsyncExitStack() as exits:
            address, ours = await find_server(settings, exits, self._progress)
            database = await open_database(
                address,
                pool_size=settings.pool_size,
                pooler=settings.pooler,
                patience=settings.patience,
                statement_timeout=settings.statement_timeout,
                migrating=ours or self._migrate,
            )
            exits.push_async_callback(database.close)
            models = Models(partial(embedder_for, settings), offline_counter)
            keeping = Keeping(retention_minutes=settings.retention_minutes, key_days=settings.key_days)
            opened = self._cls(database, self._caller, models, keeping)
            opened._exits = exits.pop_all()  # pyright: ignore[reportPrivateUsage]
            return opened

    def __await__(self) -> Generator[object, None, Recollect]:
        return self._open().__await__()

    async def __aenter__(self) -> Recollect:
        self._opened = await self._open()
        return self._opened

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._opened is not None:
            await self._opened.close()


async def find_server(settings: Settings, exits: AsyncExitStack, progress: Progress) -> tuple[Address, bool]:
    """The address of the database, and whether it is the embedded one, started here if need be."""
    if settings.database is not None:
        return Address(dsn=settings.database), False
    server = await embedded.start(
        settings.folder, binaries=settings.postgres, run_as=settings.postgres_user, progress=progress
    )
    exits.push_async_callback(server.close)
    address = {"host": [str(server.socket)], "port": server.port, "user": "postgres", "database": "postgres"}
    return Address(parts=address, revive=server.revive), True


def embedder_for(settings: Settings) -> Embedder:
    """The model that comes with us, or an endpoint; imported when it is first needed."""
    if settings.embedder == "wordllama":
        from recollect.models.wordllama import WordLlama

        return WordLlama()
    from recollect.models.openai_embeddings import OpenAIEmbedder

    _, model, dimension = settings.embedder.split(":")
    return OpenAIEmbedder(
        model, int(dimension), base_url=settings.openai_base_url, api_key=settings.openai_api_key
    )


def offline_counter() -> Counter:
    """A token counter whose vocabulary comes with us."""
    from recollect.models.tokens import default_counter

    return default_counter()


def show(text: str) -> None:
    """Say on a terminal what takes a moment; say nothing to a pipe."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{text}\n")
