"""What is wrong with the arguments of a tool, in words that quote nothing."""

from __future__ import annotations

from typing import Literal

import msgspec
import pytest

from recollect.chat.functions import read_arguments

SECRET = "a text - at `$.somebody`"


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    n: int


class Taken(msgspec.Struct, forbid_unknown_fields=True):
    kind: Literal["a", "b"] | None = None
    parts: list[Inner] = []
    names: dict[str, int] = {}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kind": SECRET}, "kind: must be one of 'a', 'b'"),
        ({SECRET: 1}, "a field is not known; known are kind, parts, names"),
        ({"kin": "a"}, "kin is not known; known are kind, parts, names"),
        ({"parts": [{"n": 1, "m": 2}]}, "parts[0]: m is not known"),
        ({"parts": [{}]}, "parts[0]: Object missing required field `n`"),
        ({"parts": [{"n": SECRET}]}, "parts[0].n: Expected `int`, got `str`"),
        ({"names": {SECRET: SECRET}}, "names[...]: Expected `int`, got `str`"),
        ([], "Expected `object`, got `array`"),
    ],
)
def test_the_field_and_what_is_expected_are_named(given: object, said: str) -> None:
    with pytest.raises(ValueError, match="the arguments do not fit") as caught:
        read_arguments(msgspec.json.encode(given).decode(), Taken)
    assert str(caught.value) == f"the arguments do not fit: {said}"
