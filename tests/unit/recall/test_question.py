from __future__ import annotations

import re

import pytest

from recollect.recall.question import (
    Question,
    Word,
    asked_in,
    essential,
    last_turn,
    named_as_words,
    only_dated,
    sought,
    uncontracted,
    unframed,
    unmeasured,
)

STOP = {"what", "did", "the", "to", "is", "of", "i", "when", "who", "she", "will", "and", "where", "my", "s"}


def asked(text: str) -> Question:
    words = text.replace("?", " ").replace("'", " ").split()
    return Question(text, tuple(Word(word, (word.lower(),), word.lower() in STOP) for word in words))


def test_stop_words_are_looked_for_only_if_there_is_nothing_else() -> None:
    assert asked("What did the cat eat?").terms == ["cat", "eat"]
    assert asked("Who is she?").terms == ["who", "is", "she"]


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("What's Peter's number?", "What Peter number?"),
        ("where’s Ana’s book", "where Ana book"),
        ("why don't we're they'll I'd I'm I've", "why we they I I I"),
        ("rock 'n' roll in O'Brien's", "rock 'n' roll in O'Brien"),
        ("'s", "'s"),
        ("don't", "don't"),
    ],
)
def test_letters_behind_an_apostrophe_are_not_looked_for(question: str, rest: str) -> None:
    assert " ".join(uncontracted(question).split()).replace(" ?", "?") == rest


def test_names_are_known_by_any_of_their_parts() -> None:
    question = asked("What did Zoë's brother buy?")
    assert question.named(["Zoe Ferrer", "Brother Paul", "Ana"]) == ["Zoe Ferrer"]
    assert asked("what did zoe buy").named(["Zoë"]) == ["Zoë"]
    assert asked("What will Ana do?").named(["Will", "Ana"]) == ["Ana"]


def test_a_name_is_taken_out_of_the_question() -> None:
    bare = asked("What did Zoë's brother buy?").without(["Zoë Ferrer"])
    assert bare.text == "What did brother buy?"
    assert bare.terms == ["brother", "buy"]


def test_a_question_that_is_nothing_but_a_name_stays() -> None:
    question = asked("Who is Zoë?")
    assert question.without(["Zoë"]) == question


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("When did she leave?", True),
        ("Do you know when is the party?", True),
        ("What year was it?", True),
        ("How long is the flight?", True),
        ("What did she say when I called?", False),
    ],
)
def test_whether_it_asks_for_a_time(text: str, when: bool) -> None:
    assert asked(text).asks_when is when


@pytest.mark.parametrize(
    ("text", "of_answers"),
    [
        ("which restaurant did you recommend?", True),
        ("the café you told me about", True),
        ("what have you already suggested for the roses?", True),
        ("You mentioned two methods, which were they?", True),
        ("¿qué libro me recomendaste?", True),
        ("¿qué libro me has recomendado?", True),
        ("¿qué libro he recomendado?", False),
        ("what did I tell you about the roses?", False),
        ("have I told you where I live?", False),
        ("can you recommend a book?", False),
        ("what did my doctor say?", False),
    ],
)
def test_whether_it_asks_for_what_was_answered(text: str, of_answers: bool) -> None:
    assert asked(text).asks_of_answers is of_answers


def test_whether_the_user_speaks_of_themselves() -> None:
    assert asked("Where is my umbrella?").first_person
    assert not asked("Where is the umbrella?").first_person
    assert not asked("Who rules the US?").first_person


@pytest.mark.parametrize(
    ("question", "past"),
    [
        ("Where did she paint?", True),
        ("¿Qué pintaste?", True),
        ("¿Cuándo me mudé?", True),
        ("What is my favourite café?", False),
        ("What is my taste in music?", False),
    ],
)
def test_whether_it_asks_for_what_happened(question: str, past: bool) -> None:
    assert asked(question).of_past is past


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("Where do I live now?", ["Where", "do", "I", "live"]),
        ("what is my current address", ["what", "is", "my", "address"]),
        ("In which city do I live these days", ["In", "which", "do", "I", "live"]),
        ("where did I go in May 2023", ["where", "did", "I", "go"]),
        ("¿dónde vivo actualmente?", ["vivo"]),
        ("我住在哪里？", ["住"]),
        ("我住哪", ["住"]),
        ("京都", ["京都"]),
        ("成都？", ["成都"]),
        ("Wogegen bin ich allergisch?", ["allergisch"]),
        ("где я живу сейчас?", ["живу"]),
        ("now", ["now"]),
        ("ねこ", ["ねこ"]),
        ("こんにちは", []),
    ],
)
def test_what_a_memory_that_answers_need_not_say_is_left_out(query: str, words: list[str]) -> None:
    assert re.findall(r"\w+", sought(query)) == words


@pytest.mark.parametrize(
    "query",
    [
        "what do I have on 3 March?",
        "any plans for 12 December?",
        "what happened last week?",
        "what's going on tomorrow?",
        "¿qué tengo el 3 de marzo?",
    ],
)
def test_what_asks_for_nothing_but_a_time(query: str) -> None:
    assert only_dated(query)


