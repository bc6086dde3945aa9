"""What a definition must get right to be a workflow; Invalid names the step, field or move that is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from recollect import inputs
from recollect.errors import Invalid
from recollect.workflows.definition import Workflow
from recollect.workflows.schema import Schema, check_schema, describes, problems

MAX_STEPS = 100
MAX_MOVES = 500
MAX_TITLE = 200
MAX_DESCRIPTION = 2000

#: Keys of a state update that a draft or an id cannot be called.
RESERVED = {"step", "workflowStep", "lastAction", "metadata", "missingFields"}


def checked(workflow: Workflow) -> Workflow:
    """The workflow, if all that it says holds together."""
    _check_names(workflow)
    _check_draft(workflow)
    names = [step.name for step in workflow.steps]
    if workflow.start not in names:
        raise Invalid("workflow.start", _no_step(workflow.start, names))
    for place, step in enumerate(workflow.steps):
        where = f"workflow.steps[{place}]"
        _check_fields(workflow, step.required, f"{where}.required")
        for move in step.moves:
            if move.to not in names:
                raise Invalid(f"{where}.moves", _no_step(move.to, names))
            if move.to == step.name:
                raise Invalid(f"{where}.moves", f"{step.name!r} needs no move to itself")
            _check_fields(workflow, move.needs, f"{where}.moves")
        _check_unique([move.to for move in step.moves], f"{where}.moves", "move to")
    for place, action in enumerate(workflow.actions):
        where = f"workflow.actions[{place}]"
        for name in action.steps:
            if name not in names:
                raise Invalid(f"{where}.steps", _no_step(name, names))
        if not action.steps:
            raise Invalid(f"{where}.steps", "must name at least one step")
        if action.to is not None and action.to not in names:
            raise Invalid(f"{where}.to", _no_step(action.to, names))
        _check_fields(workflow, action.needs, f"{where}.needs")
    reached = _reached(workflow)
    for place, name in enumerate(names):
        if name not in reached:
            raise Invalid(f"workflow.steps[{place}]", f"{name!r} cannot be reached from {workflow.start!r}")
    return workflow


def check_actions(workflow: Workflow) -> None:
    """Models call actions as tools. What was defined before this was asked for is called by another name."""
    for place, action in enumerate(workflow.actions):
        inputs.tool_name(f"workflow.actions[{place}].name", action.name)


def _check_names(workflow: Workflow) -> None:
    if not 1 <= len(workflow.steps) <= MAX_STEPS:
        raise Invalid("workflow.steps", f"must be 1 to {MAX_STEPS}, not {len(workflow.steps)}")
    if (moves := sum(len(step.moves) for step in workflow.steps)) > MAX_MOVES:
        raise Invalid("workflow.steps", f"have {moves} moves together; at most {MAX_MOVES} are allowed")
    if len(workflow.actions) > MAX_STEPS:
        raise Invalid("workflow.actions", f"are {len(workflow.actions)}; at most {MAX_STEPS} are allowed")
    _check_texts("workflow", workflow.title, workflow.description)
    for place, step in enumerate(workflow.steps):
        where = f"workflow.steps[{place}]"
        inputs.identifier(f"{where}.name", step.name)
        if step.status is not None:
            inputs.identifier(f"{where}.status", step.status)
        _check_texts(where, step.title, step.description)
    _check_unique([step.name for step in workflow.steps], "workflow.steps", "step")
    for place, action in enumerate(workflow.actions):
        inputs.identifier(f"workflow.actions[{place}].name", action.name)
        if action.says is not None:
            inputs.text(f"workflow.actions[{place}].says", action.says, MAX_DESCRIPTION)
    _check_unique([action.name for action in workflow.actions], "workflow.actions", "action")


def _check_texts(where: str, title: str | None, description: str | None) -> None:
    if title is not None:
        inputs.identifier(f"{where}.title", title)
        inputs.text(f"{where}.title", title, MAX_TITLE)
    if description is not None:
        inputs.text(f"{where}.description", description, MAX_DESCRIPTION)


def _check_draft(workflow: Workflow) -> None:
    for field, name in (
        ("workflow.draft_name", workflow.draft_name),
        *((f"workflow.ids[{place}]", name) for place, name in enumerate(workflow.ids)),
    ):
        inputs.identifier(field, name)
        if name in RESERVED or (field != "workflow.draft_name" and name in ("draft", workflow.draft_name)):
            raise Invalid(field, f"must not be {name!r}, which already means something in an update")
    schema = check_schema(workflow.draft, "workflow.draft")
    if schema.get("type") != "object":
        raise Invalid("workflow.draft.type", "must be object")
    for problem in problems(schema, {}, "draft"):
        raise Invalid(
            "workflow.draft.required",
            f"a draft begins empty, and {problem.where} would be missing; name such fields in steps[…].required",
        )


def _check_fields(workflow: Workflow, fields: Iterable[str], where: str) -> None:
    for field in fields:
        if not describes(cast("Schema", workflow.draft), field):
            raise Invalid(where, f"the draft has no field {field!r}; workflow.draft.properties must describe it")


def _check_unique(names: list[str], where: str, what: str) -> None:
    for place, name in enumerate(names):
        if name in names[:place]:
            field = where if what == "move to" else f"{where}[{place}].name"
            raise Invalid(field, f"there is already a {what} {name!r}")


def _reached(workflow: Workflow) -> set[str]:
    """The steps that moves and actions lead to from the start."""
    reached = {workflow.start}
    ahead = [workflow.start]
    while ahead:
        here = ahead.pop()
        step = workflow.step(here)
        onward = [move.to for move in step.moves] if step else []
        onward += [action.to for action in workflow.actions if action.to is not None and here in action.steps]
        ahead += [name for name in onward if name not in reached]
        reached.update(onward)
    return reached


def _no_step(name: str, names: list[str]) -> str:
    return f"there is no step {name!r}; the steps are {', '.join(names)}"
