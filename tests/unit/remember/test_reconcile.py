from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.records import Memory
from recollect.remember.compare import read
from recollect.remember.learning import Candidate, Neighbour
from recollect.remember.reconcile import reconcile
from steps import calls_of

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


def candidate(text: str, *, day: int | None = 10, **changed: Any) -> Candidate:
    at = None if day is None else START + timedelta(days=day)
    return Candidate(text=text, first=1, last=2, valid_from=at, **changed)


def near(*memories: Memory, by_person: bool = False) -> list[Neighbour]:
    return [Neighbour(one, 0.6, by_person) for one in memories]


def test_nothing_near_means_something_new() -> None:
    assert reconcile(candidate("user lives in Porto"), []).verb == "add"
    assert reconcile(candidate("user likes tea"), near(memory("a", "user likes jazz"))).verb == "add"


def test_the_same_again_refreshes() -> None:
    decision = reconcile(candidate("User lives in Porto."), near(memory("a", "user lives in Porto")))
    assert (decision.verb, decision.memories) == ("refresh", ("a",))


def test_a_contradiction_replaces_all_that_it_contradicts() -> None:
    old = near(
        memory("a", "user lives in Porto"), memory("b", "user moved to Braga"), memory("c", "user likes tea")
    )
    decision = reconcile(candidate("user moved to Lisbon"), old)
    assert (decision.verb, decision.memories, decision.why) == ("replace", ("a", "b"), "home")


def test_what_is_confirmed_late_replaces_what_it_contradicts_and_its_older_self() -> None:
    old = near(memory("a", "user lives in Porto"), memory("b", "user lives in Braga", day=3))
    decision = reconcile(candidate("user lives in Porto", day=5), old)
    assert (decision.verb, set(decision.memories)) == ("replace", {"a", "b"})


def test_one_more_of_a_list_replaces_none_of_it() -> None:
    nights = near(memory("a", "user sleeps 5 hours a night"), memory("b", "user sleeps 6 hours a night"))
    assert reconcile(candidate("user sleeps 8 hours a night"), nights).verb == "add"
    decision = reconcile(candidate("user sleeps 8 hours a night"), nights[:1])
    assert (decision.verb, decision.memories) == ("replace", ("a",))


@pytest.mark.parametrize("day", [None, -5, 0, 5])
def test_a_persons_word_is_not_overwritten(day: int | None) -> None:
    for old in (
        near(memory("a", "user lives in Porto", author="user")),
        near(memory("a", "user lives in Porto", author="user:ana")),
        near(memory("a", "user lives in Porto"), by_person=True),
    ):
        assert reconcile(candidate("user lives in Braga", day=day), old).verb == "ignore"
        assert reconcile(candidate("user lives in Porto", day=day), old).verb == "refresh"


def test_an_old_message_does_not_replace_what_is_newer() -> None:
    decision = reconcile(candidate("user lives in Porto", day=1), near(memory("a", "user lives in Braga", day=2)))
    assert (decision.verb, decision.why, decision.memories) == ("ignore", "older", ())
    assert reconcile(candidate("user likes tea", day=1), near(memory("a", "user likes jazz", day=2))).verb == "add"


def test_what_waits_in_quarantine_or_is_retired_blocks_nothing() -> None:
    for status in ("quarantined", "retired"):
        old = near(memory("a", "user lives in Porto", status=status, author="user", day=50))
        assert reconcile(candidate("user lives in Porto"), old).verb == "add"
        assert reconcile(candidate("user lives in Braga"), old).verb == "add"


def test_what_nobody_vouches_for_replaces_nothing() -> None:
    doubtful = candidate("user lives in Braga", trust="untrusted")
    assert reconcile(doubtful, near(memory("a", "user lives in Porto"))).verb == "add"
    assert reconcile(doubtful, near(memory("a", "user lives in Braga"))).verb == "ignore"
    assert reconcile(doubtful, near(memory("a", "user lives in Braga", status="quarantined"))).verb == "ignore"


TEXTS = st.sampled_from(
    [
        "user lives in Porto", "user moved to Braga", "user does not live in Porto", "user likes tea",
        "user likes green tea", "user dislikes tea", "user is 30 years old", "user is 31 years old",
    ]
)  # fmt: skip
NEIGHBOURS = st.lists(
    st.tuples(
        TEXTS, st.integers(-5, 5), st.sampled_from(["user", "extractor:x"]), st.booleans(), st.floats(0, 1),
        st.sampled_from(["active", "quarantined", "retired"]),
    ),
    max_size=6,
)  # fmt: skip


@given(TEXTS, st.none() | st.integers(-5, 5), st.sampled_from(["trusted", "untrusted"]), NEIGHBOURS)
def test_a_decision_names_only_neighbours_that_it_may_change(
    text: str, day: int | None, trust: str, given_: list[Any]
) -> None:
    neighbours = [
        Neighbour(memory(f"m{number}", known, day=at, author=author, status=status), cosine, person)
        for number, (known, at, author, person, cosine, status) in enumerate(given_)
    ]
    decision = reconcile(candidate(text, day=day, trust=trust), neighbours)
    by_id = {one.memory.id: one for one in neighbours}
    assert set(decision.memories) <= by_id.keys()
    assert len(set(decision.memories)) == len(decision.memories)
    assert (decision.verb in ("refresh", "replace")) == bool(decision.memories)
    assert all(by_id[name].memory.status == "active" for name in decision.memories)
    if decision.verb == "replace":
        assert trust == "trusted"
        assert all(by_id[name].memory.author != "user" for name in decision.memories)
        assert not any(by_id[name].by_person for name in decision.memories)


