"""Whom a question is about, and which statements are about them."""

from __future__ import annotations

import pytest

from recollect.text.whom import gives_name, naming, speaks_otherwise, tells_age, whom

TOLD = [
    "user lives in Bergen",
    "user's mother lives in Voss",
    "user's brother Aksel lives on a boat",
    "user's boat lies in Bergen",
    "user is a vegetarian",
    "Aksel likes herring",
    "user's colleague is called Jorunn",
]


def about(question: str, names: str = "", user: str = "u-1", stems: str = "") -> list[int]:
    asked = whom(question)
    assert asked is not None
    kept = asked.among(TOLD, names.split(), user, stems.split())
    return [place for place, one in enumerate(kept) if one]


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("Where do I live?", [0, 3, 4, 5]),
        ("where I live", [0, 3, 4, 5]),
        ("Where does my mother live?", [1, 5]),
        ("is my dad a vegetarian", [5]),
        ("Is my brother a vegetarian?", [2, 5]),
        ("What's my brother's address?", [2, 5]),
    ],
)
def test_who_asks_for_one_is_not_told_of_another(question: str, kept: list[int]) -> None:
    assert about(question) == kept


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("what pets do I have?", [True, True, False]),
        ("which dogs do I own?", [True, False, False]),
        ("what brothers do I have?", [False, False, True]),
        ("where did I live before?", [False, False, False]),
    ],
)
def test_what_one_has_may_have_a_name(question: str, kept: list[bool]) -> None:
    told = ["user's dog Rex is old", "user's cat Miso is a glutton", "user's brother Aksel lives on a boat"]
    asked = whom(question)
    assert asked is not None
    assert asked.among(told, [], "u-1", []) == kept


def test_a_name_that_is_a_word_too_is_written_as_a_name() -> None:
    assert speaks_otherwise("user will move to Rome", ["Will"])
    assert speaks_otherwise("user told us about it", ["US", "IT"])
    assert not speaks_otherwise("user's son Will will move to Rome", ["Will"])
    assert not speaks_otherwise("user gave Will the keys", ["Will"])
    assert not speaks_otherwise("user plays the oboe", ["Will"])
    assert speaks_otherwise("user flies to Rome on 3 May", ["May"])
    assert not speaks_otherwise("user's daughter May flies to Rome", ["May"])


def test_somebody_who_is_named() -> None:
    assert about("Is Wout a vegetarian?", "Wout") == about("Is Tommy a vegetarian?", "Tommy") == []
    assert about("Is Aksel a vegetarian?", "Aksel") == [2, 5]
    known = about("Does Aksel live in Bergen?", "Aksel Bergen", stems="aksel bergen")
    assert known == [2, 5], "Aksel is known to be somebody else"
    assert about("Is Ghent larger than Bergen?", "Ghent Bergen") == [0, 3], "nobody knows what Ghent is"
    assert about("Does Jorunn have a boat?", "Jorunn", stems="jorunn boat") == [5, 6]
    assert about("Does Jorunn have a boat?", "Jorunn", stems="boat") == [6], "and Aksel is somebody else"
    assert about("Does Aks have a boat?", "Aks", stems="boat") == [5], "by a short name"


@pytest.mark.parametrize(
    ("question", "name"),
    [("Does April like herring?", "april"), ("did June call?", "june"), ("Does Wout live in the US?", "wout")],
)
def test_who_is_named_like_a_month_or_in_one_breath_with_a_country(question: str, name: str) -> None:
    asked = whom(question)
    assert asked is not None
    assert asked.name == name


@pytest.mark.parametrize(
    ("name", "stem"), [("Harry", "harri"), ("Charles", "charl"), ("James", "jame"), ("Ida", "ida")]
)
def test_who_is_known_may_be_meant_where_another_is_spoken_of(name: str, stem: str) -> None:
    assert 5 in about(f"Does {name} like herring?", name, stems=f"{stem} her")
    assert 5 not in about(f"Does {name} like herring?", name, stems="her")


