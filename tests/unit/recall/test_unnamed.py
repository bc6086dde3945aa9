from __future__ import annotations

import pytest

from recollect.recall.question import marked_words, sought, unnamed


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("How heavy is Bruno?", "How heavy is ?"),
        ("What is Bruno's favourite toy?", "What is favourite toy?"),
        ("Where did Bruno and Mila hike with the GR20 map?", "Where did and hike with the map?"),
        ("What did O'Brien tell Anna-Lena’s brother about Ann?", "What did tell brother about ?"),
        ("Which annual fee does Ann pay?", "Which annual fee does pay?"),
        ("Who is Bruno?", None),
        ("What does Bruno like?", None),
        ("What did Bruno do in May?", None),
        ("how heavy is the dog?", None),
        ("¿Cuánto pesa Bruno?", None),
    ],
)
def test_a_question_without_its_names_is_one_only_if_it_asks_for_something(
    question: str, rest: str | None
) -> None:
    found = unnamed(question, marked_words(question), sought(question))
    assert (found and " ".join(found.split())) == rest


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Friends come over. Any ideas? Does Bruno like fish?", ["Bruno"]),
        ("Ana: I am tired\nBen: Work was long with Ines today", ["Ines"]),
        ('She said: "Dinner is ready!" Later Tom came', ["Tom"]),
        ("Where is Bruno? Bruno is gone", ["Bruno"]),
        ("Bruno is gone. Mila is here", []),
        ("Clara's boat", ["Clara"]),
        ("is the GR20 open, and x-77?", ["GR20", "x-77"]),
    ],
)
def test_what_begins_a_sentence_is_no_name(text: str, names: list[str]) -> None:
    assert list(marked_words(text)) == names
