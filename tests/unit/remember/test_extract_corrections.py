"""What its speaker takes back is not learned; what takes its place is, where it is plain what that is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recollect.records import Message, Role
from recollect.remember.extract import extract
from recollect.remember.gate import refusal

SAID = datetime(2026, 3, 5, 14, 30, tzinfo=UTC)


def talk(*texts: str, start: int = 1) -> list[Message]:
    """Messages of a user; those that begin with ">" are the assistant's."""
    roles: list[Role] = ["assistant" if text.startswith("> ") else "user" for text in texts]
    return [
        Message(
            conversation="c", seq=seq, id=str(seq), role=role, content=text.removeprefix("> "), created_at=SAID
        )
        for seq, (role, text) in enumerate(zip(roles, texts, strict=True), start)
    ]


def learned(*texts: str) -> list[str]:
    messages = talk(*texts)
    found = extract(messages)
    for one in found:
        cited = [message for message in messages if one.first <= message.seq <= one.last]
        assert refusal(one, cited) is None, one.text
    return [one.text for one in found]


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        (
            ["My interview with Olga is on Friday.", "No wait, the interview with Olga is on Thursday."],
            ["user's interview with Olga is on Thursday"],
        ),
        (["My exam is on Monday.", "Actually it's Wednesday."], ["user's exam is on Wednesday"]),
        (["My exam is on Monday.", "Sorry, I meant Wednesday."], ["user's exam is on Wednesday"]),
        (["My exam is on Monday.", "> Noted.", "Wednesday, sorry."], ["user's exam is on Wednesday"]),
        (["My exam is on Monday.", "Oh, it has been moved to Friday."], ["user's exam is on Friday"]),
        (["I'm allergic to eggs.", "Correction: I'm allergic to milk, not eggs."], ["user is allergic to milk"]),
        (["I'm allergic to eggs.", "Oops, I meant sesame."], ["user is allergic to sesame"]),
        (["My cat is called Mia.", "Oops, typo: my cat is called Mila."], ["user's cat is called Mila"]),
        (["My cat is called Mia.", "I meant Mila."], ["user's cat is called Mila"]),
        (["My cat is called Mia.", "Sorry, her name is Mila."], ["user's cat is called Mila"]),
        (["I live in Bergen.", "*Bodø"], ["user lives in Bodø"]),
        (["I live in Bergen.", "I mean Bodø."], ["user lives in Bodø"]),
        (["I'm vegan.", "Actually, I'm not vegan."], ["user is not vegan"]),
        (["My exam is on Monday.", "Scratch that, it's on Friday."], ["user's exam is on Friday"]),
        (["I love oysters.", "Just kidding, I hate oysters."], ["user hates oysters"]),
        (["I'm allergic to eggs.", "That's wrong, I'm allergic to milk."], ["user is allergic to milk"]),
        (["My exam is at 9:15.", "Sorry, 9:45."], ["user's exam is at 9:45"]),
        (["My exam is on May 12.", "Sorry, May 14, because of the strike."], ["user's exam is on May 14"]),
        (
            ["Mi examen es el 12 de mayo.", "Perdona, el 14 de mayo, que es festivo."],
            ["el examen de usuario es el 14 de mayo"],
        ),
        (["I have four nephews.", "No wait, three, I miscounted."], ["user has three nephews"]),
        (["My flight to Oslo is at 7:10.", "Oops, 7:40, sorry about that."], ["user's flight to Oslo is at 7:40"]),
        (
            ["I fly to Spain in April.", "Actually, October works better, fewer crowds."],
            ["user flies to Spain in October"],
        ),
        (
            ["I have been married for twenty-nine years. Correction: thirty years, as of last Saturday."],
            ["user has been married for thirty years"],
        ),
        (
            ["My exam is on Monday.", "No wait, Tuesday, and I'm allergic to nuts."],
            ["user's exam is on Tuesday", "user is allergic to nuts"],
        ),
        (["My exam is on Monday.", "Not Monday, Tuesday."], ["user's exam is on Tuesday"]),
        (["Soy alérgico a los gatos.", "Perdón, a los perros."], ["usuario es alérgico a los perros"]),
        (["Mi examen es mañana.", "Perdona, es pasado mañana."], ["el examen de usuario es el 2026-03-07"]),
        (["Me llamo Jon.", "Ups, me llamo John."], ["usuario se llama John"]),
        (["Reminder: I'm allergic to bees."], ["user is allergic to bees"]),
        (["Importante: soy diabética."], ["usuario es diabética"]),
        (["I have two nephews.", "Sorry, three."], ["user has three nephews"]),
        (["I live in Bergen. No wait, I live in Bodø."], ["user lives in Bodø"]),
        (
            ["Mi clase de arte es el lunes.", "Perdona, es el martes."],
            ["la clase de arte de usuario es el martes"],
        ),
        (["Mi hermano vive en Quito.", "Perdón, quise decir Loja."], ["el hermano de usuario vive en Loja"]),
        (
            ["Soy alérgica al huevo.", "Corrección: soy alérgica a la leche, no al huevo."],
            ["usuario es alérgica a la leche"],
        ),
    ],
)
def test_a_correction_takes_the_place_of_what_it_corrects(said: list[str], facts: list[str]) -> None:
    assert learned(*said) == facts


