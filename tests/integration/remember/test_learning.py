"""The write road from end to end, by rules: messages in, memories out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from junk import turns
from recollect import Chat, Conflict, Invalid, Memory, Recollect, Source
from recollect.ports import Answer, Prompt
from recollect.records import Caller
from recollect.remember import gate, learn
from recollect.remember.compare import read
from recollect.remember.extract import extract
from recollect.storage.rows import memory_from
from steps import calls_of

SAID = datetime(2026, 3, 5, 12, tzinfo=UTC)


async def texts(memory: Recollect, status: str = "active", agent: str = "cook") -> set[str]:
    page = await memory.memories(user="ana", agent=agent, status=status, limit=1000)
    return {one.text for one in page.items}


async def say(chat: Chat, *lines: str) -> None:
    for line in lines:
        await chat.append("user", line, at=SAID)


async def test_ten_messages_make_at_most_three_memories_that_know_where_they_come_from(memory: Recollect) -> None:
    chat = await memory.new_conversation(user="ana", agent="cook", title="Dinner")
    await say(
        chat,
        "Hello!",
        "I moved to Porto yesterday.",
        "ok",
        "I'm allergic to peanuts.",
        "My sister Ines is a pilot.",
    )
    assert (await memory.digest()).messages == 0, "five messages are not due"
    await say(chat, "hm", "I love foxes.", "What shall I cook?", "thanks", "bye")
    done = await memory.digest()
    assert (done.messages, done.added, done.failed) == (10, 3, 0)
    known = {one.text: one for one in (await memory.memories(user="ana", agent="cook")).items}
    moved = known["user moved to Porto on 2026-03-04"]
    assert (moved.source, moved.author, moved.trust) == (Source(chat.id, 2, 2), "extractor:rules", "trusted")
    assert moved.context == {"sessionId": chat.id, "sessionName": "Dinner", "messageCount": 10}
    assert moved.valid_from.date().isoformat() == "2026-03-04"
    assert known["user is allergic to peanuts"].category == "health"
    assert [hit.text for hit in await memory.recall("any allergies?", user="ana", agent="cook", limit=1)] == [
        "user is allergic to peanuts"
    ]
    assert (await memory.digest()).messages == 0, "what was learned from is not learned from again"


async def test_a_contradiction_retires_what_was_true_before(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "I live in Porto.", at=SAID)
    await memory.digest(everything=True)
    await chat.append("user", "I moved to Lisbon last week.", at=datetime(2026, 6, 20, tzinfo=UTC))
    assert (await memory.digest(everything=True)).replaced == 1
    (new,) = (await memory.memories(user="ana", agent="cook")).items
    (old,) = (await memory.memories(user="ana", agent="cook", status="retired")).items
    assert (old.text, old.superseded_by, old.valid_to) == ("user lives in Porto", new.id, new.valid_from)
    then = await memory.memories(user="ana", agent="cook", as_of=datetime(2026, 5, 1, tzinfo=UTC))
    assert [one.text for one in then.items] == ["user lives in Porto"]
    waiting = await memory.remember("user works at Acme", user="ana", agent="cook", author="tool", valid_from=SAID)
    for status, texts_then in (("retired", [old.text]), ("quarantined", [waiting.text])):
        then = await memory.memories(
            user="ana", agent="cook", status=status, as_of=datetime(2026, 5, 1, tzinfo=UTC)
        )
        assert [one.text for one in then.items] == texts_then, "of what held then, what has this status now"
    back = await memory.undo(old.id)
    assert (back.status, back.valid_to, back.superseded_by) == ("active", None, None)
    again = await memory.undo(old.id)
    assert (again.status, again.valid_to) == ("retired", old.valid_to), "it ended when it had ended"
    now = await memory.memories(user="ana", agent="cook", as_of=datetime.now(UTC))
    assert [one.text for one in now.items] == [new.text]
    assert [one.valid_to for one in await memory.history(old.id)] == [None, old.valid_to, None, old.valid_to]


async def test_a_move_that_is_told_a_day_late_is_news(memory: Recollect) -> None:
    before, after = [await memory.new_conversation(user="ana", agent="cook") for _ in range(2)]
    await after.append("user", "We moved to Hamburg yesterday.", at=SAID + timedelta(hours=3))
    await before.append("user", "I live in Berlin.", at=SAID)
    for _ in range(2):  # whichever is read first
        await memory.digest(everything=True)
    assert await texts(memory) == {"user moved to Hamburg on 2026-03-04"}
    first = await memory.new_conversation(user="ana", agent="cook")
    await first.append("user", "I live in Bremen.", at=SAID + timedelta(hours=1))
    await memory.digest(everything=True)
    assert await texts(memory) == {"user moved to Hamburg on 2026-03-04"}, "it was said before that"


@pytest.mark.parametrize(
    ("first", "then", "standing"),
    [
        ("I like coffee.", "I don't like coffee.", {"user doesn't like coffee"}),
        ("Vivo en Lugo.", "Ya no vivo en Lugo, ahora vivo en Vigo.", {"usuario vive en Vigo"}),
        ("I work at Acme.", "I quit Acme, now I work at Initech.", {"user quit Acme", "user works at Initech"}),
        (
            "I started a new job as a baker at Acme.",
            "I left Acme, I now work at Initech.",
            {"user left Acme", "user now works at Initech"},
        ),
    ],
)
@pytest.mark.parametrize("together", [True, False])
async def test_the_later_word_stands_in_one_run_and_in_two(
    memory: Recollect, first: str, then: str, standing: set[str], *, together: bool
) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await say(chat, first)
    if not together:
        await memory.digest(everything=True)
    await say(chat, then)
    await memory.digest(everything=True)
    assert await texts(memory) == standing


async def test_the_same_again_refreshes_and_a_persons_word_stays(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await say(chat, "I have two cats.")
    await memory.digest(everything=True)
    await say(chat, "I have two cats!")
    assert (await memory.digest(everything=True)).refreshed == 1
    await memory.remember("user lives in Braga", user="ana", agent="cook")
    await chat.append("user", "I live in Lisbon.")  # now, so that it is newer than what the person wrote
    done = await memory.digest(everything=True)
    assert (done.added, done.replaced, done.ignored) == (0, 0, 1)
    assert await texts(memory) == {"user has two cats", "user lives in Braga"}


async def test_spanish_and_languages_that_the_rules_do_not_speak(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await say(
        chat,
        "Vivo en Oporto.",
        "Soy alérgica a los cacahuetes.",
        "我住在北京。",
        "Ich wohne in Berlin.",
        "Я живу в Москве.",
    )
    await memory.digest(everything=True)
    assert await texts(memory) == {"usuario vive en Oporto", "usuario es alérgica a los cacahuetes"}


async def test_what_waits_in_quarantine_is_learned_when_the_user_says_it(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "I live in Porto.", at=SAID)
    await memory.digest(everything=True)
    waiting = await memory.remember(
        "user moved to Lisbon", user="ana", agent="cook", author="tool", category="spam"
    )
    await chat.append("user", "I moved to Lisbon.")
    done = await memory.digest(everything=True)
    assert (done.replaced, done.refreshed) == (1, 0)
    (known,) = (await memory.memories(user="ana", agent="cook")).items
    assert (known.id, known.status, known.trust) == (waiting.id, "active", "trusted")
    assert (known.author, known.source, known.category) == ("extractor:rules", Source(chat.id, 2, 2), "home")
    assert [one.change for one in await memory.history(known.id)] == ["remember", "learn"]
    assert await texts(memory, "retired") == {"user lives in Porto"}


async def test_what_has_expired_is_learned_again_when_it_is_said_again(memory: Recollect) -> None:
    past = datetime.now(UTC) - timedelta(days=1)
    gone = await memory.remember("user lives in Porto", user="ana", agent="cook", author="agent", expires_at=past)
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "I live in Porto.")
    await memory.digest(everything=True)
    (known,) = (await memory.memories(user="ana", agent="cook")).items
    assert (known.id, known.expires_at) == (gone.id, None)


@pytest.mark.parametrize("before", [0, 5, 6, 7, 8])
async def test_what_an_assistant_says_after_using_tools_waits_in_quarantine(
    memory: Recollect, before: int
) -> None:
    """Also where the tools have answered in one run, and the assistant speaks in the next."""
    chat = await memory.conversation(user="ana", agent="cook")
    call = [{"id": "1", "type": "function", "function": {"name": "read", "arguments": "{}"}}]
    await say(chat, *["Hello."] * before)
    await chat.append("user", "Tell me about yourself.")
    await chat.append("assistant", "", tool_calls=call)
    await chat.append("tool", "I live in Rome.", tool_call_id="1")
    await chat.append("assistant", "I live in Rome. I work as a nurse at a hospital.")
    await memory.digest(everything=True)
    assert await texts(memory) == set()
    assert "agent works as a nurse at a hospital" in await texts(memory, "quarantined")


async def test_an_agent_says_how_often_it_learns(memory: Recollect) -> None:
    await memory.configure_agent("cook", learn_every=2)
    quick = await memory.new_conversation(user="ana", agent="cook")
    await say(quick, "I live in Porto.", "I have two cats.")
    assert (await memory.digest()).messages == 2
    agent = await memory.configure_agent("cook", learn_every=0)
    assert agent.learn_every == 0
    await say(quick, *["My sister is a pilot."] * 20)
    assert (await memory.digest(everything=True)).messages == 0


@pytest.mark.parametrize("lease", [0, -1, float("nan"), float("inf"), 86_401, True, "60", None])
async def test_a_lease_is_a_number_of_seconds(memory: Recollect, lease: float) -> None:
    with pytest.raises(Invalid, match="lease: must be a number of seconds above 0, and at most 86400"):
        await memory.digest(lease=lease)


class _Watching:
    """A language model that looks, whenever it is asked, how long the work is leased for."""

    name = "watching"

    def __init__(self, admin: asyncpg.Connection, tenant: str) -> None:
        self._admin, self._tenant = admin, tenant
        self.leased: list[float] = []

    async def complete(self, prompt: Prompt) -> Answer:
        left = "select extract(epoch from leased_until - now())::float8 from recollect.work where tenant = $1 and kind = 'extract'"
        seconds = await self._admin.fetchval(left, self._tenant)
        if seconds is not None:  # it is asked for a summary, too
            self.leased.append(seconds)
        return Answer(text='{"insights": []}', model=self.name)

    def stream(self, prompt: Prompt) -> Any:
        raise NotImplementedError


async def test_a_lease_is_as_long_in_every_run(dsn: str, tenant: str, admin: asyncpg.Connection) -> None:
    model = _Watching(admin, tenant)
    async with Recollect.open(dsn, tenant=tenant, model=model) as memory:
        chat = await memory.conversation(user="ana", agent="cook")
        await chat.extend([("user", f"message {n}") for n in range(25)])
        await memory.digest(lease=3000)
    assert len(model.leased) == 3
    assert min(model.leased) > 1000


async def test_what_is_too_much_for_a_run_is_told(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    said = ["I prefer short answers.", "I work as a nurse.", "I am vegetarian.", "I have two cats.",
            "My son Theo is five years old.", "I am allergic to peanuts."]  # fmt: skip
    for text in said:
        await chat.append("user", text)
    done = await memory.digest(everything=True)
    assert (done.added, done.refused) == (3, 3)
    assert await texts(memory) == {
        "user is vegetarian", "user's son Theo is five years old", "user is allergic to peanuts"
    }  # fmt: skip
    refused = await memory.refusals(user="ana", agent="cook")
    assert sorted((one.source.first, one.reason) for one in refused) == [(n, "too_many") for n in (1, 2, 4)]
    for text in ("user prefers short answers", "user has two cats", "user works as a nurse"):
        await memory.remember(text, user="ana", agent="cook")
    for text in said:
        await chat.append("user", text)
    assert (await memory.digest(everything=True)).refused == 0, "what is known is not missed"


async def test_a_thousand_turns_of_junk_leave_next_to_nothing(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    junk = turns(1000)
    for start in range(0, 1000, 100):
        some = junk[start : start + 100]
        await chat.extend(
            [
                {"role": one.role, "content": one.content, "tool_call_id": "x" if one.role == "tool" else None}
                for one in some
            ]
        )
        await memory.digest()
    assert len(await texts(memory)) < 10, await texts(memory)


async def test_every_tenth_update_consolidates_and_it_can_be_undone(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    for number, text in enumerate(["I like tea.", "I really like green tea.", *["My sister is a pilot."] * 7]):
        await chat.append("user", text, at=datetime(2026, 3, number + 1, tzinfo=UTC))
        await memory.digest(everything=True)
    updates = "select updates from recollect.pools where tenant = $1 and user_id = 'ana'"
    before = await admin.fetchval(updates, memory.tenant)
    assert before < 10
    for number in range(10 - before):
        await memory.remember(f"user owns book number {number} of the series", user="ana", agent="cook")
    done = await memory.digest()
    assert await admin.fetchval(updates, memory.tenant) == 0
    assert done.merged >= 1
    retired = (await memory.memories(user="ana", agent="cook", status="retired")).items
    assert retired
    for one in retired:
        assert one.superseded_by is not None
        assert (await memory.undo(one.id)).status == "active"


async def test_a_large_pool_is_consolidated_on_demand(memory: Recollect, admin: asyncpg.Connection) -> None:
    document = {
        "results": [
            {
                "id": f"{n}",
                "memory": f"user visited city number {n % 500} in {1990 + n % 500 // 20}",
                "user_id": "ana",
            }
            for n in range(1000)
        ]
    }
    for one in document["results"][500:]:
        one["memory"] += "."
    await memory.import_from("mem0", document, agent="cook")
    assert len(await texts(memory)) >= 500
    done = await memory.consolidate(user="ana", agent="cook")
    assert len({text.rstrip(".") for text in await texts(memory)}) == 500
    assert len(await texts(memory)) == 500
    assert done.retired <= 500


@pytest.mark.parametrize("work", [extract, gate.is_grounded, read, memory_from])
async def test_others_go_on_while_a_large_pool_is_learned_into_and_consolidated(
    memory: Recollect, work: Callable[..., object]
) -> None:
    """What takes its time is not done in the thread of the loop."""
    known = [{"id": f"{n}", "memory": f"user owns book {n}", "user_id": "ana"} for n in range(50)]
    await memory.import_from("mem0", {"results": known}, agent="cook")
    chat = await memory.conversation(user="ana", agent="cook")
    await say(chat, "I live in Porto.", "I have two cats.")
    with calls_of(work) as calls:
        assert (await memory.digest(everything=True)).added == 2
        await memory.consolidate(user="ana", agent="cook")
    assert not calls


@pytest.mark.parametrize("stop", ["window", "budget"])
async def test_the_summary_stands_for_what_the_window_leaves_out(memory: Recollect, stop: str) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await say(
        chat, "The invoice number of the oven is 4711 and it broke on Tuesday.", *["We talked about rice."] * 39
    )
    await memory.digest(everything=True)
    summary = await chat.summary()
    assert summary.upto == 40
    context = await chat.context("and now?", window=4, budget=2000 if stop == "window" else 60)
    whole = str(context.messages)
    assert ("4711" in whole) == (stop == "window")
    assert context.tokens["total"] <= (2000 if stop == "window" else 60)


async def test_what_begins_later_leaves_the_present_as_it_is(memory: Recollect) -> None:
    later = datetime.now(UTC) + timedelta(days=90)
    home = await memory.remember("user lives in Porto", user="ana", agent="cook", author="agent")
    await memory.remember("user lives in Oslo", user="ana", agent="cook", author="agent", valid_from=later)
    assert (await memory.consolidate("ana", "cook")).retired == 0
    found = await memory.recall("where do I live?", user="ana", agent="cook")
    assert [hit.text for hit in found] == ["user lives in Porto"]
    await memory.forget(home.id)
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "I live in Braga.")
    assert (await memory.digest(everything=True)).added == 1
    found = await memory.recall("where do I live?", user="ana", agent="cook")
    assert [hit.text for hit in found] == ["user lives in Braga"]
    await chat.append("user", "I live in Oslo.")
    assert (await memory.digest(everything=True)).replaced == 1, "it was to hold later, and holds now"
    found = await memory.recall("where do I live?", user="ana", agent="cook")
    assert [hit.text for hit in found] == ["user lives in Oslo"]


async def test_messages_of_a_clock_that_is_ahead_are_compared_with_each_other(memory: Recollect) -> None:
    ahead = datetime.now(UTC) + timedelta(days=2)
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "I live in Porto.", at=ahead)
    await memory.digest(everything=True)
    await chat.append("user", "I moved to Lisbon.", at=ahead + timedelta(hours=1))
    assert (await memory.digest(everything=True)).replaced == 1


@pytest.mark.parametrize(
    ("home", "plan", "planned"),
    [
        ("I live in Porto.", "I'm moving to Oslo next March.", "Oslo"),
        ("Vivo en Lugo.", "Me mudo a Vigo el mes que viene.", "Vigo"),
    ],
)
@pytest.mark.parametrize("together", [True, False])
async def test_what_is_announced_does_not_end_what_holds(
    memory: Recollect, home: str, plan: str, planned: str, *, together: bool
) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await say(chat, home)
    if not together:
        await memory.digest(everything=True)
    await say(chat, plan)
    await memory.digest(everything=True)
    await memory.consolidate("ana", "cook")
    known = await texts(memory)
    assert len(known) == 2, known
    assert any(planned in text for text in known)


async def _learned_again(memory: Recollect) -> bool:
    """Whether it is learned from a new message, once what is there has expired."""
    (there,) = (await memory.memories(user="ana", agent="cook")).items
    await memory.revise(there.id, expires_at=SAID)
    chat = await memory.new_conversation(user="ana", agent="cook")
    await say(chat, "I live in Porto.")
    await memory.digest(everything=True)
    return "user lives in Porto" in await texts(memory)


async def _taken_back(memory: Recollect, kept: Memory) -> None:
    await memory.revise(kept.id, "user lives in Lisbon")
    await memory.undo(kept.id)


async def _corrected_back(memory: Recollect, kept: Memory) -> None:
    await memory.revise(kept.id, "user lives in Lisbon")
    await memory.revise(kept.id, "user lives in Porto")


async def _said_after_the_agent(memory: Recollect, kept: Memory) -> None:
    await memory.forget(kept.id)
    await memory.remember(kept.text, user="ana", agent="cook", author="agent")
    await memory.remember(kept.text, user="ana", agent="cook")


async def _let_go(memory: Recollect, kept: Memory) -> None:
    await memory.forget(kept.id)
    waiting = await memory.remember(kept.text, user="ana", agent="cook", author="tool")
    await memory.release(waiting.id)


@pytest.mark.parametrize("meant", [_taken_back, _corrected_back, _said_after_the_agent, _let_go])
async def test_what_a_person_says_after_all_may_be_learned_again(
    memory: Recollect, meant: Callable[[Recollect, Memory], Awaitable[None]]
) -> None:
    await say(await memory.new_conversation(user="ana", agent="cook"), "I live in Porto.")
    await memory.digest(everything=True)
    (kept,) = (await memory.memories(user="ana", agent="cook")).items
    await meant(memory, kept)
    assert await _learned_again(memory)


async def test_what_was_forgotten_is_not_learned_from_later_messages_either(memory: Recollect) -> None:
    for _ in range(2):
        await say(await memory.new_conversation(user="ana", agent="cook"), "I live in Porto.")
        await memory.digest(everything=True)
        for one in (await memory.memories(user="ana", agent="cook")).items:
            await memory.forget(one.id)
    assert [one.reason for one in await memory.refusals(user="ana", agent="cook")] == ["tombstone"]
    kept = await memory.remember("user lives in Porto", user="ana", agent="cook", author="agent")
    await memory.revise(kept.id, importance=1)
    assert not await _learned_again(memory), "an agent's word is no person's"


async def test_who_is_given_another_pool_while_it_learns_learns_into_that(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await say(chat, "I live in Porto.")
    caller, embedders = Caller(memory.tenant, "test"), memory._models.embedders  # pyright: ignore[reportPrivateUsage]
    found = await learn.next_run(memory.database, caller, chat.id)
    assert found is not None
    findings = await learn.find(memory.database, caller, found, embedders, None)
    await memory.configure_agent("cook", pool="kitchen")
    with pytest.raises(Conflict, match="another pool"):
        async with memory.database.transaction(memory.tenant) as transaction:
            await learn.write_down(transaction, caller, embedders, found, findings)
    await memory.digest(everything=True)
    assert await texts(memory) == {"user lives in Porto"}


async def test_what_is_just_being_learned_is_forgotten_with_all_the_rest(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await say(chat, "I live in Porto.")
    caller, embedders = Caller(memory.tenant, "test"), memory._models.embedders  # pyright: ignore[reportPrivateUsage]
    found = await learn.next_run(memory.database, caller, chat.id)
    assert found is not None
    findings = await learn.find(memory.database, caller, found, embedders, None)
    async with memory.database.transaction(memory.tenant) as transaction:
        assert (await learn.write_down(transaction, caller, embedders, found, findings))["added"] == 1
        forgotten = asyncio.create_task(memory.forget_all("ana", "cook"))
        await asyncio.sleep(0.3)
    assert (await forgotten, await texts(memory)) == (1, set())


async def test_two_that_mark_what_is_to_be_learned_do_it_in_one_order(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    """Else each would wait for what the other has marked."""
    first, second = sorted(
        [await memory.new_conversation("ana", "cook") for _ in range(2)], key=lambda one: one.id
    )
    for chat in (second, first):
        await chat.append("user", "I live in Porto.")
    mark = "insert into recollect.work (tenant, kind, subject, user_id) values ($1, 'extract', $2, 'ana')"
    async with admin.transaction():
        await admin.execute(mark, memory.tenant, first.id)
        learning = asyncio.create_task(memory.digest(everything=True))
        while not await admin.fetchval("select exists (select from pg_locks where not granted)"):
            assert not learning.done()
            await asyncio.sleep(0.01)
        await admin.execute(mark, memory.tenant, second.id)
    assert (await learning).messages == 2
