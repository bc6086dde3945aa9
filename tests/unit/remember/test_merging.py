from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recollect.models.wordllama import WordLlama
from recollect.records import Memory
from recollect.remember.compare import contains, read, relation
from recollect.remember.learning import Merge
from recollect.remember.merging import merges

START = datetime(2025, 1, 1, tzinfo=UTC)


def memory(name: str, text: str, *, day: int = 0, **changed: Any) -> Memory:
    at = START + timedelta(days=day)
    given: dict[str, Any] = {
        "id": name, "text": text, "user": "ana", "pool": "helper", "agent": "helper", "category": None,
        "importance": 0.5, "pinned": False, "status": "active", "created_at": at, "updated_at": at, "valid_from": at,
        "valid_to": None, "expires_at": None, "superseded_by": None, "author": "extractor:rules",
        "trust": "trusted", "version": 1, "update_count": 0, "context": {}, "source": None,
    }  # fmt: skip
    return Memory(**(given | changed))


async def merged(*memories: Memory, protected: Sequence[str] = ()) -> list[Merge]:
    return merges(memories, await WordLlama().embed([one.text for one in memories]), protected)


async def test_an_empty_pool_has_nothing_to_merge() -> None:
    assert merges([], np.zeros((0, 256), np.float32)) == []
    assert await merged(memory("a", "user likes tea")) == []


async def test_the_newest_of_those_that_say_the_same_is_kept() -> None:
    found = await merged(
        memory("a", "user lives in Porto"),
        memory("b", "user lives in Porto.", day=3),
        memory("c", "user resides in Porto", day=1),
    )
    assert found == [Merge(keep="b", text="user lives in Porto.", retire=("c", "a"))]


async def test_a_pinned_one_is_kept_before_a_newer_one() -> None:
    found = await merged(memory("a", "user likes tea", pinned=True), memory("b", "User likes tea", day=3))
    assert found == [Merge(keep="a", text="user likes tea", retire=("b",))]


async def test_the_text_that_says_more_wins() -> None:
    found = await merged(memory("a", "user likes green tea"), memory("b", "user likes tea", day=2))
    assert found == [Merge(keep="b", text="user likes green tea", retire=("a",))]


async def test_two_that_say_more_in_different_ways_do_not_both_go() -> None:
    found = await merged(
        memory("a", "user likes green tea"),
        memory("b", "user likes black tea"),
        memory("c", "user likes tea", day=2),
    )
    assert len(found) == 1
    assert len(found[0].retire) == 1


async def test_of_two_that_cannot_both_be_the_newer_stays() -> None:
    found = await merged(memory("a", "user lives in Porto", day=9), memory("b", "user moved to Braga", day=2))
    assert found == [Merge(keep="a", text="user lives in Porto", retire=("b",), contradicted=("b",))]


async def test_several_that_differ_only_in_a_figure_are_a_list_and_all_stay() -> None:
    numbers = [memory(f"m{day}", f"user sleeps {5 + day} hours a night", day=day) for day in range(3)]
    assert await merged(*numbers) == []
    two = await merged(*numbers[:2])
    assert [(merge.keep, merge.contradicted) for merge in two] == [("m1", ("m0",))]
    again = memory("again", "the user sleeps 5 hours a night", day=1)
    assert [merge.retire for merge in await merged(numbers[0], again)] == [("m0",)]
    assert {*(await merged(numbers[0], again, numbers[2]))[0].retire} == {"m0", "again"}


async def test_in_a_long_list_only_what_is_said_twice_goes() -> None:
    gadgets = [
        memory(f"{said}{number}", f"{said} owns a gadget called zork{number}", day=number)
        for number in range(60)
        for said in ("user", "the user")
    ]
    found = await merged(*gadgets)
    assert {frozenset((merge.keep, *merge.retire)) for merge in found} == {
        frozenset((f"user{number}", f"the user{number}")) for number in range(60)
    }


async def test_a_text_too_long_to_learn_is_not_taken_over() -> None:
    long = "user likes tea with " + "a very good book and " * 12 + "rain"
    assert await merged(memory("a", long), memory("b", "user likes tea", day=1)) == []


async def test_what_a_person_wrote_takes_in_others_and_stays_as_it_is() -> None:
    one, other = memory("a", "user likes tea"), memory("b", "user likes tea!", day=2)
    assert await merged(one, other, protected=["a"]) == [Merge(keep="a", text="user likes tea", retire=("b",))]
    assert await merged(one, other, protected=["a", "b"]) == []
    newer = memory("c", "user lives in Braga", day=4)
    assert await merged(memory("d", "user lives in Porto", author="user"), newer) == []
    assert await merged(one, memory("e", "user likes green tea", day=1), protected=["a"]) == []


async def test_other_users_other_pools_and_what_is_not_active_do_not_count() -> None:
    text = "user likes tea"
    assert await merged(memory("a", text), memory("b", text, user="ben")) == []
    assert await merged(memory("a", text), memory("b", text, pool="other")) == []
    assert await merged(memory("a", text), memory("b", text, status="quarantined")) == []
    assert await merged(memory("a", text), memory("b", text, valid_to=START)) == []


TEXTS = [
    "user lives in Porto", "user moved to Braga", "User lives in Porto", "user likes tea", "user likes green tea",
    "user really likes tea", "user likes black tea", "user dislikes tea", "user is 30 years old", "user is 31",
    "user has two cats", "user has a cat", "user's sister lives in Porto", "user prefers tea", "user prefers coffee",
]  # fmt: skip
POOLS = st.lists(
    st.tuples(st.sampled_from(TEXTS), st.integers(0, 6), st.booleans(), st.booleans(), st.booleans()), max_size=12
)


@given(POOLS, st.randoms(use_true_random=False))
def test_nothing_protected_goes_and_every_one_that_goes_is_answered_for(given_: list[Any], chance: Any) -> None:
    memories = [
        memory(f"m{number:02}", text, day=day, pinned=pinned, author="user" if mine else "extractor:x")
        for number, (text, day, pinned, mine, _) in enumerate(given_)
    ]
    protected = {f"m{number:02}" for number, one in enumerate(given_) if one[4]}
    vectors = np.full((len(memories), 4), 0.5, np.float32)
    found = merges(memories, vectors, protected)
    by_id = {one.id: one for one in memories}
    gone = [name for merge in found for name in merge.retire]
    assert len(set(gone)) == len(gone)
    assert not set(gone) & {merge.keep for merge in found}
    assert not set(gone) & (protected | {one.id for one in memories if one.author == "user"})
    for merge in found:
        kept = by_id[merge.keep]
        assert merge.text in {by_id[name].text for name in (merge.keep, *merge.retire)}
        if merge.keep in protected or kept.author == "user":
            assert merge.text == kept.text
        for name in merge.retire:
            one, other = read(kept.text), read(by_id[name].text)
            assert (
                relation(by_id[name].text, kept.text, 1.0) != "other"
                or contains(one, other)
                or contains(other, one)
            )
    order = list(range(len(memories)))
    chance.shuffle(order)
    assert merges([memories[place] for place in order], vectors, protected) == found
