"""Workflows from TOML, JSON or a mapping; those that come with us; and those that were stored."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NoReturn, cast

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.workflows.checking import checked
from recollect.workflows.definition import Workflow

FOLDER = Path(__file__).parent / "definitions"

_AT = re.compile(r"(.*) - at `\$(.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")


def parse(name: str, given: Mapping[str, Any] | str) -> Workflow:
    """A workflow from a mapping, or from TOML or JSON text; Invalid says which step, field or move is wrong."""
    name = inputs.identifier("name", name)
    definition = _mapping(_read(given) if isinstance(given, str) else given, "workflow")
    inputs.json_text("workflow", definition)
    if definition.setdefault("name", name) != name:
        raise Invalid("workflow.name", f"is not {name!r}, under which it is being defined; leave it out")
    try:
        workflow = msgspec.convert(_moves_spelled_out(definition), Workflow)
    except msgspec.ValidationError as error:
        _explain(str(error))
    return checked(workflow)


def written(workflow: Workflow) -> str:
    """A workflow as JSON, in the order of its definition."""
    return msgspec.json.encode(workflow).decode()


@lru_cache(maxsize=256)
def stored(definition: str) -> Workflow:
    """A workflow that ``written`` wrote; it was checked then."""
    return msgspec.json.decode(definition, type=Workflow)


@cache
def shipped() -> Mapping[str, Workflow]:
    """The workflows that come with us, by name."""
    return {file.stem: parse(file.stem, file.read_text("utf-8")) for file in sorted(FOLDER.glob("*.toml"))}


def _read(text: str) -> object:
    inputs.text("workflow", text, inputs.MAX_JSON)
    try:
        return msgspec.json.decode(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Invalid("workflow", f"is not TOML: {error}") from None
    except (msgspec.DecodeError, RecursionError):
        raise Invalid("workflow", "is not JSON") from None


def _mapping(given: object, where: str) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise Invalid(where, f"must be a mapping, or TOML or JSON text of one, not {type(given).__name__}")
    return dict(cast("Mapping[str, Any]", given))


def _moves_spelled_out(definition: dict[str, Any]) -> dict[str, Any]:
    """``"next"`` is short for ``{to = "next"}``. What has another shape is left for the conversion to refuse."""

    def full(step: object) -> object:
        moves = cast("dict[str, Any]", step).get("moves") if isinstance(step, dict) else None
        if not isinstance(moves, list):
            return cast("object", step)
        listed = [{"to": move} if isinstance(move, str) else move for move in cast("list[object]", moves)]
        return {**cast("dict[str, Any]", step), "moves": listed}

    steps = definition.get("steps")
    if isinstance(steps, list | tuple):
        definition["steps"] = [full(step) for step in cast("list[object]", steps)]
    return definition


def _explain(error: str) -> NoReturn:
    """The place and the problem from the converter's message, in our words."""
    problem, place = match.groups() if (match := _AT.fullmatch(error)) else (error, "")
    if match := _MISSING.fullmatch(problem):
        raise Invalid(f"workflow{place}.{match[1]}", "is missing")
    if match := _UNKNOWN.fullmatch(problem):
        raise Invalid(f"workflow{place}.{match[1]}", "is not something that a workflow has; is it misspelt?")
    raise Invalid(f"workflow{place}", problem[0].lower() + problem[1:].replace("`", ""))
