"""Spans of days, and how far back or ahead a spoken date is. Pure."""

from __future__ import annotations

from datetime import date, timedelta

import msgspec

_YEAR_LENGTH = 365.2425


class Span(msgspec.Struct, frozen=True):
    """The days from ``first`` to ``last``, as ordinals; ``yearly`` when no year was said."""

    first: int
    last: int
    yearly: bool = False


def days(first: date, last: date | None = None, *, yearly: bool = False) -> Span:
    """One day, or several."""
    return Span(first.toordinal(), (last or first).toordinal(), yearly)


def days_of_month(first: int, last: int, month: int, year: str | None, today: date) -> Span:
    """From one day of a month to another; "28 to 3 May" begins in April."""
    end = date(int(year) if year else today.year, month, last)
    begins = end if first <= last else end.replace(day=1) - timedelta(1)
    return days(begins.replace(day=first), end, yearly=not year)


def whole_month(year: int, month: int, *, yearly: bool = False, months: int = 1) -> Span:
    """From the first day of a month to the last one of it, or of a later one."""
    end = month - 1 + months
    return days(date(year, month, 1), date(year + end // 12, end % 12 + 1, 1) - timedelta(1), yearly=yearly)


def whole_year(year: int) -> Span:
    """From January to December."""
    return days(date(year, 1, 1), date(year, 12, 31))


def season(today: date, month: int, which: str) -> Span:
    """The three months from ``month``, of this year or of the "last" or "next" one."""
    if which == "last":
        over = today >= date(today.year, min(month + 2, 12), 28)
        return whole_month(today.year if over else today.year - 1, month, months=3)
    return whole_month(today.year + (which == "next"), month, months=3)


def back(today: date, count: int, unit: str) -> Span:
    """So many units before today; the longer the unit, the less exactly it is meant. Less than none is ahead."""
    if unit in ("day", "night"):
        return days(today - timedelta(count))
    monday = today - timedelta(today.weekday())
    if unit == "week":
        return days(monday - timedelta(7 * count), monday - timedelta(7 * count - 6))
    if unit == "weekend":
        return days(monday - timedelta(7 * count - 5), monday - timedelta(7 * count - 6))
    if unit == "month":
        index = today.year * 12 + today.month - 1 - count
        return whole_month(index // 12, index % 12 + 1)
    return whole_year(today.year - count)


def weekday(today: date, day: int, *, past: bool) -> Span:
    """The nearest such day (0 is Monday) before today, or after it."""
    behind = (today.weekday() - day) % 7
    return days(today - timedelta(behind or 7)) if past else days(today + timedelta(7 - behind))


def after(span: Span, many: int) -> Span:
    """The days that follow, so many of them."""
    return Span(span.last + 1, span.last + many, span.yearly)


def touches(one: Span, other: Span) -> bool:
    """Whether two spans have a day in common; one without a year fits any year."""
    if not (one.yearly or other.yearly):
        return one.first <= other.last and other.first <= one.last
    years = round((other.first - one.first) / _YEAR_LENGTH)
    moves = (round(shift * _YEAR_LENGTH) for shift in (years - 1, years, years + 1))
    return any(one.first + move <= other.last and other.first <= one.last + move for move in moves)
