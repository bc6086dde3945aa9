"""Which questions ask for all that is known of the user."""

from __future__ import annotations

import pytest

from recollect.text.overview import LONGEST, about_user


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
        "what do you know about me? " * (LONGEST // 20),
    ],
)
def test_something_else(question: str) -> None:
    assert not about_user(question)
