"""From settings to an open door. The only module that names implementations."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import cache, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

import msgspec

from recollect import inputs
from recollect.chat.desk import Equipment, Handler, Limits, Webhook
from recollect.chat.functions import Tool, tool_from
from recollect.chat.threads import Threads
from recollect.door import Door
from recollect.errors import Invalid, not_open
from recollect.forget.records import Keeping
from recollect.handle import Models
from recollect.observe import spans
from recollect.observe.logs import say
from recollect.ports import Counter, Embedder, LanguageModel
from recollect.records import Caller
from recollect.settings import ONNX, Settings, is_embedder
from recollect.storage import embedded
from recollect.storage.connecting import Address, open_database
from recollect.storage.database import Database

if TYPE_CHECKING:  # it needs redis-py, which is an extra
    from recollect.cache.servers import Servers

Progress = Callable[[str], None]
#: Seconds that Redis may take; after a few times nobody waits for it any more.
CACHE_PATIENCE = 0.2


class Recollect(Door):
    """The memory of an AI agent. Open it with ``async with Recollect.open() as memory``."""

    _exits: AsyncExitStack
    _closing: asyncio.Lock

    @classmethod
    def open(
        cls,
        database: str | None = None,
        *,
        tenant: str | None = None,
        data_dir: str | Path | None = None,
        pool_size: int | None = None,
        cache: str | None = None,
        model: Any = None,
        tools: Sequence[Callable[..., Any]] = (),
        handlers: Mapping[str, Handler] | None = None,
        migrate: bool = False,
        actor: str = "library",
        operator: bool = False,
        settings: Settings | None = None,
        progress: Progress | None = None,
    ) -> Opening:
        """An embedded PostgreSQL in ``./.recollect``, or the one at this address.

        What is not given comes from the environment (``RECOLLECT_…``). An embedded database is migrated as it
        is opened; another one only with ``migrate=True`` or by ``recollect migrate``. ``cache`` is the address of
        a Valkey or Redis, which costs nothing but speed while it is away. ``model`` is a language model:
        ``"openai:<model>"``, a LangChain chat model, or a ``LanguageModel`` of your own; none is needed. ``tools``
        are functions that agents may use; ``handlers`` do the actions of workflows, by their names. With
        ``operator`` the door also lists, makes and removes tenants.
        """
        given: dict[str, object] = {
            "database": database,
            "tenant": tenant,
            "data_dir": data_dir,
            "pool_size": pool_size,
            "cache": cache,
            "model": model if isinstance(model, str) else None,
        }
        if settings is not None and any(value is not None for value in given.values()):
            raise Invalid("settings", f"give either settings, or {', '.join(given)}")
        given["data_dir"] = None if data_dir is None else _path(data_dir)
        chosen = settings or Settings.read(None, **given)
        own = None if model is None or isinstance(model, str) else as_language_model(model, chosen)
        caller = Caller(
            inputs.identifier("tenant", chosen.tenant), inputs.identifier("actor", actor), operator=operator
        )
        return Opening(cls, chosen, migrate, caller, progress or show, own, equipment_for(chosen, tools, handlers))

    def for_tenant(self, tenant: str, actor: str | None = None, *, operator: bool = False) -> Door:
        """The door of another tenant, over the same connections and models; for servers and workers, which know
        whom they serve. It is open as long as this one.
        """
        actor = inputs.identifier("actor", actor or self._caller.actor)
        caller = Caller(inputs.identifier("tenant", tenant), actor, operator=operator)
        return Door(self._database, caller, self._models, self._keeping, self._equipment)

    async def close(self) -> None:
        """Let turns that are under way end, give back the connections, and stop the embedded server if nobody else
        uses it."""
        # Whoever comes second would skip the step that the first one waits in, and take the ground from under it.
        async with self._closing:
            await self._exits.aclose()


class Opening:
    """A door about to open: ``async with`` closes it at the end; ``await`` leaves that to you."""

    def __init__(
        self,
        cls: type[Recollect],
        settings: Settings,
        migrate: bool,
        caller: Caller,
        progress: Progress,
        model: LanguageModel | None,
        equipment: Equipment,
    ) -> None:
        self._cls = cls
        self._settings = settings
        self._migrate = migrate
        self._progress = progress
        self._model = model
        self._equipment = equipment
        self._caller = caller
        self._opened: Recollect | None = None

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(not_open(name))

    async def _open(self) -> Recollect:
        settings = self._settings
        if settings.spans:
            spans.start()
        if settings.embedder.startswith(ONNX):  # what is missing is said now, and not to whoever asks first
            from recollect.models.onnx import checked

            checked(settings.embedder.removeprefix(ONNX))
        must_have_key("embedder", settings.embedder, settings)
        must_have_key("model", settings.model, settings)
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
            forgetting = await caching(settings, database, exits)
            # A stack for models, which are made later and closed before the database.
            made = await exits.enter_async_context(AsyncExitStack())
            models = Models(
                lambda: forgetting(embedder_for(settings, made)),
                offline_counter,
                partial(embedder_named, settings, made),
                self._languages(database, made),
            )
            keeping = Keeping(retention_minutes=settings.retention_minutes, key_days=settings.key_days)
            exits.push_async_callback(self._equipment.close)
            opened = self._cls(database, self._caller, models, keeping, self._equipment)
            opened._closing = asyncio.Lock()  # pyright: ignore[reportPrivateUsage]
            opened._exits = exits.pop_all()  # pyright: ignore[reportPrivateUsage]
            return opened

    def _languages(
        self, database: Database, exits: AsyncExitStack
    ) -> Callable[[str, str | None], LanguageModel | None]:
        """Each model behind one breaker for all tenants; each tenant has a budget of its own."""

        @cache
        def shared(name: str | None) -> LanguageModel | None:
            settings = self._settings if name is None else msgspec.structs.replace(self._settings, model=name)
            model = (self._model if name is None else None) or language_model_for(settings, exits)
            return None if model is None else guarded(model)

        def of(tenant: str, name: str | None) -> LanguageModel | None:
            model = shared(None if name == self._settings.model else name)
            limit = self._settings.model_tokens_per_day
            return None if model is None else within_budget(model, database, tenant, limit)

        return of

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


async def caching(settings: Settings, database: Database, exits: AsyncExitStack) -> Callable[[Embedder], Embedder]:
    """Put the cache that the settings name in front of the database, closed by the stack; returns what lets an
    embedder remember questions. A process that has no cache where others do lets them know of its writes."""
    from recollect.cache.levels import Levels
    from recollect.cache.trust import Trust

    if settings.cache is None:
        if (await database.call("cache_trust"))[0]["shared"]:
            database.cache = Levels(Trust(database.call), None, deaf=True)
            exits.push_async_callback(database.cache.close)
            exits.push_async_callback(database.told)
        return lambda embedder: embedder
    from recollect.cache.vectors import Remembering

    trust = Trust(database.call)
    shared = None
    if settings.cache != "memory":
        servers = cache_servers(settings.cache, CACHE_PATIENCE)
        from recollect.cache.shared import Shared

        shared = Shared(servers, trust)
    others = shared is None and (await database.call("cache_trust"))[0]["shared"]
    levels = Levels(trust, shared, deaf=others)
    exits.push_async_callback(levels.close)
    exits.push_async_callback(database.told)
    await levels.open()
    database.cache = levels

    def remembering(embedder: Embedder) -> Embedder:
        remembers = Remembering(embedder)
        levels.on_settings.append(remembers.forget)
        return remembers

    return remembering


def cache_servers(address: str, patience: float) -> Servers:
    """The servers of a cache, each of which may take so many seconds; Invalid says what is wrong with the address,
    or what is not installed."""
    from recollect.cache.address import read_address

    found = read_address(address)
    from recollect.cache.servers import Servers

    return Servers(found, patience)


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


def _path(data_dir: object) -> str:
    if not isinstance(data_dir, str | os.PathLike):
        raise Invalid("data_dir", f"must be the path of a folder, not {type(data_dir).__name__}")
    return str(cast("object", data_dir))


def must_have_key(field: str, name: str | None, settings: Settings) -> None:
    """OpenAI itself takes nobody without a key; endpoints of one's own may."""
    if name is None or not name.startswith("openai:") or settings.openai_api_key is not None:
        return
    if settings.openai_base_url is None:
        raise Invalid(
            field,
            f"{name} needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint that takes none",
        )
    say(logging.INFO, "model.without_key", part=field)


