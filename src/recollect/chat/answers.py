"""What a model says when a workflow leads: ``{"response", "stateUpdate"}``. The schema that it is asked to follow,
and how an answer is read. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

from recollect.chat.listening import Listening
from recollect.models.assembly import storable
from recollect.workflows.definition import Workflow

#: What strict endpoints refuse in a schema; all of it is checked when the update is applied.
_CHECKED_LATER = {
    "minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "format", "default", "examples",
    "$schema", "$id", "$comment", "title",
}  # fmt: skip
#: How many opening braces in the talk around an answer are looked at.
_MOST_BRACES = 50
_DECODER = json.JSONDecoder(strict=False)

HOW = (
    "Answer with a JSON object. `response` is what you say to the user. `stateUpdate` is what this message "
    "changes in the state: only fields that are new or different, null for all others. Never write what the user "
    "did not say."
)


class Read(msgspec.Struct, frozen=True):
    """An answer as it was understood. Without a text it cannot be used."""

    text: str
    update: dict[str, Any] | None = None
    problem: str | None = None


def answer_schema(workflow: Workflow) -> dict[str, Any]:
    """The JSON schema of an answer, in the strict form: every field there, null where there is nothing to say."""
    steps = {"type": "string", "enum": [step.name for step in workflow.steps]}
    update = _object({
        "workflowStep": _nullable(steps),
        workflow.draft_name: _nullable(_strict(workflow.draft)),
        "lastAction": _nullable({"type": "string", "description": "What you did, in a few words"}),
        **{name: _nullable({"type": "string"}) for name in workflow.ids},
    })  # fmt: skip
    return _object({"response": {"type": "string"}, "stateUpdate": _nullable(update)})


def read_answer(text: str, draft_name: str = "draft") -> Read:
    """An answer that should be of the form; one that is not is taken as plain words, if it is not broken JSON."""
    stripped = text.strip()
    found = _found(stripped)
    if found is None:
        if stripped.startswith(("{", "[", "```")):
            heard = Listening().hear(stripped).strip()
            return Read(heard, problem="the model's answer is JSON that breaks off or is broken")
        problem = (
            "the model's answer is not in the form that was asked for" if stripped else "the model said nothing"
        )
        return Read(stripped, problem=problem)
    response = found.get("response")
    update = found.get("stateUpdate")
    problem = None
    if isinstance(update, str):  # where a schema could not describe it, it comes as text
        update = _decoded(update)
    if not isinstance(response, str) or not response.strip():
        problem, response = "the model's answer has no text for the user", ""
    if update is not None and not isinstance(update, dict):
        problem = problem or f"the model's state update is {_kind(update)}, not an object"
        update = None
    # Escapes in JSON can name what no database takes.
    return Read(storable(response).strip(), _patch(cast("dict[str, Any] | None", update), draft_name), problem)


def _found(text: str) -> dict[str, Any] | None:
    """The JSON object in an answer, whatever is around it; the one with a response, if there are several."""
    return next((one for one in _objects(text) if "response" in one or "stateUpdate" in one), None)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    start = text.find("{")
    for _ in range(_MOST_BRACES):
        if start < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield value  # it begins with a brace, so it is an object
        start = text.find("{", end)


def _decoded(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text


def _patch(update: dict[str, Any] | None, draft_name: str) -> dict[str, Any] | None:
    patch = _without_nulls(update)
    if patch and isinstance(patch.get(draft_name), str):
        patch[draft_name] = _decoded(patch[draft_name])
    return patch


def _without_nulls(value: Any) -> Any:
    """In the strict form null says that there is nothing to say; in a patch it would delete."""
    if isinstance(value, dict):
        given = cast("dict[str, Any]", value)
        return {name: _without_nulls(one) for name, one in given.items() if one is not None}
    if isinstance(value, list):
        return [_without_nulls(one) for one in cast("list[Any]", value) if one is not None]
    return value


def _strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in schema.items() if name not in _CHECKED_LATER}
    if kept.get("type") == "object":
        properties: dict[str, Any] = kept.get("properties", {})
        if not properties:
            # A strict schema cannot describe an object of any form; as text it can come all the same.
            return {"type": "string", "description": "A JSON object, as text"}
        return kept | _object({name: _nullable(_strict(one)) for name, one in properties.items()})
    if "items" in kept:
        kept["items"] = _strict(kept["items"])
    return kept


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _kind(value: object) -> str:
    return (
        "a list" if isinstance(value, list) else "text" if isinstance(value, str) else "a number or true or false"
    )
