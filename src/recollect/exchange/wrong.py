"""What is wrong with a document, and where, without quoting any of it."""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec

from recollect.errors import Invalid

T = TypeVar("T")
_WHERE = re.compile(r" - at `(?:key in )?\$(.*)`$")


def converted(given: object, kind: type[T], where: str) -> T:
    """The record that is meant; Invalid with the path of the field that is wrong."""
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise _invalid(str(error), where) from None
    except RecursionError:
        raise Invalid(where, "is nested too deeply") from None


def decoded(raw: bytes, where: str) -> object:
    """A piece of JSON."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise Invalid(where, "is not valid JSON") from None


def _invalid(problem: str, where: str) -> Invalid:
    """Only what the field should be is repeated: a wrong value may be somebody's text in the wrong place."""
    path = match[1] if (match := _WHERE.search(problem)) else ""
    problem = _WHERE.sub("", problem)
    if missing := re.search(r"missing required field `(\w+)`", problem):
        return Invalid(f"{where}{path}.{missing[1]}", "is missing")
    if problem.startswith("Object contains unknown field"):
        return Invalid(where + path, "has a field that this format does not know")
    if problem.startswith("Invalid enum value"):
        return Invalid(where + path, "is not one of the values that are allowed here")
    return Invalid(where + path, problem[0].lower() + problem[1:])
