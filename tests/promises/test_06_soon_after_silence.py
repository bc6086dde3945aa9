"""Promise 6, of conversations that end before their tenth message: they are learned from soon after they fall silent,
and whatever is said meanwhile is not lost."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from recollect import Chat, Recollect
from recollect.forget.records import Keeping
from recollect.records import Caller
from recollect.work.jobs import Jobs
from recollect.work.queue import claim

ABOUT = ["I moved to Porto in May.", "I work as a carpenter.", "My sister Ines lives in Lyon."]


async def pass_time(memory: Recollect, admin: asyncpg.Connection, seconds: float) -> None:
    """As if everything had happened so much earlier."""
    ago = "- make_interval(secs => $2) where tenant = $1"
    await admin.execute(f"update recollect.work set due_at = due_at {ago}", memory.tenant, seconds)
    await admin.execute(f"update recollect.conversations set said_at = said_at {ago}", memory.tenant, seconds)


async def waiting(memory: Recollect) -> list[tuple[str, str]]:
    return [(one.kind, one.subject) for one in await memory.work()]


@pytest.fixture
async def chat(memory: Recollect) -> Chat:
    return await memory.conversation(user="ana", agent="librarian")


async def test_three_messages_are_learned_from_after_a_minute_of_silence(
    memory: Recollect, chat: Chat, admin: asyncpg.Connection
) -> None:
    for said in ABOUT:
        await chat.append("user", said)
    assert await waiting(memory) == [("settle", chat.id)]
    assert (await memory.digest()).tried == 0, "somebody talks"
    await pass_time(memory, admin, 61)
    done = await memory.digest()
    assert (done.messages, done.added) == (3, 3)
    assert await waiting(memory) == [], "nobody waits for anything"


async def test_while_somebody_talks_it_waits_on(memory: Recollect, chat: Chat, admin: asyncpg.Connection) -> None:
    await chat.append("user", ABOUT[0])
    for said in ABOUT[1:]:
        await pass_time(memory, admin, 25)
        await chat.append("user", said)
    await pass_time(memory, admin, 25)  # 75 s after the first, 25 s after the last
    done = await memory.digest()
    assert (done.done, done.messages) == (1, 0)
    (work,) = await memory.work()
    assert (work.kind, work.marks, work.attempts) == ("settle", 1, 0), "one row, written once"
    await pass_time(memory, admin, 36)
    assert (await memory.digest()).messages == 3


@pytest.mark.parametrize("pause", [20, 40, 59, 61, 3600])
async def test_whatever_is_said_next_is_learned_as_well(
    memory: Recollect, chat: Chat, admin: asyncpg.Connection, pause: float
) -> None:
    learned = 0
    for said in ABOUT:
        await chat.append("user", said)
        await pass_time(memory, admin, pause)
        learned += (await memory.digest()).messages
    await pass_time(memory, admin, 61)
    assert learned + (await memory.digest()).messages == 3
    assert await waiting(memory) == []


async def test_what_comes_after_the_tenth_is_learned_too(
    memory: Recollect, chat: Chat, admin: asyncpg.Connection
) -> None:
    for n in range(10):
        await chat.append("user", f"message {n}")
    assert await waiting(memory) == [("extract", chat.id), ("settle", chat.id)]
    assert (await memory.digest()).messages == 10, "ten are learned from at once"
    await chat.append("user", ABOUT[0])
    await pass_time(memory, admin, 61)
    assert (await memory.digest()).added == 1


async def test_a_change_of_the_title_hides_no_message(
    memory: Recollect, chat: Chat, admin: asyncpg.Connection
) -> None:
    await chat.append("user", ABOUT[0])
    await pass_time(memory, admin, 3600)
    await memory.digest()
    await chat.rename("Porto")
    await chat.append("user", ABOUT[1])
    await pass_time(memory, admin, 61)
    assert (await memory.digest()).messages == 1


async def test_appends_of_many_at_once_are_waited_for_as_well(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    chats = [await memory.conversation(user=f"user {n}", agent="librarian") for n in range(40)]
    await asyncio.gather(*(chat.append("user", said) for said in ABOUT for chat in chats))
    assert set(await waiting(memory)) == {("settle", chat.id) for chat in chats}
    await pass_time(memory, admin, 61)
    assert (await memory.digest()).messages == 120


async def test_what_is_said_at_once_after_a_clearing_is_waited_for_as_well(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    chats = [await memory.conversation(user=f"user {n}", agent="librarian") for n in range(6)]
    for chat in chats:
        await chat.append("user", ABOUT[0])
        await chat.clear()
    assert await waiting(memory) == []
    await asyncio.gather(*(chat.append("user", said) for said in ABOUT[1:] for chat in chats))  # also together
    assert set(await waiting(memory)) == {("settle", chat.id) for chat in chats}
    await pass_time(memory, admin, 61)
    assert (await memory.digest()).messages == 12


async def _waiting_for_locks(admin: asyncpg.Connection, amount: int) -> None:
    for _ in range(200):
        if await admin.fetchval("select count(*) from pg_locks where not granted") == amount:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("this did not happen in time")


async def test_who_settles_and_who_appends_do_not_wait_for_each_other(
    memory: Recollect, chat: Chat, admin: asyncpg.Connection
) -> None:
    """Somebody goes on in the moment in which nobody is waited for any longer, up to the tenth message."""
    others = [await memory.conversation(user=f"user {n}", agent="librarian") for n in range(2)]
    await chat.extend([("user", "hm")] * 8)
    await pass_time(memory, admin, 61)
    caller, embedders = Caller(memory.tenant, "test"), memory._models.embedders  # pyright: ignore[reportPrivateUsage]
    held = await claim(memory.database, caller, kinds=["settle"])
    assert held is not None
    jobs = Jobs(memory.database, caller, lambda: embedders, lambda: None, Keeping())
    async with admin.transaction():
        await admin.execute(
            "select from recollect.work where tenant = $1 and kind = 'settle' for update", memory.tenant
        )
        # The last two go out together, when one of the first two has come back.
        appending = asyncio.gather(*(one.append("user", "hm") for one in (*others, chat, chat)))
        await _waiting_for_locks(admin, 1)
        settling = asyncio.create_task(jobs.settle(held))
        await _waiting_for_locks(admin, 2)
    await appending
    await settling
    assert ("extract", chat.id) in await waiting(memory)


async def test_where_nothing_is_to_be_learned_nobody_waits(memory: Recollect) -> None:
    await memory.configure_agent("librarian", learn_every=0)
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.append("user", ABOUT[0])
    await chat.extend([("user", said) for said in ABOUT])
    assert await waiting(memory) == []


async def test_what_is_deleted_or_taken_back_meanwhile_leaves_nothing(
    memory: Recollect, chat: Chat, admin: asyncpg.Connection
) -> None:
    other = await memory.conversation(user="bo", agent="librarian")
    for one in (chat, other):
        await one.append("user", ABOUT[0])
    await chat.delete()
    await other.clear()
    await pass_time(memory, admin, 61)
    assert (await memory.digest()).messages == 0
    assert await waiting(memory) == []
