"""Turns of phrase brought into one: Spanish into English, "no longer" and "gave up" into "not". Pure."""

from __future__ import annotations

import re
import unicodedata

_I = re.IGNORECASE
_THEM = r"(?:del usuario|de la usuaria|del user|de user|de usuario)"

#: What is said in another way, and how it is read; in this order.
_TURNS = tuple(
    (re.compile(pattern, _I), turned)
    for pattern, turned in (
        (r"[’`´]", "'"),
        (r"\b(?:the|my) (\w+) of the user\b", r"user's \1"),
        (r"\b(?:the user|el usuario|la usuaria|usuario|usuaria)\b(?<!del usuario)(?<!de la usuaria)", "user"),
        (r"\bI(?: a|')m\b", "user is"), (r"\bI(?: ha|')ve\b", "user has"), (r"(?-i:\bI\b)", "user"),
        (r"\b(?:my|mis?)\b", "user's"),
        (r"\buser's (\w+) (?:favorit|preferid)[oa] es (?:el |la |los |las )?", r"user's favourite \1 is "),
        (r"\b(no )?me (?:gustan?|encantan?|fascinan?)\b", r"user \1likes"), (r"\b(?:odio|detesto|no soporto)\b", "user dislikes"),
        (r"\b(?:ya no|no) (?=vivo|tengo|soy|estoy|trabajo|prefiero)", "not "),
        (r"\bvivo en\b", "user lives in"), (r"\bme (?:mude|he mudado|traslade|he trasladado) (?:a|al)\b", "user moved to"),
        (r"\btrabajo (?:como|de)\b", "user works as"), (r"\btrabajo (?:en|para)\b", "user works at"), (r"\bme llamo\b", "user is called"),
        (r"\bsoy\b|\bestoy\b", "user is"), (r"\btengo\b", "user tiene"), (r"\bprefiero\b", "user prefers"), (r"\bnaci (?:en|el)\b", "user was born in"),
        (r"\bcomo (?=carne|pescado|queso|huevos|marisco|jamon|pollo)", "user eats "),
        (rf"\b(?:el|la) (\w+) (?:favorit|preferid)[oa] {_THEM} (?:es|son) (?:el |la |los |las )?", r"user's favourite \1 is "),
        (rf"\b(?:el|la|los|las) nombre {_THEM} es\b", "user is called"),
        (rf"\b(?:el|la|los|las) (\w+(?: de \w+)?) {_THEM}", r"user's \1"),
        (r"\b(?:al?|a la) user (no )?le (?:gustan?|encantan?|fascinan?)\b", r"user \1likes"),
        (r"\b(?:no )?(?:le gustan?|le encantan?|adora)\b", lambda match: "not likes" if match[0].lower().startswith("no ") else "likes"),
        (r"\b(?:odia|detesta|no soporta|aborrece)\b", "dislikes"),
        (r"\b(?:vive|reside|viven|residen) en\b", "lives in"),
        (r"\bse (?:ha |han )?(?:mud(?:o|a|ado|aron|ara)|traslad(?:o|a|ado|aron|ara)) (?:a|al)\b", "moved to"),
        (r"\b(?:trabaja|trabajan) (?:como|de)\b", "works as"),
        (r"\b(?:trabaja|trabajan) (?:en|para)\b", "works at"),
        (r"\bestudia en\b", "studies in"),
        (r"\bnacio (?:en|el)\b", "was born in"),
        (r"\bse llaman?\b", "is called"),
        (r"\btiene (\w+) anos\b", r"is \1 years old"),
        (r"\bcumpleanos\b", "birthday"),
        (r"\b(?:prefiere|prefieren)\b", "prefers"),
        (r"\b(?:conduce|maneja) (?=un)", "drives "),
        (r"\b(?:guarda|aparca|deja) (?=el |la |los |las )", "keeps "),
        (r"\b(?:tiene|tienen)\b", "has"),
        (r"\bcome (?=carne|pescado|queso|huevos|marisco|jamon|pollo)", "eats "),
        (r"\b(?:carne)\b", "meat"), (r"\bpescado\b", "fish"), (r"\bqueso\b", "cheese"), (r"\bhuevos?\b", "eggs"),
        (r"\bvegetarian[oa]\b", "vegetarian"), (r"\bvegan[oa]\b", "vegan"),
        (r"\bsolter[oa]\b", "single"), (r"\bcasad[oa](?: con)?\b", "married to"), (r"\bdivorciad[oa]\b", "divorced"),
        (r"\bviud[oa]\b", "widowed"), (r"\bprometid[oa](?: con)?\b", "engaged to"), (r"\bsale con\b", "is dating"),
        (r"\bseparad[oa]\b", "separated"), (r"\brompio con\b", "is separated from"),
        (r"\bjubilad[oa]\b", "retired"), (r"\b(?:en (?:el )?paro|desemplead[oa]|sin trabajo)\b", "unemployed"),
        (r"\b(?:es|esta|estan)\b", "is"),
        (r"\bhij[oa]s\b", "children"),
        # What ends is denied; what begins is so.
        (r"\b(?:dejo|ha dejado|deja) de (\w+a)r\b", r"not \1"),
        (r"\b(?:dejo|ha dejado|deja) de (\w+)[ei]r\b", r"not \1e"),
        (r"\b(?:empezo|ha empezado|comenzo|empieza) a (\w+a)r\b", r"\1"),
        (r"\b(?:empezo|ha empezado|comenzo|empieza) a (\w+)[ei]r\b", r"\1e"),
        (r"\b(?:no longer|not any ?more|ya no|nunca|jamas|neither|without|sin)\b", "not"),
        (r"\b(?:used to|solia|antes)\b", "formerly"),
        (r"\b(?:(?:has |have )?(?:stopped|quit|given up|gave up)|stops|gives up)\b", "not"),
        (r"\b(?:(?:has |have )?(?:started|begun|began|taken up|took up|resumed)|takes up|starts) (?=\w+ing\b)|\b(?:took|taken) up\b", ""),
        (r"\b(?:can't|cannot|can not|couldn't) (?:stand|bear)\b", "dislikes"),
        (r"\b(?:hates?|detests?|loathes?|dislikes?|is not (?:keen on|a fan of|fond of))\b", "not likes"),
        (r"\bis (?:very |really |so )?(?:keen on|a (?:big )?fan of|fond of)\b", "likes"),
        (r"\bwould (?:like|love) to\b", "wants to"),
        (r"\bcannot\b", "can not"), (r"\b(?:can't)\b", "can not"), (r"\bwon't\b", "will not"), (r"n't\b", " not"),
        (r"\bnight owl\b", "night person"), (r"\bearly bird\b", "morning person"),
        (r"\b(?:broke up with|split up with|separated from)\b", "is separated from"),
        (r"\bhas an? (\w+) allergy\b", r"is allergic to \1"),
        (r"\b(prefers [\w ]+?) (?:over|rather than|instead of|antes que|en vez de)\b", r"\1 to"),
        (r"\b(?:young|little) (?=(?:boy|girl|child|kid|baby|puppy|kitten)s?\b)", ""),
    )
)  # fmt: skip


def turned(text: str) -> str:
    """A text without accents and in English turns of phrase; its capitals stay."""
    plain = without_accents(" ".join(text.split()))
    for pattern, replacement in _TURNS:
        plain = pattern.sub(replacement, plain)
    return plain


def without_accents(text: str) -> str:
    """The same in plain letters."""
    letters = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in letters if unicodedata.category(letter) != "Mn")
