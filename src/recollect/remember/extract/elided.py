"""Whom a Spanish sentence without a subject is about: "Mi hija se llama Zoe y es alérgica al huevo." Pure.

Only where it is plain: what was said just before names one person or animal of the speaker's, and what follows can
be said of nobody but them. "Es una ciudad preciosa" may be said of where they live.
"""

from __future__ import annotations

import re

_HE = (
    "marido|esposo|novio|prometido|padre|papá|padrastro|hijo|hermano|hermanastro|abuelo|nieto|tío|sobrino|primo|"
    "suegro|cuñado|yerno|amigo|vecino|jefe|compañero|perro|perrito|gato|gatito|caballo|conejo|loro"
)
_SHE = (
    "mujer|esposa|novia|prometida|madre|mamá|madrastra|hija|hermana|hermanastra|abuela|nieta|tía|sobrina|prima|"
    "suegra|cuñada|nuera|amiga|vecina|jefa|compañera|perra|perrita|gata|gatita|yegua|coneja"
)
_EITHER = "pareja|bebé|mascota"
PERSON = re.compile(
    r"\b(?:mi|nuestr[oa])\s+(?P<kind>(?:mejor\s+|ex\s*-?\s*)?"
    rf"(?:(?P<he>{_HE})|(?P<she>{_SHE})|(?P<either>{_EITHER}))"
    r"(?:\s+(?:mayor|menor|pequeñ[oa]|median[oa]))?)\b"
    r"(?:,?\s+(?:(?:que\s+)?se\s+llama\s+)?(?P<name>(?-i:[A-ZÁÉÍÓÚÑ])\w+))?",
    re.IGNORECASE,
)
#: Others who could be meant.
_OTHERS = re.compile(
    rf"\b(?:él|ella|ellos|ellas|(?:{_HE}|{_SHE}|{_EITHER})e?s|padres|hijos|herman[oa]s|niñ[oa]s|"
    rf"(?:su|sus|un|una|otr[oa]|tu)\s+(?:{_HE}|{_SHE}|{_EITHER}))\b",
    re.IGNORECASE,
)
_ANYBODY = re.compile(rf"\b(?:{_HE}|{_SHE}|{_EITHER})\b", re.IGNORECASE)
#: What is said of people and animals alone; and how its end agrees with them.
_SAID = re.compile(
    r"^(?:(?:y|pero|además|también|por desgracia|lamentablemente|ahora)[,]?\s+)*(?:(?P<who>él|ella|"
    r"el(?=\s+(?:es|está|tiene|toma|sufre|padece|vive|trabaja|estudia)\b))\s+)?"
    r"(?P<rest>(?:también\s+)?(?:"
    r"(?:no\s+)?es\s+(?:muy\s+)?(?:(?:alérgic|vegan|vegetarian|celíac|diabétic|asmátic|zurd|sord|cieg|epiléptic|"
    r"médic|enfermer|maestr|abogad|ingenier|arquitect|cociner|camarer|bomber|mecánic|técnic|músic|veterinari|"
    r"farmacéutic|secretari|peluquer|carpinter|fontaner|plomer|panader|jardiner|\w+ólog)(?P<end>[oa])|intolerante|"
    r"autista|estudiante|periodista|dentista|electricista|taxista|comerciante|contable|piloto|policía|matrona|chef|"
    r"(?:profes|program|cont|dise[ñn]|entren|vended|conduct)(?:ad|or|d)*ora?)\b|"
    r"está\s+(?:embarazada|jubilad[oa]|en\s+el\s+paro)\b|"
    r"(?:no\s+)?tiene\s+(?:(?:much[oa]|una|la)\s+)?(?:\d+\s+(?:años|meses)|alergia|asma|diabetes|celiaquía|"
    r"intolerancia|miedo|epilepsia|migrañas?|fobia|demencia|alzheimer|cáncer)\b|"
    r"(?:sufre|padece)\s+(?:de\s+)?\w|"
    r"(?:no\s+)?toma\s+(?:\w+\s+){0,2}(?:insulina|pastillas?|medicación|medicamentos?|antibióticos?)\b|"
    r"no\s+(?:puede\s+(?:comer|beber|tomar)|come|bebe)\s|"
    r"(?:vive|trabaja|estudia)\s+(?:en|con|de|como|para)\s"
    r").*)$",
    re.IGNORECASE | re.DOTALL,
)


def mentions_nobody(text: str) -> bool:
    """Whether a text speaks of no person who could be meant next."""
    return _ANYBODY.search(text) is None


def elided(sentence: str, before: str) -> str | None:
    """The sentence with whom it is about, if what was said before tells who that is."""
    said = _SAID.match(sentence)
    people = [] if said is None else list(PERSON.finditer(before))
    if said is None or len({one["kind"].lower() for one in people}) != 1 or _OTHERS.search(before):
        return None
    pronoun, end = (said["who"] or "").lower(), (said["end"] or "").lower()
    masculine = pronoun in ("él", "el") or end == "o"
    feminine = pronoun == "ella" or end == "a"
    if any((one["he"] and feminine) or (one["she"] and masculine) for one in people):
        return None
    name = next((one["name"] for one in people if one["name"]), None)
    who = f"Mi {people[0]['kind']} {name}" if name else f"Mi {people[0]['kind']}"
    return f"{who} {said['rest'][:1].lower()}{said['rest'][1:]}"
