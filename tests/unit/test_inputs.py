from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import Invalid, inputs


@pytest.mark.parametrize(
    "good",
    ["ana", "Ana López", "用户", "a" * 255, "user@example.com", "🦊", "字" * 255, "👩\u200d🚀", "می\u200cخواهم"],
)
def test_identifiers_that_are_let_in(good: str) -> None:
    assert inputs.identifier("user", good) == good


@pytest.mark.parametrize(
    ("bad", "word"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("a" * 256, "256 characters"),
        ("🦊" * 255, "800 bytes"),
        ("a\nb", "printable"),
        ("a\0b", "printable"),
        ("\ud800", "printable"),
        (7, "not int"),
        (None, "not NoneType"),
    ],
)
def test_identifiers_that_are_refused(bad: object, word: str) -> None:
    with pytest.raises(Invalid, match=word) as caught:
        inputs.identifier("user", bad)
    assert caught.value.field == "user"


@pytest.mark.parametrize(
    ("bad", "word"),
    [
        ("a\0b", "NUL character at position 1"),
        ("ab\ud83d", "lone surrogate at position 2"),
        ("x" * ((1 << 20) + 1), "1,048,577 bytes"),
        ("é" * (1 << 19) + "x", "1,048,577 bytes"),
        (b"bytes", "not bytes"),
    ],
)
def test_text_that_is_refused(bad: object, word: str) -> None:
    with pytest.raises(Invalid, match=word):
        inputs.text("content", bad)


def test_text_up_to_a_mebibyte_is_let_in() -> None:
    assert len(inputs.text("content", "x" * (1 << 20))) == 1 << 20


class Odd(float):
    """As numpy's numbers are."""


def _nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("bad", "word"),
    [
        ({"a": float("nan")}, "nan"),
        ({"a": [1, float("inf")]}, "inf"),
        ({"a": float("-inf")}, "-inf"),
        ({"a": "b\0"}, "NUL"),
        ({"a\0": 1}, "NUL"),
        ({"a": {"b": "\ud800"}}, "surrogate"),
        ({1: 2}, "key of type int"),
        ({"a": {1, 2}}, "set, which is not JSON"),
        ({"a": datetime(2024, 1, 1, tzinfo=UTC)}, "datetime, which is not JSON"),
        ({"a": 1 << 63}, "64 bits"),
        ({"a": (1 << 64) - 1}, "64 bits"),
        ({"a": -(1 << 63) - 1}, "64 bits"),
        ({"a": [1e308] * 300}, "93,007 bytes"),
        ({"a": [1e-300] * 300}, "90,907 bytes"),
        ({"a": Odd(1.5)}, "only looks like JSON"),
        (_nested(33), "more than 32 levels"),
        (_nested(2000), "more than 32 levels"),
        ({"a": "x" * (64 << 10)}, "65,544 bytes"),
    ],
)
def test_json_that_is_refused(bad: object, word: str) -> None:
    with pytest.raises(Invalid, match=word) as caught:
        inputs.json_text("metadata", bad)
    assert caught.value.field == "metadata"


def test_json_that_is_let_in() -> None:
    assert inputs.json_text("metadata", _nested(32))
    assert inputs.json_text("metadata", {"a": [None, True, 1.5, -(1 << 62), "ñ", (1, 2)]}) == (
        '{"a":[null,true,1.5,-4611686018427387904,"ñ",[1,2]]}'
    )


@pytest.mark.parametrize("whole", [(1 << 63) - 1, -(1 << 63)])
def test_whole_numbers_of_64_bits_are_let_in(whole: int) -> None:
    assert inputs.json_text("metadata", {"a": whole}) == f'{{"a":{whole}}}'


def test_moments_come_out_in_utc() -> None:
    east = timezone(timedelta(hours=2))
    assert inputs.moment("at", datetime(2024, 5, 1, 12, tzinfo=east)) == datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert inputs.moment("at", datetime(2024, 5, 1, 12)) == datetime(2024, 5, 1, 12, tzinfo=UTC)  # noqa: DTZ001
    with pytest.raises(Invalid, match="calendar"):
        inputs.moment("at", datetime.min.replace(tzinfo=east))
    for edge in (datetime.max, datetime.min):  # noqa: DTZ901 - the driver would store them as infinity
        with pytest.raises(Invalid, match="calendar"):
            inputs.moment("at", edge.replace(tzinfo=UTC))
    with pytest.raises(Invalid, match="not str"):
        inputs.moment("at", "2024-05-01")


@pytest.mark.parametrize("bad", [0, 1001, -1, True, 1.0, "5", None])
def test_amounts_that_are_refused(bad: object) -> None:
    with pytest.raises(Invalid):
        inputs.amount("limit", bad)


def test_uuids() -> None:
    one = UUID("00000000-0000-4000-8000-000000000001")
    assert inputs.uuid("id", str(one)) == inputs.uuid("id", one) == one
    with pytest.raises(Invalid, match="must be a UUID, not 'none'"):
        inputs.uuid("id", "none")
    with pytest.raises(Invalid, match=r"must be a UUID$"):
        inputs.uuid("id", "my sister is called canary")


@given(st.text())
def test_an_error_never_quotes_the_text(text: str) -> None:
    canary = "canary" + text
    with pytest.raises(Invalid) as caught:
        inputs.text("content", canary + "\0")
    assert "canary" not in str(caught.value)
    with pytest.raises(Invalid) as caught:
        inputs.text("content", canary + "\ud800")
    assert "canary" not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("number", [1e19, 1e22, 1e25, -3.556126866804953e31, 1.7976931348623157e308])
def test_a_float_that_the_store_has_written_out_may_come_back(number: float) -> None:
    written = int(Decimal(repr(number)))
    assert inputs.json_text("metadata", {"a": [written]})
    for other in (written + 1, written * 10**300 + 1):
        with pytest.raises(Invalid, match="64 bits"):
            inputs.json_text("metadata", {"a": [other]})