def test_what_is_known_is_read_once_for_all_candidates() -> None:
    known = near(*(memory(f"{n}", f"user owns book {n}") for n in range(20)))
    reader = cache(read)
    with calls_of(read) as calls:
        for text in ("user lives in Porto", "user likes tea", "user works as a nurse"):
            assert reconcile(candidate(text), known, reader).verb == "add"
    assert len(calls) == 20 + 3


@pytest.mark.parametrize(
    ("said", "holds_since", "verb"),
    [
        (10, 4, "replace"),  # "I moved last week", said after "I live in Porto"
        (10, -50, "replace"),
        (10, -400, "ignore"),  # "I moved to Lisbon the year before last" is history
        (3, -4, "ignore"),  # said before, and read later
        (5, 4, "ignore"),  # in the same breath
    ],
)
def test_what_is_said_later_is_news_though_it_began_before(said: int, holds_since: int, verb: str) -> None:
    old = memory("a", "user lives in Porto", day=5)
    heard = [Neighbour(old, 0.6, said_at=START + timedelta(days=5))]
    moved = candidate("user moved to Lisbon", day=holds_since, said_at=START + timedelta(days=said))
    assert reconcile(moved, heard).verb == verb


def test_when_a_message_is_gone_what_it_said_counts_from_when_it_began() -> None:
    old = memory("a", "user lives in Porto", day=5)
    moved = candidate("user moved to Lisbon", day=4, said_at=START + timedelta(days=10))
    assert reconcile(moved, [Neighbour(old, 0.6)]).verb == "replace"


@pytest.mark.parametrize(
    ("old", "new", "verb"),
    [
        ("user works at Acme as a designer", "user left Acme", "replace"),
        ("user drives a Golf", "user sold the Golf and bought a Tesla", "replace"),
        ("user uses VS Code", "user has switched from VS Code to Neovim", "replace"),
        ("usuario trabaja en Acme", "usuario dejó Acme", "replace"),
        ("user is training for the Berlin marathon", "user dropped out of the marathon", "replace"),
        ("user is training for the Berlin marathon", "user had to drop out of the marathon", "replace"),
        ("user is learning Italian", "user gave up Italian", "replace"),
        ("user is engaged to Tom", "user broke up with Tom", "replace"),
        ("user has a girlfriend, Sara", "user split up with Sara in the week of 2025-01-06", "replace"),
        ("user is looking for a new job", "user got the job at Globex", "replace"),
        ("user's manager is Priya", "user got a new manager, Tom", "replace"),
        ("user's manager is Priya", "user got a new desk, Tom", "add"),
        ("user is unemployed", "user starts at Globex on Monday", "replace"),
        ("user is training for the Berlin marathon", "user dropped out of college", "add"),
        ("user is looking for a new flat", "user got the job at Globex", "add"),
        ("user works at Acme", "user left home", "add"),
        ("user drives a Golf", "user lost the Golf keys", "add"),
        ("user doesn't use VS Code", "user switched from VS Code to Neovim", "add"),
        ("user's brother drives a Golf", "user sold the Golf", "add"),
    ],
)
def test_what_was_left_or_sold_is_over(old: str, new: str, verb: str) -> None:
    assert reconcile(candidate(new), near(memory("a", old))).verb == verb


@pytest.mark.parametrize(
    ("old", "new", "verb"),
    [
        ("user is 34", "user turned 35 on 2025-01-10", "replace"),
        ("user is 34 years old", "user turned 35 in the week of 2025-01-06", "replace"),
        ("user says to answer in Spanish", "user says to reply in French", "replace"),
        ("user says to speak German with them", "user says to answer in English", "replace"),
        ("usuario lo quiere en español", "usuario lo quiere en inglés", "replace"),
        ("user says to keep answers short", "user says answers should be detailed", "replace"),
        ("user says to use metric units", "user says to use imperial units", "replace"),
        ("user says to use emojis", "user says not to use emojis", "replace"),
        ("user says to keep answers short", "user says to keep answers formal", "add"),
        ("user says not to use emojis", "user says not to use tables", "add"),
        ("user says to answer in Spanish", "user is learning French", "add"),
    ],
)
def test_of_an_age_and_of_how_to_answer_the_newest_holds(old: str, new: str, verb: str) -> None:
    assert reconcile(candidate(new), near(memory("a", old))).verb == verb


@pytest.mark.parametrize(
    ("old", "new", "verb"),
    [
        ("user has a golden retriever called Biscuit", "user's dog Biscuit passed away", "replace"),
        ("user has a dog", "user's dog died in 2025-01", "replace"),
        ("user's dad lives in Leeds", "user's dad died", "replace"),
        ("user's dad Bill has diabetes", "user's dad passed away in 2025-01", "replace"),
        ("user's dad is called Bill", "user's dad died", "add"),
        ("user's mum lives in Leeds", "user's dad died", "add"),
        ("user has a golden retriever called Biscuit", "user's dog Rex died", "add"),
        ("user has two dogs", "user's dog died", "add"),
        ("user's cat Luna has asthma", "user's cat Tom died", "add"),
    ],
)
def test_of_the_dead_what_they_are_is_over(old: str, new: str, verb: str) -> None:
    assert reconcile(candidate(new), near(memory("a", old))).verb == verb
