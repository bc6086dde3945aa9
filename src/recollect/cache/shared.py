"""The level that processes share: a Valkey or Redis behind a breaker. No method raises because of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from uuid import uuid4

import msgspec

from recollect.cache import keys
from recollect.cache.breaker import Breaker
from recollect.cache.entries import context_of, lines, number, stamp
from recollect.cache.lines import FAILURES, Command, ResponseError
from recollect.cache.rules import (
    CLAIM_LIFE,
    MARK_LIFE,
    MOST_BYTES,
    MOST_CONTEXTS,
    MOST_MESSAGES,
    SHARING,
    TAIL_LIFE,
)
from recollect.cache.scripts import EXTEND, FILL, FILL_CONTEXT, FILL_ONE, MARK, Script
from recollect.cache.servers import Reply, Servers
from recollect.cache.trust import Known, Trust
from recollect.ids import new_id
from recollect.observe.logs import say
from recollect.ports import Change

#: Seconds between two probes while the breaker is open.
PROBE = 0.5
#: Conversations or users whose entries are dropped with one pipeline.
AT_ONCE = 200
#: Conversations that are dropped when Redis comes back; of more, the entries end with their lifetime.
MOST_UNTOLD = 100_000


class Claim(msgspec.Struct, frozen=True):
    """The right to fill an entry, from before the database was read."""

    entry: str
    token: str | bytes
    stamp: bytes
    server: str


class ContextClaim(msgspec.Struct, frozen=True):
    """The same for a context: with the mark of its user, the number of the settings, and the server's clock, all
    from before the database was read."""

    claim: Claim
    mark: bytes
    settings: int
    milliseconds: int


class Shared:
    """Entries in Redis, and whether they are believed."""

    def __init__(self, servers: Servers, trust: Trust, sharing: float = SHARING) -> None:
        self._servers = servers
        self._trust = trust
        self._every = sharing
        self._sharing: asyncio.Task[None] | None = None
        self.breaker = Breaker()
        self._untold: set[tuple[str, str]] = set()
        self._probing: asyncio.Task[None] | None = None
        self._choosing: asyncio.Task[None] | None = None

    async def get(self, asked: Sequence[tuple[str, Command]]) -> list[tuple[bytes, bytes] | None]:
        """What is cached and the stamp that it must have, for each key; None where it cannot be asked for now.
        ``b""`` is a miss."""
        known = self._trust.current()
        if self.breaker.open or known is None or known.distrusted:
            return [None] * len(asked)
        replies = await self._attempt(asked)
        if replies is None:
            return [None] * len(asked)
        return [self._believed(known, reply) for reply in replies]

    def _believed(self, known: Known, reply: Reply) -> tuple[bytes, bytes] | None:
        if reply.server != known.server:
            self._choose(reply.server)
            return None
        answer = reply.answers[0]
        if isinstance(answer, ResponseError):
            return None
        return answer or b"", stamp(known.installation, known.epoch, reply.run)

    async def fields(self, entry: str) -> list[bytes]:
        """The names in a hash; none if it cannot be asked for."""
        replies = None if self.breaker.open else await self._attempt([(entry, ("HKEYS", entry))])
        answer: Any = None if replies is None else replies[0].answers[0]
        return [] if answer is None or isinstance(answer, ResponseError) else answer

    async def ready(self) -> bool:
        """Whether entries are believed now."""
        (asked,) = await self.get([("ready", ("GET", "ready"))])
        return asked is not None

    async def claim(self, entry: str) -> Claim | None:
        """The right to fill an entry; None if somebody else has it, or nobody may."""
        known = self._trust.current()
        if self.breaker.open or known is None or known.distrusted:
            return None
        token = str(new_id())
        replies = await self._attempt([(entry, _claiming(entry, token))])
        if replies is None or replies[0].server != known.server or replies[0].answers[0] != b"OK":
            return None
        return Claim(entry, token, stamp(known.installation, known.epoch, replies[0].run), known.server)

    async def claim_context(self, entry: str, mark: str) -> ContextClaim | None:
        """The right to fill a context, which several may have, and what it must carry."""
        known = self._trust.current()
        if self.breaker.open or known is None or known.distrusted:
            return None
        offered = stamp(known.installation, known.epoch, self._servers.run_of(mark)) + uuid4().hex.encode()
        replies = await self._attempt(
            [
                (entry, _claiming(entry, str(new_id()))),
                (entry, ("GET", keys.claim(entry))),
                (entry, ("TIME",)),
                (mark, _call(MARK, [mark], (offered, int(MARK_LIFE * 1000)))),
            ]
        )
        if replies is None or any(reply.server != known.server for reply in replies):
            return None
        _, token, time, there = (reply.answers[0] for reply in replies)
        # An account may be kept from asking for the time, or from scripts; and a claim may just have ended.
        if not isinstance(token, bytes) or not isinstance(there, bytes) or isinstance(time, ResponseError):
            return None
        claim = Claim(entry, token, stamp(known.installation, known.epoch, replies[0].run), known.server)
        return ContextClaim(claim, there, known.settings, int(time[0]) * 1000 + int(time[1]) // 1000)

    async def fill_context(self, claimed: ContextClaim, question: bytes, text: bytes, seconds: float) -> bool:
        """Put a context there, under its claim, for so many seconds from when it was claimed."""
        claim, ends = claimed.claim, claimed.milliseconds + int(seconds * 1000)
        value = claim.stamp + context_of(claimed.settings, claimed.mark, text)
        return await self._filled(claim, FILL_CONTEXT, (claim.token, value, ends, question, MOST_CONTEXTS))

    async def fill(self, claim: Claim, value: bytes, seconds: float, id: str | None = None) -> bool:
        """Put what the database said under its claim."""
        script = FILL if id is None else FILL_ONE
        more = () if id is None else (id, MOST_MESSAGES)
        return await self._filled(claim, script, (claim.token, claim.stamp + value, int(seconds * 1000), *more))

    async def _filled(self, claim: Claim, script: Script, args: Sequence[Any]) -> bool:
        if self.breaker.open:
            return False
        reply = await self._attempt([(claim.entry, _call(script, [claim.entry, keys.claim(claim.entry)], args))])
        return reply is not None and reply[0].server == claim.server and reply[0].answers[0] == 1

    async def tell(self, tenant: str, changes: Sequence[Change]) -> bool:
        """Tell Redis what has become old. False if nobody can say that it knows."""
        if self.breaker.open:
            self._leave(tenant, changes)
            return False
        for start in range(0, len(changes), AT_ONCE):
            told = await self._tell(tenant, changes[start : start + AT_ONCE])
            if not told:
                # Perhaps only a connection had broken. Dropping twice does no harm.
                told = await self._tell(tenant, [c.in_doubt() for c in changes[start : start + AT_ONCE]])
            if not told:
                self._leave(tenant, changes[start:])
                self._open()
                return False
        return True

    def _leave(self, tenant: str, changes: Sequence[Change]) -> None:
        """Nobody believes these entries any more; still they shall not lie about when Redis comes back."""
        room = max(0, MOST_UNTOLD - len(self._untold))
        named = [change.conversation or change.context for change in changes]
        self._untold.update((tenant, one) for one in named[:room] if one is not None)

    async def _clean(self) -> None:
        """Drop what could not be dropped at its time."""
        while self._untold:
            some = list(self._untold)[:AT_ONCE]
            names = [keys.all_of(tenant, conversation) for tenant, conversation in some]
            await self._servers.ask_many([(several[0], ("UNLINK", *several)) for several in names])
            self._untold.difference_update(some)

    async def _tell(self, tenant: str, changes: Sequence[Change]) -> bool:
        replies = await self._attempt([self._telling(tenant, change) for change in changes])
        if replies is None or any(isinstance(reply.answers[0], ResponseError) for reply in replies):
            return False
        # It was this Redis that everybody believes, and it still is.
        known = self._trust.current()
        if known is None:
            known = await self._trust.refresh()
        return all(reply.server == known.server for reply in replies)

    def _telling(self, tenant: str, change: Change) -> tuple[str, Command]:
        if change.user is not None:
            mark = keys.mark(tenant, change.user)
            return mark, ("UNLINK", mark)
        if change.context is not None:
            contexts = keys.contexts_of(tenant, change.context)
            return contexts[0], ("UNLINK", *contexts)
        assert change.conversation is not None
        entry = keys.key(tenant, change.conversation, keys.MESSAGES)
        known = self._trust.last_known
        if not change.appended or known is None:
            return entry, ("UNLINK", *keys.all_of(tenant, change.conversation))
        first, last = change.appended[0].seq, change.appended[-1].seq
        # The stamp needs the run of the server, which is known as soon as one has answered.
        believed = stamp(known.installation, known.epoch, self._servers.run_of(entry))
        life = int(TAIL_LIFE * 1000)
        args = (believed, number(first - 1), number(last), lines(change.appended), life, MOST_BYTES)
        names = [entry, keys.claim(entry), *keys.contexts_of(tenant, change.conversation)]
        return entry, _call(EXTEND, names, args)

    async def _attempt(self, asked: Sequence[tuple[str, Command]]) -> list[Reply] | None:
        """The answers, or None; the breaker hears of it. A server that does not know a script is given it."""
        try:
            if len(asked) == 1:
                key, command = asked[0]
                replies = [await self._servers.ask(key, [command])]
            else:
                replies = await self._servers.ask_many(asked)
            unknown = [place for place, reply in enumerate(replies) if _is_unknown(reply)]
            for place in unknown:
                key, command = asked[place]
                replies[place] = await self._servers.ask(key, [_in_full(command)])
        except FAILURES as error:
            if self.breaker.failed():
                self._opened(type(error).__name__)
            return None
        self.breaker.succeeded()
        return replies

    def _open(self) -> None:
        if self.breaker.trip():
            self._opened("untold")

    def _opened(self, why: str) -> None:
        say(logging.WARNING, "cache.breaker_open", error=why)
        if self._probing is None:
            self._probing = asyncio.ensure_future(self._probe())

    async def _probe(self) -> None:
        """Ask until Redis answers. While it does not, others go on not believing what we cannot tell it."""
        try:
            while self.breaker.open:
                await asyncio.sleep(PROBE)
                try:
                    server = await self._servers.probe()
                    await self._clean()
                    if (await self._trust.refresh()).server != server:
                        await self._trust.choose(server)
                    self.breaker.succeeded()
                    say(logging.INFO, "cache.breaker_closed")
                except Exception as error:  # the database may be away as well
                    say(logging.DEBUG, "cache.probed", error=type(error).__name__)
                    if self._trust.holding:
                        with suppress(Exception):
                            await self._trust.renew()
        finally:
            self._probing = None

    def _choose(self, server: str) -> None:
        """Nobody uses the Redis that we see: let everybody know of it."""
        if self._choosing is None:
            self._choosing = asyncio.ensure_future(self._chosen(server))

    async def _chosen(self, server: str) -> None:
        try:
            with suppress(Exception):
                await self._trust.choose(server)
            await asyncio.sleep(PROBE)
        finally:
            self._choosing = None

    async def open(self) -> None:
        """Look for the servers, so that the first reader need not. They may be away."""
        await self._trust.share()
        self._sharing = asyncio.ensure_future(self._keep_sharing())
        try:
            server = await self._servers.probe()
        except FAILURES as error:
            self.breaker.trip()
            self._opened(type(error).__name__)
            return
        await self._trust.choose(server)

    async def _keep_sharing(self) -> None:
        """For as long as this process lives, whether or not it reads: who opens now may write when it does."""
        while True:
            await asyncio.sleep(self._every)
            with suppress(Exception):  # the database may be away; the next time it is not
                await self._trust.share()

    async def facts(self) -> list[tuple[str, dict[str, str]]]:
        """What each server says of itself; none if they cannot be asked."""
        with suppress(*FAILURES):
            return [
                (f"{host}:{port}", dict(line.split(":", 1) for line in text.splitlines() if ":" in line))
                for (host, port), text in await self._servers.facts()
            ]
        return []

    async def close(self) -> None:
        """Let go of everything."""
        for task in (self._sharing, self._probing, self._choosing):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        await self._servers.close()


def _claiming(entry: str, token: str) -> Command:
    return ("SET", keys.claim(entry), token, "NX", "PX", int(CLAIM_LIFE * 1000))


def _call(script: Script, names: Sequence[str], args: Sequence[Any]) -> Command:
    return ("EVALSHA", script.sha, len(names), *names, *args)


def _is_unknown(reply: Reply) -> bool:
    return type(reply.answers[0]).__name__ == "NoScriptError"


def _in_full(command: Command) -> Command:
    scripts = (FILL, FILL_ONE, FILL_CONTEXT, MARK, EXTEND)
    text = next(script.text for script in scripts if script.sha == command[1])
    return ("EVAL", text, *command[2:])
