"""Numbers, dates and times of a text, each in one form: "two" is 2, "3 de mayo" is "May 3rd". Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Kind = str
#: ("number", "5"), ("weekday", "1"), ("month", "5"), ("day", "3"), ("year", "2025"), ("time", "9:00"), …
Figure = tuple[Kind, str]

_MONTHS = (
    "january enero jan", "february febrero feb", "march marzo", "april abril apr", "may mayo", "june junio",
    "july julio", "august agosto aug", "september septiembre sept", "october octubre oct",
    "november noviembre nov", "december diciembre dec",
)  # fmt: skip
_MONTH = {word: str(number) for number, words in enumerate(_MONTHS, 1) for word in words.split()}
_DAYS = (
    "monday mondays lunes", "tuesday tuesdays martes", "wednesday wednesdays miercoles",
    "thursday thursdays jueves", "friday fridays viernes", "saturday saturdays sabado sabados",
    "sunday sundays domingo domingos",
)  # fmt: skip
_WEEKDAY = {word: str(number) for number, words in enumerate(_DAYS, 1) for word in words.split()}
_PARTS = (
    "morning mornings manana mananas", "afternoon afternoons", "evening evenings tarde tardes",
    "night nights noche noches", "noon mediodia", "midnight medianoche",
)  # fmt: skip
_PART = {word: words.split()[0] for words in _PARTS for word in words.split()}
_COUNTS = (
    "zero cero", "one uno", "two dos", "three tres", "four cuatro", "five cinco", "six seis", "seven siete",
    "eight ocho", "nine nueve", "ten diez", "eleven", "twelve doce", "thirteen trece", "fourteen catorce",
    "fifteen quince", "sixteen", "seventeen", "eighteen", "nineteen", "twenty veinte",
)  # fmt: skip
_COUNT = {word: number for number, words in enumerate(_COUNTS) for word in words.split()} | {
    "thirty": 30, "treinta": 30, "forty": 40, "cuarenta": 40, "fifty": 50, "cincuenta": 50, "sixty": 60,
    "sesenta": 60, "seventy": 70, "setenta": 70, "eighty": 80, "ochenta": 80, "ninety": 90, "noventa": 90,
    "hundred": 100, "cien": 100, "thousand": 1000, "mil": 1000, "dozen": 12, "docena": 12, "twice": 2,
}  # fmt: skip
_ORDINALS = (
    "first primer primero primera", "second segundo segunda", "third tercer tercero tercera", "fourth",
    "fifth quinto quinta", "sixth sexto sexta", "seventh septimo septima", "eighth octavo octava",
    "ninth noveno novena", "tenth decimo",
)  # fmt: skip
_ORDINAL = {word: str(number) for number, words in enumerate(_ORDINALS, 1) for word in words.split()}


def _any(words: dict[str, object] | dict[str, str] | dict[str, int]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_NAME = rf"(?P<month>{_any(_MONTH)})\b\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_SEASON = "spring|summer|autumn|fall|winter|primavera|verano|otono|invierno"
_UNIT = rf"week|weekend|month|year|{_SEASON}|{_any(_WEEKDAY)}"

Reader = Callable[[re.Match[str]], list[Figure]]


def figures(text: str) -> tuple[list[Figure], str]:
    """What is counted or dated in a text without accents, in order, and the text without it."""
    found: list[tuple[int, Figure]] = []
    rest = text
    for pattern, read in _RULES:
        for match in pattern.finditer(rest):
            given = read(match)
            found += [(match.start(), figure) for figure in given]
            if given:  # as long as it was, so that what is found later still has its place
                rest = rest[: match.start()] + " " * len(match[0]) + rest[match.end() :]
    return [figure for _, figure in sorted(found, key=lambda one: one[0])], rest


def _date(match: re.Match[str]) -> list[Figure]:
    given = match.groupdict()
    month = given["month"]
    number = str(int(month)) if month.isdigit() else _MONTH[month.lower()]
    day: list[Figure] = [("day", str(int(given["day"])))] if given.get("day") else []
    year: list[Figure] = [("year", given["year"])] if given.get("year") else []
    return [*day, ("month", number), *year]


def _month(match: re.Match[str]) -> list[Figure]:
    """Written small, "may" and "march" are verbs and "mayo" is a sauce, unless something says otherwise."""
    word = match["month"]
    sure = (
        match["before"]
        or match["year"]
        or word.lower() not in ("may", "march", "mayo", "jan", "dec", "oct", "apr")
    )
    return _date(match) if sure or word[0].isupper() else []


def _time(match: re.Match[str]) -> list[Figure]:
    hour, minute, half = int(match["hour"]), match["minute"] or "00", (match["half"] or "").lower()[:1]
    if half == "p" and hour < 12:
        hour += 12
    if half == "a" and hour == 12:
        hour = 0
    return [("time", f"{hour}:{minute}")]


def _number(match: re.Match[str]) -> list[Figure]:
    text = re.sub(r"[.,](?=\d{3}\b)", "", match[0]).replace(",", ".")
    return [("number", text.rstrip("0").rstrip(".") if "." in text else text.lstrip("0") or "0")]


def _counted(match: re.Match[str]) -> list[Figure]:
    words = re.split(r"[ -]", match[0].lower())
    total, part = 0, 0
    for value in (_COUNT[word] for word in words if word in _COUNT):
        part = part * value if value >= 100 and part else part + value
        if value == 1000:
            total, part = total + part, 0
    return [("number", str(total + part))]


_I = re.IGNORECASE
_RULES: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (re.compile(rf"\b{_YEAR}-(?P<month>[01]\d)-(?P<day>[0-3]\d)\b"), _date),
    (re.compile(rf"\b{_YEAR}-(?P<month>0[1-9]|1[0-2])\b(?!-)"), _date),
    (re.compile(rf"\b{_DAY} (?:of |de )?{_NAME}(?:,? (?:de |del )?{_YEAR})?", _I), _date),
    (re.compile(rf"\b{_NAME} (?:the )?{_DAY}\b(?![:%])(?:,? {_YEAR})?", _I), _date),
    (
        re.compile(
            rf"\b(?P<before>in |since |until |by |of |early |late |last |next |en |de |desde |hasta )?{_NAME}"
            rf"(?:,? (?:of |de |del )?{_YEAR})?",
            _I,
        ),
        _month,
    ),
    (re.compile(r"\b(?P<hour>[0-2]?\d)(?::(?P<minute>\d\d))? ?(?P<half>[ap]\.?m\b\.?)", _I), _time),
    (re.compile(r"\b(?P<hour>[0-2]?\d):(?P<minute>\d\d)(?P<half>)\b"), _time),
    (
        re.compile(
            r"\b(?:at|a las?) (?P<hour>[0-2]?\d)\b(?P<minute>)(?P<half>)(?! ?(?:%|years|anos|\w+ street))",
            _I,
        ),
        _time,
    ),
    (
        re.compile(rf"\b{_YEAR}\b(?![,.]?\d|%)(?! (?:euros?|dollars?|pounds?|km|kg|people|steps))"),
        lambda match: [("year", match["year"])],
    ),
    (re.compile(r"\b(?:today|hoy|tonight)\b", _I), lambda _: [("when", "today")]),
    (re.compile(r"\b(?:tomorrow)\b", _I), lambda _: [("when", "tomorrow")]),
    (re.compile(r"\b(?:yesterday|ayer)\b", _I), lambda _: [("when", "yesterday")]),
    (
        re.compile(rf"\b(?P<which>next|last|this) (?P<unit>{_UNIT})\b", _I),
        lambda match: [("when", match[0].lower())],
    ),
    (
        re.compile(r"\bla (?:(?P<which>proxima|pasada) semana|semana (?P<after>que viene|proxima|pasada))\b", _I),
        lambda match: [("when", ("last" if "pasada" in match[0].lower() else "next") + " week")],
    ),
    (re.compile(rf"\b(?P<word>{_any(_WEEKDAY)})\b", _I), lambda match: [("weekday", _WEEKDAY[match[0].lower()])]),
    (re.compile(rf"\b(?P<word>{_any(_PART)})\b", _I), lambda match: [("part", _PART[match[0].lower()])]),
    (re.compile(r"(?<![\w.])\+?\d+(?:-\d+)+\b"), lambda match: [("number", match[0])]),
    (re.compile(r"\b(?P<n>\d+)(?:st|nd|rd|th)\b", _I), lambda match: [("ordinal", match["n"])]),
    (re.compile(rf"\b(?:{_any(_ORDINAL)})\b", _I), lambda match: [("ordinal", _ORDINAL[match[0].lower()])]),
    # A digit that goes on a word belongs to a name: "PS5" and "v1.2" count nothing.
    (re.compile(r"(?<![A-Za-z\d])(?<![A-Za-z\d][.,])\d+(?:[.,]\d+)*"), _number),
    (re.compile(rf"\b(?:{_any(_COUNT)})(?:(?: |-| and )(?:{_any(_COUNT)}))*\b", _I), _counted),
)


#: Tells when in the day something is done; "a morning person" does not.
IN_THE_DAY = re.compile(rf"\b(?:in the|at|every|each|por las?|de la|cada) (?:{_any(_PART)})\b", _I)


def clash(one: Sequence[Figure], other: Sequence[Figure]) -> str | None:
    """The first kind of figure of which the two give different values."""
    return next(iter(clashes(one, other)), None)


def clashes(one: Sequence[Figure], other: Sequence[Figure]) -> list[Kind]:
    """The kinds of figures of which the two give different values; one that only gives fewer does not differ."""
    return [kind for kind in dict.fromkeys(kind for kind, _ in one) if _differ(kind, one, other)]


def _differ(kind: Kind, one: Sequence[Figure], other: Sequence[Figure]) -> bool:
    mine = {value for name, value in one if name == kind}
    theirs = {value for name, value in other if name == kind}
    return bool(theirs) and not mine <= theirs and not theirs <= mine
