"""How somebody says that they are to be answered: "always answer in Spanish", "never use emojis". Pure.

An order is no fact, and the gate lets none pass; that somebody gave one is a fact. But only what is about the form
of answers counts, in a grammar that knows all of its words: any other order could be given to do harm. And only
what is meant to last: "keep it short" is about what is asked for just now.
"""

from __future__ import annotations

import re
from typing import Literal

from recollect.remember.extract.statement import Statement

_I = re.IGNORECASE
#: What is longer says more than how to answer.
LONGEST = 120

_LANGUAGE = (
    "English|Spanish|French|German|Italian|Portuguese|Dutch|Catalan|Galician|Basque|Swedish|Norwegian|Danish|Finnish|"
    "Icelandic|Polish|Czech|Slovak|Hungarian|Romanian|Bulgarian|Greek|Turkish|Russian|Ukrainian|Serbian|Croatian|"
    "Slovenian|Estonian|Latvian|Lithuanian|Arabic|Hebrew|Persian|Farsi|Hindi|Urdu|Bengali|Punjabi|Tamil|Telugu|Thai|"
    "Vietnamese|Indonesian|Malay|Tagalog|Chinese|Mandarin|Cantonese|Japanese|Korean|Swahili|Welsh|Irish|Latin"
)
_TONGUE = rf"(?:(?:British|American|Australian|plain|simple|Brazilian|Mexican) )?(?:{_LANGUAGE})"
_ANSWERS = r"answers?|replies|responses?|messages|explanations"
_SHAPE = (
    r"(?:very |more |as )?(?:short|brief|concise|simple|detailed|long|formal|informal|casual|friendly|polite|"
    r"plain|technical|clear|direct|honest)"
)
_SHAPES = rf"{_SHAPE}(?:,? (?:and |but )?{_SHAPE})?(?: as possible)?|to the point"
_LENGTH = r"(?:under|below|within) \d{1,4} (?:words|sentences|characters|lines)"
#: What an answer may be written with, or without.
_MARKS = (
    r"(?:any |so many )?(?:emojis?|emoticons|exclamation (?:marks|points)|bullet points|bullets|bullet lists|"
    r"lists|numbered lists|markdown|tables|headings|headers|hashtags|jargon|slang|abbreviations|acronyms|"
    r"semicolons|em[ -]dashes|contractions|swear words|metaphors|examples|type hints|type annotations|docstrings|"
    r"(?:code )?comments|tabs|spaces|single quotes|double quotes|snake case|camel case|global variables|"
    r"trailing commas|f-strings|list comprehensions|unit tests|sources|references|"
    r"(?:fully )?(?:type-annotated|typed|commented|documented) code)"
)
_UNITS = (
    r"(?:the )?(?:metric|imperial)(?: units| system| measurements)?|celsius|fahrenheit|kilomet(?:er|re)s|miles|"
    r"(?:the )?(?:24|12)-hour (?:clock|format|time)|ISO dates|(?:British|American|US|UK) (?:English|spelling)|"
    r"tabs instead of spaces|spaces instead of tabs"
)
_CODE = r"python|javascript|typescript|sql"
_WITHIN = rf"(?: in (?:your |all |my |the )?(?:{_ANSWERS}|(?:(?:{_CODE}) )?code|{_CODE}))?"
_WAYS = r"step by step|simply|in (?:simple|plain) (?:terms|words|language)|in detail|with examples"

_BEFORE = (
    r"(?:(?:please|and|also|but|so|actually|no|instead|ok|okay|hey|hi|hello|btw|by the way|just|could you|can you|"
    r"would you|will you|i(?:'d| would) (?:like|prefer) you to|i (?:want|need) you to|"
    r"you (?:should|can|may))[,!]?\s+)*"
)
_LASTING = r"(?:from now on|in (?:the )?future|going forward|at all times|every time)"
_AFTER = rf"(?:,? (?:please|always|only|thanks|thank you|{_LASTING}))*"
#: What makes an order last, in front of it.
_ALWAYS = rf"(?:{_LASTING},?\s+(?:please )?(?:always )?|always\s+)"
_NEVER = (
    rf"(?:{_LASTING},?\s+)?(?:never|don't(?: ever)?|do not(?: ever)?|please don't(?: ever)?|stop|avoid|"
    r"i don't want you to|i do not want you to)"
)