def embedder_for(settings: Settings, exits: AsyncExitStack) -> Embedder:
    """The model that comes with us, one that is there as files, or an endpoint, closed by the stack; imported when
    it is first needed."""
    if settings.embedder == "wordllama":
        from recollect.models.wordllama import WordLlama

        return WordLlama()
    from recollect.models.calibration import Calibrated

    if settings.embedder.startswith(ONNX):
        from recollect.models.onnx import OnnxModel, checked

        return Calibrated(OnnxModel(checked(settings.embedder.removeprefix(ONNX))))
    from recollect.models.openai_embeddings import OpenAIEmbedder

    must_have_key("embedder", settings.embedder, settings)
    model, _, dimension = settings.embedder.removeprefix("openai:").rpartition(":")  # a name may have a tag
    embedder = OpenAIEmbedder(
        model, int(dimension), base_url=settings.openai_base_url, api_key=settings.openai_api_key
    )
    exits.push_async_callback(embedder.close)
    return Calibrated(embedder)


def language_model_for(settings: Settings, exits: AsyncExitStack) -> LanguageModel | None:
    """The model that the settings name, closed by the stack; None means that everything goes the offline way."""
    if settings.model is None:
        return None
    from recollect.models.openai_chat import OpenAIChat

    chat = OpenAIChat(
        settings.model.removeprefix("openai:"),
        base_url=settings.openai_base_url,
        api_key=settings.openai_api_key,
        timeout=settings.model_timeout,
    )
    exits.push_async_callback(chat.close)
    return chat


