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
#: A plain request is short.
MAX_REQUEST = 120
#: What may stand before the verb of a request: a yes, a please, a wish, a leave. Anything else makes it another
#: sentence: a no, a question, somebody else who does it.
_BEFORE = (
    r"(?:(?:yes|yeah|yep|ok|okay|sure|great|perfect|good|fine|alright|all right|now|then|so|please|just|do|"
    r"go ahead(?: and)?|let's|you (?:can|may)(?: now)?|(?:i|we)(?: want|'d like| would like)(?: you)? to|"
    r"(?:i|we)(?: want|'d like| would like)(?= an? )|an?|"
    r"sí|si(?=,)|vale|bien|perfecto|de acuerdo|claro|adelante|por favor|ahora|entonces|pues|ya|(?:ya )?puedes|"
    r"quiero|queremos|vamos a|una?)[,.!]? ){0,4}"
)
_AFTER = (
    r"(?: (?:it|this|that|them|everything|all|todo|(?:(?:the|this|that|my|our|your|el|la|los|las|mi|nuestr[oa])"
    r" )?(?:{nouns})(?: (?:{nouns}))*))?"
    r"(?: (?:out|off|away|over|up))?"
    r"(?: (?:to|a|al) ?(?:them|everyone|everybody|all|todos|ellos|(?:all |todos )?"
    r"(?:the |our |my |los |las |mis )?(?:selected |chosen )?"
    r"(?:vendors?|suppliers?|customers?|clients?|users?|proveedor(?:es)?|clientes?)"
    r"(?: elegidos| seleccionados)?))?"
    r"(?:,? (?:now|right now|right away|immediately|today|then|please|ya|ahora|hoy|por favor))*[,.!… ]*"
)
#: What is done something with, whatever the workflow is about.
_NOUNS = (
    "request", "offer", "order", "message", "mail", "email", "document", "draft", "ticket", "case", "money",
    "customer", "client", "solicitud", "pedido", "oferta", "mensaje", "correo", "documento", "borrador", "caso",
    "dinero", "cliente", "de propuestas", "de ofertas",
)  # fmt: skip
#: Spanish for the verbs that actions often begin with: what asks for them, not what tells of them.
_VERBS = {
    "send": r"(?:env[ií]a|m[aá]nda)r?(?:(?:se)?l[oa]s?)?|(?:env[ií]e|m[aá]nde)l[oa]s?|envíe|"
    r"(?:envi[eé]|mand[eé])mosl[oa]s?",
    "close": r"ci[eé]rra(?:l[oa]s?)?|cerrar(?:l[oa]s?)?|ci[eé]rrel[oa]s?",
    "refund": r"reemb[oó]lsa(?:r|rl[oa]|l[oa])?|reembolso|devu[eé]lve(?:l[oa])?|devolver(?:l[oa])?",
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
    """The action that a message plainly asks for, where it is allowed. It cannot be taken back: what only speaks
    of it, asks about it or says more than this is no request."""
    said = _plain(message.replace("’", "'").strip(" \"'“”«»\n"))
    if len(said) > MAX_REQUEST:
        return None
    actions = machine.open_actions(workflow, state)
    asked = [action.name for action in actions if _request(workflow, action.name).fullmatch(said)]
    if len(asked) > 1:
        words = set(re.findall(r"\w+", said))
        asked = [name for name in asked if set(_plain(name).split()) <= words]
    return asked[0] if len(asked) == 1 else None


def _request(workflow: Workflow, action: str) -> re.Pattern[str]:
    """The ways to ask for an action: its name as it is, or its verb and what the workflow is about."""
    verb = next(iter(_plain(action).split()), action)
    verbs = f"{re.escape(_plain(action) or action)}|{re.escape(verb)}|{_VERBS.get(verb, re.escape(verb))}"
    about = re.findall(r"\w+", f"{_plain(action)} {_plain(workflow.name)} {workflow.title or ''}".lower())
    nouns = "|".join(sorted({*about, *_NOUNS}, key=len, reverse=True))
    return re.compile(rf"{_BEFORE}(?:{verbs}){_AFTER.format(nouns=nouns)}")


def _plain(name: str) -> str:
    return " ".join(re.split(r"[_\s-]+", name.lower())).strip()
