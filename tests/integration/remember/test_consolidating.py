"""What becomes of a pool that says something twice, or has since contradicted itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recollect import Conflict, Memory, NotFound, Recollect, Refused, Source
from recollect.records import Caller
from recollect.remember.consolidate import carry_out, plan

WHO: dict[str, Any] = {"user": "ana", "agent": "cook"}


async def texts(memory: Recollect, status: str = "active") -> set[str]:
    return {one.text for one in (await memory.memories(**WHO, status=status, limit=1000)).items}


async def told(memory: Recollect, text: str, **given: Any) -> Memory:
    """What an agent remembers: nothing that a person wrote, so it may be merged."""
    return await memory.remember(text, **WHO, author="agent", **given)


@pytest.mark.parametrize("change", ["forgotten", "revised", "retired one revised"])
async def test_nothing_is_retired_in_favour_of_what_was_changed_meanwhile(memory: Recollect, change: str) -> None:
    old = await told(memory, "user lives in Porto")
    new = await told(memory, "the user lives in Porto")
    caller, embedders = Caller(memory.tenant, "test"), memory._models.embedders  # pyright: ignore[reportPrivateUsage]
    made = await plan(memory.database, caller, embedders, "ana", "cook")
    assert [(merge.keep, merge.retire) for merge in made.merges] == [(new.id, (old.id,))]
    if change == "forgotten":
        await memory.forget(new.id)
    else:
        await memory.revise(new.id if change == "revised" else old.id, text="user lives in Oslo")
    before = await texts(memory)
    with pytest.raises(Conflict):
        async with memory.database.transaction(memory.tenant) as transaction:
            await carry_out(transaction, caller, embedders, "ana", "cook", made)
    assert await texts(memory) == before
    assert await texts(memory, "retired") == set()


async def test_what_is_contradicted_held_until_the_newer_one_began(memory: Recollect) -> None:
    old = await told(memory, "user lives in Porto", valid_from=datetime(2019, 1, 1, tzinfo=UTC))
    new = await told(memory, "user lives in Oslo", valid_from=datetime(2021, 1, 1, tzinfo=UTC))
    assert (await memory.consolidate(**WHO)).retired == 1
    assert (await memory.memory(old.id)).valid_to == new.valid_from
    for year, home in ((2020, "user lives in Porto"), (2023, "user lives in Oslo")):
        then = datetime(year, 1, 1, tzinfo=UTC)
        assert [hit.text for hit in await memory.recall("where do I live?", **WHO, as_of=then)] == [home]


async def test_the_first_word_of_what_is_true_now_ends_what_was_before(memory: Recollect) -> None:
    old = await told(memory, "user lives in Porto", valid_from=datetime(2019, 1, 1, tzinfo=UTC))
    first = await told(memory, "user lives in Oslo", valid_from=datetime(2021, 1, 1, tzinfo=UTC))
    await told(memory, "user resides in Oslo", valid_from=datetime(2023, 1, 1, tzinfo=UTC))
    assert (await memory.consolidate(**WHO)).retired == 2
    assert (await memory.memory(old.id)).valid_to == first.valid_from


async def test_what_lasts_is_not_taken_in_by_what_expires(memory: Recollect) -> None:
    lasting = await told(memory, "user is allergic to peanuts", importance=0.9, category="health")
    soon = datetime.now(UTC) + timedelta(minutes=5)
    expiring = await told(memory, "the user is allergic to peanuts", importance=0.1, expires_at=soon)
    assert (await memory.consolidate(**WHO)).retired == 1
    kept = await memory.memory(lasting.id)
    assert (kept.status, kept.importance, kept.category, kept.expires_at) == ("active", 0.9, "health", None)
    assert (await memory.memory(expiring.id)).superseded_by == kept.id


async def test_a_passing_stay_leaves_the_home(memory: Recollect) -> None:
    await told(memory, "user lives in Porto")
    await told(memory, "user lives in Oslo", expires_at=datetime.now(UTC) + timedelta(days=7))
    assert (await memory.consolidate(**WHO)).retired == 0


@pytest.mark.parametrize("author", ["user", "agent"])
async def test_the_kept_one_has_the_pin_the_weight_and_the_category_of_all_and_it_can_be_undone(
    memory: Recollect, author: str
) -> None:
    if author == "user":
        await told(memory, "user likes tea", pinned=True, importance=0.9, category="food")
        kept = await memory.remember("the user likes tea", **WHO, importance=0.2)
    else:
        kept = await told(memory, "user likes tea", pinned=True, importance=0.2)
        await told(memory, "the user likes tea", importance=0.9, category="food")
    assert (await memory.consolidate(**WHO)).retired == 1
    (merged,) = (await memory.memories(**WHO)).items
    assert (merged.id, merged.text, merged.version) == (kept.id, kept.text, 2)
    assert (merged.pinned, merged.importance, merged.category) == (True, 0.9, "food")
    back = await memory.undo(kept.id)
    assert (back.pinned, back.importance, back.category) == (author == "agent", 0.2, None)
    assert [one.change for one in await memory.history(kept.id)] == ["remember", "merge", "undo"]
    (hit,) = await memory.recall("does the user like tea?", **WHO)
    assert hit.memory is not None
    assert hit.memory.id == kept.id, "its vector is still that of its text"


async def test_the_words_of_what_expires_do_not_outlive_it(memory: Recollect) -> None:
    await told(memory, "user has a dog")
    soon = datetime.now(UTC) + timedelta(minutes=5)
    await told(memory, "user has a dog named Rex", expires_at=soon)
    await memory.consolidate(**WHO)
    (lasting,) = [one for one in (await memory.memories(**WHO)).items if one.expires_at is None]
    assert lasting.text == "user has a dog"


async def test_what_was_merged_into_a_memory_is_forgotten_with_it(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "I have a dog named Rex.")
    day = datetime.now(UTC) - timedelta(days=3)
    named = await told(memory, "user has a dog named Rex", valid_from=day, source=Source(chat.id, 1, 1))
    kept = await told(memory, "user has a dog", valid_from=day + timedelta(days=1))
    await memory.consolidate(**WHO)
    merged = await memory.memory(kept.id)
    assert (merged.text, (await memory.memory(named.id)).superseded_by) == (named.text, kept.id)
    await memory.forget(kept.id)
    with pytest.raises(NotFound):
        await memory.undo(named.id)
    yesterday = datetime.now(UTC) - timedelta(days=1)
    assert await memory.recall("a dog named Rex", **WHO, as_of=yesterday) == []
    await memory.digest(everything=True)
    assert named.text not in await texts(memory), "nor is it learned again"


async def test_what_was_merged_step_by_step_goes_and_what_was_contradicted_stays(memory: Recollect) -> None:
    day = datetime.now(UTC) - timedelta(days=9)
    old = await told(memory, "user lives in Braga", valid_from=day)
    ids = list[str]()
    for number, text in enumerate(("user lives in Porto", "user resides in Porto", "the user lives in Porto.")):
        ids.append((await told(memory, text, valid_from=day + timedelta(days=number + 1))).id)
        await memory.consolidate(**WHO)
    assert (await memory.memory(ids[0])).superseded_by == ids[1]
    await memory.forget(ids[2])
    for id in ids:
        with pytest.raises(NotFound):
            await memory.memory(id)
    assert (await memory.memory(old.id)).status == "retired"
    then = await memory.recall("where do I live?", **WHO, as_of=day + timedelta(hours=1))
    assert [hit.text for hit in then] == ["user lives in Braga"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("user's colleague is called Ana", "user's colleague is called Bob"),
        ("user has a meeting on 2026-12-01", "user has a meeting on 2026-12-02"),
        ("user takes ramipril 5 mg in the morning", "user takes ramipril 10 mg in the evening"),
        ("user prefers tea in the evening", "user prefers coffee in the morning"),
        ("user owns bike 1", "user owns bike 2"),
    ],
)
async def test_what_one_may_have_several_of_stays(memory: Recollect, one: str, other: str) -> None:
    await told(memory, one)
    await told(memory, other)
    assert (await memory.consolidate(**WHO)).retired == 0


async def test_what_is_retired_is_corrected_and_taken_back_beside_one_that_says_the_same(
    memory: Recollect,
) -> None:
    for text in ("user lives in Porto", "the user lives in Porto"):
        await told(memory, text)
    await memory.consolidate(**WHO)
    (retired,) = (await memory.memories(**WHO, status="retired")).items
    await memory.revise(retired.id, text="user lived in Porto once")
    again = await memory.remember(retired.text, **WHO)
    assert again.id != retired.id
    back = await memory.undo(retired.id)
    assert (back.text, back.status) == (retired.text, "retired")
    with pytest.raises(Refused, match=again.id):
        await memory.undo(retired.id, to=1)


@pytest.mark.parametrize("order", [1, -1])
async def test_what_was_merged_is_corrected_with_the_one_that_was_kept(memory: Recollect, order: int) -> None:
    for text in ("user has a dog", "user has a dog called Rex")[::order]:
        await told(memory, text)
    assert (await memory.consolidate(**WHO)).retired == 1
    (kept,) = (await memory.memories(**WHO)).items
    corrected = await memory.revise(kept.id, "user collects stamps")
    chat = await memory.new_conversation(**WHO)
    await chat.append("user", "I have a dog.")
    assert (await memory.digest(everything=True)).refused == 1
    assert await texts(memory) == {corrected.text}


@pytest.mark.parametrize("way", ["one", "all"])
async def test_what_the_kept_one_said_before_is_not_learned_again_either(memory: Recollect, way: str) -> None:
    longer = await told(memory, "user has a dog called Rex")
    kept = await told(memory, "user has a dog")
    assert (await memory.consolidate(**WHO)).retired == 1
    assert (await memory.memory(kept.id)).text == longer.text
    assert (await memory.memory(longer.id)).superseded_by == kept.id
    if way == "all":
        await memory.forget_all(**WHO)
    else:
        await memory.forget(kept.id)
    chat = await memory.new_conversation(**WHO)
    await chat.append("user", "I have a dog.")
    assert (await memory.digest(everything=True)).refused == 1
    assert await texts(memory) == set()


async def test_forgetting_takes_along_what_was_merged_and_brought_back_in_between(memory: Recollect) -> None:
    for text in ("user lives in Porto", "user is living in Porto"):
        await memory.remember(text, "ana", "librarian", author="agent")
    await memory.consolidate("ana", "librarian")
    (retired,) = (await memory.memories("ana", "librarian", status="retired")).items
    assert retired.superseded_by is not None
    assert (await memory.undo(retired.id)).superseded_by is None
    again = await memory.undo(retired.id)
    assert (again.status, again.superseded_by) == ("retired", retired.superseded_by)
    assert [one.superseded_by for one in (await memory.history(retired.id))[-2:]] == [None, retired.superseded_by]
    await memory.forget(retired.superseded_by)
    assert (await memory.memories("ana", "librarian", status="retired")).items == []
