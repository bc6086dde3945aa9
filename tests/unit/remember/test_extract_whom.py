"""Whom "she", or a name, is about, where the speaker says so before, and where nobody can tell."""

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


def test_a_name_cites_the_message_that_says_whose_it_is() -> None:
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
def test_nobody_is_guessed_by_a_name(said: list[str]) -> None:
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