@pytest.mark.parametrize(
    "query",
    [
        "what did I buy in December?",
        "what do I have?",
        "3 March",
        "where was I in 2019 with Ana?",
        "what are my plans for summer?",
    ],
)
def test_what_asks_for_something_else_too(query: str) -> None:
    assert not only_dated(query)


def test_a_name_may_be_a_word_too() -> None:
    assert named_as_words("who is Will?") == ["Will"]
    assert named_as_words("who is Will, my Will, our May?") == ["Will", "May"]
    assert named_as_words("what did May do in May?") == ["May"]
    assert named_as_words("what did I do in May?") == []
    assert named_as_words("Will you come?") == []
    assert "May" in sought("who is May?")


def test_whether_only_the_talk_is_asked_for() -> None:
    assert asked("What did I say").only_talk("What did I say")
    assert not asked("What did I say to Ana").only_talk("What did I say to Ana")
    assert asked("What did I say in May").only_talk("What did I say ")


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("Ana: where is it?\nGuide: In the hall.\n\nAna: And the other?", "Ana: And the other?"),
        ("user: hello\n<assistant>: hi", "<assistant>: hi"),
        ("Ana: where is it?", ""),
        ("Where is it?\nThanks in advance", ""),
        ("Shopping list:\n- eggs\n- milk", ""),
        ("", ""),
    ],
)
def test_a_talk_that_is_written_down_has_a_last_turn(text: str, last: str) -> None:
    assert last_turn(text) == last


def test_words_that_the_last_turn_does_not_have_are_worth_half() -> None:
    question = asked("Ana my kiln broke Guide how Ana the glaze")
    assert question.stressing("Ana: the glaze").weights == dict.fromkeys(
        ("my", "kiln", "broke", "guide", "how"), 0.5
    )
    assert question.stressing("") == question


def test_whether_it_asks_for_what_was_said_or_for_what_happened() -> None:
    assert asked("What did we talk about?").of_talk
    assert asked("¿De qué hablamos?").of_talk
    assert not asked("What happened?").of_talk
    assert asked("What happened?").only_talk("What happened?")


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("What is my sister's name?", "What is my sister's ?"),
        ("Which city do I live in?", "Which do I live in?"),
        ("What does she do for a living?", "What does she do as a job?"),
        ("How is my dog called?", "How is my dog ?"),
        ("Where is the sea?", "Where is the sea?"),
    ],
)
def test_what_an_answer_need_not_say(text: str, rest: str) -> None:
    assert " ".join(essential(text).split()) == rest


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("Do you remember where my keys are?", "where are my keys"),
        ("Hey, could you please remind me again what Ida sails?", "what Ida sails?"),
        ("I forgot when the ferry leaves", "when the ferry leaves"),
        ("I can't remember, which pier?", "which pier?"),
        ("I don't know what to cook", "what to cook"),
        ("tell me about Ida", "about Ida"),
        ("Do you remember?", "Do you remember?"),
        ("What do you know about ferries?", "What do you know about ferries?"),
        ("What do you know about my family?", "my family?"),
        ("what else have you learned about our house", "our house"),
        ("What did I tell you about my trip?", "my trip?"),
        ("I forgot", "I forgot"),
        ("what's my boat called again?", "what's my boat called?"),
        ("which pier, by the way", "which pier"),
        ("Long day. Where is the ferry, do you know?", "Long day. Where is the ferry?"),
        ("again?", "again?"),
        ("By the way, do you know what my name is?", "what is my name"),
        ("I was wondering where I park, please", "where do I park"),
        ("Do you know what I am allergic to?", "what am I allergic to?"),
        ("Remind me where I moored", "where I moored"),
    ],
)
def test_how_a_question_is_put_is_not_what_is_asked(question: str, rest: str) -> None:
    assert unframed(question) == rest


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("How much do I owe Ida?", "How do I owe Ida?"),
        ("monthly income", "income"),
        ("paid monthly", "paid monthly"),
        ("did I ever sail", "did I sail"),
        ("How old is the ferry?", "How old is the ferry?"),
    ],
)
def test_how_much_and_how_often_need_not_be_said(question: str, rest: str) -> None:
    assert " ".join(unmeasured(question).split()) == rest


def test_who_asks_for_an_age_asks_for_nothing_old() -> None:
    assert sought("How old am I?") == "how am I?"
    assert sought("my old boat") == "my old boat"


@pytest.mark.parametrize(
    "text", ["what " * 2000, "what my " + "boat-" * 2000, "quick question " * 600, " " * 9000 + "x"]
)
def test_taking_a_long_text_apart_takes_no_long_time(text: str) -> None:
    assert unframed(f"do you know {text}")
    assert unmeasured(text)


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("Long day. What should I cook? Nothing heavy.", "What should I cook?"),
        ("Who is here? What shall we eat?", "What shall we eat?"),
        ("Hi!\nwhat now?", "what now?"),
        ("What should I cook?", ""),
        ("What should I cook??", ""),
        ("Nothing is asked. At all.", ""),
        ("??? Really.", ""),
    ],
)
def test_the_question_of_a_message(message: str, asked: str) -> None:
    assert asked_in(message) == asked
