"""Sentences that take back or correct what their speaker has just said: "no wait, it's on Tuesday". Pure.

A correction often names only the new value; it is then read as the earlier sentence with that value in it, but
only where it is plain what it takes the place of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from recollect.remember.compare.lexicon import KINDS
from recollect.text.marks import without_accents

_I = re.IGNORECASE
_PAUSE = r"[\s,.:;!–—-]+"
#: These take back what was said.
_TAKES_BACK = (
    r"(?:(?:scratch|strike|ignore|forget) (?:that|what i (?:just )?said)|(?:(?:i was|"
    r"i'm) )?just (?:kidding|joking)|jk|(?:es|era) broma|olvida (?:eso|lo que (?:dije|he dicho))|"
    r"estoy bromeando)\b"
)
#: These say that something was wrong.
_SURE = (
    rf"{_TAKES_BACK}|that(?:'s| is| was) (?:wrong|not right|incorrect)\b|i made a mistake\b|i was wrong\b|"
    r"(?:no,? )?(?:wait|hold on),? no\b|no,? (?:wait|sorry|hold on)\b|o+ps\b|whoops\b|correction\b|typo\b|"
    r"my (?:bad|mistake)\b|i (?:misspoke|mistyped)\b|i (?:was|am) mistaken\b|i got (?:that|it) wrong\b|"
    r"(?:sorry,? )?i meant(?: to (?:say|write|type))?\b(?! to\b)|let me correct (?:that|myself)\b|"
    r"no,? (?:espera|perd[oó]na?|digo)\b|espera,? no\b|ups\b|correcci[oó]n\b|corrijo\b|errata\b|rectifico\b|"
    r"me (?:equivoqué|he equivocado|confundí|he confundido)\b|(?:quise|quería) decir\b|mejor dicho\b|"
    r"digo(?=\s*[,:])"
)
#: These may open a correction, and much else.
_MAYBE = (
    r"actually\b|sorry\b|apologies\b|i mean\b|(?:pardon|wait|well|ah|oh|hmm+|no|bueno|uy|espera|"
    r"ay(?: no)?)(?=\s*[,.!:;])|perd[oó]na?\b|perdone\b|disculpa\b|lo siento\b|en realidad\b|quiero decir\b"
)
_OPENING = re.compile(rf"^(?:(?:{_SURE}|{_MAYBE})(?:{_PAUSE}|$))+", _I)
_SAYS_SO = re.compile(_SURE, _I)
_MEANING = re.compile(r"\b(?:i mean|quiero decir)\b", _I)
#: After these a value follows, whatever it is.
_NAMES_VALUE = re.compile(r"\b(?:meant|decir|correction|correcci[oó]n|typo|errata|mejor dicho)\b", _I)
_MAYBE_SO = re.compile(
    r"\b(?:actually|sorry|apologies|pardon|wait|perd[oó]na?|perdone|disculpa|en realidad|i mean|"
    r"quiero decir|ay)\b",
    _I,
)
_TAKEN_BACK = re.compile(_TAKES_BACK, _I)
#: "it's", "make that", "es": what stands before a value that is named alone.
_POINTING = (
    r"(?:(?:his|her|its|their|the) name(?:'s| is)|(?:he|she)(?:'s| is) (?:called|named)|se llaman?|(?:it|"
    r"that|this)(?:'s| is| was| will be| should (?:be|say|read)|'ll be)|make (?:it|that)|"
    r"(?:i )?meant?(?: to (?:say|write|type))?|(?:que )?(?:es|era|será|sería|son|fue)\b|(?:quise|quería) decir)"
)
_SMALL = r"(?:on|at|in|for|to|the|an?|el|la|los|las|al|del|a las?|en|un|una|called|se llama)"
_VALUE = re.compile(
    rf"^(?P<pointed>{_POINTING})?\s*(?:not [\w' ]{{1,30}}?,\s*(?:but |it's )?|no [\w' ]{{1,30}}?,\s*(?:sino "
    rf")?(?:que )?(?:es |son |será )?)?"
    rf"(?:{_SMALL} )*(?P<value>(?:\d{{1,2}}:\d\d|[^\s,.;:!?]+)(?: [^\s,.;:!?]+){{0,3}}?)"
    r"(?:,? (?:not|no) [\w' ]{1,30})?(?:,? (?:instead|rather|actually|sorry|though|perd[oó]na?))*[.!]*$",
    _I,
)
#: "It has been moved to Friday": that something has changed, and what the value is now.
_MOVED = re.compile(
    r"^(?:(?:it|that)(?:'s| is| has| was| got)?(?: now)?(?: been)? |they(?:'ve| have)? |we(?:'ve| have)? )"
    r"(?:moved|changed|rescheduled|postponed|pushed(?: back)?|shifted)(?: it| that)? (?:back )?(?:to|until) "
    r"(?P<value>[^,.;:!?]{2,30})[.!]*$"
    r"|^(?:al final )?(?:me |nos )?(?:(?:la|lo|se) (?:ha[ns]?|he|hemos) (?:movido|cambiado|pasado|aplazado)|"
    r"se (?:movió|cambió|pasó|aplazó)|(?:la|lo) (?:movieron|cambiaron|pasaron|aplazaron)) "
    r"(?:al|a la|a las|para el|para la|hasta el) (?P<valor>[^,.;:!?]{2,30})[.!]*$",
    _I,
)
#: "…, because of the strike", "… works better": why it is another value now.
_WHY = re.compile(
    r"^(?P<value>[^,]{1,40}?)(?P<why>,\s.+| (?:works|suits (?:me|us)|is|would be) (?:much )?better\b.*)$", _I
)
_OF_ONESELF = re.compile(
    r"^,.*\b(?:i|i'm|i've|my|we|we're|our|mis?|nuestr[oa]s?|soy|estoy|tengo|vivo|trabajo)\b", _I
)
_SOMEBODY = re.compile(
    r"\b(?:i|i'm|i've|my|me|we|our|you|your|he|she|they|yo|mi|mis|me|nos|tú|tu|soy|estoy|tengo|vivo|trabajo)\b", _I
)
#: "…, not nuts": what the sentence itself says is not so.
_RATHER_THAN = re.compile(
    r",\s+(?:and |y )?(?:not|no) (?:(?:to|at|in|on|an?|the|al|en|el|la|los|las) )*([\w' -]{2,30})[.!]*$", _I
)
#: "Not Monday, Tuesday."
_NOT_THIS = re.compile(r"^not? (?:(?:on|at|in|to|an?|the|al?|en|el|la|los|las) )*([\w' -]{2,30}?),\s", _I)
_THE_OWN = re.compile(r"^(the|that|el|la|los|las)\s+((?:[\w'-]+\s+){0,2}?)([\w'-]+)", _I)

_MONTH = (
    "january|february|march|april|may|june|july|august|september|october|november|december|enero|febrero|marzo|"
    "abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_DAY = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|"
    r"(?:the )?day after tomorrow|pasado mañana|tomorrow|today|tonight|mañana|hoy"
)
_COUNT = (
    "(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-(?:one|two|three|four|five|six|seven|eight|nine))?|"
    "thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|"
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|uno|dos|tres|cuatro|cinco|seis|siete|ocho|"
    "nueve|diez|once|doce|quince|veinte|treinta|cuarenta|cincuenta"
)
_UNIT = (
    "years?|months?|weeks?|days?|hours?|minutes?|people|euros?|pounds?|dollars?|kg|km|mg|años?|mes(?:es)?|semanas?|"
    "días?|horas?|minutos?|personas?"
)
#: What can be put in the place of another of its kind, the narrower kinds first.
_SORTS = tuple(
    re.compile(rf"\b(?:{pattern})(?!\w)", _I)
    for pattern in (
        _DAY,
        rf"\d{{1,2}}(?:st|nd|rd|th)?(?: of| de)? (?:{_MONTH})|(?:{_MONTH}) \d{{1,2}}(?:st|nd|rd|th)?",
        _MONTH,
        r"\d{1,2}(?::\d\d)? ?[ap]\.?m\.?|\d{1,2}:\d\d",
        r"\d{1,2} al \d{1,2}",
        rf"(?:\d+|{_COUNT}) (?:{_UNIT})",
        rf"\d+|{_COUNT}",
    )
)
_NAME = re.compile(r"(?<=[\w,] )(?!I\b|I')[A-ZÁÉÍÓÚÑ][\w'-]*(?: (?!I\b)[A-ZÁÉÍÓÚÑ][\w'-]*)*")
_WORD = re.compile(r"[\w'-]+")
#: A sentence that ends in what it says of somebody: "I'm allergic to nuts", "I'm a nurse".
_ENDS_IN_VALUE = re.compile(
    r"(?:\b(?:allergic|intolerant|alérgic[oa]|intolerante) (?:to|al?|a los|a las|a la) |"
    r"(?:'m|\bam|\bis|\bare|\bsoy|\bes) (?:an? |una? )?)([a-zà-ÿ-]+)[.!]*$"
)


class Said(msgspec.Struct, frozen=True):
    """A sentence of the same speaker from the same run."""

    place: int
    """Which sentence of the run it is."""
    seq: int
    text: str


class Read(msgspec.Struct, frozen=True, kw_only=True):
    """How a sentence is to be read after what its speaker has said before."""

    text: str
    """Empty if nothing is left to be learned from it."""
    first: int | None = None
    """``seq`` of the message that it completes, if it does."""
    gone: int | None = None
    """The place of the sentence that it takes back."""
    sure: bool = False
    """Whether it says itself that something before it was wrong."""
    maybe: bool = False
    """Whether it may say so: "actually"."""
    rather_than: str = ""
    """What it says is not so, beside what is."""
    bound: bool = False
    """To be believed only where it changes what was said before: it may be about something else."""


def read(sentence: str, earlier: Sequence[Said], asked: str = "") -> Read:
    """Read a sentence after ``earlier`` ones; ``asked`` is a question of somebody else's that it may answer."""
    match = _OPENING.match(sentence)
    opening, rest = (match[0], sentence[match.end() :]) if match else ("", sentence)
    denied = _NOT_THIS.match(rest)
    sure = _SAYS_SO.search(opening) is not None or (
        denied is not None and any(denied[1].lower() in said.text.lower() for said in earlier[-1:])
    )
    value = _value(opening, rest, sure=sure) if earlier else None
    put = _put_in_place(value, earlier, asked) if value else None
    why = _WHY.match(rest) if earlier and value is None and not rest.endswith("?") else None
    if why is not None and (value := _value(opening, why["value"], sure=sure)) is not None:
        # With more behind it only a day or an hour is plain, and a number if it says that something was wrong:
        # "Sorry, Max, I need help", "Actually, one, I need help".
        plain = _of_a_sort(value.text) and (sure or _SORTS[-1].fullmatch(value.text) is None)
        put = _put_in_place(value, earlier, asked, why["why"]) if plain else None
    if put is not None:
        return put
    gone = earlier[-1].place if earlier and _TAKEN_BACK.search(opening) else None
    rather_than = _RATHER_THAN.search(sentence)
    own = _own_again(rest, earlier)
    return Read(
        text=own or rest,
        gone=gone,
        sure=sure,
        maybe=_MAYBE_SO.search(opening) is not None,
        rather_than=rather_than[1] if rather_than else "",
        bound=own is not None,
    )


