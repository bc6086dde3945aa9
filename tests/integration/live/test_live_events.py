"""What is told of each kind of change, from where on, and to whom."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager

import asyncpg
import pytest

from recollect import Invalid, LiveEvent, Recollect
from recollect.forget import tidy
from recollect.live.following import Keeping, follow

#: What a loaded machine may take.
PATIENCE = 60


class Ears:
    """Collects what is told."""

    def __init__(self) -> None:
        self.heard: list[LiveEvent] = []
        self._more = asyncio.Condition()

    async def listen(self, events: AsyncGenerator[LiveEvent]) -> None:
        async with aclosing(events):
            async for event in events:
                async with self._more:
                    self.heard.append(event)
                    self._more.notify_all()

    async def until(self, *kinds: str) -> LiveEvent:
        """Wait until an event of each kind has come; returns the newest one."""
        async with asyncio.timeout(PATIENCE), self._more:
            await self._more.wait_for(lambda: set(kinds) <= {one.kind for one in self.heard})
        return self.heard[-1]

    async def until_true(self, so: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE), self._more:
            await self._more.wait_for(so)

    @property
    def kinds(self) -> list[str]:
        return [one.kind for one in self.heard]


@asynccontextmanager
async def listening(events: AsyncGenerator[LiveEvent], *, ready: bool = True) -> AsyncIterator[Ears]:
    ears = Ears()
    task = asyncio.create_task(ears.listen(events))
    try:
        if ready:
            await ears.until("ready")
        yield ears
        assert not task.done(), task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_every_kind_of_change_is_told(memory: Recollect) -> None:
    async with listening(memory.live(user="ana")) as ears:
        chat = await memory.conversation(user="ana", agent="cook")
        await ears.until("conversation.created", "conversation.activated")
        said = await chat.append("user", "I moved to Porto", metadata={"a": 1})
        await ears.until("message.created")
        assert ears.heard[-1].message == said
        assert (ears.heard[-1].conversation, ears.heard[-1].seq) == (chat.id, 1)
        await chat.rename("Porto")
        await ears.until("conversation.renamed")
        await chat.update_state({"draft": {"a": 1}})
        assert (await ears.until("state.changed")).version == 1
        await memory.edit_notes("append", "short answers", user="ana", agent="cook")
        assert (await ears.until("notes.changed")).agent == "cook"
        known = await memory.remember("user likes figs", user="ana", agent="cook")
        assert (await ears.until("memory.created")).memory == known.id
        await memory.revise(known.id, "user loves figs")
        assert (await ears.until("memory.revised")).version == 2
        await memory.forget(known.id)
        assert (await ears.until("memory.forgotten")).memory == known.id
        await chat.archive()
        await ears.until("conversation.archived")
        await chat.archive(False)
        await ears.until("conversation.restored")
        await chat.activate()
        await chat.clear()
        await ears.until("messages.removed")
        other = await memory.new_conversation(user="ana", agent="cook")
        await chat.delete()
        await ears.until("conversation.deleted")
        assert [one.conversation for one in ears.heard if one.kind == "conversation.activated"] == [
            chat.id,
            chat.id,
            other.id,
        ]
        numbers = [int(one.id.split(".")[1]) for one in ears.heard]
        assert numbers == list(range(len(numbers))), "dense, in order"


def _slow_to_connect(memory: Recollect) -> asyncio.Event:
    """Connections take a moment from now on; the event is set when one is being made."""
    connect = memory.database._pool._connect
    connecting = asyncio.Event()

    async def slowly() -> asyncpg.Connection:
        connecting.set()
        await asyncio.sleep(0.1)
        return await connect()

    memory.database._pool._connect = slowly
    return connecting


async def test_who_is_cancelled_while_connecting_leaves_nobody_listening(dsn: str, tenant: str) -> None:
    before = asyncio.all_tasks()
    async with Recollect.open(dsn, tenant=tenant) as memory:
        chat = await memory.new_conversation("ana", "cook")
        connecting = _slow_to_connect(memory)
        for _ in range(3):
            connecting.clear()
            async with aclosing(chat.live()) as events:
                first = asyncio.ensure_future(anext(events))
                await connecting.wait()
                first.cancel()
                await asyncio.gather(first, return_exceptions=True)
        async with listening(chat.live()):  # the next one is not kept from it
            pass
    assert asyncio.all_tasks() <= before


async def test_a_door_that_closes_while_somebody_connects_leaves_nobody_listening(dsn: str, tenant: str) -> None:
    before = asyncio.all_tasks()
    async with Recollect.open(dsn, tenant=tenant) as memory:
        chat = await memory.new_conversation("ana", "cook")
        connecting = _slow_to_connect(memory)
        events = chat.live()
        first = asyncio.ensure_future(anext(events))
        await connecting.wait()
    assert not [one for one in asyncio.all_tasks() - before if "_keep_listening" in repr(one)]
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    await events.aclose()


async def test_one_conversation_is_heard_alone_and_its_place_moves_on(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    other = await memory.new_conversation(user="ana", agent="clerk")
    async with listening(chat.live()) as ears:
        await other.append("user", "elsewhere")
        await memory.edit_notes("append", "x", user="ana", agent="cook")
        await chat.append("user", "here")
        await ears.until("message.created")
        assert ears.kinds == ["ready", "message.created"]
    where = {"keeping": Keeping(look_again=0.1, at_first=0.1), "beats": True, "conversation": chat.id}
    place = ears.heard[-1].id
    async with listening(
        follow(memory.database, memory._caller, "ana", place, **where),  # pyright: ignore[reportPrivateUsage, reportArgumentType]
        ready=False,
    ) as ears:
        await other.append("user", "elsewhere")
        await ears.until_true(lambda: bool(ears.heard) and ears.heard[-1].id != place)
        assert set(ears.kinds) == {"beat"}


async def test_nobody_hears_of_others(memory: Recollect, dsn: str) -> None:
    async with (
        Recollect.open(dsn, tenant=f"{memory.tenant}-other") as other,
        listening(memory.live(user="ana")) as ana,
        listening(memory.live(user="ben")) as ben,
        listening(other.live(user="ana")) as elsewhere,
    ):
        chat = await memory.conversation(user="ana", agent="cook")
        await chat.append("user", "secret")
        await ana.until("message.created")
        for someone, door in (("ben", memory), ("ana", other)):
            await door.edit_notes("append", "own", user=someone, agent="cook")
        await ben.until("notes.changed")
        await elsewhere.until("notes.changed")
        assert ben.kinds == elsewhere.kinds == ["ready", "notes.changed"]


async def test_what_was_missed_is_told_after_the_last_id(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    async with listening(memory.live(user="ana")) as ears:
        await chat.append("user", "one")
        place = (await ears.until("message.created")).id
    await chat.extend([("user", f"{n}") for n in range(2, 250)])
    async with listening(memory.live(user="ana", after=place), ready=False) as ears:
        await ears.until_true(lambda: len(ears.heard) >= 248)
        assert [one.seq for one in ears.heard] == list(range(2, 250)), "more than is read at once"
    with pytest.raises(Invalid, match="after"):
        await anext(memory.live(user="ana", after="nonsense"))


@pytest.mark.parametrize("why", ["too many", "too old", "too much at once", "another log"])
async def test_what_is_no_longer_kept_is_never_skipped_in_silence(memory: Recollect, why: str) -> None:
    keeping = {
        "too many": Keeping(events=3),
        "too old": Keeping(seconds=0.0),
        "too much at once": Keeping(events=3),
        "another log": Keeping(),
    }[why]

    def live(after: str | None) -> AsyncGenerator[LiveEvent]:
        return follow(memory.database, memory._caller, "ana", after, keeping=keeping)  # pyright: ignore[reportPrivateUsage]

    chat = await memory.conversation(user="ana", agent="cook")
    async with aclosing(live(None)) as events:
        place = newest = (await anext(events)).id
    if why == "too much at once":
        await chat.extend([("user", "x")] * 10)
    else:
        for number in range(8):
            await chat.append("user", f"{number}")
            async with aclosing(live(None)) as events:
                newest = (await anext(events)).id
    if why == "another log":
        place = "0123456789abcdef.3"
    async with aclosing(live(place)) as events:
        told = await anext(events)
        assert told.kind == "reset"
    keeping = Keeping()
    async with listening(live(told.id), ready=False) as ears:
        await chat.append("user", "after")
        await ears.until("message.created")
    if why == "too many":
        assert newest != place
        async with aclosing(live(newest)) as events:
            assert (await anext(events)).kind == "message.created", "what is kept is told"


async def test_an_erasure_ends_the_log_and_nothing_comes_back(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    async with listening(memory.live(user="ana")) as ears:
        await chat.append("user", "secret")
        before = await ears.until("message.created")
        receipt = await memory.erase(user="ana")
        assert receipt.counts["live_heads"] == 1
        last = await ears.until("reset")
        assert last.id.split(".")[0] != before.id.split(".")[0]
        assert "message.created" not in ears.kinds[ears.kinds.index("reset") :]
    async with listening(memory.live(user="ana", after=before.id), ready=False) as again:
        assert (await again.until("reset")).message is None
    for table in ("live_events", "live_marks"):
        rows = await admin.fetchval(f"select count(*) from recollect.{table} where tenant = $1", memory.tenant)
        assert rows == 0, table


async def test_a_log_that_nobody_listens_to_is_ended(memory: Recollect, admin: asyncpg.Connection) -> None:
    async with listening(memory.live(user="ana")):
        pass
    await memory.tidy()
    count = "select count(*) from recollect.live_heads where tenant = $1"
    assert await admin.fetchval(count, memory.tenant) == 1
    await admin.execute(
        "update recollect.live_heads set heard_until = now() - make_interval(secs => $2) where tenant = $1",
        memory.tenant,
        tidy.LIVE + 1,
    )
    await memory.tidy()
    assert await admin.fetchval(count, memory.tenant) == 0


async def test_writers_announce_only_what_somebody_listens_to(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    announced: list[str] = []
    name = await admin.fetchval("select recollect.lock_of_user($1, 'ana')::text", memory.tenant)
    await admin.add_listener("recollect_live", lambda *given: announced.append(str(given[-1])))
    try:
        chat = await memory.conversation(user="ana", agent="cook")
        await chat.append("user", "nobody listens")
        await admin.execute("select 1")
        assert name not in announced
        async with listening(memory.live(user="ana")) as ears:
            await chat.append("user", "somebody does")
            await ears.until("message.created")
            await admin.execute("select 1")
            assert name in announced
    finally:
        await admin.reset()
