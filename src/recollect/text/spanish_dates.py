"""Dates as they are said in Spanish: "ayer", "hace dos meses", "el 5 de mayo", "el próximo viernes". Pure."""

from __future__ import annotations

import re
from datetime import date, timedelta

from recollect.text.spans import Span, back, days, days_of_month, season, weekday, whole_month

_MONTHS = (
    "enero", "febrero", "marzo", "abril", "mayo", "junio",
    "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
)  # fmt: skip
_DAYS = ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo")
_WITH_ACCENT = {"miercoles": "miércoles", "sabado": "sábado"}
_SEASONS = {"primavera": 3, "verano": 6, "otoño": 9, "invierno": 12}
_NUMBERS = {
    "un": 1, "una": 1, "dos": 2, "un par de": 2, "tres": 3, "unos": 3, "unas": 3, "cuatro": 4, "cinco": 5,
    "seis": 6,
    "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "once": 11, "doce": 12,
}  # fmt: skip
_UNITS = {
    "día": "day", "dia": "day", "noche": "night", "semana": "week", "fin de semana": "weekend",
    "fines de semana": "weekend",
    "mes": "month", "año": "year", "ano": "year",
}  # fmt: skip

_MONTH = rf"(?P<month>{'|'.join(_MONTHS)}|setiembre)\b"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_UNIT = r"(?P<unit>d[ií]a|noche|semana|fin(?:es)? de semana|mes|a[ñn]o)(?:es|s)?\b"
_NAMED = rf"(?P<named>{'|'.join(_DAYS)}|miercoles|sabado|{'|'.join(_SEASONS)}|semana|fin de semana|mes|año)\b"

_FULL = re.compile(
    rf"\b(?:el )?(?:(?:{'|'.join(_DAYS)}|miercoles|sabado),? )?(?P<day>\d{{1,2}}|primero) de {_MONTH}"
    rf"(?: (?:de|del) {_YEAR})?(?: pasado)?",
    re.IGNORECASE,
)
#: "Del 3 al 10 de mayo", "entre el 3 y el 10 de mayo"
_DAYS_OF_MONTH = re.compile(
    rf"\b(?:(?:del?|desde el) (?P<first>\d{{1,2}}) (?:al?|hasta el)|entre el (?P<between>\d{{1,2}}) y el) "
    rf"(?P<day>\d{{1,2}}) de {_MONTH}(?: (?:de|del) {_YEAR})?",
    re.IGNORECASE,
)
#: "El jueves 13"
_WEEKDAY_AND_DAY = re.compile(
    rf"\bel (?P<named>{'|'.join(_DAYS)}|miercoles|sabado) (?P<day>\d{{1,2}})(?!\d|:| de | h)\b", re.IGNORECASE
)
#: How far off the thirteenth that is a Thursday may be.
_FAR = 200
_MONTH_ALONE = re.compile(
    rf"\b(?P<which>en|desde|hasta|de|durante|este|para|el próximo|el pasado) {_MONTH}(?: (?:de|del) {_YEAR})?"
    r"(?P<past> pasado)?",
    re.IGNORECASE,
)
_AGO = re.compile(rf"\bhace {_COUNT} {_UNIT}", re.IGNORECASE)
_AHEAD = re.compile(rf"\bdentro de {_COUNT} {_UNIT}", re.IGNORECASE)
_AFTER = re.compile(
    rf"\b(?:el|la) {_NAMED} (?P<which>pasad[oa]|próxim[oa]|proxim[oa]|que viene|anterior)\b", re.IGNORECASE
)
_BEFORE = re.compile(
    rf"\b(?:(?:el|la) (?P<which>pasad[oa]|próxim[oa]|proxim[oa])|(?P<this>est[ea])) {_NAMED}", re.IGNORECASE
)
_NEAR = re.compile(
    r"\b(?P<near>anteayer|antes de ayer|antier|ayer|anoche|hoy|esta (?:mañana|tarde|noche)|pasado mañana|"
    r"el otro día"
    r"|(?<!la )(?<!por la )(?<!cada )ma[ñn]ana)\b",
    re.IGNORECASE,
)
_NEAR_DAYS = {
    "anteayer": -2,
    "antes de ayer": -2,
    "antier": -2,
    "ayer": -1,
    "anoche": -1,
    "pasado mañana": 2,
    "mañana": 1,
    "manana": 1,
}