#: "Answer me in Spanish", which nobody asks for one answer only unless something of that kind stands beside it.
_IN_TONGUE = re.compile(
    rf"^{_BEFORE}{_ALWAYS}?{_BEFORE}(?P<said>answer|reply|respond|speak|talk)(?: back)?"
    rf"(?: to me| me| with me)?(?P<only> only)? in (?P<tongue>{_TONGUE}){_AFTER}$",
    _I,
)
_SPEAK = re.compile(rf"^{_BEFORE}{_ALWAYS}?{_BEFORE}speak (?P<tongue>{_TONGUE}) (?:to|with) me{_AFTER}$", _I)
#: "Keep your answers short", "your answers should be short".
_KEPT = re.compile(
    rf"^{_BEFORE}{_ALWAYS}?{_BEFORE}(?:keep|make) (?:all )?your (?P<what>{_ANSWERS}) "
    rf"(?P<how>{_SHAPES}|{_LENGTH}){_AFTER}$",
    _I,
)
_SHOULD_BE = re.compile(
    rf"^(?:please,?\s+)?your (?P<what>{_ANSWERS}) (?:should|must|need to|have to) (?:always )?be "
    rf"(?P<how>{_SHAPES}|{_LENGTH}){_AFTER}$",
    _I,
)
_BE = re.compile(rf"^{_BEFORE}{_ALWAYS}{_BEFORE}be (?P<how>{_SHAPES})(?: with me)?{_AFTER}$", _I)
_BE_WITH_ME = re.compile(rf"^{_BEFORE}be (?P<how>{_SHAPES}) with me{_AFTER}$", _I)
_USE = re.compile(
    rf"^{_BEFORE}{_ALWAYS}{_BEFORE}(?P<do>use|include|add|write|give me|show me) (?P<what>{_MARKS}|{_UNITS})"
    rf"(?P<where>{_WITHIN}){_AFTER}$",
    _I,
)
_USE_UNITS = re.compile(rf"^{_BEFORE}(?P<do>use) (?P<what>{_UNITS})(?P<where>{_WITHIN}){_AFTER}$", _I)
_USE_NO = re.compile(
    rf"^{_BEFORE}{_NEVER} (?:us(?:e|ing) )?(?P<what>{_MARKS}|{_UNITS})(?P<where>{_WITHIN}){_AFTER}$", _I
)
_EXPLAIN = re.compile(
    rf"^{_BEFORE}{_ALWAYS}{_BEFORE}explain (?P<what>things|everything|it all) (?P<how>{_WAYS}){_AFTER}$", _I
)
_CALL_NOT = re.compile(
    rf"^{_BEFORE}{_NEVER} call(?:ing)? me (?P<name>(?-i:[A-Za-z])[\w'-]{{1,20}}(?: [\w'-]{{1,20}})?){_AFTER}$", _I
)
#: "Call me back", "call me when …" are about a telephone.
_TELEPHONE = re.compile(
    r"^(?:back|again|later|now|when|if|at|on|tomorrow|today|tonight|before|after|so|that)\b", _I
)


#: "…, and we use ruff": what somebody tells of themselves beside it.
_BESIDE = re.compile(r",? and (?=(?:i|i'm|we|we're|my|our)\b)", _I)


def beside(sentence: str) -> tuple[str, str]:
    """A sentence in two: what may say how to answer, and what somebody tells of themselves beside it."""
    joint = _BESIDE.search(sentence)
    return (sentence, "") if joint is None else (sentence[: joint.start()], sentence[joint.end() :])


