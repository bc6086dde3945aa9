"""Whom "she" is about, where the sentence before it says so, and where nobody can tell."""

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
        ("My daughter Zoe is 7. She's allergic to eggs.", "user's daughter Zoe is allergic to eggs"),
        ("My mum lives in Leeds. She has diabetes.", "user's mum has diabetes"),
        ("My mum lives in Leeds. She has diabetes. She's 70.", "user's mum is 70"),
        ("My wife is pregnant. She’s due in May.", "user's wife is due in May"),
        ("My older brother lives in Oslo. He's got asthma.", "user's older brother has got asthma"),
        ("My dog is called Rex. Sadly he's diabetic.", "user's dog is diabetic"),
        ("We just got a kitten, she's called Olive.", "user got a kitten called Olive"),
        ("We adopted a puppy, and his name is Max.", "user adopted a puppy named Max"),
    ],
)
def test_he_and_she_are_who_was_named_before(said: str, known: str) -> None:
    assert known in learned(said)


def test_it_cites_the_message_that_says_who_it_is() -> None:
    told = found("My daughter Zoe is 7.", "A: How lovely!", "She's allergic to eggs.")
    (allergy,) = [one for one in told if "allergic" in one.text]
    assert (allergy.text, allergy.first, allergy.last) == ("user's daughter Zoe is allergic to eggs", 1, 3)


@pytest.mark.parametrize(
    "said",
    [
        ["My sister visited my aunt. She's allergic to eggs."],
        ["My brother lives in Rome. She's allergic to eggs."],
        ["My sister told me about her. She's allergic to eggs."],
        ["My daughter's teacher is kind. She's allergic to eggs."],
        ["My daughters are seven. She's allergic to eggs."],
        ["My daughter Zoe is 7.", "A: And how is your mother?", "She's allergic to eggs."],
        ["My daughter Zoe is 7.", "What a day!", "Oh well.", "She's allergic to eggs."],
        ["I met Anna at work. She's allergic to eggs."],
    ],
)
def test_where_it_may_be_somebody_else_nothing_is_learned(said: list[str]) -> None:
    assert not [text for text in learned(*said) if "eggs" in text]


@pytest.mark.parametrize("feeling", ["a bit stressed", "so exhausted", "really frustrated", "overwhelmed"])
def test_how_somebody_feels_just_now_is_not_learned(feeling: str) -> None:
    assert not [text for text in learned(f"Our oven broke so I'm {feeling}.") if feeling in text]


def test_two_things_about_one_person_are_not_one() -> None:
    assert set(learned("My daughter Zoe is a nurse. She is celiac.")) == {
        "user's daughter Zoe is a nurse",
        "user's daughter Zoe is celiac",
    }


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Mi hija se llama Zoe y es alérgica al huevo.", "la hija de usuario, Zoe, es alérgica al huevo"),
        ("Mi hija Zoe tiene 7 años. Es alérgica al huevo.", "la hija de usuario, Zoe, es alérgica al huevo"),
        ("Mi hija Zoe tiene 7 años. Ella es alérgica al huevo.", "la hija de usuario, Zoe, es alérgica al huevo"),
        ("Mi madre vive en Sevilla. Además, tiene asma.", "la madre de usuario tiene asma"),
        ("Mi hermano vive en Lugo. Es celíaco.", "el hermano de usuario es celíaco"),
        ("Mi perro Toby tiene 5 años. No puede comer pollo.", "el perro de usuario, Toby, no puede comer pollo"),
    ],
)
def test_in_spanish_nobody_needs_to_be_named_twice(said: str, known: str) -> None:
    assert known in learned(said)


def test_in_spanish_each_thing_that_is_known_of_somebody_stands_by_itself() -> None:
    assert set(learned("Mi novia se llama Clara, es vegana y trabaja en un banco.")) == {
        "la novia de usuario se llama Clara",
        "la novia de usuario, Clara, es vegana",
        "la novia de usuario, Clara, trabaja en un banco",
    }
    (one,) = learned("Mi hija es alérgica al huevo, a la leche y al trigo.")
    assert one == "la hija de usuario es alérgica al huevo, a la leche y al trigo"


def test_in_spanish_too_it_cites_the_message_that_says_who_it_is() -> None:
    told = found("Mi hija Zoe tiene 7 años.", "A: ¡Qué bien!", "Es alérgica al huevo.")
    assert [(one.first, one.last) for one in told if "huevo" in one.text] == [(1, 3)]


@pytest.mark.parametrize(
    "said",
    [
        ["Mi hija Zoe vive en Lyon. Es una ciudad preciosa."],
        ["Mi hija vive con Pablo. Es alérgico al huevo."],
        ["Mi hermana vive con su marido. Es alérgica al huevo."],
        ["Mi madre y mi hermana viven en Lugo. Es alérgica al huevo."],
        ["Mis hijas viven en Lugo. Es alérgica al huevo."],
        ["Mi hija Zoe tiene 7 años.", "A: ¿Y tu hermana?", "Es alérgica al huevo."],
        ["Hoy hace sol. Es alérgica al huevo."],
        ["Es alérgica al huevo."],
    ],
)
def test_in_spanish_too_nothing_is_learned_where_it_may_be_somebody_else(said: list[str]) -> None:
    assert not [one for one in learned(*said) if "alérgic" in one or "preciosa" in one]


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Mi hijo Leo no puede comer gluten.", "el hijo de usuario, Leo, no puede comer gluten"),
        ("Mi marido no come carne.", "el marido de usuario no come carne"),
        ("Mi madre ya no trabaja en el banco.", "la madre de usuario ya no trabaja en el banco"),
    ],
)
def test_what_somebody_of_theirs_does_not_do_is_learned_in_spanish(said: str, known: str) -> None:
    assert known in learned(said)


@pytest.mark.parametrize("said", ["Estoy un poco cansada hoy.", "Estoy muy estresado con el trabajo."])
def test_how_somebody_feels_just_now_is_not_learned_in_spanish(said: str) -> None:
    assert learned(said) == []
