"""Problems, versions, metrics and keys as text."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import errors
from recollect.access import keys
from recollect.observe.metrics import OTHER, Bounded, Counter, Histogram
from recollect.server.problems import KINDS, explain, problem_of

SECRET = "a text of somebody"


class Body(msgspec.Struct, forbid_unknown_fields=True):
    role: Literal["user", "tool"]
    inner: list[dict[str, int]] = []
    at: float = 0


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"role": SECRET}, "role"),
        ({}, "role"),
        ({"role": "user", SECRET: 1}, "body"),
        ({"role": "user", "contents": 1}, "contents"),
        ({"role": "user", "sk_live_51H8": 1}, "body"),
        ({"role": "user", "inner": SECRET}, "inner"),
        ({"role": "user", "at": SECRET}, "at"),
        (SECRET, "body"),
    ],
)
def test_what_is_wrong_with_a_body_is_said_without_its_text(body: Any, field: str) -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.json.decode(msgspec.json.encode(body), type=Body)
    named, said = explain(str(caught.value))
    assert named == field
    assert said
    assert SECRET not in named + said


def test_every_error_of_ours_is_a_problem() -> None:
    made = {
        "Invalid": errors.Invalid("limit", "x"),
        "NotFound": errors.NotFound("memory", "1"),
        "KeyReused": errors.KeyReused("k"),
        "Unavailable": errors.Unavailable("database", "x", retry_after=7.2),
        "BadAnswer": errors.BadAnswer("m", "x"),
        "Busy": errors.Busy(3),
        "UnderWay": errors.UnderWay(3),
        "Overloaded": errors.Overloaded("x"),
    }
    statuses = {}
    for cls in _all(errors.RecollectError):
        if cls.__module__ == "recollect.errors":
            problem, headers = problem_of(made.get(cls.__name__) or cls("x"))
            statuses[cls.__name__] = problem.status
            assert problem.status != 500, cls
            assert ("retry-after" in headers) == (
                cls.__name__ in ("Unavailable", "BadAnswer", "Busy", "UnderWay", "Overloaded")
            )
    assert statuses["Conflict"] == 412
    assert statuses["Busy"] == 409
    assert problem_of(made["Unavailable"])[1]["retry-after"] == "8"
    assert problem_of(KeyError(SECRET))[0].detail == ""
    assert len({kind for _, _, kind, _ in KINDS}) == len(KINDS)


def _all(cls: type) -> list[type]:
    return [one for child in cls.__subclasses__() for one in (child, *_all(child))]


@given(st.text(min_size=1, max_size=60).filter(lambda t: t.strip() and t.isprintable()), st.binary(min_size=32))
def test_a_key_says_where_to_look(tenant: str, secret: bytes) -> None:
    text = keys.written(tenant, "0123456789abcdef", f"{secret.hex()}_-")
    assert keys.read(text) == (tenant, "0123456789abcdef", f"{secret.hex()}_-")


@given(st.text(max_size=80))
def test_nonsense_is_no_key(text: str) -> None:
    with pytest.raises(errors.Unauthorized):
        keys.read(f"rk_{text}" if text.count("_") < 2 else text)


def test_metrics_as_prometheus_reads_them() -> None:
    counter = Counter("c_total", "Count.", ("tenant",))
    counter.add('a"b\\c\nd')
    counter.add("x", by=2)
    assert list(counter.lines()) == [
        "# HELP c_total Count.",
        "# TYPE c_total counter",
        r'c_total{tenant="a\"b\\c\nd"} 1',
        'c_total{tenant="x"} 2',
    ]
    histogram = Histogram("h", "Time.", (), (0.1, 1))
    for seconds in (0.05, 0.1, 0.5, 5):
        histogram.add(seconds=seconds)
    assert [line for line in histogram.lines() if not line.startswith("#")] == [
        'h_bucket{le="0.1"} 2',
        'h_bucket{le="1"} 3',
        'h_bucket{le="+Inf"} 4',
        "h_sum 5.650000",
        "h_count 4",
    ]
    bounded = Bounded(2)
    assert [bounded(name) for name in ("a", "b", "c", "a", "d")] == ["a", "b", OTHER, "a", OTHER]
