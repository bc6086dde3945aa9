from __future__ import annotations

import pytest

from recollect.text.inflections import (
    MOST,
    happened,
    of_oneself,
    other_forms,
    share,
    wanted,
    without_kind,
    words_in,
)
from recollect.text.languages import language


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("¿en qué trabajo?", "trabaja en un banco"),
        ("¿qué estudié?", "estudió física"),
        ("¿dónde nací?", "nació en Cuenca"),
        ("¿qué coche conduzco?", "conduce un Toyota"),
        ("¿a qué soy alérgica?", "es alérgico al polen"),
        ("¿para qué estoy ahorrando?", "ahorra para un piso"),
        ("¿de qué parezco?", "parece un actor"),
        ("wo wohne ich?", "wohnt in Bonn"),
        ("onde eu moro?", "mora em Braga"),
        ("dove lavoro io?", "lavora a Pisa"),
    ],
)
def test_a_word_is_found_in_other_forms(question: str, told: str) -> None:
    words = wanted(question, language(question))
    assert share(words, [word.occurs(words_in(told)) for word in words]) > 0.5


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("¿dónde está mi casa?", "está casado con Elena"),
        ("¿quién escribió el Lazarillo?", "escribe un diario"),
        ("¿cuál es el número de mi pasaporte?", "su número favorito es el siete"),
        ("¿quién eres tú?", "tú y yo"),
    ],
)
def test_but_not_another_word_nor_one_of_two_things(question: str, told: str) -> None:
    words = wanted(question, "es")
    assert share(words, [word.occurs(words_in(told)) for word in words]) < 0.5


def test_who_asks_may_speak_of_themselves() -> None:
    for question in ("¿fumo?", "¿cómo se llama mi perro?", "¿terminé la carrera?", "wie heißt mein Hund?"):
        assert of_oneself(question, wanted(question, language(question)))
    for question in ("¿quién ganó la liga?", "¿dónde está Quito?"):
        assert not of_oneself(question, wanted(question, "es"))


def test_what_somebody_did_is_told_in_the_past() -> None:
    words = happened("which vase did I break in the hall?")
    told = words_in("user broke a vase")
    assert [word.forms[0] for word in words if word.occurs(told)] == ["broke", "vase"]
    assert share(words, [word.occurs(words_in("user broke a rib")) for word in words]) < 0.5
    for other in ("what did I say?", "what did I cook?", "what do I break?", "how did it go?"):
        assert happened(other) == []


def test_of_a_long_text_only_the_first_words_are_looked_for_in_all_forms() -> None:
    words = wanted("quiero " + " ".join(f"palabro{chr(97 + place)}" for place in range(26)), "es")
    assert [len(word.forms) > 1 for word in words] == [place < MOST for place in range(26)]


def test_words_that_change_more_than_their_ending() -> None:
    assert other_forms("Who did I teach to swim?") == {"teach": ("taught",), "swim": ("swam", "swum")}
    assert other_forms("Whose wives and geese?") == {"wives": ("wife",), "geese": ("goose",)}
    assert other_forms("What did we do, have and paint?") == {}
    assert (
        len(
            other_forms("bite blow break bring build buy catch choose dig draw drive eat fall feed fight fly hide")
        )
        == MOST
    )


def test_what_is_called_otherwise_at_ease_or_elsewhere() -> None:
    assert "mother" in other_forms("Where is my mum?")["mum"]
    assert "bicycles" in other_forms("Whose bikes?")["bikes"]
    assert other_forms("my favourite color") == {"favourite": ("favorite",), "color": ("colour",)}
    words = happened("Where does my mom work?")
    assert share(words, [word.occurs(words_in("user's mother works in Ulm")) for word in words]) == 1
    assert share(words, [word.occurs(words_in("user works in Ulm")) for word in words]) < 0.5
    assert happened("Where does my sister work?") == []


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("Which language am I learning?", "learning"),
        ("Which orchard company did I work for?", "orchard work"),
        ("What tool do we use to weed?", "weed"),
        ("How tall is my nephew?", "nephew"),
        ("which loom i weave on", "weave"),
        ("What boat does Ida sail?", "Ida sail"),
        ("Which tool do I use?", ""),
        ("What language is spoken there?", ""),
        ("Which wood is best for a loom?", ""),
        ("Where do I live?", ""),
    ],
)
def test_of_what_kind_the_answer_is_need_not_be_said_in_english_either(question: str, rest: str) -> None:
    assert without_kind(question) == rest


def test_a_measure_that_is_asked_for_need_not_be_said_of_what_is_called_otherwise() -> None:
    words = happened("How old is my grandpa?")
    assert share(words, [word.occurs(words_in("user's grandfather is ninety")) for word in words]) > 0.5
    assert share(words, [word.occurs(words_in("user's car is old")) for word in words]) < 0.5
