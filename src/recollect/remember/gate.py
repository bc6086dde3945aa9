"""What may not become a memory, whoever proposes it: rules or a language model. Pure.

| reason | what it means |
|---|---|
| ``empty`` | it says nothing |
| ``too_long`` | it has more than 200 characters |
| ``fenced`` | it has the marks of recalled text in it: it was not said, it was remembered |
| ``tombstone`` | somebody has deleted or corrected it; ``learn`` looks for that when it writes |
| ``secret`` | it holds a key, a password, or the number of a card, an account or a person |
| ``instruction`` | it tells an agent what to do, or hides characters that could |
| ``about_nobody`` | it is about neither the user, nor the agent, nor one who speaks in the messages |
| ``not_grounded`` | it has a word or a date that the messages it cites do not have |
| ``too_many`` | a run of messages gives three insights, and others matter more; ``learn`` cuts |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Literal

from recollect.records import Message
from recollect.remember.disguise import hides_text, readings, visible
from recollect.remember.instructions import tells_what_to_do
from recollect.remember.learning import MAX_LEARNED, Candidate
from recollect.remember.secrets import holds_secret
from recollect.text.dates import Span, spans, touches
from recollect.text.fence import SAYS, TAG, strip_fences
from recollect.text.grounding import DATE_WORDS, unsupported, words
from recollect.text.other_languages import latin

Reason = Literal[
    "empty", "too_long", "fenced", "tombstone", "secret", "instruction", "about_nobody", "not_grounded", "too_many"
]

_WORD = re.compile(r"\w")
_SUBJECTS = frozenset(("user", "users", "agent", "assistant", "usuario", "usuaria", "agente", "asistente"))
_DATE = re.compile(r"\b((?:19|20)\d\d)(?:-(\d\d)(?:-(\d\d))?)?\b")
#: A day of the week, or so many weeks ahead, may be resolved either way; the date is then near the message's.
_NEARBY = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:lunes|martes|miércoles|jueves|viernes|sábado|"
    r"domingo)\b",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\b(?:in|en) (?:\w+ ){1,2}(?:days?|weeks?|months?|years?|días?|semanas?|mes(?:es)?|años?)\b", re.IGNORECASE
)
_MARKS = tuple(
    re.sub(r"[^a-z]", "", mark.lower()) for mark in (TAG, SAYS.partition(".")[0], SAYS.partition(". ")[2])
)


def refusal(candidate: Candidate, sources: Sequence[Message]) -> Reason | None:
    """Why a candidate may not pass; None when it may. ``sources`` are the messages that it cites."""
    text = candidate.text
    if len(text) > MAX_LEARNED and _WORD.search(text):
        return "too_long"
    if reason := forbidden(text):
        return reason
    if not _is_about_somebody(text, _speakers(sources)):
        return "about_nobody"
    return None if is_grounded(text, sources) else "not_grounded"


def forbidden(text: str) -> Reason | None:
    """Why a text of any length may not be remembered but by a person, wherever it comes from; None when it may."""
    if not _WORD.search(text):
        return "empty"
    read = readings(text)
    if any(mark in re.sub(r"[^a-z]", "", reading) for reading in read for mark in _MARKS):
        return "fenced"
    if any(map(holds_secret, (visible(text), *read))):
        return "secret"
    return "instruction" if hides_text(text) or any(map(tells_what_to_do, read)) else None


def is_grounded(text: str, sources: Sequence[Message]) -> bool:
    """Whether users and assistants have said all that it says."""
    said = _said(sources)
    contents = [strip_fences(message.content) for message in said]
    if any(not _known_date(match, said, contents) for match in _DATE.finditer(text)):
        return False
    return not unsupported(_DATE.sub(" ", text), contents, {*_speakers(sources), *DATE_WORDS})


def _said(sources: Sequence[Message]) -> list[Message]:
    return [message for message in sources if message.role in ("user", "assistant")]


def _speakers(sources: Sequence[Message]) -> set[str]:
    return {word for message in _said(sources) for word in words(message.name or "")}


def _is_about_somebody(text: str, speakers: set[str]) -> bool:
    """Where words are not spaced, whoever it is about is written in one with the rest: "userは", "小明喜欢"."""
    if (_SUBJECTS | speakers) & {*words(text), *words(latin(text))}:
        return True
    return any(name in text.casefold() for name in speakers if len(name) > 1 and not latin(name).strip())


def _known_date(match: re.Match[str], said: Sequence[Message], contents: Sequence[str]) -> bool:
    """Whether a date was said, or is what a relative date comes to on the day it was said."""
    span = _span(match)
    for message, content in zip(said, contents, strict=True):
        day = message.created_at.date()
        if re.search(rf"\b{match[0]}\b", content):
            return True
        if span is None:
            continue
        if any(touches(span, one) for one in spans(content, day)) or _put_right(
            span, match[3], content, contents, day
        ):
            return True
        week = Span((day - timedelta(7)).toordinal(), (day + timedelta(7)).toordinal())
        if (_NEARBY.search(content) and touches(span, week)) or (
            _AHEAD.search(content) and span.last >= day.toordinal()
        ):
            return True
    return False


def _put_right(span: Span, number: str | None, content: str, contents: Sequence[str], day: date) -> bool:
    """Whether the month was told, and the day by itself: "on 20 September", and then "sorry, the 27th"."""
    if number is None or not any(re.search(rf"\b{int(number)}(?:st|nd|rd|th)?\b", one) for one in contents):
        return False
    first = date.fromordinal(span.first).replace(day=1)
    month = Span(first.toordinal(), (first + timedelta(27)).toordinal())
    return any(one.first == one.last and touches(month, one) for one in spans(content, day))


def _span(match: re.Match[str]) -> Span | None:
    year, month, day = (int(part) if part else None for part in match.groups())
    assert year is not None
    try:
        first = date(year, month or 1, day or 1)
        if day:
            last = first
        elif month:
            last = date(year + month // 12, month % 12 + 1, 1) - timedelta(1)
        else:
            last = date(year, 12, 31)
    except ValueError:
        return None
    return Span(first.toordinal(), last.toordinal())
