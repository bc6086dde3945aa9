"""What contexts are made of, in Redis: beside the conversation, and under a mark of its user."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from recollect.cache import entries, keys, rules
from recollect.cache.flights import Flights
from recollect.cache.inprocess import Kept
from recollect.cache.measures import Measures
from recollect.cache.trust import Trust
from recollect.ports import Asked, Loaded

if TYPE_CHECKING:  # redis is an extra
    from recollect.cache.shared import Shared

T = TypeVar("T")
#: Reads from the database; told whether it will be kept.
Load = Callable[[bool], Awaitable[Loaded[T]]]


class Contexts:
    """Most questions are asked once: Redis hears of one only when this process is asked it again."""

    def __init__(
        self,
        shared: Shared,
        trust: Trust,
        measures: Measures,
        in_the_background: Callable[[Coroutine[Any, Any, bool]], None],
    ) -> None:
        self._shared = shared
        self._trust = trust
        self._measures = measures
        self._in_the_background = in_the_background
        self._flights = Flights()
        self._asked = Kept(rules.MOST_KEPT)

    async def read(self, asked: Asked, kind: type[T], load: Load[T]) -> T:
        """All that a context is made of, as the database would say it now."""
        user: str | None = self._asked.get(asked, None)
        if user is None:
            self._measures.read(asked.tenant, keys.CONTEXT, "miss", 0.0)
            loaded = await load(False)
            # Whose conversation it is. If that changed, the mark would be of somebody else, and nothing found.
            self._asked.put(asked, None, rules.CONTEXT_LIFE, loaded.user)
            return loaded.value
        self._asked.put(asked, None, rules.CONTEXT_LIFE, user)
        began = time.perf_counter()
        value, may_fill = await self._cached(asked, kind, user)
        result = "passed" if not may_fill else "miss" if value is None else "hit"
        self._measures.read(asked.tenant, keys.CONTEXT, result, time.perf_counter() - began)
        if value is not None:
            return value
        return await self._flights.share(asked, partial(self._load, asked, user, may_fill, load))

    async def _cached(self, asked: Asked, kind: type[T], user: str) -> tuple[T | None, bool]:
        """What Redis has and is believed; and whether Redis could be asked."""
        known = self._trust.current()
        entry = keys.key(asked.tenant, asked.conversation, keys.CONTEXT)
        mark = keys.mark(asked.tenant, user)
        found, marked = await self._shared.get([(entry, ("HGET", entry, asked.question)), (mark, ("GET", mark))])
        if found is None or marked is None or known is None:
            return None, False
        return _decoded(kind, entries.context(*found, known.settings, *marked)), True

    async def _load(self, asked: Asked, user: str, may_fill: bool, load: Load[T]) -> T:
        claim = None
        if may_fill:
            entry = keys.key(asked.tenant, asked.conversation, keys.CONTEXT)
            claim = await self._shared.claim_context(entry, keys.mark(asked.tenant, user))
        loaded = await load(claim is not None)
        self._asked.put(asked, None, rules.CONTEXT_LIFE, loaded.user)
        if claim is not None and loaded.user == user:
            text = msgspec.json.encode(loaded.value)
            if len(text) <= rules.MOST_BYTES:
                life = min(loaded.seconds, rules.CONTEXT_LIFE)
                self._in_the_background(self._shared.fill_context(claim, asked.question, text, life))
        return loaded.value

    async def believed(self, tenant: str, user: str, conversation: str) -> dict[bytes, bytes]:
        """The contexts of a conversation that would be believed now, by their questions."""
        known = self._trust.current()
        entry, mark = keys.key(tenant, conversation, keys.CONTEXT), keys.mark(tenant, user)
        there: dict[bytes, bytes] = {}
        for question in () if known is None else await self._shared.fields(entry):
            found, marked = await self._shared.get([(entry, ("HGET", entry, question)), (mark, ("GET", mark))])
            if found is not None and marked is not None and known is not None:
                text = entries.context(*found, known.settings, *marked)
                there |= {} if text is None else {question: text}
        return there

    def forget(self) -> None:
        """Forget what was asked: somebody may have been erased."""
        self._asked.clear()


@lru_cache(maxsize=8)
def _decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    return msgspec.json.Decoder(kind)


def _decoded(kind: type[T], text: bytes | None) -> T | None:
    """What cannot be read is not there."""
    if text is not None:
        with suppress(msgspec.DecodeError):
            return _decoder(kind).decode(text)
    return None
