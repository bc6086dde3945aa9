"""Relative dates in a statement made absolute: what "yesterday" was is not known tomorrow. Pure."""

from __future__ import annotations

import re
from datetime import date, timedelta

import msgspec

from recollect.remember.extract.statement import Tense
from recollect.text.dates import Found, Span, found
from recollect.text.spans import weekday

_PREPOSITION = re.compile(
    r"\b(on|in|at|since|until|till|to|through|by|from|before|after|during|over|for|of|around|desde|hasta|en|para|"
    r"de|antes de|al|el)\s+$",
    re.IGNORECASE,
)
_OWN_PREPOSITION = re.compile(r"^(in|since|during|until|by|of|en|desde|hasta|de|durante|para)\s", re.IGNORECASE)
_SEASON = re.compile(r"\b(spring|summer|autumn|fall|winter|primavera|verano|otoño|invierno)\b", re.IGNORECASE)
_IN_COUNT = re.compile(
    r"\bin ((?:\d{1,3}|a|an|one|two|three|four|five|six|a few|a couple of) (?:day|week|month|"
    r"year)s?)(?:'? time)?\b(?! of)",
    re.IGNORECASE,
)
_EN_COUNT = re.compile(
    r"\ben ((?:\d{1,3}|un|una|dos|tres|cuatro|cinco|seis) (?:días?|semanas?|mes(?:es)?|años?))\b", re.IGNORECASE
)
_WEEKDAYS = {
    name: number
    for names in (
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
    )
    for number, name in enumerate(names)
}
_ON_WEEKDAY = re.compile(
    rf"\b(?:on|el)\s+({'|'.join(_WEEKDAYS)})\b(?!\s+(?:morning|night|evening|afternoon|pasado|que)|,?\s+(?:the\s+)?\d)",
    re.IGNORECASE,
)
_STILL_RELATIVE = re.compile(
    r"\b(?:yesterday|tomorrow|tonight|today|(?:last|next|this) (?:week|month|year|night|weekend|\w+day)|ago|"
    r"ayer|(?<!\bcada )(?<!\bla )mañana|hoy|anoche|"
    r"pasad[oa]|próxim[oa]|que viene)\b",
    re.IGNORECASE,
)
#: What was arranged is told before it takes place: "I booked a flight on 4 August".
_ARRANGED = re.compile(
    r"\b(?:(?:re)?booked|reserved|(?:re)?scheduled|arranged|decided|agreed|planned|signed up|signed on|registered|"
    r"enrolled|promised|committed|postponed|brought forward|pushed back|"
    r"(?:got|gotten|made|bought|received|had) (?:[\w'-]+ ){0,4}?(?:appointments?|tickets?|slots?|bookings?|"
    r"reservations?|interviews?|invitations?|invited|date for)|"
    r"reserv(?:ó|ado)|agend(?:ó|ado)|acord(?:ó|ado)|decid(?:ió|ido)|apunt(?:ó|ado)|inscri(?:bió|to)|"
    r"qued(?:ó|ado) con|aplaz(?:ó|ado)|"
    r"(?:compró|comprado|sacó|sacado|pidió|pedido|consiguió|conseguido) (?:[\w'-]+ ){0,2}?"
    r"(?:billetes?|entradas?|pasajes?|boletos?|citas?|turnos?|hora))\b",
    re.IGNORECASE,
)
#: "Trabajo allí desde marzo": of this year, or of the last.
_BEGAN = re.compile(r"\bdesde\s+(?:el\s+)?(?=$|\w+$)", re.IGNORECASE)
#: "A Corolla 2019": the year is a name.
_OF_A_MODEL = re.compile(r"(?-i:\b[A-ZÁÉÍÓÚÑ][\w-]+) $")
#: What was arranged for a day of the last weeks took place by now, or was arranged on it.
JUST_OVER = timedelta(days=60)


class Dated(msgspec.Struct, frozen=True):
    """A text whose dates are absolute, and the span that it is about, if there is one."""

    text: str
    span: Span | None