def wished(sentence: str, subject: str) -> Statement | None:
    """That somebody, who is called ``subject``, says how to answer, in English or Spanish: worth what a preference
    is, and to be kept in mind. Nothing where it is a question, or has a word that is not known here."""
    text = sentence.strip(" ¡").rstrip(".!…\"') ").replace("’", "'")
    if len(text) > LONGEST or "?" in sentence:
        return None
    language: Literal["en", "es"] = "en"
    said = _in_english(text)
    if said is None:
        language, said = "es", _in_spanish(text)
    if said is None:
        return None
    return Statement(
        text=f"{subject} {said}", language=language, about="self", verb="prefer", rest=said.lower(), urged=True
    )


def _in_english(text: str) -> str | None:
    if found := _SPEAK.match(text):
        return f"says to speak {found['tongue']} with them"
    if found := _IN_TONGUE.match(text):
        to = " to them" if found["said"].lower() in ("speak", "talk") else ""
        return f"says to {found['said'].lower()}{to}{(found['only'] or '').lower()} in {found['tongue']}"
    if found := _SHOULD_BE.match(text):
        return f"says {found['what'].lower()} should be {found['how']}"
    if found := _KEPT.match(text):
        return f"says to keep {found['what'].lower()} {found['how']}"
    if found := _BE.match(text) or _BE_WITH_ME.match(text):
        return f"says to be {found['how']}"
    if found := _USE.match(text) or _USE_UNITS.match(text):
        return f"says to {re.sub(r' me$', ' them', found['do'].lower())} {_what(found)}"
    if found := _USE_NO.match(text):
        return f"says not to use {_what(found)}"
    if found := _EXPLAIN.match(text):
        return f"says to explain {found['what'].lower()} {found['how']}"
    if (found := _CALL_NOT.match(text)) and not _TELEPHONE.match(found["name"]):
        return f"says not to call them {found['name']}"
    return None


def _what(found: re.Match[str]) -> str:
    where = re.sub(r"\byour ", "", re.sub(r"\bmy\b", "their", found["where"]))
    return f"{re.sub(r'^any ', '', found['what'])}{where}"


