"""Nothing is learned from talk about nothing, from what was pasted, and from what was recalled."""

from __future__ import annotations

import pytest

from junk import PASTED, RECALLED, REQUESTS, SAID, SMALL_TALK, turns
from recollect.records import Message
from recollect.remember.compare import read
from recollect.remember.extract import corrections, extract
from steps import calls_of


def test_a_thousand_turns_of_junk_leave_next_to_nothing() -> None:
    messages = turns(1000)
    learned = [one for start in range(0, 1000, 10) for one in extract(messages[start : start + 10])]
    distinct = {one.text for one in learned}  # what is said again only refreshes what is there
    assert len(distinct) < 10, distinct
    assert not [text for text in distinct if text.startswith(("user", "usuario"))]


@pytest.mark.parametrize("text", SMALL_TALK + REQUESTS + PASTED + RECALLED)
def test_nothing_is_learned_from(text: str) -> None:
    message = Message(conversation="c", seq=1, id="1", role="user", content=text, created_at=SAID)
    assert [one.text for one in extract([message])] == []


@pytest.mark.parametrize(
    "text",
    [
        "I live in the cloud.",
        "I live on a server in a data centre.",
        "I have a neural network for a brain.",
        "My home is the internet, and I am made of code.",
        "Vivo en la nube.",
    ],
)
def test_an_assistant_says_nothing_of_itself_as_a_machine(text: str) -> None:
    message = Message(conversation="c", seq=1, id="1", role="assistant", content=text, created_at=SAID)
    assert [one.text for one in extract([message])] == []


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I live in Narva. Translate into Dutch: I live in Tartu.", ["user lives in Narva"]),
        ("My cousin wrote: 'I'm a pilot. I live in Tartu.' I live in Narva.", ["user lives in Narva"]),
        ('She said "I am a pilot and I live in Tartu." I live in Narva.', ["user lives in Narva"]),
        ('My favourite novel is "The Old Man and the Sea".',
         ['user\'s favourite novel is "The Old Man and the Sea"']),
        ("My parents' house is in Narva.", ["user's parents' house is in Narva"]),
    ],
)  # fmt: skip
def test_beside_what_is_quoted_a_persons_own_words_are_learned(text: str, facts: list[str]) -> None:
    message = Message(conversation="c", seq=1, id="1", role="user", content=text, created_at=SAID)
    assert [one.text for one in extract([message])] == facts


def test_many_short_sentences_are_not_all_compared_with_each_other() -> None:
    said = ["*Rome\n" * 990, "".join(f"I like x{number}. " for number in range(300))]
    messages = [
        Message(
            conversation="c",
            seq=seq,
            id="1",
            role="assistant" if seq % 2 else "user",
            content=text,
            created_at=SAID,
        )
        for seq, text in enumerate(["Do you like tea?", said[0], "Do you like tea?", said[0]], 1)
    ]
    with calls_of(corrections._spots) as looked_at:  # pyright: ignore[reportPrivateUsage]
        assert extract(messages) == []
    assert len(looked_at) < 5000
    message = Message(conversation="c", seq=1, id="1", role="user", content=said[1], created_at=SAID)
    with calls_of(read) as readings:
        assert len(extract([message])) == 3
    assert len(readings) <= 300


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Translate to Spanish: I am pregnant and I live in Narva", "Estoy embarazada y vivo en Narva."),
        ("can you draft a dating profile?", "I'm a nurse from Ghent and I love hiking."),
        ("I need a speech for my sister's wedding", "My sister is my best friend. I grew up in Bergen."),
        ("How would I say that in English?", "I live in Narva."),
        ("Escríbeme una carta de presentación", "Soy enfermera en Valencia y vivo en Ruzafa."),
        ("what would you do if I was colour-blind?", "I'd use shapes as well as colours."),
        ("What should I cook?", "I would cook a risotto with mushrooms."),
    ],
)
def test_a_text_that_was_asked_for_says_nothing_of_its_writer(asked: str, answer: str) -> None:
    said = [
        Message(conversation="c", seq=31, id="31", role="user", content=asked, created_at=SAID),
        Message(conversation="c", seq=32, id="32", role="assistant", content=answer, created_at=SAID),
    ]
    assert [one.text for one in extract(said) if one.text.startswith(("agent", "agente"))] == []


def test_an_assistant_that_is_asked_about_itself_tells_what_it_plays() -> None:
    said = [
        Message(conversation="c", seq=1, id="1", role="user", content="Where do you live?", created_at=SAID),
        Message(conversation="c", seq=2, id="2", role="assistant", content="I live in Tortuga.", created_at=SAID),
    ]
    assert [one.text for one in extract(said)] == ["agent lives in Tortuga"]