class _Value(msgspec.Struct, frozen=True):
    text: str
    pointed: bool
    """Whether it is said to be what is meant: "it's Max" and not only "sorry, Max"."""
    any_sort: bool
    """Whether it is a value even if nothing is known of its kind."""


def _value(opening: str, rest: str, *, sure: bool) -> _Value | None:
    """The value that a correction names alone; None if it says more, or is none."""
    moved = _MOVED.match(rest)
    if moved is not None:
        text = re.sub(rf"^(?:{_SMALL} )+", "", moved["value"] or moved["valor"], flags=_I)
        return _Value(text, pointed=False, any_sort=False)
    match = _VALUE.match(rest)
    if match is None or _SOMEBODY.search(match["value"]):
        return None
    if not (sure or _MAYBE_SO.search(opening) or _MAYBE_SO.search(rest)):
        return None
    pointed = sure or match["pointed"] is not None or _MEANING.search(opening) is not None
    return _Value(match["value"], pointed, _NAMES_VALUE.search(opening) is not None)


def _put_in_place(value: _Value, earlier: Sequence[Said], asked: str, why: str = "") -> Read | None:
    """The latest sentence that has something of the kind of the value, with the value in its place."""
    for said in reversed(earlier):
        near = said.seq == earlier[-1].seq  # further back it may be about what was said in between
        spots = _spots(said.text, value.text, names=near)
        if not spots:
            continue
        start, end = spots[0]
        if asked and said.text[start:end].lower() not in asked.lower():
            return None  # it answers the question
        if said.text[start:end].lower() == value.text.lower():
            return None
        # "Sorry, Max" may be somebody who is spoken to: then it is not learned what is Max.
        plain = near and len(spots) == 1 and (value.pointed or not value.text[:1].isupper() or _sorted(value.text))
        text = said.text[:start] + value.text + said.text[end:] if plain else ""
        if text and _OF_ONESELF.search(why):
            text = text.rstrip(".!") + why
        return Read(text=text, first=said.seq, gone=said.place, sure=True)
    return _end_replaced(value.text, earlier[-1]) if value.any_sort and not (asked or why) else None


