"""Whether a memory says only what its sources say: a second opinion, which shares nothing with the gate. Pure.

Every word of an English memory must occur in the messages that it cites, but for a closed list: who it is about,
the auxiliaries that carry its tense, and the little words of resolved dates. Words are compared by a plain stem,
and a denial needs a denial.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from recollect.text.wordlists import listed

_WORD = re.compile(r"[^\W_]+(?:[-.][^\W_]+)*")
_DATE = re.compile(r"\b\d{4}-\d\d(?:-\d\d)?\b|\b(?:19|20)\d\d\b")
#: What turning the first person into the third, and "last week" into a date, may bring in.
_MAY_BE_ADDED = listed(
    "user agent they their them themselves theirs is are was were be been has have had does do did will would "
    "in on of the and between week weekend winter spring summer autumn fall s t re ve ll d"
)
_DENIALS = listed("not no never don doesn didn haven hasn hadn isn aren wasn weren wouldn cannot couldn")
_NUMBERS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "goes": "go",
}  # fmt: skip
_SPOKEN = (
    ("’", "'"), ("can't", "cannot"), ("won't", "will not"), ("gonna", "going to"), ("wanna", "want to"),
    ("gotta", "have to"), ("'", " "),
)  # fmt: skip


def supported(text: str, sources: Iterable[str], names: Collection[str] = ()) -> bool:
    """Whether every word of a memory is in its sources; ``names`` are those of the speakers."""
    said = {_stem(word) for source in sources for word in _words(source)}
    free = _MAY_BE_ADDED | {word for name in names for word in _words(name)}
    return all(word in free or _stem(word) in said for word in _words(_DATE.sub(" ", text)))


def _words(text: str) -> list[str]:
    plain = text.lower()
    for spoken, written in _SPOKEN:
        plain = plain.replace(spoken, written)
    return _WORD.findall(plain)


def _stem(word: str) -> str:
    if word in _DENIALS:
        return "not"
    word = _NUMBERS.get(word, word)
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
