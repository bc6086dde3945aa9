"""Dates in questions and in messages, by small rules of our own: "7 May 2023", "last summer", "two weekends ago".

A date is a span of days. What is said relative to today is counted from the day it was said. General date parsers
miss half of these and take words like "We" or "may" for dates. Pure; the rules here are English, those of Spanish
are in ``spanish_dates``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache, partial

import msgspec

from recollect.text import spanish_dates
from recollect.text.spans import Span, back, days, days_of_month, season, touches, weekday, whole_month, whole_year

__all__ = ["Found", "Span", "found", "spans", "tells_time", "touches", "undated"]

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH_NUMBERS = {name[:3]: number for number, name in enumerate(_MONTHS, 1)}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "couple of": 2, "a couple of": 2, "few": 3, "a few": 3,
    "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12,
}  # fmt: skip

_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_UNIT = r"(?P<unit>day|night|week(?:end)?|month|year)s?"
_NAMED = rf"(?P<named>{'|'.join(_DAYS)}|{'|'.join(_SEASONS)}|week(?:end)?|month|year|night)"

_ISO = re.compile(r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)\b")
#: As it is learned: "between 2023-05-03 and 2023-05-10", "entre el 2023-05-03 y el 2023-05-10".
_ISO_DAYS = re.compile(
    r"\b(?:between|from|entre el|desde el|del) (?P<first>\d{4}-\d\d-\d\d) (?:and|to|until|y el|hasta el|al) "
    r"(?P<last>\d{4}-\d\d-\d\d)\b",
    re.IGNORECASE,
)
_ITS_WEEKDAY = rf"(?:(?:{'|'.join(_DAYS)}),? (?:the )?)?"
_DAY_MONTH = re.compile(rf"\b{_ITS_WEEKDAY}{_DAY} (?:of )?{_MONTH}(?:,? {_YEAR})?", re.IGNORECASE)
_MONTH_DAY = re.compile(rf"\b{_ITS_WEEKDAY}{_MONTH} (?:the )?{_DAY}\b(?:,? {_YEAR})?", re.IGNORECASE)
#: "From 3 to 10 May", "the 3rd and the 10th of May" only between them; "May 3-10".
_FIRST = r"(?P<first>\d{1,2})(?:st|nd|rd|th)?"
_TO = r"(?: (?:to|till|until|through) (?:the )?| ?[-–] ?)"
_DAYS_OF_MONTH = re.compile(
    rf"\b(?:(?:from )?(?:the )?{_FIRST}{_TO}|between (?:the )?(?P<between>\d{{1,2}})(?:st|nd|rd|th)? and "
    rf"(?:the )?){_DAY} (?:of )?{_MONTH}(?:,? {_YEAR})?",
    re.IGNORECASE,
)
_MONTH_DAYS = re.compile(
    rf"\b(?:from )?{_MONTH} (?:the )?{_FIRST}{_TO}{_DAY}\b(?![:.]\d| ?[ap]m\b)(?:,? {_YEAR})?", re.IGNORECASE
)
#: Before a name, which may be that of a month: "who is June?", "my sister called April".
_BEFORE_NAME = (
    "who is ", "who was ", "who's ", "who’s ", "how old is ", "called ", "named ", "does ", "did ", "has ",
    "with ",
)  # fmt: skip
_LONGEST_BEFORE = max(map(len, _BEFORE_NAME))
#: What follows the verb: "this may be wrong".
_AFTER_VERB = re.compile(r" [a-z]")
_MONTH_ALONE = re.compile(
    rf"\b(?:(?P<which>last|this|next|in|since|during|until|by|of|early|late|mid) )?{_MONTH}"
    rf"(?:,? (?:of )?{_YEAR})?",
    re.IGNORECASE,
)
_SEASON = re.compile(
    rf"\b(?:(?P<which>last|this|next|the|in) )?(?P<season>{'|'.join(_SEASONS)})\b(?: (?:of )?{_YEAR})?",
    re.IGNORECASE,
)
_YEAR_ALONE = re.compile(rf"(?<![\d$.,]){_YEAR}\b(?![,.]?\d|%)")
_AGO = re.compile(rf"\b{_COUNT} {_UNIT} (?:ago|back|earlier)\b", re.IGNORECASE)
_AHEAD = re.compile(rf"\b{_COUNT} {_UNIT} from now\b", re.IGNORECASE)
_LAST = re.compile(rf"\b(?P<which>last|this|this past|past|next|previous) {_NAMED}\b", re.IGNORECASE)
_NEAR = re.compile(
    r"\b(?:the )?(?P<near>day (?:before yesterday|after tomorrow)|yesterday|today|tonight|tomorrow"
    r"|this (?:morning|afternoon|evening)|other day)\b",
    re.IGNORECASE,
)
_NEAR_DAYS = {"yesterday": -1, "tomorrow": 1, "day before yesterday": -2, "day after tomorrow": 2}
_A_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty|thirty|forty|fifty|sixty|"
    r"seventy|eighty|ninety|hundred|thousand|million|dozen|half|twice|once)\b",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"\b(?:recently|lately|nowadays|ago|since|(?:for|over|in) (?:\w+ ){1,2}(?:day|week|month|year)s|"
    rf"(?:{'|'.join(_DAYS)}|weekday|weekend|morning|afternoon|evening|night)s?|noon|midnight|birthday|anniversary|"
    r"(?:dai|week|month|year)ly|every (?:other |second |\w+th )?(?:day|week|month|year)|"
    r"(?:once|twice|times) an? (?:day|week|month|year)|\d{1,2}:\d\d|\d{1,2} ?(?:[ap]m|o['’]clock))\b",
    re.IGNORECASE,
)


Reader = Callable[[re.Match[str], date], Span | None]
#: Whether something is a date does not hang on the day, but for 29 February.
_ANY_DAY = date(2024, 1, 1)


class Found(msgspec.Struct, frozen=True):
    """A date, and where in the text it is said."""

    start: int
    end: int
    span: Span


def found(text: str, today: date) -> list[Found]:
    """The dates that a text speaks of, if it was said on this day, and where."""
    dates: list[Found] = []
    rest = text
    for pattern, read in _hinted(text):
        matches = list(pattern.finditer(rest))
        if matches:
            dates += [
                Found(*match.span(), span)
                for match in matches
                if (span := _safely(read, match, today)) is not None
            ]
            rest = pattern.sub(_blank, rest)  # "7 May 2023" is not also a May and a 2023
    return dates


def spans(text: str, today: date) -> list[Span]:
    """The dates that a text speaks of, if it was said on this day."""
    return [one.span for one in found(text, today)]


def _blank(match: re.Match[str]) -> str:
    """As long as what it stands for, so that places stay what they are."""
    return " " + ";" * (len(match[0]) - 2) + " "


@lru_cache(maxsize=64)  # several ask for that of one question
def undated(text: str) -> str:
    """The same without its dates, which are matched as dates and not as words."""
    for pattern, read in _hinted(text):
        text = pattern.sub(partial(_unsaid, read), text)
    return text


def _unsaid(read: Reader, match: re.Match[str]) -> str:
    return match[0] if _safely(read, match, _ANY_DAY) is None else " "


@lru_cache(maxsize=64)  # a question is looked at twice: for its dates, and for what is left without them
def _hinted(text: str) -> tuple[tuple[re.Pattern[str], Reader], ...]:
    """The rules that a text gives a hint of, by its letters: far cheaper than the patterns, and often none."""
    has = text.lower().__contains__
    if not any(map(has, _CUES)):
        return ()
    return tuple((pattern, read) for cues, pattern, read in _RULES if any(map(has, cues)))


def tells_time(text: str, today: date) -> bool:
    """Whether it says when something is, was or will be, or how often."""
    return bool(spans(text, today)) or _VAGUE.search(text) is not None


def tells_number(text: str) -> bool:
    """Whether it has a number besides those of its dates."""
    return _A_NUMBER.search(undated(text)) is not None


def _safely(read: Reader, match: re.Match[str], today: date) -> Span | None:
    try:
        return read(match, today)
    except (ValueError, OverflowError, KeyError):
        return None  # 31 February, before the calendar, or "fıve", which the pattern takes for "five"


def _month_number(text: str) -> int:
    return _MONTH_NUMBERS[text[:3].lower()]


def _iso(match: re.Match[str], _: date) -> Span:
    return days(date(int(match["year"]), int(match["month"]), int(match["day"])))


def _iso_days(match: re.Match[str], _: date) -> Span:
    return days(date.fromisoformat(match["first"]), date.fromisoformat(match["last"]))


def _full(match: re.Match[str], today: date) -> Span:
    year = int(match["year"]) if match["year"] else today.year
    return days(date(year, _month_number(match["month"]), int(match["day"])), yearly=match["year"] is None)


def _days_of_month(match: re.Match[str], today: date) -> Span:
    first = int(match["first"] or match["between"])
    return days_of_month(first, int(match["day"]), _month_number(match["month"]), match["year"], today)


def _month_alone(match: re.Match[str], today: date) -> Span | None:
    month, which = _month_number(match["month"]), (match["which"] or "").lower()
    if match["year"]:
        return whole_month(int(match["year"]), month)
    if which == "last":
        return whole_month(today.year if month < today.month else today.year - 1, month)
    if which == "next":
        return whole_month(today.year if month > today.month else today.year + 1, month)
    return whole_month(today.year, month, yearly=True) if _is_month(match) else None


def _is_month(match: re.Match[str]) -> bool:
    """Whether it is one: "may", "march" and the short forms are words of their own, unless something says that
    they are months; and others are names as well: "June's birthday"."""
    text, named, begins, ends = match.string, match["month"], match.start(), match.end()
    if match["year"] or match["which"]:
        return match[0].lower() != "this may" or named == "May" or not _AFTER_VERB.match(text, ends)
    if not named[0].isupper() or len(named.rstrip(".")) <= 3 or text.startswith(("'s", "’s"), ends):
        return False
    return not text[max(begins - _LONGEST_BEFORE, 0) : begins].lower().endswith(_BEFORE_NAME)


def _season(match: re.Match[str], today: date) -> Span | None:
    month, which = _SEASONS[match["season"].lower()], (match["which"] or "").lower()
    if match["year"]:
        return whole_month(int(match["year"]), month, months=3)
    if which in ("last", "this", "next"):
        return season(today, month, which)
    return whole_month(today.year, month, months=3, yearly=True) if which in ("the", "in") else None


def _year_alone(match: re.Match[str], _: date) -> Span:
    return whole_year(int(match["year"]))


def _ago(match: re.Match[str], today: date) -> Span:
    count = match["count"].lower()
    return back(today, int(count) if count.isdigit() else _NUMBERS[count], match["unit"].lower())


def _last(match: re.Match[str], today: date) -> Span | None:
    which, named = match["which"].lower(), match["named"].lower()
    if named in _SEASONS:
        return None  # has its own rule
    steps = {"this": 0, "next": -1}.get(which, 1)
    if named in _DAYS:
        return weekday(today, _DAYS.index(named), past=steps == 1)
    return back(today, steps, named)


def _ahead(match: re.Match[str], today: date) -> Span:
    count = match["count"].lower()
    return back(today, -int(count) if count.isdigit() else -_NUMBERS[count], match["unit"].lower())


def _near(match: re.Match[str], today: date) -> Span:
    near = match["near"].lower()
    if near == "other day":
        return days(today - timedelta(7), today - timedelta(1))
    return days(today + timedelta(_NEAR_DAYS.get(near, 0)))


_MONTH_CUES = tuple(name[:3] for name in _MONTHS)
_RULES: tuple[tuple[tuple[str, ...], re.Pattern[str], Reader], ...] = (
    (("19", "20"), _ISO_DAYS, _iso_days),
    (("19", "20"), _ISO, _iso),
    (_MONTH_CUES, _DAYS_OF_MONTH, _days_of_month),
    (_MONTH_CUES, _MONTH_DAYS, _days_of_month),
    (_MONTH_CUES, _DAY_MONTH, _full),
    (_MONTH_CUES, _MONTH_DAY, _full),
    (tuple(_SEASONS), _SEASON, _season),
    (_MONTH_CUES, _MONTH_ALONE, _month_alone),
    ((" ago", " back", " earlier"), _AGO, _ago),
    (("last", "this", "past", "next", "previous"), _LAST, _last),
    (("day", "night", "tomorrow", "morning", "this "), _NEAR, _near),
    ((" from now",), _AHEAD, _ahead),
    *spanish_dates.RULES,
    (("19", "20"), _YEAR_ALONE, _year_alone),
)
_CUES = tuple({cue for cues, _, _ in _RULES for cue in cues})