def _end_replaced(value: str, said: Said) -> Read:
    ending = _ENDS_IN_VALUE.search(said.text)
    if ending is None or not re.fullmatch(r"[a-zà-ÿ-]+", value):
        return Read(text="", gone=said.place, sure=True)
    text = said.text[: ending.start(1)] + value + said.text[ending.end(1) :]
    return Read(text=text, first=said.seq, gone=said.place, sure=True)


def _sorted(value: str) -> bool:
    return _of_a_sort(value) or _kind(value) is not None


def _of_a_sort(value: str) -> bool:
    return any(sort.fullmatch(value) for sort in _SORTS)


def _kind(word: str) -> int | None:
    plain = without_accents(word).lower()
    single = plain.removesuffix("s")
    return KINDS.get(plain, KINDS.get(single, KINDS.get(f"{single[:-1]}o") if single.endswith("a") else None))


def _spots(text: str, value: str, *, names: bool) -> list[tuple[int, int]]:
    """Where in a text something of the kind of the value stands."""
    for sort in _SORTS:
        if sort.fullmatch(value):
            return [match.span() for match in sort.finditer(text)]
    kind = _kind(value)
    if kind is not None:
        found = [match.span() for match in _WORD.finditer(text) if _kind(match[0]) == kind]
        if found:
            return found
    if not names or not value[:1].isupper():
        return []
    return [match.span() for match in _NAME.finditer(text) if not any(sort.search(match[0]) for sort in _SORTS)]


def _own_again(text: str, earlier: Sequence[Said]) -> str | None:
    """The meeting is on Tuesday, after "my meeting is on Monday": it is mine."""
    match = _THE_OWN.match(text)
    if match is None:
        return None
    plural = match[1].lower() in ("los", "las")
    english = match[1].lower() in ("the", "that")
    for word in (*match[2].split(), match[3]):
        pattern = rf"\b(?:my|our|mis?|nuestr[oa]s?)\s+(?:[\w'-]+\s+){{0,2}}?{re.escape(word)}\b"
        if len(word) > 2 and any(re.search(pattern, said.text, _I) for said in earlier):
            return ("My" if english else "Mis" if plural else "Mi") + text[match.end(1) :]
    return None
