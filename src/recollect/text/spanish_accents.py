"""Accents that are left out in haste: "soy alergico", "me mude a Cadiz". Pure.

Only where what is written is no other word, or cannot be meant as one where it stands.
"""

from __future__ import annotations

import re

from recollect.text.marks import without_accents

_WORDS = """
alérgico alérgica alérgicos alérgicas diabético diabética asmático asmática epiléptico epiléptica cáncer
hipertensión
medicación operación depresión migraña migrañas médico médica médicos lácteos azúcar café
también además después así aquí allí allá quizás todavía jamás según día días años niño niña niños niñas
pequeño pequeña
cumpleaños mañana señor señora español española inglés francés alemán portugués japonés catalán jardín país móvil
teléfono número dirección habitación sofá avión camión autobús jamón limón atún salmón camarón camarones melón
fútbol básquet natación música matemáticas física química informática informático mecánico mecánica técnico técnica
psicólogo psicóloga biólogo bióloga arqueólogo arqueóloga sociólogo socióloga químico química físico farmacéutico
farmacéutica policía compañía guardería panadería librería peluquería abogacía cuñado cuñada compañero compañera
miércoles sábado sábados próximo próxima último última único única instalación reunión excursión
vacación exámenes oposición máquina cámara lámpara básico clásico clásica eléctrico eléctrica vivía tenía
había quería
podía nací crecí celíaco celíaca alergología biología
"""
_BY_PLAIN = {plain: word for word in _WORDS.split() if (plain := without_accents(word)) != word}
_WORD = re.compile(r"[^\W\d_]+")
#: Some are words of their own: "si" and "esta", "papa", and "compre" where somebody is to buy.
_WHERE = tuple(
    (re.compile(pattern, re.IGNORECASE), said)
    for pattern, said in (
        (r"^(s)i(?=\s*,)", r"\1í"),
        (r"\b((?:mi|nuestr[oa]) )(pap|mam)a\b", r"\1\2á"),
        (r"\b((?:mi|nuestr[oa]) [\w-]+(?: (?-i:[A-ZÁÉÍÓÚÑ])\w+)? )esta\b", r"\1está"),
        (
            r"^((?:(?:y|ayer|anoche|hoy|ya|también|luego),? )?)(empec|dej|cambi|renunci|alquil|rent|adopt)e(?= )",
            r"\1\2é",
        ),
        (
            r"(?<!que )(?<!cuando )(?<!si )(?<!no )\bme (mud|cas|separ|compr|qued|apunt|divorci|jubil|gradu)e\b",
            r"me \1é",
        ),
        (r"\bme (romp|ca|inscrib)i\b", r"me \1í"),
    )
)


def with_accents(sentence: str) -> str:
    """A Spanish sentence with the accents that were left out."""
    sentence = _WORD.sub(_accented, sentence)
    for pattern, said in _WHERE:
        sentence = pattern.sub(said, sentence)
    return sentence


def _accented(found: re.Match[str]) -> str:
    word = _BY_PLAIN.get(found[0].lower(), found[0])
    return word.capitalize() if found[0][:1].isupper() and word != found[0] else word
