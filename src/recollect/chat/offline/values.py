"""What people write for a value of a draft: numbers, dates, lists, things with quantities. Pure."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from recollect.text.dates import found

_NUMBER = re.compile(
    r"(?:(?<![\w.,)])(?P<minus>[-−])(?=[$€£]?\d)[$€£]?)?"
    r"(?<!\d)(?P<digits>[1-9]\d{0,2}(?:[.,' ]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
    r"\s?(?P<scale>k|m|thousand|million|mil|millones|millón)?(?![\w-])",
    re.IGNORECASE,
)
_SCALES = {"k": 1e3, "thousand": 1e3, "mil": 1e3, "m": 1e6, "million": 1e6, "millones": 1e6, "millón": 1e6}
_MONEY = re.compile(
    r"[$€£]\s?\d|\d\s?(?:k|m|mil|thousand|million(?:es)?)?\s?(?:[$€£]|dollars?|euros?|usd|eur|pounds?|dólares|pesos)\b",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r",|;|\n|\+|&|\band\b|\by\b|\be\b", re.IGNORECASE)
_COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "twelve": 12, "twenty": 20, "un": 1, "una": 1, "uno": 1, "dos": 2, "tres": 3,
    "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "doce": 12, "veinte": 20,
}  # fmt: skip
_QUANTITY = re.compile(
    rf"(?:about |around |some |unos |unas )?(?P<count>\d[\d.,]*|{'|'.join(_COUNTS)})"
    r"(?:\s*+(?:x|units? of|unidades de))?\s++(?P<what>[^\W\d].*)",
    re.IGNORECASE,
)
_DETAIL = re.compile(r"\s(?:with|con)\s", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|some|our|los|las|el|la|unos|unas)\s+", re.IGNORECASE)
_DATE_NAMES = re.compile(r"date|deadline|due|fecha|seen_on|until", re.IGNORECASE)
_FIGURES = re.compile(
    r"(?<!\d)(?:(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})|(?P<a>\d{1,2})[-/.](?P<b>\d{1,2})[-/.](?P<year>\d{4}))"
    r"(?!\d)"
)
_EMAIL = re.compile(r"(?<![^\s@<>,;])[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;.]+")
_URI = re.compile(r"https?://\S+")
_YES = re.compile(r"\b(?:yes|yep|sure|true|sí|si|claro|cierto)\b", re.IGNORECASE)
_NO = re.compile(r"\b(?:no|not|nope|false|never|nunca|falso)\b", re.IGNORECASE)


def value_of(schema: Mapping[str, Any], name: str, text: str, today: date) -> Any:
    """The value that a text gives to a field of this schema; None if it gives none."""
    text = text.strip()
    if not text:
        return None
    if "enum" in schema:
        return next(
            (one for one in schema["enum"] if re.search(rf"\b{re.escape(str(one))}\b", text, re.IGNORECASE)), None
        )
    kind = type_of(schema)
    match kind:
        case "number" | "integer":
            number = number_of(text)
            return round(number) if number is not None and kind == "integer" else number
        case "boolean":
            return False if _NO.search(text) else True if _YES.search(text) else None
        case "array":
            return list_of(schema, name, text, today)
        case "string":
            return _string(schema, name, text, today)
        case _:
            return None


def type_of(schema: Mapping[str, Any]) -> str:
    """The type that a value is read as: the first that is something; text where any will do."""
    given = schema.get("type", "object" if "properties" in schema else "string")
    listed: list[str] = [given] if isinstance(given, str) else given
    return next((one for one in listed if one != "null"), "string")


def number_of(text: str) -> int | float | None:
    """The first number of a text: 50000, 50,000, 50.000, 1.5 million, 50k, -5, 0.125."""
    match = _NUMBER.search(text)
    if match is None:
        return None
    digits = match["digits"]
    grouped = re.fullmatch(r"([1-9]\d{0,2}(?:[.,' ]\d{3})+)(?:([.,])(\d+))?", digits)
    if grouped and (grouped[2] is None or grouped[2] not in grouped[1]):
        plain = re.sub(r"\D", "", grouped[1]) + (f".{grouped[3]}" if grouped[3] else "")
    else:
        plain = digits.replace(",", ".")
    try:
        number = float(plain) * _SCALES.get((match["scale"] or "").lower(), 1)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    number = -number if match["minus"] else number
    return int(number) if number.is_integer() else number


def date_of(text: str, today: date) -> str | None:
    """The last day of the first date of a text; one without a year is the next such day."""
    days = _in_figures(text)
    if days is not None:
        return days[0].isoformat() if len(days) == 1 else None
    for one in found(text, today):
        day = date.fromordinal(one.span.last)
        if one.span.yearly and day < today:
            try:
                day = day.replace(year=day.year + 1)
            except ValueError:  # 29 February
                day = day.replace(year=day.year + 1, day=28)
        return day.isoformat()
    return None


def _in_figures(text: str) -> list[date] | None:
    """The days that 31/01/2026 or 2026-01-31 may be: both orders, where nobody can tell; none, if there is no such
    day. None if no date is written like this."""
    match = _FIGURES.search(text)
    if match is None:
        return None
    year, *others = map(int, (match["y"], match["m"], match["d"]) if match["y"] else match.group("year", "a", "b"))
    days: set[date] = set()
    for month, day in (others,) if match["y"] else (others, reversed(others)):
        with contextlib.suppress(ValueError):
            days.add(date(year, month, day))
    return sorted(days)


def is_date(schema: Mapping[str, Any], name: str) -> bool:
    """Whether a field wants a date."""
    return schema.get("type") == "string" and (
        schema.get("format") == "date" or ("format" not in schema and _DATE_NAMES.search(name) is not None)
    )


def is_money(text: str) -> bool:
    """Whether a text names an amount of money by its sign or its name."""
    return _MONEY.search(text) is not None


def holds_things(schema: Mapping[str, Any]) -> bool:
    """Whether a field is a list of things that have a name and a quantity."""
    items: Mapping[str, Any] = schema.get("items", {})
    return schema.get("type") == "array" and {"name", "quantity"} <= set(items.get("properties", {}))


def list_of(schema: Mapping[str, Any], name: str, text: str, today: date) -> list[Any] | None:
    """The entries of a list: parted by commas, "and", "y"."""
    entries = [_ARTICLE.sub("", one).strip(" .!") for one in _parted(text)]
    entries = [one for one in entries if one]
    if holds_things(schema):
        return [
            thing for one in entries if (thing := _thing(one, schema["items"]["properties"])) is not None
        ] or None
    values = [value_of(schema.get("items", {"type": "string"}), name, one, today) for one in entries]
    return [one for one in values if one is not None] or None


def counted_things(text: str) -> bool:
    """Whether every entry of a list has a quantity: "20 laptops and 5 monitors"; "a laptop" may be anything."""
    entries = _parted(text.strip(" .!"))
    counts = [match["count"].lower() if (match := _QUANTITY.fullmatch(one)) else None for one in entries]
    return None not in counts and any(count not in ("a", "an", "un", "una") for count in counts)


def _parted(text: str) -> list[str]:
    """The parts of a text between commas and the like; blanks are not for the pattern to try."""
    return [part for one in _SEPARATOR.split(text) if (part := one.strip())]


def _thing(text: str, known: Mapping[str, Any]) -> dict[str, Any] | None:
    match = _QUANTITY.fullmatch(text)
    what = match["what"] if match else text
    if not re.search(r"[^\W\d]", what):
        return None
    name, *details = _DETAIL.split(what, maxsplit=1)
    thing: dict[str, Any] = {"name": name.strip()}
    if match:
        count = match["count"].lower()
        thing["quantity"] = _COUNTS.get(count) or number_of(count) or 1
    if details and "specifications" in known:
        thing["specifications"] = details[0].strip()
    elif details:
        thing["name"] = what.strip()
    return thing


def _string(schema: Mapping[str, Any], name: str, text: str, today: date) -> str | None:
    if schema.get("format") == "email":
        return match[0] if (match := _EMAIL.search(text)) else None
    if schema.get("format") == "uri":
        return match[0] if (match := _URI.search(text)) else None
    if is_date(schema, name):
        day = date_of(text, today)
        return day if day is not None or "format" in schema or _in_figures(text) == [] else text
    return text.strip(" \"'“”«»").removesuffix(".") or None
