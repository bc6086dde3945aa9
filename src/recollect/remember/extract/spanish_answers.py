"""What a short answer in Spanish says together with its question: "¿Dónde vives?", "En Gijón". Pure."""

from __future__ import annotations

import re

_I = re.IGNORECASE
_LED_IN = re.compile(r"^(?:(?:hola|genial|vale|perfecto|y|pues|encantad[oa]|muy bien|por cierto)\b[,.!]*\s+)+", _I)
_SAID = re.compile(r"^(?:(?:sí|si|pues|bueno|claro|hola|ah|mm+)\b[,.!]*\s*)+(?=\w)", _I)
#: What begins with one of these says nothing more, or is a sentence of its own.
_TALK = re.compile(
    r"\b(?:yo|me|mi|mis|tú|tu|te|eso|esto|no|nada|nadie|ningun[oa]?|soy|estoy|tengo|vivo|trabajo|sé|gracias|porque|pero|que)\b"
    r"|[\[\]{}<>?¿]",
    _I,
)
#: How a question is asked, what may stand before the answer, and the sentence that both come to.
_ASKED_FOR = (
    (re.compile(r"¿\s*(?:y )?(?:en )?d[oó]nde (?:vives|vive usted|resides)\b", _I), r"en ", "Vivo en {}."),
    (re.compile(r"¿\s*(?:y )?de d[oó]nde (?:eres|es usted)\b", _I), r"de ", "Soy de {}."),
    (re.compile(r"¿\s*(?:y )?(?:en )?d[oó]nde trabajas\b", _I), r"en ", "Trabajo en {}."),
    (re.compile(r"¿\s*(?:y )?c[oó]mo te llamas\b", _I), r"", "Me llamo {}."),
)
_NAMES = r"[A-ZÁÉÍÓÚÑ]"
_AGE = re.compile(r"¿\s*(?:y )?(?:cu[aá]ntos años tienes|qu[eé] edad tienes)\b", _I)
_YEARS = re.compile(r"^(?:tengo )?(\d{1,3})(?: años)?$", _I)
_ALLERGIES = re.compile(r"¿[^¿?]*\b(?P<what>alergia|intolerancia)s?\b[^¿?]*\?", _I)
_TO = re.compile(r"^(?:(?:alergia|intolerancia) )?(?P<to>al?|a los|a las) (?P<what>.+)$", _I)
_YOUR = re.compile(
    r"¿\s*(?:y )?cu[aá]l es tu (?P<what>(?:\w+ (?:favorit[oa]|preferid[oa]))|nombre|correo|presupuesto|dirección|"
    r"teléfono|número de teléfono|talla|profesión|cumpleaños)\s*\?",
    _I,
)


def completed(question: str, answer: str) -> str | None:
    """The sentence in the first person that an answer comes to; None if it says nothing more by its question."""
    question = _LED_IN.sub("", question)
    said = _SAID.sub("", answer).strip(" .!¡,")
    if not said or not said.isprintable() or len(said.split()) > 8:
        return None
    if _AGE.match(question):
        return f"Tengo {years[1]} años." if (years := _YEARS.match(said)) else None
    if _TALK.search(said):
        return None
    if kind := _ALLERGIES.match(question):
        to = _TO.match(said)
        return f"Tengo {kind['what'].lower()} {to['to'].lower()} {to['what']}." if to else None
    for asked, before, sentence in _ASKED_FOR:
        if asked.match(question):
            place = re.sub(f"^{before}", "", said, flags=_I)
            return sentence.format(place) if re.match(rf"{_NAMES}|(?:una?|el|la) ", place) else None
    if your := _YOUR.match(question):
        return f"Mi {your['what'].lower()} es {said}."
    return None