_SPANISH_TONGUE = (
    "español|castellano|inglés|francés|alemán|italiano|portugués|catalán|gallego|euskera|vasco|neerlandés|polaco|ruso|"
    "ucraniano|rumano|griego|turco|árabe|hebreo|hindi|chino|japonés|coreano"
)
_SPANISH_BEFORE = (
    r"(?:(?:por favor|por cierto|otra cosa|y|pero|oye|oiga|che|hola|vale|además|también|ah|"
    r"(?:me gustaría|prefiero|quiero|quisiera|necesito) que|puedes|podés|podrías|puede|podría)[,:!]?\s+)*"
)
_SPANISH_LASTING = r"a partir de ahora|de ahora en adelante|desde ahora|en el futuro|de ahora en más"
_SPANISH_ALWAYS = rf"(?:(?:siempre|{_SPANISH_LASTING}|solo|sólo|solamente),?\s+)*"
_SPANISH_AFTER = rf"(?:,? (?:por favor|siempre|{_SPANISH_LASTING}|gracias|porfa|conmigo|en tus respuestas))*"
#: "Respóndeme", "contestame", "hábleme", "que me escribas": in all the ways in which people are addressed.
_SPANISH_SPEAK = (
    r"(?:(?:me )?(?:respond[aeé]s?|contest[aeé]s?|habl[aeá]s?|habl[eé]s|escrib[aeí]s?|expli[cq]u?[aeá]s?)|"
    r"(?:resp[oó]nd[ae]|cont[eé]st[ae]|contest[aá]|h[aá]bl[ae]|habl[aá]|escr[ií]b[ae]|escrib[ií]|respond[eé]|tr[aá]t[ae]|"
    r"tratá|d[aá]|d[eé])me|"
    r"(?:responder|contestar|hablar|escribir)me)"
)
_SPANISH_SHAPE = (
    r"(?:(?:muy|más|un poco más|bien|lo más) )?(?:cort[oa]s?|cortit[oa]s?|breves?|concis[oa]s?|larg[oa]s?|"
    r"detallad[oa]s?|"
    r"sencill[oa]s?|simples?|formal(?:es)?|informal(?:es)?|direct[oa]s?|clar[oa]s?|técnic[oa]s?)"
)
_SPANISH_MARKS = (
    r"emojis?|emoticonos|emoticones|tablas|listas|viñetas|abreviaturas|tecnicismos|jerga|anglicismos|palabrotas|"
    r"groserías|diminutivos|negritas|signos de exclamación|markdown|palabras en inglés"
)
_SPANISH_UNITS = r"(?:el )?sistema (?:métrico|imperial)|(?:grados )?(?:celsius|fahrenheit)|kilómetros|millas"
#: Each of these with what it tells.
_SPANISH_WISHES = tuple(
    (re.compile(rf"^{_SPANISH_BEFORE}{_SPANISH_ALWAYS}{order}{_SPANISH_AFTER}$", _I), told)
    for order, told in (
        (rf"{_SPANISH_SPEAK} {_SPANISH_ALWAYS}en (?P<what>{_SPANISH_TONGUE})", "lo quiere en {}"),
        (
            r"(?:no|nunca) (?:me )?(?:us[ea]s|us[eé]s|use|utilic[eé]s|utilice|pong[aá]s|ponga|mand[eé]s|mande|"
            r"escrib[aá]s|"
            rf"escriba) (?:más |tantos |tantas )?(?P<what>{_SPANISH_MARKS})",
            "no quiere {}",
        ),
        (rf"sin (?P<what>{_SPANISH_MARKS})", "no quiere {}"),
        (rf"{_SPANISH_SPEAK} (?:siempre )?de (?P<what>tú|usted|vos)", "lo quiere de {}"),
        (r"(?:prefiero )?(?:el|de) (?P<what>usted)", "lo quiere de {}"),
        (r"no me (?:tutees|tutee)", "no quiere que le tuteen"),
        (r"(?:tutéame|tuteame|tutéeme)", "quiere tuteo"),
        (rf"{_SPANISH_SPEAK} (?P<what>{_SPANISH_SHAPE})", "lo quiere {}"),
        (
            r"no (?:me )?(?:des|dé|escribas|escriba|mandes|mande|hagas|haga) (?:respuestas|mensajes|textos|"
            r"explicaciones) "
            rf"(?:tan )?(?P<what>{_SPANISH_SHAPE})",
            "no quiere respuestas {}",
        ),
        (
            rf"(?:{_SPANISH_SPEAK} (?:con )?|(?:quiero|prefiero) (?:las |tus )?)?(?:las |tus )?"
            rf"(?:respuestas|mensajes|explicaciones) (?P<what>{_SPANISH_SHAPE})",
            "quiere respuestas {}",
        ),
        (rf"(?:us[aáe]|utiliz[aáe]|utilice) (?P<what>{_SPANISH_UNITS})", "quiere {}"),
        (
            r"(?:ll[aá]m[ae]me|llamame|d[ií]me|decime|d[ií]game|(?:puedes|podés|puede) (?:llamarme|decirme)) "
            r"(?P<what>(?-i:[A-ZÁÉÍÓÚÑ])[\w-]{1,20})",
            "es {}",
        ),
    )
)
_SPANISH_JOINT = re.compile(r",? (?:y|pero) |, ", _I)


_SPANISH_POLITE = re.compile(
    rf"(?:por favor|por cierto|otra cosa|gracias|oye|hola|siempre|{_SPANISH_LASTING})?$", _I
)


def _in_spanish(text: str) -> str | None:
    """What each part of an order says; nothing where one is not known, which may be about one answer only."""
    said = _one_in_spanish(text)
    if said is not None:
        return said
    parts = [_one_in_spanish(part) for part in _SPANISH_JOINT.split(text) if not _SPANISH_POLITE.match(part)]
    known = dict.fromkeys(part for part in parts if part is not None)
    return " y ".join(known) if known and None not in parts else None


def _one_in_spanish(text: str) -> str | None:
    for order, told in _SPANISH_WISHES:
        if found := order.match(text):
            what = found.groupdict().get("what") or ""
            return told.format(what if told == "es {}" else what.lower())
    return None
