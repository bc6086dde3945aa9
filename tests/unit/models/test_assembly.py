from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.models.assembly import MOST_TEXT, MOST_TOKENS, Assembly, Misshapen, TooLong
from recollect.models.failures import LONGEST_PAUSE, pause_in
from recollect.ports import Answer, Tokens

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)


def calls(answer: Answer) -> list[tuple[str, str, str]]:
    return [(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in answer.tool_calls]


@given(st.lists(st.dictionaries(st.text("abc"), st.integers()), max_size=4), st.data())
def test_calls_in_any_pieces_come_out_whole(arguments: list[dict[str, Any]], data: st.DataObject) -> None:
    assembly = Assembly("m")
    wanted = [(f"id{n}", f"tool{n}", json.dumps(one)) for n, one in enumerate(arguments)]
    for index, (id, name, text) in enumerate(wanted):
        cut = data.draw(st.integers(0, len(text)))
        numbered = data.draw(st.booleans())
        assembly.add_call(index if numbered else None, id, name, text[:cut])
        assembly.add_call(index if numbered else None, None, None, text[cut:])
    assert calls(assembly.answer()) == wanted


def test_calls_that_all_have_the_same_number_are_told_apart_by_their_ids() -> None:
    assembly = Assembly("m")
    assembly.add_call(0, "a", "look", "{}")
    assembly.add_call(0, "b", "look", '{"x":')
    assembly.add_call(0, None, None, "1}")
    assert calls(assembly.answer()) == [("a", "look", "{}"), ("b", "look", '{"x":1}')]


def test_a_call_without_an_id_or_arguments_gets_them() -> None:
    assembly = Assembly("m")
    assembly.add_call(None, None, "look", None)
    assert calls(assembly.answer()) == [("call_1", "look", "{}")]
    assembly.add_call(None, "x", None, None)
    assembly.add_call(None, "y", None, "{}")
    with pytest.raises(Misshapen):
        assembly.answer()


def test_more_than_anybody_reads_is_refused() -> None:
    assembly = Assembly("m")
    assembly.add_text("x" * MOST_TEXT)
    with pytest.raises(TooLong):
        assembly.add_text("x")
    with pytest.raises(TooLong):
        Assembly("m").add_call(0, "a", "b", "x" * (MOST_TEXT + 1))


def test_counts_that_cannot_be_are_bounded() -> None:
    assembly = Assembly("m")
    assembly.count(-5, 10**30)
    assert assembly.answer().tokens == Tokens(0, MOST_TOKENS)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("17", 17),
        ("0.5", 0.5),
        ("-3", 0),
        ("1e9", LONGEST_PAUSE),
        ("Sat, 01 Mar 2025 12:00:30 GMT", 30),
        ("Sat, 01 Mar 2025 11:00:00 GMT", 0),
        ("nan", None),
        ("soon", None),
        ("", None),
    ],
)
def test_how_long_an_endpoint_wants_to_be_left_alone(value: str, seconds: float | None) -> None:
    assert pause_in({"retry-after": value}, NOW) == seconds
    assert pause_in({}, NOW) is None
