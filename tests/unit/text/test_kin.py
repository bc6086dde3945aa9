"""The words in which people tell what a question asks for."""

from __future__ import annotations

import pytest

from recollect.text.kin import asks_for_tastes, is_own, kin, of_other_taste


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
