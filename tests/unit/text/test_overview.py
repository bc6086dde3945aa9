"""Which questions ask for nothing in particular."""

from __future__ import annotations

import pytest

from recollect.text.overview import LONGEST, about_user, is_small_talk, said_lately


@pytest.mark.parametrize(
    "question",
    [
        "What do you know about me?",
        "Hi! What have you learned about me so far?",
        "what's stored about the user",
        "Tell me everything you remember about me, please",
        "tell me about myself",
        "Who am I?",
        "describe me",
        "Do you know me?",
        "user profile",
        "summary of the user",
        "my personal details",
        "Get all my memories",
        "What do you remember?",
        "¿Qué sabes de mí?",
        "¿quién soy?",
        "O que você sabe sobre mim?",
        "Que sais-tu de moi ?",
        "Cosa sai di me?",
        "Was weißt du über mich?",
    ],
)
def test_all_that_is_known(question: str) -> None:
    assert about_user(question)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "me",
        "Tell me more",
        "tell me a joke",
        "What do you know about cats?",
        "What do you know about my cat?",
        "What does my cat think of me?",
        "Who am I meeting on Monday?",
        "what did Ana say about me?",
        "write a poem about me",
        "Is there a user manual?",
        "How do I edit my profile?",
        "who are you?",
        "¿qué opina Ana de mí?",
        "¿qué ha dicho Ana de mí?",
        "what do you know about me? " * (LONGEST // 20),
    ],
)
def test_something_else(question: str) -> None:
    assert not about_user(question)


@pytest.mark.parametrize(
    ("question", "before"),
    [
        ("What did we talk about last time?", True),
        ("What was our last conversation about?", True),
        ("when did we last speak?", True),
        ("what did I ask you before?", True),
        ("Hi! Can you summarize our previous session, please?", True),
        ("¿De qué hablamos la última vez?", True),
        ("What have we discussed so far?", False),
        ("what topics have we covered", False),
        ("what did you say?", False),
        ("¿de qué hemos hablado?", False),
        ("What did we say about taxes?", None),
        ("What did we talk about last week?", None),
        ("have we met?", None),
        ("tell me more", None),
        ("say something", None),
        ("it was a long time", None),
        ("what did we talk about last time? " * (LONGEST // 20), None),
    ],
)
def test_what_was_said_lately(question: str, before: bool | None) -> None:
    assert said_lately(question) is before


@pytest.mark.parametrize(
    "text", ["", "thanks so much!", "Ok, sounds good", "haha that is so funny", "never mind", "?"]
)
def test_what_is_said_in_passing(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize("text", ["thanks for the recipe", "my van", "good coffee", "gracias"])
def test_what_is_about_something(text: str) -> None:
    assert not is_small_talk(text)
