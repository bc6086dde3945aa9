from __future__ import annotations

import pytest

from recollect.text.siblings import (
    asked_of,
    in_question,
    numbered,
    of_another,
    sets_apart,
    somebody,
)


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("user's mother is 70 years old", "mother"),
        ("the user's older sister Ines sings", "sister"),
        ("user's wife's birthday is on 9 July", "wife"),
        ("user's mother-in-law is 65", "mother-in-law"),
        ("My husband's shirt size is XL", "husband"),
        ("Oh, by the way, my boss is on holiday", "boss"),
        ("I wrote down my mother's doctor", "mother"),
        ("Tom's favourite colour is blue", "tom"),
        ("la madre del usuario tiene 70 años", "madre"),
        ("mi hermana vive en Vigo", "hermana"),
        ("el número de teléfono de mi madre es 954", "madre"),
        ("el cumpleaños de Marta es en julio", "marta"),
        ("user is 34 years old", ""),
        ("user's phone number is 555", ""),
        ("My doctor is Dr. Silva", ""),
        ("What's on Monday", ""),
        ("el teléfono del usuario es 555", ""),
    ],
)
def test_who_else_a_statement_is_about(text: str, who: str) -> None:
    assert somebody(text) == who


@pytest.mark.parametrize(
    ("one", "other", "another"),
    [
        ("user's phone number is 1", "user's mother's phone number is 2", True),
        ("user's favourite colour is red", "Tom's favourite colour is blue", True),
        ("user is 34 years old", "Tom is 70 years old", True),
        ("I am 34 years old", "My mother is 70 years old", True),
        ("user's mother is 70", "user's mother-in-law is 65", True),
        ("user's cat is called Pudding", "user's sister's cat is called Biscuit", True),
        ("user owes Tom 200 euros", "Tom owes user 50 euros", True),
        ("user met Tom at school", "Tom moved to Rome", False),
        ("June's birthday is on 3 March", "user's brother's birthday is on 5 June", True),
        ("user's phone number is 1", "user's new phone number is 2", False),
        ("user's manager is Carol", "user has got a new manager, Dave", False),
        ("user's sister Ana lives in Faro", "Ana's flat is in Porto", False),
        ("user pays 900 euros of rent", "Rent is 980 euros", False),
        ("user lives in Porto", "Moved to Oslo", False),
        ("the meeting is at 4", "the meeting is now at 5", False),
    ],
)
def test_whether_two_statements_are_about_two_people(one: str, other: str, another: bool) -> None:
    assert of_another(one, other) is of_another(other, one) is another


@pytest.mark.parametrize(
    ("question", "spoken"),
    [
        ("what is my mum's number?", "mother"),
        ("how are my sisters?", "sister"),
        ("what is my cat called?", "cat"),
        ("what's my number?", ""),
        ("who is my doctor?", ""),
        ("what is tom's number?", None),
        ("and her number?", None),
        ("what is my sister's name, and whose is the dog?", None),
    ],
)
def test_who_of_the_users_a_question_speaks_of(question: str, spoken: str | None) -> None:
    asked = asked_of(question, [])
    assert (asked is None) is (spoken is None)
    assert asked is None or (spoken in asked.whose if spoken else not asked.whose)


@pytest.mark.parametrize(
    ("question", "own", "others"),
    [
        ("how old am I?", ["user is 34", "I am 34"], ["user's son is 9", "Tom is 70", "Tom's age is 70"]),
        ("what is my cat called?", ["user's cat is Pudding", "user has a cat"], ["my sister's cat is Biscuit"]),
        ("what is my mum's number?", ["user's mother's number is 5"], ["user's sister's number is 6"]),
        ("how much do I owe Tom?", ["user owes Tom 5 euros"], ["Tom owes user 9 euros", "Tom owes me 9 euros"]),
        ("how much does Tom owe me?", ["Tom owes user 9 euros"], ["I owe Tom 5 euros"]),
        (
            "¿cuántos años tengo?",
            ["el usuario tiene 34 años", "mi edad es 34", "la edad del usuario es 34"],
            ["mi hijo tiene 9 años", "la edad de mi madre es 70", "la edad de Marta es 40"],
        ),
    ],
)
def test_what_is_of_those_who_are_spoken_of(question: str, own: list[str], others: list[str]) -> None:
    asked = asked_of(question, ["Tom"] if "Tom" in question else [])
    assert asked is not None
    assert all(asked.speaks_of(text) and not asked.speaks_of_others(text, "u-1") for text in own)
    assert all(asked.speaks_of_others(text, "u-1") and not asked.speaks_of(text) for text in others)


def test_the_user_may_be_named() -> None:
    asked = asked_of("how old am I?", [])
    assert asked is not None
    assert not asked.speaks_of_others("Tom is 70", "tom@example.org")
    assert asked.speaks_of_others("Tom is 70", "u-1")


@pytest.mark.parametrize(
    ("stem", "said", "other", "apart"),
    [
        ("88123", "order 88123 was refunded", "order 88124 is delayed", True),
        ("rome", "the flight to Rome leaves at 7", "the flight to Paris is now at 9", True),
        ("alpha", "backup of server alpha runs at 2", "backup of server beta now runs at 3", True),
        ("tea", "the price of tea is 3", "the price of coffee is now 4", True),
        ("school", "the school play begins at six", "the play begins at seven instead", False),
        ("clinic", "the queue at the clinic is 3 weeks", "the queue is now 6 weeks", False),
        ("app", "the launch of the app is on 2 May", "the launch was postponed to 9 June", False),
    ],
)
def test_which_words_set_two_of_a_kind_apart(stem: str, said: str, other: str, apart: bool) -> None:
    assert sets_apart([stem], said, other) is apart
    assert not sets_apart([], said, other)


def test_a_stem_is_told_from_one_that_was_looked_for_in_its_place() -> None:
    assert in_question("fli", "who flies?")
    assert in_question("happi", "is he happy?")
    assert not in_question("nurs", "what is my job?")


@pytest.mark.parametrize(
    ("question", "text", "other"),
    [
        ("error E1043", "error E1042 means that the disk is full", True),
        ("error E1042", "error E1042 means that the disk is full", False),
        ("what about order 88125?", "order 88124 is delayed", True),
        ("what is the goal of Q3?", "the goal of Q4 is 12 deals", True),
        ("was invoice 9 paid?", "invoice 8 was paid", True),
        ("was invoice 8 paid?", "invoice 8 was paid", False),
        ("TP1337", "user's flight is TP 1337", False),
        ("which 3 books do I like?", "user likes four books", False),
        ("top-10 songs", "user likes songs of Brel", False),
    ],
)
def test_what_lacks_a_code_or_number_of_the_question_is_another(question: str, text: str, other: bool) -> None:
    codes = numbered(question)
    assert (codes is not None and codes.is_other(text)) is other


@pytest.mark.parametrize(
    "question", ["where do I live?", "what did I do on 3 May 2024?", "what happened in 2024?"]
)
def test_most_questions_have_no_codes(question: str) -> None:
    assert numbered(question) is None
