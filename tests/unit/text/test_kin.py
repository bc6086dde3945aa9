"""The words in which people tell what a question asks for."""

from __future__ import annotations

import pytest

from recollect.text.kin import (
    asks_for_favourite,
    asks_for_tastes,
    binding,
    forbids,
    harmless,
    in_other_sense,
    is_own,
    kin,
    no_favourite,
    of_other_taste,
    other_favourite,
    tells_of,
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("dietary preferences", "vegetarian"),
        ("food dislikes", "vegetarian"),
        ("my likes and dislikes", "hates"),
        ("What do I like?", "prefers"),
        ("What do I like?", "like"),
        ("What do I hate?", "dislikes"),
        ("What don't I like?", "hates"),
        ("how old is she?", "born"),
        ("contact details", "phone"),
        ("siblings", "sister"),
        ("how should I be contacted?", "whatsapp"),
        ("which football team do I support?", "roots"),
        ("my favourite rugby club", "fan"),
        ("part-time job", "works"),
        ("what's my job?", "beekeeper"),
        ("what food do I love?", "dish"),
        ("who do I report to?", "manager"),
        ("programming languages", "python"),
        ("what's my operating system?", "linux"),
        ("what did I study at university?", "studied"),
        ("what language am I studying?", "learning"),
        ("what do I do on weekends?", "saturday"),
        ("where did I live before?", "moved"),
        ("any trips coming up?", "holidays"),
        ("what trips do I have planned?", "flies"),
        ("how should you format your replies?", "bullet"),
        ("what are my hobbies?", "collects"),
        ("who does my taxes?", "accountant"),
        ("can I eat bread?", "gluten"),
        ("am I allowed to eat blue cheese?", "lactose"),
        ("what tablet do I use?", "ipad"),
        ("what was my old job?", "retired"),
        ("what do I do?", "engineer"),
        ("what do I want to become?", "hopes"),
        ("career goals", "hopes"),
        ("love life", "girlfriend"),
        ("am I in a relationship?", "girlfriend"),
        ("what food do I dislike?", "hates"),
        ("who works for me?", "staff"),
        ("past injuries", "broke"),
        ("have I ever broken a bone?", "broke"),
        ("mental health", "adhd"),
        ("do I have a heart condition?", "pacemaker"),
        ("mobility issues", "wheelchair"),
        ("am I vegan?", "meat"),
        ("financial situation", "owes"),
        ("what games do I play?", "plays"),
        ("should we get a puppy?", "dog"),
        ("should I have dessert?", "diabetes"),
    ],
)
def test_a_matter_is_told_in_other_words(question: str, told: str) -> None:
    assert told in kin(question).split()


def test_liking_is_not_told_as_hating() -> None:
    assert {"hates", "dislikes", "odia"}.isdisjoint(kin("What do I like?").split())
    assert {"likes", "loves", "gusta"}.isdisjoint(kin("What do I dislike?").split())
    assert {"likes", "hates"} <= set(kin("my likes and dislikes").split())
    assert of_other_taste("What do I like?", "user does not like olives")
    assert of_other_taste("What do I dislike?", "user likes figs")
    assert not of_other_taste("What do I dislike?", "user doesn't really like olives")
    assert not of_other_taste("my likes and dislikes", "user hates olives")
    assert not of_other_taste("where do I live?", "user hates olives")
    assert asks_for_tastes("what do I love?")
    assert not asks_for_tastes("what do I like for dinner?")


@pytest.mark.parametrize("question", ["food poisoning", "music and books", "likes of the video", "dislikes"])
def test_what_asks_for_something_else_too_has_no_words(question: str) -> None:
    assert "vegetarian" not in kin(question)
    assert (kin(question) == "") == (question != "dislikes")


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("User lives in Leeds", True),
        ("user's email is a@b.c", True),
        ("la usuaria vive en Vigo", True),
        ("User's old friends live in Leeds", False),
        ("user's daughter is ill", False),
        ("Theo is allergic to peanuts", False),
    ],
)
def test_what_is_told_of_the_user(text: str, own: bool) -> None:
    assert is_own(text) is own