def dated(text: str, said: date, tense: Tense, language: str) -> Dated | None:
    """None where a relative date is left that cannot be told."""
    if tense == "future" or re.search(r"\b(?:going to|plan|planning|moving|expecting|will)\b", text):
        text = _EN_COUNT.sub(r"dentro de \1", _IN_COUNT.sub(r"\1 from now", text))
    arranged = tense == "past" and _ARRANGED.search(text) is not None
    if not arranged:
        text = _ON_WEEKDAY.sub(lambda match: _weekday(match, said, tense, language), text)
    spans: list[Span] = []
    given = found(text, said)
    years = [one for one in given if not one.span.yearly and one.span.last - one.span.first >= 364]
    of_a_year: dict[int, Span | None] = {}  # "four years ago in February" tells one month
    told_beside = set[int]()
    for one in given:
        year = next((each for each in years if _beside(text, each, one)), None) if one.span.yearly else None
        if year is not None:
            of_a_year[one.start] = span = _in_year(one.span, date.fromordinal(year.span.first).year)
            if span is not None:
                told_beside.add(year.start)
    for one in sorted(given, key=lambda each: each.start, reverse=True):
        span, in_figures = one.span, _in_figures(text, one)
        if one.start in told_beside and not in_figures:
            text = f"{text[: one.start].rstrip(' ,')} {text[one.end :].lstrip(' ,')}"
            continue
        if one.start in of_a_year:
            span = of_a_year[one.start]
        elif span.yearly:
            ahead = arranged and date.fromordinal(span.last) > said
            over = arranged and date.fromordinal(span.last) < said - JUST_OVER
            began = _BEGAN.search(text[: one.start]) or _BEGAN.match(text[one.start : one.end])
            span = _with_year(span, said, "future" if ahead or over else "past" if began else tense)
        if span is None:  # every year
            continue
        spans.append(span)
        if in_figures:
            if _OF_A_MODEL.search(text[: one.start]):
                spans.pop()
            continue
        if text[one.end : one.end + 1] in ("'", "’"):
            return None
        text = _replaced(text, one, span, language)
    return None if _STILL_RELATIVE.search(text) else Dated(" ".join(text.split()), spans[-1] if spans else None)


def _in_figures(text: str, one: Found) -> bool:
    return re.search(r"\b(?:19|20)\d\d\b", text[one.start : one.end]) is not None


def _weekday(match: re.Match[str], said: date, tense: Tense, language: str) -> str:
    begun = match.string[: match.start()].endswith("desde ")
    if tense == "present" and not begun:
        return match[0]
    span = weekday(said, _WEEKDAYS[match[1].lower()], past=begun or tense == "past")
    return ("on " if language == "en" else "el ") + date.fromordinal(span.first).isoformat()


def _with_year(span: Span, said: date, tense: Tense) -> Span | None:
    """The year that was meant: the last such day for what has happened, the next for what will."""
    if tense == "present":
        return None
    first, last = date.fromordinal(span.first), date.fromordinal(span.last)
    try:
        if tense == "past" and first > said:
            first, last = first.replace(year=first.year - 1), last.replace(year=last.year - 1)
        if tense == "future" and last < said:
            first, last = first.replace(year=first.year + 1), last.replace(year=last.year + 1)
    except ValueError:  # 29 February
        return None
    return Span(first.toordinal(), last.toordinal())


def _beside(text: str, year: Found, one: Found) -> bool:
    """Whether a year is told right beside a day or a month."""
    between = text[min(year.end, one.end) : max(year.start, one.start)]
    return re.fullmatch(r"[\s,]*(?:(?:on|in|of|el|en)\s+)?", between, re.IGNORECASE) is not None


def _in_year(span: Span, year: int) -> Span | None:
    """The same days of another year; None if that has no 29 February."""
    first, last = date.fromordinal(span.first), date.fromordinal(span.last)
    after = last + timedelta(1)  # a month ends before the next begins, however long it is
    try:
        start = first.replace(year=year)
        end = start if first == last else after.replace(year=year + after.year - first.year) - timedelta(1)
    except ValueError:
        return None
    return Span(start.toordinal(), end.toordinal())


def _replaced(text: str, one: Found, span: Span, language: str) -> str:
    before, words, after = text[: one.start], text[one.start : one.end], text[one.end :]
    own = _OWN_PREPOSITION.match(words)
    preposition, shown = _shown(span, words, language)
    given = _PREPOSITION.search(before)
    if own is not None and own[1].lower() not in ("in", "en"):
        return f"{before}{own[1]} {shown}{after}"
    if given is not None:
        kept = given[1].lower()
        if kept in ("on", "in", "at", "en", "el", "for"):
            before = before[: given.start()]
        else:
            return f"{before}{shown.removeprefix('the ')}{after}"
    return f"{before}{preposition} {shown}{after}"


def _shown(span: Span, words: str, language: str) -> tuple[str, str]:
    first, last = date.fromordinal(span.first), date.fromordinal(span.last)
    english = language == "en"
    inside = "in" if english else "en"
    if first == last:
        return ("on" if english else "el"), first.isoformat()
    length = span.last - span.first + 1
    named = _SEASON.search(words)
    if named:
        return inside, f"{named[1].lower()} {first.year}"
    if length == 2:
        return ("on", f"the weekend of {first}") if english else ("en", f"el fin de semana del {first}")
    if length == 7 and first.weekday() == 0:
        return (inside, f"the week of {first}") if english else (inside, f"la semana del {first}")
    if first.day == 1 and (last + timedelta(1)).day == 1 and length <= 31:
        return inside, f"{first:%Y-%m}"
    if length >= 365:
        return inside, str(first.year)
    return ("between", f"{first} and {last}") if english else ("entre", f"el {first} y el {last}")
