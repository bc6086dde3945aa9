"""Where a workflow goes by itself when a step has all that it asks for, and what a person asks it to do. Pure."""

from __future__ import annotations

import re

from recollect.workflows import machine
from recollect.workflows.definition import Kind, Workflow
from recollect.workflows.records import Snapshot

_GO = re.compile(
    r"\b(?:go|move|back|return|volver|vuelve|ir|pasa|pasar)\b.{0,20}?\b(?:to|a|al)\s+(?P<step>[\w -]+)",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"\b(?:not|don't|do not|never|wait|no|nunca|espera|todavía)\b", re.IGNORECASE)
#: Spanish for the verbs that actions often begin with.
_VERBS = {
    "send": r"env[ií]\w*|manda\w*|m[aá]nda\w*",
    "close": r"cierra\w*|cerrar",
    "refund": r"reembols\w*|devuelv\w*",
}


def onward(workflow: Workflow, state: Snapshot, kind: Kind) -> str | None:
    """The next step, if this one has all that it asks for; or if the next one asks for the same.

    Only the first move ahead is taken. From a step that asks for nothing, somebody has to decide.
    """
    names = [step.name for step in workflow.steps]
    here = workflow.step(state.step)
    if here is None or not here.required:
        return None
    ahead = [move for move in here.moves if names.index(move.to) > names.index(here.name)]
    if not ahead or machine.moved(workflow, state, ahead[0].to, kind).refused:
        return None
    target = workflow.step(ahead[0].to)
    lacking = machine.missing(workflow, state)
    same = target is not None and here.name == workflow.start and set(lacking) <= set(target.required)
    return ahead[0].to if not lacking or (same and not ahead[0].needs) else None


def wanted_step(workflow: Workflow, message: str) -> str | None:
    """The step that somebody says to go to."""
    match = _GO.search(message)
    if match is None:
        return None
    said = _plain(match["step"])
    return next(
        (step.name for step in workflow.steps if said.startswith((_plain(step.name), _plain(step.label)))), None
    )


def wanted_action(workflow: Workflow, state: Snapshot, message: str) -> str | None:
    """The action that somebody asks for in a few words, where it is allowed."""
    if len(message.split()) > 8 or _NEGATED.search(message) or "?" in message:
        return None
    for action in machine.open_actions(workflow, state):
        verb = re.split(r"[_\W]", action.name)[0].lower()
        if re.search(
            rf"\b(?:{re.escape(verb)}|{_VERBS.get(verb, re.escape(action.name))})\b", message, re.IGNORECASE
        ):
            return action.name
    return None


def _plain(name: str) -> str:
    return " ".join(re.split(r"[_\s-]+", name.lower())).strip()