@pytest.mark.parametrize(
    ("text", "harm"),
    [
        ("user can't eat nuts", True),
        ("user cannot have any dairy", True),
        ("cats make me sneeze", True),
        ("milk doesn't agree with me", True),
        ("user is allergic to lilies", True),
        ("user no puede comer marisco", True),
        ("user eats nuts every day", False),
        ("user can eat anything", False),
        ("user does not eat meat", False),
    ],
)
def test_what_harms_somebody_is_as_good_as_an_allergy(text: str, harm: bool) -> None:
    assert harmless("what am I allergic to?", text) is not harm
    assert not harmless("dietary restrictions and allergies", text)
    assert not harmless("what shall I cook?", text)
    assert forbids(text) or not harm


def test_what_somebody_does_not_eat_is_not_to_be_given_to_them() -> None:
    assert forbids("user does not eat red meat")
    assert forbids("user never drinks wine")
    assert not forbids("user eats meat")
    assert "eat" in binding("dinner ideas").split()


@pytest.mark.parametrize(
    ("question", "favourite"),
    [
        ("what's my favourite restaurant?", True),
        ("favorite wine", True),
        ("cook my favourite dinner", False),
        ("what shall I cook?", False),
    ],
)
def test_no_allergy_is_a_favourite(question: str, favourite: bool) -> None:
    assert asks_for_favourite(question) is favourite
    assert (binding(question) == "") is favourite
    assert no_favourite(question, "user reads at breakfast") is favourite
    assert no_favourite(question, "user is allergic to the food that they love") is favourite
    assert not no_favourite(question, "user loves the Blue Door")


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("user runs a flower shop", True),
        ("user runs a half marathon", False),
        ("user runs along the river", False),
        ("user is running out of ink, and plays chess", False),
        ("user likes figs", False),
        ("user moved the herbs", True),
        ("user takes the bus", True),
        ("user takes sertraline", False),
        ("user broke up with Ines", True),
        ("user broke a rib", False),
        ("user drives to the coast", True),
        ("user drives a Volvo", False),
        ("user takes the bus home", True),
        ("user has a home in Leeds", False),
        ("user stands all day", True),
        ("user cannot stand figs", False),
    ],
)
def test_who_runs_a_shop_is_no_runner(text: str, other: bool) -> None:
    words = "plays runs running moved takes broke drives home stand"
    assert in_other_sense(words, text) is other


@pytest.mark.parametrize(
    ("said", "tells"),
    [
        ("It rains. I'm vegetarian, by the way.", True),
        ("what could I cook for my dinner?", False),
        ("The restaurant burnt down.", False),
        ("I like figs.", False),
    ],
)
def test_what_somebody_tells_of_themselves(said: str, tells: bool) -> None:
    assert tells_of(kin("dinner ideas"), said) is tells


def test_goals_beside_a_matter_ask_for_what_is_wanted() -> None:
    assert {"hopes", "plans"} <= set(kin("career goals").split())
    assert "engineer" not in kin("career goals").split()


def test_who_books_a_table_asks_for_no_book() -> None:
    assert kin("what have I booked?") == ""


def test_a_favourite_of_another_kind() -> None:
    assert other_favourite("what is my favourite colour?", "user's favourite dish is laksa")
    assert not other_favourite("what is my favourite food?", "user's favourite dish is laksa")
    assert not other_favourite("what is my favourite colour?", "user paints everything teal")
    assert not other_favourite("what is my favourite team?", "user's favourite hurling team is Cork")


def test_a_son_is_somebody() -> None:
    assert kin("where does my son live?") == kin("what's my son's wife called?") == ""
    assert "gato" in kin("¿qué mascotas son?").split()
