"""A state in a few lines, for the prompt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import msgspec

from recollect.text.fence import one_line
from recollect.workflows.definition import Workflow
from recollect.workflows.machine import missing, open_actions, open_moves
from recollect.workflows.records import Snapshot

MAX_VALUE = 80
MAX_FIELDS = 12


def summary(state: Snapshot, workflow: Workflow | None) -> str:
    """Where the work stands, what is known, what is missing and what may come next; empty if there is nothing.

    Values stand as JSON on one line, so that no text inside a draft can look like a line of its own.
    """
    lines = [] if workflow is None else list(_position(state, workflow))
    if state.draft:
        lines.append(f"Draft: {'; '.join(_fields(state.draft, [] if workflow is None else _order(workflow)))}.")
    if workflow is not None:
        lines += _ahead(state, workflow)
    if state.last_action:
        lines.append(f"Last action: {_short(state.last_action)}.")
    return "\n".join(lines)


def _position(state: Snapshot, workflow: Workflow) -> Iterator[str]:
    names = [step.name for step in workflow.steps]
    step = workflow.step(state.step)
    place = f" ({names.index(step.name) + 1} of {len(names)})" if step else ""
    yield f"Workflow: {workflow.title or workflow.name}. Step: {state.step}{place}."
    if step and step.description:
        yield f"To do: {' '.join(step.description.split())}"


def _ahead(state: Snapshot, workflow: Workflow) -> Iterator[str]:
    if lacking := missing(workflow, state):
        yield f"Missing: {', '.join(lacking)}."
    # The prompt is for a model, so it hears only of moves that a model may make.
    if onward := [move.to for move in open_moves(workflow, state, "model")]:
        yield f"Possible next steps: {', '.join(onward)}."
    if actions := [action.name for action in open_actions(workflow, state)]:
        yield f"Allowed actions: {', '.join(actions)}."


def _order(workflow: Workflow) -> list[str]:
    return list(workflow.draft.get("properties", {}))


def _fields(draft: dict[str, Any], order: list[str], before: str = "") -> Iterator[str]:
    """The fields in the order of the schema, those of an object inside by their paths."""
    names = [name for name in order if name in draft] + [name for name in draft if name not in order]
    for place, name in enumerate(names):
        if place == MAX_FIELDS:
            yield f"and {len(names) - MAX_FIELDS} more"
            return
        value: object = draft[name]
        path = before + _plain(name)
        if isinstance(value, dict) and value and not before:
            yield from _fields(cast("dict[str, Any]", value), [], f"{path}.")
        else:
            yield f"{path} = {_short(cast('object', value))}"


def _short(value: object) -> str:
    if isinstance(value, list) and len(cast("list[object]", value)) > 1:
        entries = cast("list[object]", value)
        names = [cast("dict[str, object]", one).get("name") if isinstance(one, dict) else one for one in entries]
        if len(text := msgspec.json.encode(names).decode()) <= MAX_VALUE:
            return one_line(text, MAX_VALUE)
        return f"{len(entries)} entries"
    return one_line(msgspec.json.encode(value).decode(), MAX_VALUE)


def _plain(name: str) -> str:
    return name if name.isidentifier() and len(name) <= MAX_VALUE else _short(name)
