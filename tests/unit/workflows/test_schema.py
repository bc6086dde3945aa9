from __future__ import annotations

from typing import Any

import pytest

from recollect import Invalid
from recollect.workflows.schema import check_schema, describes, paths, problems


def wrong(schema: dict[str, Any], value: object) -> list[str]:
    return [str(problem) for problem in problems(check_schema(schema, "schema"), value, "draft")]


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "string"}, ["", "x"], [1, None, True, [], {}]),
        ({"type": "number"}, [1, 1.5, -3], ["1", True, None]),
        ({"type": "integer"}, [1, 2.0, -3], [1.5, "1", True]),
        ({"type": "boolean"}, [True, False], [0, 1, "true"]),
        ({"type": ["string", "null"]}, ["x", None], [1]),
        ({"type": "null"}, [None], [0, False]),
        ({}, [1, "x", None, {}], []),
        ({"enum": ["a", 1]}, ["a", 1], ["b", True, 2]),
        ({"enum": [True]}, [True], [1]),
        ({"minimum": 2, "maximum": 4}, [2, 3.5, 4, "text", True], [1.9, 5]),
        ({"minLength": 2, "maxLength": 3}, ["ab", "abc", 1], ["a", "abcd"]),
        ({"minItems": 1, "maxItems": 2}, [[1], [1, 2]], [[], [1, 2, 3]]),
        ({"type": "array", "items": {"type": "string"}}, [[], ["a"]], [["a", 1], {}]),
        ({"format": "date"}, ["2030-12-31", "2030-12-31T10:00:00", 5], ["soon", "2030-13-01", "20301231"]),
        ({"format": "date-time"}, ["2030-12-31T10:00:00Z", "2030-12-31"], ["10:00"]),
        ({"format": "email"}, ["ana@example.org"], ["ana", "ana at example", "a@b@c"]),
        ({"format": "uri"}, ["https://example.org/x", "mailto:ana@example.org"], ["example", "two words: x y"]),
        ({"properties": {"a": {"type": "string"}}}, [{}, {"a": "x"}, {"b": 1}], [{"a": 1}]),
        ({"required": ["a"]}, [{"a": None}, "text"], [{}]),
        ({"properties": {"a": {}}, "additionalProperties": False}, [{"a": 1}], [{"b": 1}]),
        ({"additionalProperties": {"type": "number"}}, [{"b": 1}], [{"b": "x"}]),
    ],
)
def test_what_fits_and_what_does_not(schema: dict[str, Any], good: list[object], bad: list[object]) -> None:
    assert [value for value in good if wrong(schema, value)] == []
    assert [value for value in bad if not wrong(schema, value)] == []


def test_a_problem_says_where_and_never_quotes_the_value() -> None:
    schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "items": {"type": "array", "items": {"required": ["name"], "properties": {"n": {"type": "integer"}}}},
            "mail": {"type": "string", "format": "email", "maxLength": 5},
        },
    }
    said = wrong(schema, {"items": [{"name": "x"}, {"n": "canary"}], "mail": "canary canary", "other": "canary"})
    assert said == [
        "draft.items[1].name: is missing",
        "draft.items[1].n: must be a whole number, not text",
        "draft.mail: must have at most 5 characters",
        "draft.mail: must be an e-mail address",
        "draft.other: is not a field of draft; it has items, mail",
    ]


@pytest.mark.parametrize(
    ("schema", "field"),
    [
        ({"pattern": "x"}, "schema.pattern"),
        ({"anyOf": []}, "schema.anyOf"),
        ({"properties": {"a": {"$ref": "#"}}}, "schema.properties.a.$ref"),
        ({"items": {"const": 1}}, "schema.items.const"),
        ({"additionalProperties": {"not": {}}}, "schema.additionalProperties.not"),
        ({"type": "text"}, "schema.type"),
        ({"type": 5}, "schema.type"),
        ({"type": [5]}, "schema.type"),
        ({"format": "ipv4"}, "schema.format"),
        ({"minimum": "1"}, "schema.minimum"),
        ({"minimum": True}, "schema.minimum"),
        ({"maxLength": -1}, "schema.maxLength"),
        ({"minItems": 1.5}, "schema.minItems"),
        ({"enum": []}, "schema.enum"),
        ({"enum": "abc"}, "schema.enum"),
        ({"required": [1]}, "schema.required"),
        ({"properties": []}, "schema.properties"),
        ({"properties": {"a.b": {}}}, "schema.properties"),
        ({"items": []}, "schema.items"),
        ("text", "schema"),
    ],
)
def test_a_schema_that_cannot_be_checked_is_refused(schema: object, field: str) -> None:
    with pytest.raises(Invalid) as refused:
        check_schema(schema, "schema")
    assert refused.value.field == field


def test_a_schema_without_an_end_is_refused() -> None:
    schema: dict[str, Any] = {}
    for _ in range(50):
        schema = {"items": schema}
    with pytest.raises(Invalid, match="levels deep"):
        check_schema(schema, "schema")


def test_paths() -> None:
    schema = {"properties": {"b": {"properties": {"c": {}}}, "a": {}}}
    assert list(paths(schema)) == ["b", "b.c", "a"]
    assert [describes(schema, path) for path in ("b", "b.c", "a", "c", "a.c", "")] == [True, True, True] + [
        False
    ] * 3