@pytest.mark.parametrize(
    "said",
    [
        ["I live on a volcano. Just kidding!"],
        ["I live in Bergen.", "Scratch that."],
        ["My flight to Rome is on Monday and my flight to Oslo is on Friday.", "Actually it's Sunday."],
        ["I play the harp in a small band.", "Sorry, I meant lute."],
        ["Vivo en un faro.", "Es broma."],
        ["I live in Bergen.", "Sorry, Bodø."],
    ],
)
def test_where_the_new_value_is_not_plain_nothing_is_learned(said: list[str]) -> None:
    assert learned(*said) == []


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        (["I live in Bergen.", "> Where?", "Sorry, Kevin."], ["user lives in Bergen"]),
        (["I'm a nurse.", "Oops, thanks!"], ["user is a nurse"]),
        (["I live in Bergen.", "Sorry, Max, I need help."], ["user lives in Bergen"]),
        (["I have two nephews.", "Actually, one, I need to ask about schools."], ["user has two nephews"]),
        (["My rent is 900.", "> Here are 3 tips.", "Sorry, 2, the second one is unclear."], ["user's rent is 900"]),
        (["My exam is on Friday.", "Sorry, Monday, is the museum closed?"], ["user's exam is on Friday"]),
        (["My exam is on May 12.", "Oh wait, 3 questions, then I'm done."], ["user's exam is on May 12"]),
        (["My exam is on Monday.", "> And is the gym open on Friday?", "Actually it's Sunday."],
         ["user's exam is on Monday"]),
        (["I play the harp.", "Actually, I play the lute too."], ["user plays the harp", "user plays the lute"]),
        (["I meant to buy a boat.", "I have a small farm."], ["user has a small farm"]),
    ],
)  # fmt: skip
def test_what_only_sounds_like_a_correction_changes_nothing(said: list[str], facts: list[str]) -> None:
    assert learned(*said) == facts


@pytest.mark.parametrize(
    ("first", "then", "was", "now"),
    [
        ("I like coffee.", "I don't like coffee.", "user likes coffee", "user doesn't like coffee"),
        ("I live in Turin.", "I live in Genoa.", "user lives in Turin", "user lives in Genoa"),
        ("I work at Acme.", "I work at Initech.", "user works at Acme", "user works at Initech"),
        (
            "I drink wine every day.",
            "I no longer drink wine.",
            "user drinks wine every day",
            "user no longer drinks wine",
        ),
        (
            "Me gusta el vino.",
            "Ya no me gusta el vino.",
            "a usuario le gusta el vino",
            "a usuario ya no le gusta el vino",
        ),
        ("Bebo vino.", "Ya no bebo vino.", "usuario bebe vino", "usuario ya no bebe vino"),
    ],
)
def test_what_was_contradicted_is_never_learned_without_what_contradicts_it(
    first: str, then: str, was: str, now: str
) -> None:
    assert now in learned(first, then)
    # Facts that are worth more leave little place for either.
    others = ("I have two daughters, Eva and Ida.", "I have diabetes.", "My wife Ines is a surgeon.")
    for texts in ((first, *others, then), (*others, first, then), (*others[:1], first, *others[1:], then)):
        found = learned(*texts)
        assert was not in found or now in found


def test_what_was_denied_and_said_anew_in_one_breath_is_told_once() -> None:
    assert learned("Ya no vivo en Lugo, ahora vivo en Vigo.") == ["usuario vive en Vigo"]
    assert learned("I don't work at Acme anymore, now I work at Initech.") == ["user works at Initech"]


def test_nobody_takes_back_what_somebody_else_said() -> None:
    messages = [
        Message(conversation="c", seq=seq, id=str(seq), role="user", content=text, created_at=SAID, name=name)
        for seq, (name, text) in enumerate([("Ana", "I live in Bergen."), ("Eva", "No wait, I live in Oslo.")], 1)
    ]
    assert [one.text for one in extract(messages)] == ["Ana lives in Bergen", "Eva lives in Oslo"]


@pytest.mark.parametrize(
    ("sentence", "facts"),
    [
        ("Odio los aviones, prefiero el barco.", ["usuario odia los aviones", "usuario prefiere el barco"]),
        ("Soy pintora, vivo en Jaén y tengo dos gatos.",
         ["usuario es pintora", "usuario vive en Jaén", "usuario tiene dos gatos"]),
        ("Tengo un coche que compré en Burgos.", ["usuario tiene un coche que compró en Burgos"]),
        ("Me gusta el dibujo, canto y baile.", ["a usuario le gusta el dibujo, canto y baile"]),
    ],
)  # fmt: skip
def test_no_spanish_memory_is_left_in_the_first_person(sentence: str, facts: list[str]) -> None:
    assert sorted(learned(sentence)) == sorted(facts)


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        ("Me mudé a León.", "usuario se mudó a León"),
        ("Conduzco un camión.", "usuario conduce un camión"),
        ("Vivimos en Lima.", "usuario vive en Lima"),
        ("Compré un barco que pinté yo mismo.", "usuario compró un barco que pintó"),
        ("Tengo un loro que me despierta.", "usuario tiene un loro que le despierta"),
    ],
)
def test_what_is_put_into_the_third_person_is_still_grounded(sentence: str, fact: str) -> None:
    assert learned(sentence) == [fact]
