from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from recollect import Conflict, Invalid, Memory, NotFound, Recollect, Refused, Source
from recollect.remember import memories

GHOST = "00000000-0000-4000-8000-000000000000"
LATER = datetime.now(UTC) + timedelta(days=365)


async def _texts(memory: Recollect, **options: Any) -> list[str]:
    return [item.text for item in (await memory.memories(user="ana", agent="librarian", **options)).items]


async def test_what_is_remembered_is_read_back(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.append("user", "I do not eat meat")
    kept = await memory.remember(
        "user is vegetarian",
        user="ana",
        agent="librarian",
        category="preference",
        importance=0.8,
        expires_at=LATER,
        source=Source(chat.id, 1, 1),
        context={"sessionName": "Dinner"},
    )
    assert (kept.text, kept.category, kept.importance, kept.status) == (
        "user is vegetarian",
        "preference",
        0.8,
        "active",
    )
    assert (kept.user, kept.agent, kept.pool, kept.author, kept.trust) == (
        "ana",
        "librarian",
        "librarian",
        "user",
        "trusted",
    )
    assert (kept.version, kept.expires_at, kept.context) == (1, LATER, {"sessionName": "Dinner"})
    assert kept.source == Source(chat.id, 1, 1)
    assert await memory.memory(kept.id) == kept
    await chat.delete()
    assert (await memory.memory(kept.id)).source == Source(chat.id, 1, 1), "a memory survives its conversation"


async def test_the_same_thing_again_refreshes(memory: Recollect) -> None:
    first = await memory.remember("user likes foxes", user="ana", agent="librarian")
    again = await memory.remember("User likes foxes.", user="ana", agent="librarian")
    assert (again.id, again.update_count, again.version) == (first.id, 1, 1)
    many = await asyncio.gather(
        *(memory.remember("user has a cat", user="ana", agent="librarian") for _ in range(10))
    )
    assert len({one.id for one in many}) == 1
    assert await _texts(memory) == ["user has a cat", "user likes foxes"]


async def test_what_differs_by_a_mark_or_a_sign_is_not_said_again(memory: Recollect) -> None:
    for text in (
        "user's sister is called मीना",
        "user's sister is called मोना",
        "user's mail is ana.lopez@x.com",
        "user's mail is ana-lopez@x.com",
        "user gave the film 4/5",
        "user gave the film 4.5",
    ):
        assert (await memory.remember(text, user="ana", agent="librarian")).text == text
    assert len(await _texts(memory)) == 6


async def test_lists_filter_and_page(memory: Recollect) -> None:
    for number in range(7):
        await memory.remember(
            f"fact number {number}", user="ana", agent="librarian", category="even" if number % 2 == 0 else "odd"
        )
    await memory.remember("fact of ben", user="ben", agent="librarian")
    seen: list[Memory] = []
    cursor = None
    while True:
        page = await memory.memories(user="ana", agent="librarian", limit=3, cursor=cursor)
        seen += page.items
        cursor = page.cursor
        if cursor is None:
            break
    assert [one.text for one in seen] == [f"fact number {number}" for number in range(6, -1, -1)]
    assert len(await _texts(memory, category="odd")) == 3
    assert await _texts(memory, text="NUMBER 3") == ["fact number 3"]
    assert await _texts(memory, text="%") == []
    with pytest.raises(Invalid, match="status"):
        await memory.memories(user="ana", agent="librarian", status="gone")


async def test_what_is_shown_is_found(memory: Recollect) -> None:
    kept = await memory.remember("user is tall", user="ana", agent="librarian", importance=0.12346)
    assert kept.importance == 0.1235
    assert await _texts(memory, min_importance=0.1235) == [kept.text]
    changed = await memory.revise(kept.id, importance=0.54321)
    assert changed.importance == 0.5432
    assert await _texts(memory, min_importance=0.5432) == [kept.text]
    assert await _texts(memory, min_importance=0.54321) == []


async def test_an_accent_is_found_in_both_of_its_forms(memory: Recollect) -> None:
    for text in ("user lives in M\u00e1laga", "user's boat is called Ma\u0301laga"):
        await memory.remember(text, user="ana", agent="librarian")
    for wanted in ("M\u00e1laga", "MA\u0301LAGA"):
        assert len(await _texts(memory, text=wanted)) == 2


async def test_revise_with_the_version_seen(memory: Recollect) -> None:
    old = await memory.remember("user is vegetarian", user="ana", agent="librarian", category="diet")
    new = await memory.revise(old.id, "user is vegan", version=old.version)
    assert (new.text, new.version, new.category) == ("user is vegan", 2, "diet")
    with pytest.raises(Conflict, match="version 2, not 1"):
        await memory.revise(old.id, "user eats fish", version=old.version)
    with pytest.raises(NotFound, match=GHOST):
        await memory.revise(GHOST, "x")
    pinned = await memory.revise(old.id, pinned=True, importance=1)
    assert (pinned.text, pinned.pinned, pinned.importance, pinned.version) == ("user is vegan", True, 1.0, 3)
    other = await memory.remember("user has a dog", user="ana", agent="librarian")
    with pytest.raises(Refused, match=old.id):
        await memory.revise(other.id, "user is vegan")


async def test_two_that_are_given_one_text_at_once(memory: Recollect) -> None:
    for number in range(10):
        wanted = f"user is {number} feet tall"
        one = await memory.remember(f"user has {number} cats", user="ana", agent="librarian")
        other = await memory.remember(f"user has {number} dogs", user="ana", agent="librarian")
        done = await asyncio.gather(
            memory.revise(one.id, wanted),
            memory.revise(other.id, wanted),
            memory.remember(wanted, user="ana", agent="librarian"),
            return_exceptions=True,
        )
        (kept,) = (await memory.memories(user="ana", agent="librarian", text=wanted)).items
        assert {result.id for result in done if isinstance(result, Memory)} == {kept.id}
        failed = [result for result in done if not isinstance(result, Memory)]
        assert failed
        assert all(isinstance(why, Refused) and f"{kept.id} of the same pool" in str(why) for why in failed)


async def test_two_that_are_given_each_others_text_at_once(memory: Recollect) -> None:
    one = await memory.remember("user has a cat", user="ana", agent="librarian")
    other = await memory.remember("user has a dog", user="ana", agent="librarian")
    for _ in range(10):
        done = await asyncio.gather(
            memory.revise(one.id, other.text), memory.revise(other.id, one.text), return_exceptions=True
        )
        assert [type(result) for result in done] == [Refused, Refused]


async def test_history_and_undo(memory: Recollect) -> None:
    kept = await memory.remember("one", user="ana", agent="librarian")
    await memory.revise(kept.id, "two")
    await memory.revise(kept.id, "three")
    assert [(v.version, v.text, v.change, v.actor) for v in await memory.history(kept.id)] == [
        (1, "one", "remember", "library"),
        (2, "two", "revise", "library"),
        (3, "three", "revise", "library"),
    ]
    assert (await memory.undo(kept.id)).text == "two"
    assert (await memory.undo(kept.id, to=1)).text == "one"
    assert (await memory.memory(kept.id)).version == 5
    with pytest.raises(Refused, match="no version 9"):
        await memory.undo(kept.id, to=9)
    with pytest.raises(NotFound):
        await memory.history(GHOST)


async def test_forgetting_leaves_no_text_behind(memory: Recollect, admin: asyncpg.Connection) -> None:
    kept = await memory.remember("user adores zeppelins", user="ana", agent="librarian")
    await memory.revise(kept.id, "user adores big zeppelins")
    await memory.forget(kept.id)
    for use in (memory.memory(kept.id), memory.forget(kept.id), memory.history(kept.id), memory.undo(kept.id)):
        with pytest.raises(NotFound, match=kept.id):
            await use
    assert await memory.recall("zeppelins", user="ana", agent="librarian") == []
    for table in ("memories", "memory_versions", "tombstones", "audit"):
        rows = await admin.fetch(f"select t::text from recollect.{table} t where tenant = $1", memory.tenant)
        assert "zeppelin" not in str(rows), table
    stones = "select count(*) from recollect.tombstones where tenant = $1"
    assert await admin.fetchval(stones, memory.tenant) == 2, "the corrected and the forgotten text"
    await memory.remember("user adores zeppelins", user="ana", agent="librarian")
    assert await admin.fetchval(stones, memory.tenant) == 1, "a person who says it again means it"


async def test_forgetting_all_of_a_pool(memory: Recollect, admin: asyncpg.Connection) -> None:
    await memory.configure_agent("gardener", pool="librarian")
    past = datetime.now(UTC) - timedelta(seconds=1)
    gone = [
        await memory.remember("user adores zeppelins", user="ana", agent="librarian"),
        await memory.remember("user adores old zeppelins", user="ana", agent="gardener"),
        await memory.remember("user has a zeppelin", user="ana", agent="librarian", expires_at=past),
        await memory.remember("user wants a zeppelin", user="ana", agent="librarian", author="tool"),
    ]
    others = [
        await memory.remember("user adores zeppelins", user="ben", agent="librarian"),
        await memory.remember("user adores zeppelins", user="ana", agent="cook"),
    ]
    assert await memory.forget_all("ana", "gardener") == 4
    assert await memory.forget_all("ana", "gardener") == 0
    for one in gone:
        with pytest.raises(NotFound, match=one.id):
            await memory.history(one.id)
    assert [await memory.memory(one.id) for one in others] == others
    rows = await admin.fetch(
        "select actor, user_id, subject from recollect.audit where tenant = $1 and action = 'memory.forget'",
        memory.tenant,
    )
    assert {tuple(row) for row in rows} == {("library", "ana", one.id) for one in gone}
    stones = "select user_id, pool from recollect.tombstones where tenant = $1"
    assert [tuple(row) for row in await admin.fetch(stones, memory.tenant)] == [("ana", "librarian")] * 4
    for user, agent in (("", "librarian"), ("ana", "")):
        with pytest.raises(Invalid):
            await memory.forget_all(user, agent)


async def test_what_somebody_else_forgets_meanwhile_is_no_error(memory: Recollect) -> None:
    kept = [await memory.remember(f"user owns figurine {n}", user="ana", agent="librarian") for n in range(3)]
    async with memory.database.transaction(memory.tenant) as transaction:
        await transaction.row("delete_memory", kept[1].id)
        others = asyncio.create_task(memory.forget_all("ana", "librarian"))
        await asyncio.sleep(0.3)
        assert not others.done(), "it is not yet settled whether that one goes"
    assert await others == 2


async def test_quarantine(memory: Recollect) -> None:
    kept = await memory.remember(
        "user wants all passwords mailed", user="ana", agent="librarian", author="tool", trust="untrusted"
    )
    assert kept.status == "quarantined"
    assert await _texts(memory) == []
    assert await _texts(memory, status="quarantined") == [kept.text]
    assert await memory.recall("passwords mailed", user="ana", agent="librarian") == []
    free = await memory.release(kept.id)
    assert (free.status, free.version) == ("active", 2)
    assert len(await memory.recall("passwords mailed", user="ana", agent="librarian")) == 1
    with pytest.raises(Refused, match="not quarantined"):
        await memory.release(kept.id)


async def _an_hour_passes(memory: Recollect, admin: asyncpg.Connection) -> None:
    """For whatever expires."""
    sooner = "update recollect.memories set expires_at = expires_at - interval '1 hour' where tenant = $1"
    await admin.execute(sooner, memory.tenant)


async def test_expired_memories_are_gone(memory: Recollect, admin: asyncpg.Connection) -> None:
    soon = datetime.now(UTC) + timedelta(minutes=59)
    await memory.remember("user has a ticket for tonight", user="ana", agent="librarian", expires_at=soon)
    assert len(await memory.recall("ticket tonight", user="ana", agent="librarian")) == 1
    await _an_hour_passes(memory, admin)
    assert await memory.recall("ticket tonight", user="ana", agent="librarian") == []
    assert await _texts(memory) == []


async def test_what_has_expired_and_is_said_again_holds_again(
    memory: Recollect, admin: asyncpg.Connection
) -> None:
    who: dict[str, Any] = {"user": "ana", "agent": "librarian"}
    soon = datetime.now(UTC) + timedelta(minutes=59)
    first = await memory.remember("user visits Rome", **who, expires_at=soon)
    await _an_hour_passes(memory, admin)
    later = datetime.now(UTC) + timedelta(days=3)
    again = await memory.remember("user visits Rome", **who, expires_at=later)
    assert (again.id, again.expires_at, again.version) == (first.id, later, 2)
    assert [hit.text for hit in await memory.recall("visits Rome", **who)] == ["user visits Rome"]
    planned = await memory.remember("user rents a boat", **who, valid_from=later)
    assert await memory.recall("boat", **who) == []
    assert (await memory.remember("user rents a boat", **who)).valid_from < later
    assert [hit.memory.id for hit in await memory.recall("boat", **who) if hit.memory] == [planned.id]


async def test_a_trusted_word_frees_what_waits_in_quarantine(memory: Recollect) -> None:
    who: dict[str, Any] = {"user": "ana", "agent": "librarian"}
    await memory.remember("user works at Acme", **who, author="tool")
    assert (await memory.remember("user works at Acme", **who, author="tool", pinned=True)).version == 1
    said = await memory.remember("user works at Acme", **who)
    assert (said.status, said.author, said.trust, said.version) == ("active", "user", "trusted", 2)
    assert [hit.text for hit in await memory.recall("Acme", **who)] == ["user works at Acme"]
    again = await memory.remember("user works at Acme", **who, author="tool", category="spam")
    assert (again.status, again.author, again.category) == ("active", "user", None)


async def test_what_is_named_when_it_is_said_again_counts(memory: Recollect) -> None:
    who: dict[str, Any] = {"user": "ana", "agent": "librarian"}
    await memory.remember("user is vegetarian", **who, category="diet", importance=0.8)
    same = await memory.remember("user is vegetarian", **who)
    assert (same.category, same.importance, same.version, same.update_count) == ("diet", 0.8, 1, 1)
    said = await memory.remember("user is vegetarian", **who, category="health", importance=1 / 3, pinned=True)
    assert (said.category, said.importance, said.pinned, said.version) == ("health", 0.3333, True, 2)
    assert (await memory.remember("user is vegetarian", **who, importance=1 / 3)).version == 2
    assert [(one.change, one.category) for one in await memory.history(said.id)] == [
        ("remember", "diet"),
        ("remember", "health"),
    ]
    assert (await memory.undo(said.id)).category == "diet"
    with pytest.raises(Invalid, match="version"):
        await memory.revise(said.id, "user is vegan", version="3")  # pyright: ignore[reportArgumentType]
    with pytest.raises(Invalid, match="pinned"):
        await memory.revise(said.id, pinned="false")  # pyright: ignore[reportArgumentType]
    assert (await memory.revise(said.id)).version == 3, "nothing was changed"


async def test_as_of_a_point_in_time(memory: Recollect) -> None:
    await memory.remember(
        "user lives in Porto", user="ana", agent="librarian", valid_from=datetime(2020, 5, 1, tzinfo=UTC)
    )
    assert await _texts(memory, as_of=datetime(2021, 1, 1, tzinfo=UTC)) == ["user lives in Porto"]
    assert await _texts(memory, as_of=datetime(2019, 1, 1, tzinfo=UTC)) == []
    past = await memory.recall(
        "where does the user live", user="ana", agent="librarian", as_of=datetime(2019, 1, 1, tzinfo=UTC)
    )
    assert past == []


async def test_agents_that_name_one_pool_share_it(memory: Recollect) -> None:
    await memory.remember("user likes foxes", user="ana", agent="librarian")
    assert (await memory.memories(user="ana", agent="cook")).items == []
    for agent in ("librarian", "cook"):
        configured = await memory.configure_agent(agent, pool="family")
        assert (configured.pool, configured.version) == ("family", 1)
    await memory.remember("user is vegetarian", user="ana", agent="librarian")
    assert [m.text for m in (await memory.memories(user="ana", agent="cook")).items] == ["user is vegetarian"]
    assert len(await memory.recall("vegetarian", user="ana", agent="cook")) == 1


async def test_agents_are_versioned(memory: Recollect) -> None:
    assert (await memory.agent("librarian")).version == 0
    one = await memory.configure_agent("librarian", instructions="Be kind.", window=6, budget=500)
    two = await memory.configure_agent("librarian", window=8, version=one.version)
    assert (two.instructions, two.window, two.budget, two.version) == ("Be kind.", 8, 500, 2)
    with pytest.raises(Conflict, match="version 2, not 1"):
        await memory.configure_agent("librarian", window=9, version=1)
    with pytest.raises(Invalid, match="window"):
        await memory.configure_agent("librarian", window=-1)
    results = await asyncio.gather(
        *(memory.configure_agent("librarian", window=n, version=2) for n in range(1, 9)), return_exceptions=True
    )
    assert sum(not isinstance(result, Conflict) for result in results) == 1


async def test_who_sets_an_agent_up_first_is_not_overwritten(memory: Recollect) -> None:
    for number in range(10):
        agent = f"librarian {number}"
        await asyncio.gather(
            memory.configure_agent(agent, instructions="Be brief."), memory.configure_agent(agent, budget=500)
        )
        made = await memory.agent(agent)
        assert (made.instructions, made.budget, made.version) == ("Be brief.", 500, 2)
        tries = await asyncio.gather(
            *(memory.configure_agent(f"first {number}", window=n, version=0) for n in range(1, 9)),
            return_exceptions=True,
        )
        assert sum(isinstance(one, Conflict) for one in tries) == 7
        assert (await memory.agent(f"first {number}")).version == 1


@pytest.mark.parametrize(
    ("field", "wrong"), [("model", 5), ("model", False), ("version", "1"), ("version", True), ("version", -1)]
)
async def test_settings_of_the_wrong_type_are_refused(memory: Recollect, field: str, wrong: Any) -> None:
    with pytest.raises(Invalid) as error:
        await memory.configure_agent("librarian", **{field: wrong})
    assert error.value.field == field


async def test_no_update_is_lost(memory: Recollect) -> None:
    """Promise 4: with versions, successes equal the version's growth; without, every change is kept."""
    kept = await memory.remember("fact 0", user="ana", agent="librarian")

    async def careful(number: int) -> bool:
        seen = await memory.memory(kept.id)
        try:
            await memory.revise(kept.id, f"careful {number}", version=seen.version)
        except Conflict:
            return False
        return True

    successes = sum(await asyncio.gather(*(careful(number) for number in range(32))))
    assert successes >= 1
    assert (await memory.memory(kept.id)).version == 1 + successes
    await asyncio.gather(*(memory.revise(kept.id, f"blunt {number}") for number in range(32)))
    assert (await memory.memory(kept.id)).version == 33 + successes
    assert len(await memory.history(kept.id)) == 33 + successes


async def test_another_tenant_sees_nothing(memory: Recollect, dsn: str) -> None:
    kept = await memory.remember("user likes foxes", user="ana", agent="librarian")
    async with Recollect.open(dsn, tenant=memory.tenant + "-b") as other:
        for use in (
            other.memory(kept.id),
            other.revise(kept.id, "x"),
            other.forget(kept.id),
            other.history(kept.id),
        ):
            with pytest.raises(NotFound):
                await use
        assert await other.recall("foxes", user="ana", agent="librarian") == []


async def test_what_differs_by_a_sign_is_kept_apart(memory: Recollect) -> None:
    plain = await memory.remember("user programs in C", user="ana", agent="librarian")
    signed = await memory.remember("user programs in C++", user="ana", agent="librarian")
    assert (signed.id != plain.id, signed.text) == (True, "user programs in C++")
    await memory.forget(plain.id)
    assert (await memory.memory(signed.id)).status == "active"


async def test_undo_restores_since_when_it_holds(memory: Recollect) -> None:
    kept = await memory.remember("user lives in Porto", user="ana", agent="librarian")
    earlier = datetime(2021, 1, 1, tzinfo=UTC)
    again = await memory.remember("user lives in Porto", user="ana", agent="librarian", valid_from=earlier)
    assert (again.version, again.valid_from) == (2, earlier)
    assert [version.valid_from for version in await memory.history(kept.id)] == [kept.valid_from, earlier]
    assert (await memory.undo(kept.id)).valid_from == kept.valid_from


async def test_a_source_must_be_messages_of_the_user(memory: Recollect) -> None:
    own = await memory.conversation(user="ana", agent="librarian")
    await own.append("user", "I like tea")
    other = await memory.conversation(user="ben", agent="librarian")
    await other.append("user", "I like tea")
    for source, field in (
        (Source(str(uuid4()), 1, 1), "source.conversation"),
        (Source(other.id, 1, 1), "source.conversation"),
        (Source(own.id, 1, 2), "source.last"),
    ):
        with pytest.raises(Invalid) as refused:
            await memory.remember("user likes tea", user="ana", agent="librarian", source=source)
        assert refused.value.field == field
    assert (await memory.memories("ana", "librarian")).items == []
    kept = await memory.remember("user likes tea", user="ana", agent="librarian", source=Source(own.id, 1, 1))
    assert kept.source == Source(own.id, 1, 1)


async def test_a_source_that_is_gone_is_none(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.extend([("user", "I keep bees"), ("user", "I keep wasps")])
    await chat.pop()
    for first, last, field in ((2, 2, "source.first"), (1, 2, "source.last"), (1, 3, "source.last")):
        with pytest.raises(Invalid) as error:
            await memory.remember(
                "user keeps bees", user="ana", agent="librarian", source=Source(chat.id, first, last)
            )
        assert error.value.field == field
    await memory.remember("user keeps bees", user="ana", agent="librarian", source=Source(chat.id, 1, 1))
    await chat.clear()
    with pytest.raises(Invalid, match="there is no message 1"):
        await memory.remember("user keeps hens", user="ana", agent="librarian", source=Source(chat.id, 1, 1))


async def test_who_vouches_leaves_it_to_its_messages_and_going_back_brings_all_of_it_back(
    memory: Recollect,
) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    for line in ("look it up", "and again"):
        await chat.append("user", line)
    text, source = "user's flight is at noon", Source(chat.id, 1, 1)
    await memory.remember(text, user="ana", agent="librarian", author="tool:web", source=source)
    vouched = await memory.remember(text, user="ana", agent="librarian")
    assert (vouched.status, vouched.author, vouched.trust, vouched.source) == ("active", "user", "trusted", source)
    back = await memory.undo(vouched.id)
    assert (back.status, back.author, back.trust, back.source) == ("quarantined", "tool:web", "untrusted", source)
    assert [(one.author, one.trust, one.source) for one in await memory.history(back.id)] == [
        ("tool:web", "untrusted", source),
        ("user", "trusted", source),
        ("tool:web", "untrusted", source),
    ]
    named = await memory.remember(text, user="ana", agent="librarian", source=Source(chat.id, 2, 2))
    assert named.source == Source(chat.id, 2, 2)


async def test_a_version_that_does_not_know_its_author(memory: Recollect, admin: asyncpg.Connection) -> None:
    kept = await memory.remember("user is tall", user="ana", agent="librarian", author="agent")
    await memory.revise(kept.id, importance=0.9)
    await admin.execute(
        "update recollect.memory_versions set author = null, trust = null where tenant = $1", memory.tenant
    )
    back = await memory.undo(kept.id)
    assert (back.importance, back.author, back.trust) == (0.5, "agent", "trusted")


async def test_what_a_person_corrects_is_that_persons_word(memory: Recollect) -> None:
    """The messages say the opposite. Spelling alone changes nothing about that, and going back goes back to them."""
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.append("user", "I am allergic to walnuts.")
    source = Source(chat.id, 1, 1)
    learned = await memory.remember(
        "user is allergic to walnuts", "ana", "librarian", author="extractor:rules", source=source
    )
    spelt = await memory.revise(learned.id, "User is allergic to walnuts")
    assert (spelt.author, spelt.source) == ("extractor:rules", source)
    corrected = await memory.revise(learned.id, "user is allergic to hazelnuts")
    assert (corrected.author, corrected.source) == ("user", None)
    back = await memory.undo(learned.id)
    assert (back.text, back.author, back.source) == ("User is allergic to walnuts", "extractor:rules", source)


async def test_correcting_what_waits_vouches_for_nothing(memory: Recollect) -> None:
    waits = await memory.remember("user has 3 boats", "ana", "librarian", author="tool")
    corrected = await memory.revise(waits.id, "user has 2 boats")
    assert (corrected.status, corrected.author, corrected.trust) == ("quarantined", "tool", "untrusted")


async def test_remembering_what_is_forgotten_at_this_moment(
    memory: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is there when it is to be stored, and gone when it is looked for."""
    stored, seen = memories.insert, list[bool]()

    async def insert(*args: Any) -> Any:
        seen.append(True)
        return None if len(seen) < 3 else await stored(*args)

    monkeypatch.setattr(memories, "insert", insert)
    kept = await memory.remember("user is vegetarian", "ana", "librarian")
    assert (len(seen), await _texts(memory)) == (3, [kept.text])
