"""The levels together: this process, then Redis, then whatever ``load`` reads from the database."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from recollect.cache import entries, keys, rules
from recollect.cache.contexts import Contexts
from recollect.cache.flights import Flights
from recollect.cache.inprocess import Kept
from recollect.cache.measures import Measures
from recollect.cache.trust import Trust
from recollect.ports import Asked, Change, Load, Loaded, Versioned
from recollect.records import Message

if TYPE_CHECKING:  # redis is an extra
    from recollect.cache.shared import Claim, Shared

T = TypeVar("T")

#: Longer windows are read from the database at once.
LONGEST = 200
#: Seconds that whoever looks after the cache waits until it is believed.
READY = 15.0
#: Fills under way; more are left out.
MOST_FILLS = 64


class Levels:
    """The cache of one process. Without a ``shared`` level it keeps settings and credentials only.

    ``deaf`` is for a process that has no Redis where others have one: whatever it writes, they stop believing.
    """

    def __init__(
        self, trust: Trust, shared: Shared | None, *, deaf: bool = False, measures: Measures | None = None
    ) -> None:
        self._trust = trust
        self._shared = shared
        self._deaf = deaf
        self._kept = Kept(rules.MOST_KEPT)
        self._flights = Flights()
        self._fills: set[asyncio.Task[bool]] = set()
        self.measures = measures or Measures()
        self._contexts = (
            None if shared is None else Contexts(shared, trust, self.measures, self._in_the_background)
        )
        self.on_settings: list[Callable[[], None]] = []
        """Called where settings changed here, for what is kept elsewhere."""

    async def ready(self) -> bool:
        """Whether what is in Redis is believed now; waits a moment for it."""
        deadline = time.monotonic() + READY
        while self._shared is not None and time.monotonic() < deadline:
            if await self._shared.ready():
                return True
            await asyncio.sleep(rules.ASK)
        return False

    def touched(self, query: str, args: Sequence[object], rows: Sequence[Any] = ()) -> Sequence[Change]:
        """What a named query makes old."""
        return rules.touched(query, args, rows)

    async def changed(self, tenant: str, changes: Sequence[Change]) -> None:
        """After the commit, before the acknowledgement."""
        began = time.perf_counter()
        talks = _merged(changes)
        if talks:
            told = self._shared is not None and await self._shared.tell(tenant, talks)
            if not told and (self._shared is not None or self._deaf):
                await self._trust.distrust()
        if any(change.settings for change in changes):
            self._kept.clear()
            if self._contexts is not None:
                self._contexts.forget()
            for forget in self.on_settings:
                forget()
            await self._trust.settings_changed()
        self.measures.told("conversation" if talks else "settings", time.perf_counter() - began)

    async def tail(self, tenant: str, conversation: str, limit: int, load: Load) -> list[Message]:
        """The newest messages of a conversation, oldest first."""
        if self._shared is None or not 0 < limit <= LONGEST:
            return await load(limit)
        began = time.perf_counter()
        entry = keys.key(tenant, conversation, keys.MESSAGES)
        (found,) = await self._shared.get([(entry, ("GET", entry))])
        messages = None if found is None else entries.newest(*found, limit)
        self._count(tenant, keys.MESSAGES, found, messages, began)
        if messages is not None:
            return messages
        return await self._missed(entry, found is not None, limit, load)

    async def tails(
        self, tenant: str, conversations: Sequence[str], limit: int, load: Callable[[str], Load]
    ) -> list[list[Message]]:
        """The same for several conversations, asked for together."""
        if self._shared is None or not 0 < limit <= LONGEST:
            return [await load(conversation)(limit) for conversation in conversations]
        began = time.perf_counter()
        names = [keys.key(tenant, conversation, keys.MESSAGES) for conversation in conversations]
        answers: list[list[Message]] = []
        found = await self._shared.get([(entry, ("GET", entry)) for entry in names])
        for conversation, entry, one in zip(conversations, names, found, strict=True):
            messages = None if one is None else entries.newest(*one, limit)
            self._count(tenant, keys.MESSAGES, one, messages, began)
            if messages is None:
                messages = await self._missed(entry, one is not None, limit, load(conversation))
            answers.append(messages)
        return answers

    async def _missed(self, entry: str, may_fill: bool, limit: int, load: Load) -> list[Message]:
        amount = max(limit, rules.TAIL)
        messages = await self._flights.share(
            (entry, amount), partial(self._load_tail, entry, may_fill, amount, load)
        )
        return messages[-limit:]

    async def _load_tail(self, entry: str, may_fill: bool, amount: int, load: Load) -> list[Message]:
        claim = await self._shared.claim(entry) if may_fill and self._shared is not None else None
        messages = await load(amount)
        # An empty one would not say which number comes next.
        if claim is not None and messages:
            value = entries.tail_of(messages, whole=len(messages) < amount)
            self._fill(claim, value, rules.TAIL_LIFE)
        return messages

    async def one(
        self, tenant: str, conversation: str, id: str | None, load: Callable[[], Awaitable[Versioned]]
    ) -> bytes | None:
        """A message by its id as JSON; without an id, the conversation's document."""
        if self._shared is None:
            return _value(await load())
        began = time.perf_counter()
        kind = keys.MEMORY if id is None else keys.MESSAGE
        entry = keys.key(tenant, conversation, kind)
        (found,) = await self._shared.get([(entry, ("GET", entry) if id is None else ("HGET", entry, id))])
        value = None if found is None else entries.document(*found)
        self._count(tenant, kind, found, value, began)
        if value is not None:
            return value
        return await self._flights.share((entry, id), partial(self._load_one, entry, id, found is not None, load))

    async def _load_one(
        self, entry: str, id: str | None, may_fill: bool, load: Callable[[], Awaitable[Versioned]]
    ) -> bytes | None:
        claim = await self._shared.claim(entry) if may_fill and self._shared is not None else None
        read = await load()
        if claim is not None and read is not None:
            life = rules.MEMORY_LIFE if id is None else rules.MESSAGE_LIFE
            self._fill(claim, entries.document_of(*read), life, id)
        return _value(read)

    def _fill(self, claim: Claim, value: bytes, seconds: float, id: str | None = None) -> None:
        if self._shared is not None and len(value) <= rules.MOST_BYTES:
            self._in_the_background(self._shared.fill(claim, value, seconds, id))

    def _in_the_background(self, filling: Coroutine[Any, Any, bool]) -> None:
        """Nobody waits for it."""
        if len(self._fills) >= MOST_FILLS:
            filling.close()
            return
        fill = asyncio.ensure_future(filling)
        self._fills.add(fill)
        fill.add_done_callback(self._fills.discard)

    async def context(self, asked: Asked, kind: type[T], load: Callable[[bool], Awaitable[Loaded[T]]]) -> T:
        """All that a context is made of, as the database would say it now."""
        return (
            (await load(False)).value if self._contexts is None else await self._contexts.read(asked, kind, load)
        )

    async def contexts(self, tenant: str, user: str, conversation: str) -> dict[bytes, bytes]:
        """The contexts of a conversation that would be believed now, by their questions."""
        return {} if self._contexts is None else await self._contexts.believed(tenant, user, conversation)

    async def kept(self, tenant: str, name: tuple[str, ...], load: Callable[[], Awaitable[tuple[T, float]]]) -> T:
        """What this process may keep to itself for a while."""
        known = self._trust.current()
        began = time.perf_counter()
        if known is None:
            self.measures.read(tenant, name[0], "passed", 0.0)
            return (await load())[0]
        under = (known.installation, known.settings)
        value: Any = self._kept.get((tenant, *name), under)
        self.measures.read(tenant, name[0], "miss" if value is None else "hit", time.perf_counter() - began)
        if value is not None:
            return value
        loaded, seconds = await load()
        if loaded is not None and seconds > 0:
            self._kept.put((tenant, *name), under, min(seconds, rules.KEPT_LIFE), loaded)
        return loaded

    def _count(self, tenant: str, kind: str, found: object, value: object, began: float) -> None:
        result = "passed" if found is None else "miss" if value is None else "hit"
        self.measures.read(tenant, kind, result, time.perf_counter() - began)

    async def peek(self, tenant: str, conversation: str) -> dict[str, bytes] | None:
        """What is cached of a conversation and would be believed now; None if it cannot be asked."""
        if self._shared is None:
            return None
        names = {kind: keys.key(tenant, conversation, kind) for kind in (keys.MESSAGES, keys.MEMORY)}
        found = await self._shared.get([(entry, ("GET", entry)) for entry in names.values()])
        if None in found:
            return None
        return {
            kind: one[0][entries.STAMP :]
            for kind, one in zip(names, found, strict=True)
            if one is not None and one[0] and one[0].startswith(one[1])
        }

    async def settled(self) -> None:
        """Wait until what is being filled is there."""
        while self._fills:
            await asyncio.wait(list(self._fills))

    async def facts(self) -> dict[str, Any]:
        """What this process has counted, and what the servers say."""
        servers = [] if self._shared is None else await self._shared.facts()
        known = self._trust.current() or await self._trust.refresh()
        return {
            "results": dict(self.measures.results),
            "by_type": {f"{kind} {result}": amount for (kind, result), amount in self.measures.by_type.items()},
            "kept": len(self._kept),
            "breaker": "none" if self._shared is None else "open" if self._shared.breaker.open else "closed",
            "epoch": known.epoch,
            "distrusted": known.distrusted,
            "servers": dict(servers),
        }

    def lines(self) -> Iterable[str]:
        """For Prometheus."""
        return self.measures.lines()

    async def open(self) -> None:
        """Begin."""
        await self._trust.refresh()
        if self._shared is not None:
            await self._shared.open()

    async def close(self) -> None:
        """Let go of connections and tasks."""
        await self.settled()
        await self._trust.close()
        if self._shared is not None:
            await self._shared.close()


def _merged(changes: Sequence[Change]) -> list[Change]:
    """One change for each conversation and each user: appends one after the other stay appends, anything else
    drops all; contexts go with their conversation."""
    merged: dict[str, Change] = {}
    for change in changes:
        if change.conversation is None:
            continue
        before = merged.get(change.conversation)
        if before is None:
            merged[change.conversation] = change
        elif before.appended and change.appended and before.appended[-1].seq + 1 == change.appended[0].seq:
            merged[change.conversation] = Change(
                conversation=change.conversation, appended=before.appended + change.appended
            )
        else:
            merged[change.conversation] = Change(conversation=change.conversation)
    contexts = {change.context for change in changes if change.context is not None} - merged.keys()
    users = {change.user for change in changes if change.user is not None}
    return [
        *merged.values(),
        *(Change(context=one) for one in contexts),
        *(Change(user=one) for one in users),
    ]


def _value(read: Versioned) -> bytes | None:
    return None if read is None else read[1]
