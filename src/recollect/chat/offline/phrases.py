"""What the offline responder says, in two languages. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from recollect.chat.offline.labels import Field, Language
from recollect.records import Hit
from recollect.text.fence import one_line

_SHOWN = 200

_TEXTS: dict[str, tuple[str, str]] = {
    "who": (
        "I have no language model here, so I look things up and follow simple rules.",
        "Aquí no tengo un modelo de lenguaje: busco en lo que recuerdo y sigo reglas sencillas.",
    ),
    "known": ("This is what I find about it:", "Esto es lo que encuentro:"),
    "nothing": ("I find nothing about that in what I remember.", "No encuentro nada de eso en lo que recuerdo."),
    "kept": ("I have kept what you said.", "He guardado lo que has dicho."),
    "noted": ("Noted: {what}.", "Anotado: {what}."),
    "ask": ("What is the {what}?", "¿Cuál es: {what}?"),
    "ask_list": ("Which {what}? Several are fine, with commas.", "¿Qué {what}? Puedes dar varios, con comas."),
    "ask_things": (
        "What is needed, and how many? For example: 20 laptops and 5 monitors.",
        "¿Qué hace falta, y cuánto? Por ejemplo: 20 portátiles y 5 monitores.",
    ),
    "ask_choice": ("What is the {what}: {choices}?", "¿Cuál es: {what} ({choices})?"),
    "not_understood": (
        "I could not read that as the {what}.",
        "No he podido leer eso como: {what}.",
    ),
    "so_far": ("So far: {what}.", "Hasta ahora: {what}."),
    "ready": (
        "Everything is there. Say “{action}” to go on, or change something, like “{field} is …”.",
        "Ya está todo. Di «{action}» para seguir, o cambia algo, como «{field} es …».",
    ),
    "did": ("Done: {what}.", "Hecho: {what}."),
    "step": ("We are at {what}.", "Estamos en {what}."),
    "refused": ("That is not possible now.", "Eso no es posible ahora."),
}  # fmt: skip


def say(name: str, language: Language, **values: str) -> str:
    """A sentence, filled in."""
    return _TEXTS[name][0 if language == "en" else 1].format(**values)


def question(field: Field, language: Language, things: bool) -> str:
    """What asks for a field."""
    label = field.label(language)
    if things:
        return say("ask_things", language)
    if "enum" in field.schema:
        return say("ask_choice", language, what=label, choices=", ".join(map(str, field.schema["enum"])))
    return say("ask_list" if field.schema.get("type") == "array" else "ask", language, what=label)


def told(hits: Sequence[Hit], notes: Sequence[str], language: Language) -> str:
    """What was found, each with its date and where it is from."""
    lines = [f"- {_when(hit)}: {one_line(hit.text, _SHOWN)}{_whence(hit, language)}" for hit in hits]
    said = "notes" if language == "en" else "notas"
    lines += [f"- {said}: {one_line(line, _SHOWN)}" for line in notes]
    return "\n".join([say("known", language), *lines])


def values_of(draft: Mapping[str, Any], fields: Sequence[Field], language: Language) -> str:
    """What a draft holds, field by field."""
    return "; ".join(
        f"{field.label(language)} = {_short(value)}"
        for field in fields
        if (value := _at(draft, field.path)) is not None
    )


def _when(hit: Hit) -> str:
    return hit.at.date().isoformat()


def _whence(hit: Hit, language: Language) -> str:
    if hit.message is None:
        return ""
    who = {"user": ("you", "tú"), "assistant": ("I", "yo")}.get(hit.message.role, ("", ""))
    said = who[0 if language == "en" else 1]
    return f" ({said}, #{hit.message.seq})" if said else ""


def _short(value: object) -> str:
    if isinstance(value, str):
        return one_line(value, _SHOWN)
    if isinstance(value, list):
        return ", ".join(_short(one) for one in cast("list[object]", value))
    if isinstance(value, dict):
        thing = cast("dict[str, object]", value)
        if "name" in thing:
            count = f"{thing['quantity']} " if "quantity" in thing else ""
            return f"{count}{one_line(str(thing['name']), _SHOWN)}"
    return msgspec.json.encode(value).decode()


def _at(draft: Mapping[str, Any], path: str) -> Any:
    value: Any = draft
    for name in path.split("."):
        value = cast("dict[str, Any]", value).get(name) if isinstance(value, dict) else None
    return value