def _month_number(name: str) -> int:
    name = name.lower()
    return 9 if name == "setiembre" else _MONTHS.index(name) + 1


def _full(match: re.Match[str], today: date) -> Span:
    day = 1 if match["day"].lower() == "primero" else int(match["day"])
    year = int(match["year"]) if match["year"] else today.year
    return days(date(year, _month_number(match["month"]), day), yearly=match["year"] is None)


def _days_of_month(match: re.Match[str], today: date) -> Span:
    first = int(match["first"] or match["between"])
    return days_of_month(first, int(match["day"]), _month_number(match["month"]), match["year"], today)


def _weekday_and_day(match: re.Match[str], today: date) -> Span | None:
    number = _DAYS.index(_WITH_ACCENT.get(match["named"].lower(), match["named"].lower()))
    around = sorted((today + timedelta(off) for off in range(-_FAR, _FAR)), key=lambda one: abs(one - today))
    meant = (one for one in around if one.day == int(match["day"]) and one.weekday() == number)
    return next(map(days, meant), None)


def _month_alone(match: re.Match[str], today: date) -> Span:
    month, which = _month_number(match["month"]), match["which"].lower()
    if match["year"]:
        return whole_month(int(match["year"]), month)
    if match["past"] or which == "el pasado":
        return whole_month(today.year if month < today.month else today.year - 1, month)
    if which == "el próximo":
        return whole_month(today.year if month > today.month else today.year + 1, month)
    return whole_month(today.year, month, yearly=True)


def _counted(match: re.Match[str]) -> tuple[int, str]:
    count, unit = match["count"].lower(), match["unit"].lower()
    return int(count) if count.isdigit() else _NUMBERS[count], _UNITS[unit]


def _ago(match: re.Match[str], today: date) -> Span:
    return back(today, *_counted(match))


def _ahead(match: re.Match[str], today: date) -> Span:
    count, unit = _counted(match)
    return back(today, -count, unit)


def _named(match: re.Match[str], today: date) -> Span:
    named, which = match["named"].lower(), (match["which"] or "").lower()
    past = which.startswith(("pasad", "anterior"))
    here = not which
    if named in _SEASONS:
        return season(today, _SEASONS[named], "last" if past else "this" if here else "next")
    if named not in _UNITS:
        return weekday(today, _DAYS.index(_WITH_ACCENT.get(named, named)), past=past)
    return back(today, 1 if past else 0 if here else -1, _UNITS[named])


def _near(match: re.Match[str], today: date) -> Span:
    near = match["near"].lower()
    if near == "el otro día":
        return days(today - timedelta(7), today - timedelta(1))
    return days(today + timedelta(_NEAR_DAYS.get(near, 0)))


RULES = (
    ((*_MONTHS, "setiembre"), _DAYS_OF_MONTH, _days_of_month),
    ((*_MONTHS, "setiembre"), _FULL, _full),
    ((*_DAYS, "miercoles", "sabado"), _WEEKDAY_AND_DAY, _weekday_and_day),
    ((*_MONTHS, "setiembre"), _MONTH_ALONE, _month_alone),
    (("hace ",), _AGO, _ago),
    (("dentro de ",), _AHEAD, _ahead),
    (("pasad", "próxim", "proxim", "que viene", "anterior"), _AFTER, _named),
    (("pasad", "próxim", "proxim", "este ", "esta "), _BEFORE, _named),
    (
        ("ayer", "anoche", "antier", "hoy", "mañana", "manana", "esta tarde", "esta noche", "otro día"),
        _NEAR,
        _near,
    ),
)
