"""What short answers say together with their questions, and what they are cited from."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.records import Message, Role
from recollect.remember.extract import extract
from recollect.remember.extract.answers import completed
from recollect.remember.gate import refusal

SAID = datetime(2026, 3, 5, 14, 30, tzinfo=UTC)

ANSWERS = [
    ("Do you have any pets?", "Yes, two parrots.", "user has two parrots"),
    ("Do you have any children?", "No, I don't.", "user doesn't have any children"),
    ("Nice! Do you like sailing?", "I do! It calms me.", "user likes sailing"),
    ("Are you married?", "Yes, I am.", "user is married"),
    ("So, where do you live?", "In Ghent.", "user lives in Ghent"),
    ("Where are you from?", "New Zealand!", "user is from New Zealand"),
    ("What do you do for a living?", "A plumber, you?", "user is a plumber"),
    ("What's your favourite colour?", "Teal.", "user's favourite colour is teal"),
    ("What is your favourite opera?", "Mine is Carmen, what's yours?", "user's favourite opera is Carmen"),
    ("How many goats do you have?", "Just three.", "user has three goats"),
    ("How many goats do you have?", "Three.", "user has three goats"),
    ("Do you have any pets?", "A parrot called Rex.", "user has a parrot called Rex"),
    ("Do you have any allergies?", "Yes, peanuts.", "user has an allergy to peanuts"),
    ("Any allergies?", "Peanuts and shellfish.", "user has an allergy to peanuts and shellfish"),
    ("What are you allergic to?", "Penicillin.", "user is allergic to penicillin"),
    ("Do you have any dietary restrictions?", "No gluten or dairy.", "user's dietary restriction is no gluten or dairy"),
    ("How old are you?", "34.", "user is 34"),
    ("What's your budget?", "Around 500 euros.", "user's budget is around 500 euros"),
    ("When is your birthday?", "4 July.", "user's birthday is 4 July"),
    ("What do you do?", "Nurse at the city hospital.", "user is a nurse at the city hospital"),
    ("Could you confirm the delivery address?", "It's Dock Road 14, Leeds.", "user's delivery address is Dock Road 14, Leeds"),
    ("What's your email?", "ana@example.org", "user's email is ana@example.org"),
    ("Where are you based?", "Berlin", "user is based in Berlin"),
    ("Which framework are you using?", "FastAPI with SQLAlchemy", "user uses FastAPI with SQLAlchemy"),
    ("Which time zone are you in?", "CET", "user's time zone is CET"),
    ("What OS are you on?", "Arch Linux", "user's OS is Arch Linux"),
    ("What language do you code in?", "mostly Go", "user codes in Go"),
    ("Do you have kids?", "Yes, a daughter, she's 4.", "user has a daughter"),
    ("Any dietary restrictions?", "vegan, and no nuts", "user's dietary restriction is vegan, and no nuts"),
    ("Are you vegetarian?", "Yes, since 2019", "user is vegetarian since 2019"),
    ("¿Dónde vives?", "En Gijón", "usuario vive en Gijón"),
    ("Encantada. ¿Cómo te llamas?", "Iñaki", "usuario se llama Iñaki"),
    ("¿Tienes alguna alergia?", "Sí, a los cacahuetes", "usuario tiene alergia a los cacahuetes"),
    ("¿De dónde eres?", "De Rosario.", "usuario es de Rosario"),
    ("¿Cuántos años tienes?", "34", "usuario tiene 34 años"),
    ("¿Cuál es tu color favorito?", "Verde oliva", "el color favorito de usuario es Verde oliva"),
]  # fmt: skip


def message(seq: int, content: str, role: Role = "user") -> Message:
    return Message(conversation="c", seq=seq, id=str(seq), role=role, content=content, created_at=SAID)


@pytest.mark.parametrize(("question", "answer", "learned"), ANSWERS)
def test_an_answer_is_completed_by_its_question(question: str, answer: str, learned: str) -> None:
    messages = [message(21, "Hello!"), message(22, question, "assistant"), message(23, answer)]
    (candidate,) = extract(messages)
    assert candidate.text == learned
    assert (candidate.first, candidate.last) == (22, 23)
    assert refusal(candidate, messages[1:]) is None
    assert refusal(candidate, messages[2:]) == "not_grounded" or candidate.text.split()[-1] in answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Are you sure?", "Yes."),
        ("Do you want me to delete the file?", "Yes, please."),
        ("Do you know what I mean?", "Yes."),
        ("Do you need help with that?", "No."),
        ("Do you like tea or coffee?", "Yes!"),
        ("Have you heard of it?", "Yes, I have."),
        ("What's your name?", "Hi! Good to see you."),
        ("What's your favourite part of it?", "I don't know."),
        ("Opera is great.", "Me too!"),
        ("Where do you live?", "That is none of your business."),
        ("Do you have any allergies?", "No idea."),
        ("Do you have any allergies?", "None."),
        ("Do you have any dietary restrictions?", "None at all!"),
        ("Do you have any dietary restrictions?", "No idea."),
        ("Any allergies?", "Why do you ask?"),
        ("What do you do?", "Sales."),
        ("How old is your house?", "34."),
        ("Could you share your password?", "hunter22"),
        ("Could you confirm the order?", "Yes, please do."),
        ("Which one do you use?", "That one."),
        ("¿Seguro?", "Sí."),
        ("¿Dónde vives?", "No te lo digo."),
        ("¿Cómo te llamas?", "¿Por qué?"),
        ("¿Tienes alergias?", "Ninguna."),
    ],
)
def test_what_only_keeps_the_talk_going_is_not_learned(question: str, answer: str) -> None:
    assert extract([message(1, question, "assistant"), message(2, answer)]) == []


def test_a_question_must_come_right_before_its_answer() -> None:
    asked = message(21, "Are you married?", "assistant")
    assert extract([asked, message(23, "Yes, I am.")]) == []
    assert extract([asked, message(22, "A wedding page", "tool"), message(23, "Yes, I am.")]) == []
    assert extract([message(21, "Are you married?", "tool"), message(22, "Yes, I am.")]) == []


@given(st.text(max_size=150), st.text(max_size=80))
def test_any_question_and_answer_are_survived(question: str, answer: str) -> None:
    completed(question + "?", answer)
    completed("Do you " + question + "?", "Yes")
    completed("What's your " + question + "?", answer)
    completed("¿Dónde vives" + question + "?", answer)
