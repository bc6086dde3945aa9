"""Whom a name is about, where the speaker has said who of theirs is called so, and where nobody can tell."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recollect.records import Message
from recollect.remember.extract import extract
from recollect.remember.gate import refusal
from recollect.remember.learning import Candidate

SAID = datetime(2026, 3, 5, 14, 30, tzinfo=UTC)


def found(*texts: str) -> list[Candidate]:
    """What is learned from a talk; "A: " is said by the assistant."""
    messages = [
        Message(
            "c", seq, str(seq), "assistant" if text.startswith("A: ") else "user", text.removeprefix("A: "), SAID,
            None, {}, None, None, None, None,
        )
        for seq, text in enumerate(texts, start=1)
    ]  # fmt: skip
    return [one for one in extract(messages) if refusal(one, messages) is None]


def learned(*texts: str) -> list[str]:
    return [one.text for one in found(*texts)]


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("My son Teo is 8. Teo is allergic to eggs.", "user's son Teo is allergic to eggs"),
        ("My son is called Teo. Teo's allergic to eggs.", "user's son Teo is allergic to eggs"),
        ("My daughter's name is Mia. Mia has asthma.", "user's daughter Mia has asthma"),
        ("I have two kids, Teo and Vega. Vega is celiac.", "user's kid Vega is celiac"),
        (
            "We have three daughters: Ada (9), Iris (7) and Zoe (4). Iris is diabetic.",
            "user's daughter Iris is diabetic",
        ),
        ("My wife, Joana, is a nurse. Sadly, Joana has epilepsy.", "user's wife Joana has epilepsy"),
        (
            "We have two cats, Miso and Tofu. Tofu needs insulin twice a day.",
            "user's cat Tofu needs insulin twice a day",
        ),
        (
            "Mi hija Vega tiene 5 años. Vega es alérgica al huevo.",
            "la hija de usuario, Vega, es alérgica al huevo",
        ),
        ("Tengo dos hijos, Leo de 8 y Vega de 5. Leo es celíaco.", "el hijo de usuario, Leo, es celíaco"),
        ("Tengo dos hijos, Leo de 8 y Vega de 5. Vega es celíaca.", "la hija de usuario, Vega, es celíaca"),
    ],
)
def test_a_name_is_who_was_called_so(said: str, known: str) -> None:
    assert known in learned(said)


def test_it_cites_the_message_that_says_who_it_is() -> None:
    told = found("My son Teo is 8.", "A: Happy birthday to him!", "We like hiking.", "A: Nice.", "Teo has asthma.")
    (asthma,) = [one for one in told if "asthma" in one.text]
    assert (asthma.text, asthma.first, asthma.last) == ("user's son Teo has asthma", 1, 5)


@pytest.mark.parametrize(
    "said",
    [
        ["Teo is allergic to eggs."],
        ["My son Teo is 8, and my brother Teo is 40.", "Teo is allergic to eggs."],
        ["A: My son Teo is 8.", "Teo is allergic to eggs."],
        ["My son Teo is 8.", "Teodora is allergic to eggs."],
        ["My son Teo is 8.", "Teo's teacher is allergic to eggs."],
        ["My son Teo is 8.", "Is Teo allergic to eggs?"],
        ["Tengo dos hijos, Leo y Vega.", "Vega toca el piano."],
        ["My son Leo is 8.", "Leo Tolstoy is allergic to eggs."],
        ["My daughter Rose is 3.", "Rose wine is what I am allergic to."],
        ["We have two cats, Tom and Jerry.", "Tom and Jerry is allergic to eggs."],
    ],
)
def test_nobody_is_guessed(said: list[str]) -> None:
    assert not [one for one in learned(*said) if "allergic" in one or "piano" in one]


@pytest.mark.parametrize(
    "said",
    [
        "Leo es celíaco.",
        "Leo no come gluten.",
        "Marco se rompió la pierna.",
        "Mis hijos son dos, Leo de 8 y Marco.",
    ],
)
def test_a_name_is_no_verb(said: str) -> None:
    assert not [one for one in learned(said) if "lee" in one or "marca" in one]
