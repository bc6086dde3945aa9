"""What an update, a move or an action makes of a state. Pure: it decides, and says what it refuses and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.workflows.definition import Action, Kind, Move, Workflow
from recollect.workflows.merge import field_of, lists, merged, pieces, plain
from recollect.workflows.records import Snapshot
from recollect.workflows.schema import problems

MAX_ACTION = 1000
#: How many pieces of a model's update are tried one by one before the rest is dropped; of a large draft fewer, so
#: that nobody else waits for it.
MAX_TRIES = 50
MAX_TRIED_BYTES = 512 << 10


class Refusal(msgspec.Struct, frozen=True):
    """Something that was not done. ``by_rule`` if the workflow forbids it, else the input was wrong."""

    field: str
    problem: str
    by_rule: bool = False

    def __str__(self) -> str:
        return f"{self.field}: {self.problem}"


class Outcome(msgspec.Struct, frozen=True):
    """The state after a change, and what of the change was refused."""

    after: Snapshot
    refused: tuple[Refusal, ...] = ()


def beginning(workflow: Workflow | None) -> Snapshot:
    """The state before anything has changed it."""
    return Snapshot(step=None if workflow is None else workflow.start)


def updated(
    workflow: Workflow | None, before: Snapshot, patch: object, kind: Kind, *, forgiving: bool = False
) -> Outcome:
    """Merge a patch in the shape of an agent state: the draft under its name, ``workflowStep``, ``lastAction``,
    ``metadata``. If anything is wrong, nothing changes; if ``forgiving``, only what is wrong is dropped.
    """
    parts, refused = _parts(workflow, patch, forgiving)
    draft, wrong = (
        _draft(workflow, before.draft, parts.get("draft"), forgiving) if "draft" in parts else (None, [])
    )
    refused += wrong
    after = msgspec.structs.replace(before, draft=before.draft if draft is None else draft)
    # Ids are kept in the metadata; they come last, since null empties it.
    for part, name, read in (
        ("last_action", "last_action", _last_action),
        ("metadata", "metadata", _metadata),
        ("ids", "metadata", _metadata),
    ):
        if part in parts:
            try:
                after = msgspec.structs.replace(after, **{name: read(after, parts[part])})
            except Invalid as error:
                refused.append(Refusal(error.field, error.problem))
    if refused and not forgiving:
        return Outcome(before, tuple(refused))
    outcome = moved(workflow, after, parts["step"], kind) if parts.get("step") is not None else Outcome(after)
    if outcome.refused and not forgiving:
        return Outcome(before, outcome.refused)
    return Outcome(outcome.after, (*refused, *outcome.refused))


def moved(workflow: Workflow | None, before: Snapshot, to: object, kind: Kind) -> Outcome:
    """Go to another step. To stay is no move, and always allowed."""
    if not isinstance(to, str):
        return _no(before, f"must be the name of a step, not {type(to).__name__}", by_rule=False)
    if workflow is None:
        return _no(before, "this conversation has no workflow, and so no steps")
    if to == before.step:
        return Outcome(before)
    moves = _moves(workflow, before)
    move = next((move for move in moves if move.to == to), None)
    if move is None:
        allowed = f"allowed are {', '.join(one.to for one in moves)}" if moves else "it is the last step"
        unknown = "" if workflow.step(to) else f"; {workflow.name!r} has no such step"
        return _no(before, f"there is no move from {before.step!r} to {to[:80]!r}{unknown}; {allowed}")
    if move.by and kind not in move.by:
        return _no(before, f"the move to {to!r} is not one for a {kind} to make, only for {' or '.join(move.by)}")
    if lacking := [field for field in move.needs if not filled(before.draft, field)]:
        return _no(before, f"the move to {to!r} needs {', '.join(lacking)} first")
    return Outcome(msgspec.structs.replace(before, step=to))


def acted(workflow: Workflow | None, before: Snapshot, name: str) -> Outcome:
    """Do a guarded action: it becomes the last action, and leads to its step."""
    action = None if workflow is None else workflow.action(name)
    if workflow is None or action is None:
        known = ", ".join(action.name for action in workflow.actions) if workflow else ""
        return _no(before, f"there is no action {name[:80]!r}; there is {known or 'none'}", field="action")
    if before.step not in action.steps:
        where = " or ".join(action.steps)
        return _no(before, f"{name!r} is allowed at {where}, and this is at {before.step!r}", field="action")
    if lacking := [field for field in action.needs if not filled(before.draft, field)]:
        return _no(before, f"{name!r} needs {', '.join(lacking)} first", field="action")
    return Outcome(msgspec.structs.replace(before, step=action.to or before.step, last_action=name))


def missing(workflow: Workflow | None, state: Snapshot) -> list[str]:
    """The fields that the step asks for and the draft does not have."""
    step = None if workflow is None else workflow.step(state.step)
    return [] if step is None else [field for field in step.required if not filled(state.draft, field)]


def open_moves(workflow: Workflow | None, state: Snapshot, kind: Kind | None = None) -> list[Move]:
    """The moves that can be made now, by anyone or by a cause of this kind."""
    moves = () if workflow is None else _moves(workflow, state)
    return [
        move
        for move in moves
        if all(filled(state.draft, field) for field in move.needs)
        and (kind is None or not move.by or kind in move.by)
    ]


def open_actions(workflow: Workflow | None, state: Snapshot) -> list[Action]:
    """The guarded actions that are allowed now."""
    actions = () if workflow is None else workflow.actions
    return [action for action in actions if not acted(workflow, state, action.name).refused]


def filled(draft: Mapping[str, Any], path: str) -> bool:
    """Whether a field is there with something in it; 0 and false are something, blank text and empty lists not."""
    value: object = draft
    for name in path.split("."):
        value = cast("dict[str, object]", value).get(name) if isinstance(value, dict) else None
    return bool(value.strip()) if isinstance(value, str) else value is not None and value != [] and value != {}


def _moves(workflow: Workflow, state: Snapshot) -> tuple[Move, ...]:
    """From a step that a newer definition no longer has, the way leads back to the start."""
    step = workflow.step(state.step)
    return (Move(workflow.start),) if step is None else step.moves


def _parts(workflow: Workflow | None, patch: object, forgiving: bool) -> tuple[dict[str, Any], list[Refusal]]:
    """The parts of a patch by our names. What it says about missing fields is passed over: they are computed. A
    model's null says that it has nothing to say.
    """
    if not isinstance(patch, Mapping):
        return {}, [Refusal("patch", f"must be an object, not {type(patch).__name__}")]
    draft_name = "draft" if workflow is None else workflow.draft_name
    ids = () if workflow is None else workflow.ids
    known = {draft_name: "draft", "draft": "draft", "workflowStep": "step", "step": "step"}
    known |= {"lastAction": "last_action", "metadata": "metadata"}
    parts: dict[str, Any] = {}
    refused: list[Refusal] = []
    beside: dict[str, Any] = {}
    for name, value in cast("Mapping[object, Any]", patch).items():
        part = known.get(name) if isinstance(name, str) else None
        if name == "missingFields" or (value is None and (forgiving or part == "step")):
            continue
        if name in ids:
            beside[str(name)] = value
        elif part is None:
            names = ", ".join(dict.fromkeys([*known, *ids]))
            refused.append(Refusal(plain(name), f"is not a part of a state; it has {names}"))
        elif part in parts:
            refused.append(Refusal(str(name), "is there twice under two names; give one of them"))
        else:
            parts[part] = value
    if beside:
        parts["ids"] = beside
    return parts, refused


def _draft(
    workflow: Workflow | None, draft: dict[str, Any], patch: object, forgiving: bool
) -> tuple[dict[str, Any], list[Refusal]]:
    """The draft with a patch merged in, and what of the patch does not fit."""
    name = "draft" if workflow is None else workflow.draft_name
    if patch is None:
        return {}, []
    if not isinstance(patch, Mapping):
        return draft, [Refusal(name, f"must be an object, not {type(patch).__name__}")]
    whole = dict(cast("Mapping[str, Any]", patch))
    if workflow is not None and "missingFields" not in workflow.draft.get("properties", {}):
        whole.pop("missingFields", None)
    changed, problem = _fitting(workflow, name, draft, whole)
    if problem is None:
        return changed, []
    return _salvaged(workflow, name, draft, whole) if forgiving else (draft, [problem])


def _salvaged(
    workflow: Workflow | None, name: str, draft: dict[str, Any], patch: dict[str, Any]
) -> tuple[dict[str, Any], list[Refusal]]:
    """As much of a patch as fits, tried in ever smaller pieces."""
    refused: list[Refusal] = []
    waiting = list(pieces(patch)) or [patch]
    most = min(MAX_TRIES, MAX_TRIED_BYTES // (len(msgspec.json.encode(draft)) + 1))
    for tries in range(most + 1):
        if not waiting:
            break
        if tries == most:
            refused.append(Refusal(name, f"{len(waiting)} more fields were not tried"))
            break
        piece = waiting.pop(0)
        draft, problem = _fitting(workflow, name, draft, piece)
        if problem is not None and (smaller := list(pieces(piece))):
            waiting = smaller + waiting
        elif problem is not None:
            where = field_of(piece, name) if problem.field == name else problem.field
            refused.append(Refusal(where, problem.problem))
    return draft, refused


def _fitting(
    workflow: Workflow | None, name: str, draft: dict[str, Any], patch: dict[str, Any]
) -> tuple[dict[str, Any], Refusal | None]:
    """The draft with a patch merged in if that fits, else the draft as it was and what is wrong."""
    try:
        changed = _merged(name, draft, patch)
    except Invalid as error:
        return draft, Refusal(error.field, error.problem)
    if workflow is not None:
        # The rest fitted before, and a draft as a whole has no rule of its own: it begins empty.
        touched = {field: changed[field] for field in patch if field in changed}
        for problem in problems(workflow.draft, touched, name):
            return draft, Refusal(problem.where, problem.what)
    return changed, None


def _merged(name: str, target: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """Both together, if they are JSON of a size that is kept."""
    inputs.json_text(name, patch)
    changed = merged(target, lists(patch))
    inputs.json_text(name, changed)
    return changed


def _last_action(_: Snapshot, value: object) -> str | None:
    return None if value is None else inputs.text("lastAction", value, MAX_ACTION)


def _metadata(before: Snapshot, value: object) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise Invalid("metadata", f"must be an object, not {type(value).__name__}")
    return _merged("metadata", before.metadata, dict(cast("Mapping[str, Any]", value)))


def _no(before: Snapshot, problem: str, *, field: str = "step", by_rule: bool = True) -> Outcome:
    return Outcome(before, (Refusal(field, problem, by_rule),))