def test_the_user_may_be_named_too() -> None:
    assert len(about("Is Wout a vegetarian?", "Wout", user="wout@example.org")) == len(TOLD)
    asked = whom("Where does Ida live?")
    assert asked is not None
    assert asked.among(["user's name is Ida", "user lives in Bergen"], ["Ida"], "u-1", ["ida"]) == [True, True]


def test_what_somebody_of_the_users_is_told_as_without_the_name() -> None:
    asked = whom("Does Aksel have children?")
    assert asked is not None
    texts = ["user's brother Aksel lives on a boat", "user's brother has two children", "user has a child"]
    assert asked.among(texts, ["Aksel"], "u-1", ["aksel"]) == [True, True, False]


@pytest.mark.parametrize(
    "question",
    [
        "Who do I live with?",
        "What should I cook for dinner?",
        "Do I need to bring anything for the children on Monday?",
        "Is Thai food fine with me?",
        "Is Ghent near my home?",
        "Where did my wife and I meet?",
        "Is Monday free?",
        "Is May free?",
        "Did Wout tell us?",
        "What colour is my car?",
        "what is FL-231?",
        "is FL-231 fixed?",
        "was INC0042 serious?",
        "dinner ideas",
        "Where does my brother live? " * 8,
    ],
)
def test_where_in_doubt_it_may_be_about_anybody(question: str) -> None:
    assert whom(question) is None


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("user has a daughter named Lana who is 6", True),
        ("user has two kids, Ella (7) and Finn (4)", True),
        ("Tom is 70, and deaf", True),
        ("user turned 34 in May", True),
        ("user's house is 120 years old", True),
        ("user was born in 1990", True),
        ("user's rent is 620 euros", False),
        ("the bus is 5 minutes late", False),
        ("user's daughter plays the violin", False),
    ],
)
def test_what_tells_an_age(text: str, age: bool) -> None:
    assert tells_age(text) is age


def test_by_which_names_somebody_of_theirs_is_known() -> None:
    asked = whom("what does my daughter like?")
    assert asked is not None
    told = [
        "user has a daughter named Lana",
        "user's daughter Mila rides",
        "user's daughter likes Oslo",
        "Lana sings",
    ]
    assert asked.called(told) == "Lana Mila"
    own = whom("where do I live?")
    assert own is not None
    assert own.called(told) == ""


def test_what_gives_something_its_name() -> None:
    assert naming("What's the name of my boat?") == "boat"
    assert naming("what is our old boat called?") == "boat"
    assert naming("What is my boat's name?") == "boat"
    assert naming("Who called?") == naming("Where is my boat?") == naming("my user name on Etsy") == ""
    assert naming("What's my full name?") == naming("user name") == naming("what am I called?") == "user"
    for text in ("user has a boat called Selkie", "user's boat Selkie leaks", "user's boat's name is Éowyn"):
        assert gives_name(text, "boat")
    assert not gives_name("user's boat leaks in Cork", "boat")
    assert gives_name("User's name is Alice", "user")
    assert not gives_name("user's boat is called Lark", "user")


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("Do I have a sister?", [False, True]),
        ("How many brothers do I have?", [True, False]),
        ("do I have any older sisters", [False, True]),
    ],
)
def test_who_is_asked_for_is_nobody_else(question: str, kept: list[bool]) -> None:
    asked = whom(question)
    assert asked is not None
    assert asked.among(["user's brother sails", "user has a sister in Voss"], [], "u-1", []) == kept


@pytest.mark.parametrize(
    ("question", "of_user"),
    [
        ("How is my mum's health?", "How is my health?"),
        ("What does my older sister do?", "What does the user do?"),
        ("Is Aksel a vegetarian?", ""),
        ("Where do I live?", ""),
    ],
)
def test_a_question_about_somebody_of_theirs_put_about_the_user(question: str, of_user: str) -> None:
    asked = whom(question)
    assert asked is not None
    assert asked.of_user() == of_user


def test_a_name_is_given_to_one_of_a_kind() -> None:
    assert gives_name("user has two sons, Rui and Ivo", "kids")
    assert gives_name("user has a cat called Miso", "pet")
    assert not gives_name("user sails with his sons on Fridays", "kids")
    assert not gives_name("user has a boat called Kittiwake", "pet")
