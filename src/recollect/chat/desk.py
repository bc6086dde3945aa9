"""What turns work with: the store, the models, the tools, the limits; and the tasks that outlive who asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Protocol, TypeVar

import msgspec

from recollect.chat.functions import Tool
from recollect.chat.records import Delivery
from recollect.chat.threads import Threads
from recollect.errors import Unavailable
from recollect.models.generations import Embedders
from recollect.ports import Counter, LanguageModel
from recollect.records import Caller
from recollect.storage.database import Database

T = TypeVar("T")

#: Does an action outside, asynchronous or blocking. What it raises is tried again later.
Handler = Callable[[Delivery], object]


#: Seconds that a turn gets to write down how it ended, when the door closes.
TO_WRITE = 5.0


class Models(Protocol):
    """What understands, counts and answers."""

    @property
    def embedders(self) -> Embedders:
        """Turn text into vectors."""
        ...

    @property
    def counter(self) -> Counter:
        """Counts tokens."""
        ...

    def language(self, tenant: str, model: str | None = None) -> LanguageModel | None:
        """Answers prompts; None where everything goes the offline way."""
        ...


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How far a turn may go."""

    rounds: int = 8
    """Calls of the model."""
    calls: int = 16
    """Calls of tools in one round."""
    seconds: float = 120.0
    """For the whole turn."""
    tool_seconds: float = 30.0
    lease: float = 15.0
    """After so many seconds of silence, whoever ran a turn is taken for dead."""
    tool_output: int = 16_000
    """Characters of a tool's answer."""


class Webhook(msgspec.Struct, frozen=True):
    """Where actions are announced, and what announcements are signed with. Both are the operator's."""

    url: str
    secret: str


class Equipment:
    """Tools, handlers, threads and limits of an open door, shared by all its tenants; and the turns under way."""

    def __init__(
        self,
        tools: Mapping[str, Tool] | None = None,
        handlers: Mapping[str, Handler] | None = None,
        webhook: Webhook | None = None,
        limits: Limits | None = None,
        threads: Threads | None = None,
    ) -> None:
        self.tools = dict(tools or {})
        self.handlers = dict(handlers or {})
        self.webhook = webhook
        self.limits = limits or Limits()
        self.threads = threads or Threads()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing = False

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run something to its end, whether or not whoever asked for it stays."""
        if self._closing:  # whoever closes would not wait for it, and it would lose the database on its way
            work.close()
            raise Unavailable("database", "this door is closed; open a new one")
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # heard, even if nobody waits any more

    async def close(self) -> None:
        """Let the turns that are under way come to their end; those that take too long are called off. No other
        begins."""
        self._closing = True
        running = list(self._tasks)
        if not running:
            return
        _, late = await asyncio.wait(running, timeout=self.limits.seconds + TO_WRITE)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)


class Desk(msgspec.Struct, frozen=True, kw_only=True):
    """All that a turn of one conversation works with."""

    database: Database
    caller: Caller
    models: Models
    equipment: Equipment
    conversation: str

    @property
    def limits(self) -> Limits:
        """How far a turn may go."""
        return self.equipment.limits
