"""What says that somebody lives or works elsewhere by now, and what only sounds like it."""

from __future__ import annotations

import pytest

from recollect.text.changes import (
    asks_for_before,
    changing,
    is_over,
    otherwise,
    tells_home,
    tells_of_before,
    tells_work,
)


@pytest.mark.parametrize(
    "told",
    [
        "user moved to Linz",
        "user has just moved to the Netherlands",
        "user moved to northern Spain",
        "user moved to 12 High Street",
        "user moved into a bigger flat",
        "user moved to the countryside",
        "user moved in with Jana",
        "user moved to linz last year",
        "usuario se mudó a Lugo",
        "la usuaria se ha mudado a otra ciudad",
    ],
)
def test_who_has_moved_lives_elsewhere(told: str) -> None:
    matter = changing("where do I live?")
    assert matter is not None
    assert matter.told.search(told)
    assert tells_home(told)


@pytest.mark.parametrize(
    "told",
    [
        "user moved to the Pro plan",
        "user moved to a vegan diet",
        "user moved to a vegan diet in January",
        "user moved into Chapter 3 of the audiobook",
        "user moved to Version 2 of the app",
        "user moved to the Enterprise tier",
        "user moved to Linux",
        "user moved to a four-day week",
        "user settled in quickly",
        "user moved to the next question",
    ],
)
def test_not_all_that_one_moves_to_is_a_home(told: str) -> None:
    matter = changing("where do I live?")
    assert matter is not None
    assert not matter.told.search(told)
    assert not matter.said.search(told.replace("user", "I"))


@pytest.mark.parametrize(
    "told",
    [
        "user was hired by Bosch",
        "user has been hired as a nurse",
        "user started working at the zoo",
        "user got a new job",
        "user retired a year ago",
        "usuario ha sido contratado por Bosch",
    ],
)
def test_who_was_hired_works_elsewhere(told: str) -> None:
    matter = changing("where do I work?")
    assert matter is not None
    assert matter.told.search(told)
    assert tells_work(told)


@pytest.mark.parametrize(
    "told",
    [
        "user hired a nanny",
        "user has hired a gardener",
        "user started working on a new novel",
        "user started working out",
        "user got the job done",
        "user retired the old laptop",
        "usuario ha contratado a una niñera",
        "usuario empezó a trabajar en una novela",
    ],
)
def test_who_hires_or_works_out_works_where_they_did(told: str) -> None:
    matter = changing("where do I work?")
    assert matter is not None
    assert not matter.told.search(told)
    assert not matter.said.search(told.replace("user", "I"))
    assert not tells_work(told)


@pytest.mark.parametrize("mark", ["'", "’"])
def test_what_is_of_somebody_of_the_users_is_not_of_the_user(mark: str) -> None:
    matter = changing("where do I live?")
    assert matter is not None
    assert matter.is_of_user("user lives in Linz")
    assert not matter.is_of_user(f"user{mark}s mother lives in Linz")


def test_what_was_before() -> None:
    assert asks_for_before("where did I live before?")
    assert asks_for_before("where did I use to live?")
    assert not asks_for_before("where did I live before the war?")
    assert not asks_for_before("where do I live?")
    assert tells_of_before("user lived in Madrid until 2020")
    assert not tells_of_before("user lives in Lisbon")


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("user used to play the oboe", True),
        ("my favourite colour was red when I was a child", True),
        ("la usuaria tocaba el oboe de niña", True),
        ("user is used to cold water", False),
        ("order 7 was refunded", False),
        ("user plays the oboe", False),
    ],
)
def test_what_says_that_it_is_over(text: str, over: bool) -> None:
    assert is_over(text) is over


@pytest.mark.parametrize(
    ("told", "works"),
    [
        ("user joined Globex", True),
        ("user just joined Acme Rockets Ltd", True),
        ("user joined the Porto office as a clerk", True),
        ("user joined the Lakeside Running Club", False),
        ("user joined LinkedIn", False),
        ("user joined a choir", False),
        ("user joined Ines for lunch at the gym", False),
        ("user joined them", False),
    ],
)
def test_who_has_joined_somebody_by_name_works_there(told: str, works: bool) -> None:
    matter = changing("which company am I at now?")
    assert matter is not None
    assert matter == changing("who do I work for?")
    assert (matter.told.search(told) is not None) is works
    assert (matter.said.search(told.replace("user", "I")) is not None) is works


@pytest.mark.parametrize(
    ("question", "told", "said", "other"),
    [
        ("what's my name?", "user wants to be called Abi", "please call me Abi", "user called the bank"),
        ("when do I wake up?", "user gets up at 6", "I get up at 6", "user gets migraines"),
        ("where am I from?", "user was born in Oulu", "I grew up in Oulu", "user was bored in Oulu"),
    ],
)
def test_what_is_told_in_common_words(question: str, told: str, said: str, other: str) -> None:
    matter = otherwise(question)
    assert matter is not None
    assert matter.told.search(told)
    assert matter.said.search(said)
    assert not matter.told.search(other)
    assert otherwise("what's my cat's name like?") is None
