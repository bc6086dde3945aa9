"""The fields of a draft that a sentence fills in. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, cast

from recollect.chat.offline import values
from recollect.chat.offline.labels import Field, fields
from recollect.workflows.machine import filled

_BEFORE = r"(?:\b(?:the|our|my|its|a|an|el|la|los|las|nuestro|nuestra|nuestros|mi|su|un|una) )?"
_VERB = (
    r"(?:\s*[:=]\s*|\s+(?:is|are|was|will be|should be|must be|of|to|at|es|son|será|serán|debe ser|de|a|sería)\s+)"
)
_LAST = re.compile(r"(?<!\w)(?:and|with|by|y|con|but|pero|also|the|el|la|our)$", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_NEED = re.compile(
    r"\b(?:need|want|require|buy|buying|order|purchase|get|necesit\w+|quer\w+|quier\w+|compra\w*|pedi\w*|ped\w+)\s+"
    r"(?:to (?:buy|order|purchase|get) |comprar |pedir |also |también |another )*(?P<what>.+)",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    r"\b(?:rfp|request for (?:proposals?|quotes?)|request|tender|ticket|solicitud(?: de (?:propuestas?|ofertas?))?"
    r"|pedido|licitación)\s+(?:for|about|to buy|para|sobre|de)\s+(?P<what>[^.!?]+)",
    re.IGNORECASE,
)
_CUT = re.compile(
    r"\s(?:for|by|before|until|with a|within|para|antes|hasta|con un|con una|from|so that|because|porque)\s",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\b(?:by|before|until|due|para el|antes|hasta|a más tardar)\b", re.IGNORECASE)
_MORE = re.compile(r"\b(?:also|too|additionally|add|más|mas|también|tambien|además|añade|agrega)\b", re.IGNORECASE)
_ASKS = re.compile(
    r"^\s*(?:let's |please |por favor )?(?:ask|use|choose|pick|select|invite|send it to|it is|it's|they are|"
    r"we choose|"
    r"pregunta a|invita a|elige|elegimos|usa|es|son|queremos|we want|we need|need|necesitamos|call it|llámalo)\s+",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"[?¿]|^\s*(?:what|when|who|where|which|how|why|do you|did i|can you|qué|que me|cuándo|quién|dónde|cuál|"
    r"cómo)\b",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"^\W*(?:hello|hi|hey|good (?:morning|afternoon|evening)|hola|buenas|buenos días|thanks?(?: you)?|gracias|"
    r"ok(?:ay)?|yes|no|sí|si|vale|bye|adiós|help|ayuda|start|empecemos|let's (?:start|go|begin))\W*$",
    re.IGNORECASE,
)
#: No answer, but that there is none yet.
_UNSURE = re.compile(
    r"\W*(?:(?:hm+|um+|uh|well|sorry|honestly|actually|bueno|pues|eh|oh|ok)\W+)*(?:(?:i|we)(?:'m|'re| am| are)? )?"
    r"(?:(?:don't|do not|can't|cannot) (?:know|say|tell)|(?:have )?no idea|"
    r"(?:not|un)[ -]?(?:sure|certain|decided)|haven't decided|not yet|later|skip(?: it| this)?|"
    r"no (?:lo )?s(?:é|e|abemos)|(?:no tengo )?ni idea|"
    r"no estoy segur[oa]|(?:todavía|aún) no(?: lo sé)?|más tarde|luego)"
    r"(?: (?:yet|now|right now|really|exactly|about (?:it|that|this)|todavía|aún|ahora))*\W*",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|isn't|aren't|no)\b(?! (?:only|just|solo|sólo)\b)", re.IGNORECASE)
_INSTEAD = re.compile(r"\b(?:but|sino)\b", re.IGNORECASE)
_MONEY_NAMES = re.compile(r"budget|cost|price|amount|presupuesto|precio", re.IGNORECASE)
#: A field whose value may be a whole message, whatever else it says.
_LONG = re.compile(r"description|details|solution", re.IGNORECASE)


def read(
    schema: Mapping[str, Any], draft: Mapping[str, Any], message: str, asked: str | None, today: date
) -> dict[str, Any]:
    """A patch of the draft: fields that are named, else what is plain without a name, else the one asked for."""
    known = list(fields(schema))
    given = dict(_named(known, message, today))
    plain = message if not given else _without_named(known, message)
    if not is_question(message):
        for path, value in _unnamed(known, draft, plain, asked, today):
            given.setdefault(path, value)
        field = next((one for one in known if one.path == asked), None)
        if field is not None and field.path not in given and (not given or _is_long(field, plain)):
            value = _bare(field, known, plain, today)
            if value is not None:
                given[field.path] = value
    by_path = {field.path: field for field in known}
    more = _MORE.search(message) is not None
    patch: dict[str, Any] = {}
    for path, value in given.items():
        if more and isinstance(value, list) and by_path[path].path not in (asked or ""):
            value = [*cast("list[Any]", _at(draft, path) or []), *cast("list[Any]", value)]
        _put(patch, path, value)
    return patch


def is_question(message: str) -> bool:
    """Whether somebody wants to know something."""
    return _QUESTION.search(message) is not None


def only_asks(message: str) -> bool:
    """Whether all of it are questions: who looks for an answer finds none there."""
    return all(map(is_question, _SENTENCE.split(message.strip())))


def _named(known: Sequence[Field], message: str, today: date) -> Iterator[tuple[str, Any]]:
    """``the budget is 50000 and the deadline is next Friday``."""
    places = _mentions(known, message)
    ends = [begin for _, begin, _ in places[1:]] + [len(message)]
    for (field, _, start), end in zip(places, ends, strict=False):
        text = _trimmed(message[start:end])
        if not _LONG.search(field.name) and field.schema.get("type") != "boolean":
            text = _corrected(text)
            if _DENIED.match(text):
                continue  # what it is not
        if field.schema.get("type") == "string" and not _LONG.search(field.name):
            text = _SENTENCE.split(text)[0]
        value = values.value_of(field.schema, field.name, text, today)
        if value is not None:
            yield field.path, value


def _mentions(known: Sequence[Field], message: str) -> list[tuple[Field, int, int]]:
    """Which fields are named, where each mention begins, and where its value does."""
    by_label = {label: field for field in reversed(known) for label in field.labels}
    if not by_label:
        return []
    labels = sorted(by_label, key=len, reverse=True)
    # One group for each: what was written need not be a label in any case, as İ and ı, which are cases of i.
    pattern = re.compile(
        rf"{_BEFORE}\b(?:{'|'.join(f'({re.escape(one)})' for one in labels)}){_VERB}", re.IGNORECASE
    )
    return [
        (by_label[labels[cast("int", match.lastindex) - 1]], match.start(), match.end())
        for match in pattern.finditer(message)
    ]


def _trimmed(text: str) -> str:
    """Without what leads over to the next field. Looked at from its end, not anew from every blank."""
    while True:
        text = text.rstrip(" ,;.\n\t\r\xa0")
        last = _LAST.search(text, max(0, len(text) - 5))
        if last is None:
            return text
        text = text[: last.start()]


def _corrected(text: str) -> str:
    """``not 50000 but 45000``: what comes after the but."""
    denied = _DENIED.search(text.replace("’", "'"))
    instead = None if denied is None else _INSTEAD.search(text, denied.end())
    return text if instead is None else text[instead.end() :].strip()


def _without_named(known: Sequence[Field], message: str) -> str:
    """What comes before the first field that is named."""
    places = _mentions(known, message)
    return _trimmed(message[: places[0][1]]) if places else message


def _unnamed(
    known: Sequence[Field], draft: Mapping[str, Any], message: str, asked: str | None, today: date
) -> Iterator[tuple[str, Any]]:
    """What is plain without a name: 20 laptops, a sum of money, a day that something is due by. What is there
    already stays, unless there is more of it, or something is needed while nothing was asked for."""
    topic = _TOPIC.search(message)
    anew = _MORE.search(message) or (asked is None and _NEED.search(message))
    for field in known:
        if filled(draft, field.path) and not (anew and values.holds_things(field.schema)):
            continue
        if values.holds_things(field.schema) and (things := _things(field, message, topic, today)):
            yield field.path, things
        elif field.name in ("title", "subject") and topic:
            yield field.path, _CUT.split(topic["what"])[0].strip()
        elif values.is_date(field.schema, field.name) and _WHEN.search(message):
            if day := values.date_of(message, today):
                yield field.path, day
        elif _is_money(field) and values.is_money(right := _corrected(message)):
            yield field.path, _money(right)


def _is_money(field: Field) -> bool:
    return field.schema.get("type") in ("number", "integer") and _MONEY_NAMES.search(field.name) is not None


def _things(field: Field, message: str, topic: re.Match[str] | None, today: date) -> list[Any] | None:
    need = _NEED.search(message)
    for text in (need["what"] if need else None, topic["what"] if topic else None, message):
        if text is None:
            continue
        listed = _CUT.split(_SENTENCE.split(text)[0])[0].strip().strip(" .!")
        if values.counted_things(listed):
            return values.list_of(field.schema, field.name, listed, today)
    return None


def _money(message: str) -> int | float | None:
    """The number beside the sign of money; not, say, the number of laptops before it."""
    parts = re.split(r"(?<!\s)\s+(?:and|with|for|y|con|por|para|of|de)\s+|[;!?]|,\s", message, flags=re.IGNORECASE)
    return next((values.number_of(part) for part in parts if values.is_money(part)), values.number_of(message))


def _bare(field: Field, known: Sequence[Field], message: str, today: date) -> Any:
    """An answer to the question that was asked last."""
    if field.schema.get("type") != "boolean" and (
        _SMALL_TALK.match(message) or _UNSURE.fullmatch(message.replace("’", "'"))
    ):
        return None
    if values.is_date(field.schema, field.name) and values.date_of(message, today) is None:
        others = [re.escape(label) for one in known if one is not field for label in one.labels]
        if others and re.search(rf"\b(?:{'|'.join(others)})\b", message, re.IGNORECASE):
            return None  # no day, but the name of something else
    text = message if _LONG.search(field.name) else _ASKS.sub("", _corrected(message))
    return values.value_of(field.schema, field.name, text, today)


def _is_long(field: Field, message: str) -> bool:
    return _LONG.search(field.name) is not None and len(message.split()) >= 4


def _at(draft: Mapping[str, Any], path: str) -> Any:
    value: Any = draft
    for name in path.split("."):
        value = cast("dict[str, Any]", value).get(name) if isinstance(value, dict) else None
    return value


def _put(patch: dict[str, Any], path: str, value: Any) -> None:
    *outer, name = path.split(".")
    for one in outer:
        patch = patch.setdefault(one, {})
    patch[name] = value
