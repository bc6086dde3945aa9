"""Which embedder asks and writes, while a tenant's vectors change from one model to another.

The store knows which model serves and says so with every answer, so that nobody has to ask for it. This remembers
what was said last, and only where it is not the model of the settings: in the usual case it is empty.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from recollect.errors import Invalid, Unavailable
from recollect.ports import Embedder

#: How long an old model that did not answer is left alone, in seconds.
REST = 60.0

T = TypeVar("T")
#: A search with one embedder: what the store says serves, and what was found.
Search = Callable[[Embedder], Awaitable[tuple[str | None, T]]]
#: Asks the store which model serves; none, as long as there are no vectors.
Told = Callable[[], Awaitable[str | None]]


class Embedders:
    """The embedder of the settings, and those of other generations as far as they can still be run."""

    def __init__(
        self,
        current: Embedder,
        by_name: Callable[[str], Embedder | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.current = current
        self._by_name = by_name
        self._clock = clock
        self._built: dict[str, Embedder | None] = {}
        self._serving: dict[str, str] = {}
        self._resting: dict[str, float] = {}

    def serving(self, tenant: str) -> Embedder:
        """The one to ask and to write with: that of the generation that serves, as far as it is known and runs;
        else that of the settings, which finds what has its vectors already, and the rest by their words."""
        name = self._serving.get(tenant)
        if name is None or self._clock() < self._resting.get(name, 0.0):
            return self.current
        return self._named(name) or self.current

    def can_run(self, name: str) -> bool:
        """Whether the settings are enough for the model of this name; whether it answers is another question."""
        return name == self.current.name or self._named(name) is not None

    def heard(self, tenant: str, serving: str | None) -> None:
        """The store said which model serves; none, as long as there are no vectors."""
        if serving is None or serving == self.current.name:
            self._serving.pop(tenant, None)
        else:
            self._serving[tenant] = serving

    async def ask(self, tenant: str, search: Search[T], told: Told | None = None) -> tuple[T, Embedder]:
        """Search with the model that serves: once, and again where the store says that it is another one. ``told``
        is for searches that do not come to the store without the model; see ``made``."""
        while True:
            embedder = self.serving(tenant)
            try:
                serving, found = await search(embedder)
            except Unavailable as error:
                if not await self._another(tenant, embedder, error, told):
                    raise
                continue
            self.heard(tenant, serving)
            if self.serving(tenant) is embedder:
                return found, embedder

    async def vector(self, tenant: str, text: str, told: Told) -> tuple[str, str]:
        """The name of the model that serves, and what it makes of a text, as pgvector reads it."""
        name, (made,) = await self.made(tenant, lambda embedder: embedder.embed([text]), told)
        return name, vector_text(made)

    async def made(self, tenant: str, make: Callable[[Embedder], Awaitable[T]], told: Told) -> tuple[str, T]:
        """The name of the model that serves, or of its stand-in if it does not answer, and what is made by it.
        Whoever has just begun takes the model of the settings for the one that serves: where that fails, ``told``
        is asked."""
        while True:
            embedder = self.serving(tenant)
            try:
                return embedder.name, await make(embedder)
            except Unavailable as error:
                if not await self._another(tenant, embedder, error, told):
                    raise

    def _named(self, name: str) -> Embedder | None:
        if name not in self._built:
            try:
                self._built[name] = self._by_name(name)
            except Invalid:  # what it needs is not installed
                self._built[name] = None
        return self._built[name]

    async def _another(self, tenant: str, embedder: Embedder, error: Unavailable, told: Told | None) -> bool:
        """Whether there is another model to ask than the one that failed. An old one is done without for a while;
        in place of a new one, that which serves may be there."""
        if error.part != "embedder":
            return False
        if embedder is not self.current:
            self._resting[embedder.name] = self._clock() + REST
        elif told is not None:
            self.heard(tenant, await told())
        return self.serving(tenant) is not embedder


async def vector_texts(vectors: Iterable[object]) -> list[str]:
    """Many of them, in a thread: each takes a millisecond or two, and others would wait."""
    return await asyncio.to_thread(lambda: [vector_text(vector) for vector in vectors])


def vector_text(vector: object) -> str:
    """A vector as pgvector reads it."""
    return str([round(float(part), 6) for part in vector])  # pyright: ignore