def equipment_for(
    settings: Settings, tools: Sequence[Callable[..., Any]], handlers: Mapping[str, Handler] | None
) -> Equipment:
    """What turns work with beside the store and the models."""
    threads = Threads()
    made = [one if isinstance(one, Tool) else tool_from(one, threads) for one in tools]
    webhook = None
    if settings.webhook_url is not None:
        if not settings.webhook_secret:
            raise Invalid("webhook_secret", "is missing; what goes to webhook_url is signed with it")
        webhook = Webhook(settings.webhook_url, settings.webhook_secret)
    limits = Limits(seconds=settings.turn_timeout, lease=settings.turn_lease)
    return Equipment({one.name: one for one in made}, handlers, webhook, limits, threads)


def as_language_model(given: Any, settings: Settings) -> LanguageModel:
    """A language model that a caller brought: one behind our port, or a chat model of LangChain."""
    if all(hasattr(given, name) for name in ("name", "complete", "stream")):
        return given
    if all(hasattr(given, name) for name in ("ainvoke", "astream", "bind_tools")):
        from recollect.models.langchain_chat import LangChainChat

        return LangChainChat(given, timeout=settings.model_timeout)
    raise Invalid(
        "model", f"must be openai:<model>, a LangChain chat model or a LanguageModel, not {type(given).__name__}"
    )


def guarded(model: LanguageModel) -> LanguageModel:
    """The model behind a breaker: while it is down, nobody waits for it."""
    from recollect.models.breaker import Breaker, Guarded

    return Guarded(model, Breaker())


def within_budget(model: LanguageModel, database: Database, tenant: str, limit: int) -> LanguageModel:
    """The model within a tenant's budget of tokens a day, and with what it used written down."""
    from recollect.models.spending import Capped
    from recollect.storage.spending import TenantLedger

    return Capped(model, TenantLedger(database, tenant), limit, tenant)


def embedder_named(settings: Settings, exits: AsyncExitStack, name: str) -> Embedder | None:
    """The embedder that stamps this name on its vectors, if it can be run here: ours always, files if they lie
    beside those of the settings, others where there is an endpoint that may know them."""
    from recollect.models.wordllama import WordLlama

    if name == WordLlama.name:
        return WordLlama()
    if name.startswith(ONNX):
        if not settings.embedder.startswith(ONNX):
            return None
        from recollect.models.calibration import Calibrated
        from recollect.models.onnx import OnnxModel, beside

        files = beside(settings.embedder.removeprefix(ONNX), name)
        return None if files is None else Calibrated(OnnxModel(files))
    model, _, dimension = name.rpartition("-")
    setting = f"openai:{model}:{dimension}"
    if not is_embedder(setting) or (settings.openai_base_url is None and settings.openai_api_key is None):
        return None
    return embedder_for(msgspec.structs.replace(settings, embedder=setting), exits)


def offline_counter() -> Counter:
    """A token counter whose vocabulary comes with us."""
    from recollect.models.tokens import default_counter

    return default_counter()


def show(text: str) -> None:
    """Say on a terminal what takes a moment; say nothing to a pipe."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{text}\n")
