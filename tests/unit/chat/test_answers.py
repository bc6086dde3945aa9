"""Answers of a model, whole and piece by piece."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.chat.answers import answer_schema, read_answer
from recollect.chat.listening import Listening
from recollect.workflows.reading import parse, shipped

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@given(TEXT.filter(str.strip), st.booleans(), st.booleans(), st.lists(st.integers(1, 9), min_size=1))
def test_the_text_comes_through_however_it_is_cut(text: str, first: bool, ascii: bool, cuts: list[int]) -> None:
    update = {"response": "not this", "a": [{"response": "nor this"}, "response", '"response": "no"']}
    given: dict[str, object] = {"response": text, "stateUpdate": update}
    if first:
        given = dict(reversed(given.items()))
    whole = json.dumps(given, ensure_ascii=ascii)
    listening, heard, place = Listening(), "", 0
    while place < len(whole):
        step = cuts[place % len(cuts)]
        heard += listening.hear(whole[place : place + step])
        place += step
    assert heard == text
    assert read_answer(whole).text == text.strip()
    assert read_answer(whole).update == update


@given(st.text())
def test_any_answer_is_read(text: str) -> None:
    read = read_answer(text)
    assert read.problem is not None
    assert read.update is None
    assert "".join(Listening().hear(piece) for piece in text) is not None


@pytest.mark.parametrize(
    ("escaped", "text"),
    [
        (r"Hello\u0000 there", "Hello? there"),
        (r"Half \ud83d of", "Half ? of"),
        (r"\ud83d\ud83d\ude00\ude00", "?😀?"),
        (r"at its end \ud83d", "at its end ?"),
        (r"then \ud83d\n\u0041", "then ?\nA"),
    ],
)
def test_what_no_database_takes_is_replaced(escaped: str, text: str) -> None:
    whole = f'{{"response": "{escaped}", "stateUpdate": null}}'
    assert read_answer(whole).text == text
    assert read_answer(whole[:-1]).text == text  # broken off
    listening = Listening()
    assert "".join(map(listening.hear, whole)) == text


def test_plain_words_are_heard_as_they_come() -> None:
    listening = Listening()
    assert [listening.hear(piece) for piece in (" ", "Hel", "lo {")] == ["", " Hel", "lo {"]


@pytest.mark.parametrize(
    "whole",
    [
        'Here: {x} and "so" {"a": 1} {"response": "yes", "b": 2}',
        '```json\n[{"a": {"response": "no"}, "response" : \n "yes"}]\n```',
        '{"a\\"response\\": \\"no": 1, "response": "yes"',
        r'{"respon\"se": "no", "response": "yes"}',
        '{"a": "response", "b": ["response"], "response": "yes", "response": "no"}',
    ],
)
def test_the_response_is_found_in_the_outermost_object(whole: str) -> None:
    whole = whole if whole[0] in "{[`" else f"`{whole}"
    listening = Listening()
    assert "".join(map(listening.hear, whole)) == "yes"
    assert Listening().hear(whole) == "yes"


def test_what_was_heard_is_not_kept_until_the_response_comes() -> None:
    listening = Listening()
    for piece in ['{"stateUpdate": {"description": "', *["word "] * 100, "\\"]:
        assert listening.hear(piece) == ""
    waiting = [value for value in vars(listening).values() if isinstance(value, str)]
    assert sum(map(len, waiting)) < 50


def test_nulls_say_nothing() -> None:
    read = read_answer(
        '{"response": "x", "stateUpdate": {"workflowStep": null, "rfpDraft": {"title": null, "a": [1]}}}'
    )
    assert (read.update, read.problem) == ({"rfpDraft": {"a": [1]}}, None)
    assert read_answer('{"response": "x", "stateUpdate": null}').update is None


@pytest.mark.parametrize("name", ["rfp", "support_ticket"])
def test_the_schema_is_strict(name: str) -> None:
    def check(schema: object) -> None:
        if isinstance(schema, dict):
            assert (
                not {"minLength", "maxLength", "minimum", "maxItems", "format"} & set(schema)
                or "type" not in schema
            )
            if schema.get("type") == "object":
                assert schema["additionalProperties"] is False
                assert schema["required"] == list(schema["properties"])
            for inner in schema.values():
                check(inner)
        elif isinstance(schema, list):
            for inner in schema:
                check(inner)

    check(answer_schema(shipped()[name]))


def test_a_draft_of_any_form_comes_as_text() -> None:
    workflow = parse("free", {"start": "a", "steps": [{"name": "a"}]})
    draft = answer_schema(workflow)["properties"]["stateUpdate"]["anyOf"][0]["properties"]["draft"]
    assert draft["anyOf"][0]["type"] == "string"
    text = json.dumps({"response": "x", "stateUpdate": {"draft": '{"size": 3}'}})
    assert read_answer(text).update == {"draft": {"size": 3}}
