"""What comes first when there is little room, what kind of thing it is, and what is not worth a place."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recollect.records import Message
from recollect.remember.extract import extract

SAID = datetime(2026, 3, 5, 14, 30, tzinfo=UTC)


def learned(*texts: str, start: int = 1) -> dict[str, str | None]:
    messages = [
        Message(conversation="c", seq=seq, id=str(seq), role="user", content=text, created_at=SAID)
        for seq, text in enumerate(texts, start)
    ]
    return {one.text: one.category for one in extract(messages)}


ENGLISH = (
    "My name is Joan.",
    "I live in Bath.",
    "I work as a plumber.",
    "My wife Ines is a pilot.",
    "I have two daughters.",
    "I grew up on a farm in Kent.",
)
SPANISH = ("Me llamo Eva.", "Vivo en Lugo.", "Trabajo como fontanera.", "Tengo dos hijas.", "Nací en Cuba.")


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I'm fructose intolerant.", "user is fructose intolerant"),
        ("I have epilepsy.", "user has epilepsy"),
        ("I take insulin.", "user takes insulin"),
        ("I'm pregnant.", "user is pregnant"),
        ("I can't eat gluten.", "user can't eat gluten"),
        ("My son is allergic to wasps.", "user's son is allergic to wasps"),
        ("Soy celíaca.", "usuario es celíaca"),
        ("Tomo medicación para el corazón.", "usuario toma medicación para el corazón"),
        ("Mi hija es alérgica al polen.", "la hija de usuario es alérgica al polen"),
    ],
)
def test_what_could_hurt_somebody_comes_before_the_rest(text: str, fact: str) -> None:
    others = SPANISH if fact.startswith(("usuario", "la ")) else ENGLISH
    for texts in ((*others, text), (text, *others), (*others[:3], text, *others[3:])):
        for start in (1, 41):
            found = learned(*texts, start=start)
            assert found.get(fact) == "health", found


def test_a_name_is_told_once_and_kept() -> None:
    for others, name in ((ENGLISH, "user's name is Joan"), (SPANISH, "usuario se llama Eva")):
        for texts in (others, others[::-1]):
            assert name in learned(*texts, start=41)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("My favourite editor is Neovim.", "preference"),
        ("My goal is to read thirty books.", "plan"),
        ("I can't have dairy.", "health"),
        ("Mi marido es celiaco.", "health"),
        ("Tengo una cita con el médico el martes.", "health"),
        ("Tengo una reunión con el banco el martes.", "plan"),
        ("I'm on a keto diet.", "health"),
        ("I had a knee replacement.", "health"),
        ("I broke up with Lena.", "family"),
        ("I have an interview at Acme on Tuesday.", "plan"),
        ("My left knee is a bit weak.", "health"),
        ("Our CI is GitHub Actions.", "work"),
        ("My teammate Dario owns the frontend.", "work"),
        ("I take 20mg of omeprazole every morning.", "health"),
        ("My phone number is 600 123 456.", "identity"),
        ("Olga is my team lead.", "work"),
        ("Olga is my aunt.", "family"),
        ("Chess is my passion.", "preference"),
        ("I have a bad shoulder.", "health"),
        ("Tengo el hombro lesionado.", "health"),
        ("I've got a parrot.", "possession"),
        ("I drive a Volvo.", "possession"),
        ("I drive an ambulance.", "work"),
        ("My violin lesson is on Friday.", "plan"),
        ("Mi clase de canto es el lunes.", "plan"),
        ("I quit Acme.", "work"),
        ("I quit smoking in 2021.", "health"),
        ("I've got married in Rome.", "family"),
    ],
)
def test_of_what_kind_it_is(text: str, category: str) -> None:
    assert list(learned(text).values()) == [category]


@pytest.mark.parametrize(
    "text",
    [
        "I had soup for dinner.",
        "I ate a sandwich for lunch.",
        "I bought bread.",
        "I bought some butter and jam.",
        "My landlord is a complete moron.",
        "My brother is doing fine.",
        "Mi vecina es muy pesada.",
        "Call me tomorrow.",
        "Call me Monday.",
        "I want a list of rivers, please keep it short.",
    ],
)
def test_what_passes_and_what_is_only_an_opinion_is_not_learned(text: str) -> None:
    assert learned(text) == {}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Call me Ted, all my friends do.", "user is called Ted"),
        ("My friends call me Bea.", "user is called Bea"),
        ("I prefer Vue over React, please only show me Vue code.", "user prefers Vue over React"),
        ("La clase de cerámica es los martes.", "la clase de cerámica de usuario es los martes"),
        ("I bought a canoe.", "user bought a canoe"),
        ("I had a horse as a child.", "user had a horse as a child"),
    ],
)
def test_what_is_told_beside_a_request_or_without_a_my_is_learned(text: str, fact: str) -> None:
    assert list(learned(text)) == [fact]


@pytest.mark.parametrize(
    "text",
    [
        "I take warfarin, so I have to be careful with cranberry",
        "I'm on metformin",
        "I no longer take allopurinol",
        "I have gout and take allopurinol",
        "my mum takes bisoprolol",
        "tomo levotiroxina cada mañana",
        "mi madre toma enalapril",
        "ya no tomo atorvastatina",
    ],
)
def test_a_medicine_is_known_by_its_name(text: str) -> None:
    others = ["I live in Leeds.", "My sister is a pilot.", "I have two sons.", "I work at Siemens."]
    assert [kind for kind in learned(*others, text).values() if kind == "health"] == ["health"]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I take prednisone", "health"),
        ("I'm on gabapentin", "health"),
        ("I take quetiapine at night", "health"),
        ("My terrapin is called Bob", "identity"),
        ("My fence is made of serpentine", "identity"),
    ],
)
def test_what_is_a_medicine(text: str, category: str) -> None:
    assert list(learned(text, start=30).values()) == [category]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I stopped playing tennis", "user stopped playing tennis"),
        ("I no longer use Vim", "user no longer uses Vim"),
        ("I don't go to the gym anymore", "user doesn't go to the gym anymore"),
        ("I no longer attend the choir", "user no longer attends the choir"),
        ("I stopped eating meat", "user stopped eating meat"),
        ("ya no juego al tenis", "usuario ya no juega al tenis"),
        ("ya no uso Windows", "usuario ya no usa Windows"),
        ("I suffer from gout, and take lithium, 300 mg daily", "user takes lithium, 300 mg daily"),
        ("corro cada mañana por el río", "usuario corre cada mañana por el río"),
    ],
)
def test_what_is_a_habit_or_one_no_longer_is_learned(text: str, fact: str) -> None:
    assert fact in learned(text, start=30)


@pytest.mark.parametrize(
    "text",
    [
        "I no longer see the error",
        "I don't get the error anymore",
        "I don't want it anymore",
        "ya no tengo el error",
        "ya no puedo más",
        "I stopped caring",
    ],
)
def test_what_is_over_in_the_talk_is_not_learned(text: str) -> None:
    assert learned(text, start=30) == {}


@pytest.mark.parametrize(
    ("text", "fact", "category"),
    [
        ("I'm Danish by the way", "user is Danish", "identity"),
        ("i'm polish", "user is polish", "identity"),
        ("I'm half Greek", "user is half Greek", "identity"),
        ("I'm French but live in Berlin", "user is French", "identity"),
        ("I'm Nadia Ferro, based in Oslo", "user is Nadia Ferro, based in Oslo", "identity"),
        ("Buenas, soy Iker", "usuario es Iker", "identity"),
        ("soy Vega, enfermera", "usuario es Vega, enfermera", "work"),
        ("soy argentino", "usuario es argentino", "identity"),
    ],
)
def test_who_says_who_they_are_is_known(text: str, fact: str, category: str) -> None:
    assert learned(text, start=30).get(fact) == category
