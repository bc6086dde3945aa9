"""Follow a user's log: woken by announcements, and by the clock where one was missed.

Whoever follows pulls: a slow listener holds nothing but its place, and what it does not take stays in the store.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from typing import Any

import msgspec

from recollect import inputs
from recollect.live.records import BEAT, READY, RESET, LiveEvent, Place, place_in
from recollect.records import Caller, Message
from recollect.storage.database import Database

CHANNEL = "recollect_live"
#: Events read at once.
PART = 100


class Keeping(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a log is kept, and how often it is looked at."""

    events: int = 1000
    """At least so many, unless they are older; a change of more than these at once is not told one by one."""
    seconds: float = 3600.0
    look_again: float = 15.0
    """Seconds after which to look although nobody was woken; the time between two beats."""
    at_first: float = 1.0
    """The same at the beginning: whoever was writing just then may not have known of the listener."""
    pause: float = 0.02
    """Seconds between two looks at least; and three times as long as the last one took."""


USUAL = Keeping()


class _Told(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    kind: str
    at: datetime
    agent: str | None = None
    conversation: str | None = None
    seq: int | None = None
    memory: str | None = None
    version: int | None = None
    message: Message | None = None


_decode = msgspec.json.Decoder(list[_Told]).decode


async def follow(
    database: Database,
    caller: Caller,
    user: str,
    after: str | None,
    *,
    conversation: str | None = None,
    beats: bool = False,
    keeping: Keeping = USUAL,
) -> AsyncGenerator[LiveEvent]:
    """What changes for a user, or in one of their conversations, after the event with this id; without one, from
    now on, beginning with ``ready``. It never ends by itself."""
    user = inputs.identifier("user", user)
    place = place_in(after)
    named = (await database.call("live_name", caller.tenant, user))[0][0]
    only = None if conversation is None else inputs.uuid("conversation", conversation)
    wait = keeping.at_first
    async with database.wakes(CHANNEL, "somebody_listens").waiting_for(named) as woken:
        while True:
            woken.clear()
            began = time.monotonic()
            heard = await _hear(database, caller, user, only, place, keeping)
            took = time.monotonic() - began
            place, before = Place(heard["log"], heard["upto"]), place
            if heard["lost"]:
                kind = READY if before is None else RESET
                yield LiveEvent(id=str(place), kind=kind, at=datetime.now(UTC))
            else:
                told = _decode(heard["events"] or "[]")
                for one in told:
                    yield _event(place.log, one)
                if heard["more"]:
                    place = Place(place.log, told[-1].number)
                    continue
            # A user with very much is compared with very much: that must not fill the time of a busy server.
            await asyncio.sleep(min(max(keeping.pause, 3 * took), 2.0))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await woken.wait()
            if beats and not woken.is_set() and wait == keeping.look_again:
                yield LiveEvent(id=str(place), kind=BEAT, at=datetime.now(UTC))
            wait = keeping.look_again


async def _hear(
    database: Database, caller: Caller, user: str, conversation: object, place: Place | None, keeping: Keeping
) -> Any:
    given = (None, 0) if place is None else (place.log, place.number)
    limits = (PART, keeping.events, keeping.seconds, 4 * keeping.look_again)
    return (await database.call("hear", caller.tenant, user, conversation, *given, *limits))[0]


def _event(log: str, told: _Told) -> LiveEvent:
    return LiveEvent(
        id=str(Place(log, told.number)),
        kind=told.kind,
        at=told.at,
        conversation=told.conversation,
        agent=told.agent,
        seq=told.seq,
        memory=told.memory,
        version=told.version,
        message=told.message,
    )
