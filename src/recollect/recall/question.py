"""What a question asks for: its words, whom it is about, whether it asks when. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import msgspec

_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "im", "ive"})
#: "When did …", but not "what did she say when …".
_WHEN = re.compile(
    r"^\W*when\b|\bwhen (?:did|do|does|was|were|is|are|will|has|have|had|would)\b|"
    r"\b(?:what|which) (?:day|date|month|year|time)\b|\bhow long\b",
    re.IGNORECASE,
)


class Word(msgspec.Struct, frozen=True):
    """A word of a question, with the stems that it is looked for by."""

    text: str
    stems: tuple[str, ...]
    stop: bool


class Question(msgspec.Struct, frozen=True):
    """A question taken apart."""

    text: str
    words: tuple[Word, ...]

    @property
    def terms(self) -> list[str]:
        """The stems to look for; stop words count only if there is nothing else."""
        return _stems([word for word in self.words if not word.stop] or self.words)

    @property
    def first_person(self) -> bool:
        """Whether the one who asks speaks of themselves."""
        return any(word.text.lower() in _FIRST_PERSON for word in self.words)

    @property
    def asks_when(self) -> bool:
        """Whether a time is asked for."""
        return _WHEN.search(self.text) is not None

    def only(self, text: str) -> Question:
        """The same with only those words that this text has, unless none would be left."""
        there = {plain(word) for word in re.findall(r"\w+", text)}
        words = tuple(word for word in self.words if plain(word.text) in there)
        return self if all(word.stop for word in words) else Question(self.text, words)

    def named(self, names: Sequence[str]) -> list[str]:
        """Which of these people it names, by any part of their names that is not written small."""
        no_case = self.text == self.text.lower()
        said = {plain(word.text) for word in self.words if no_case or not word.text[0].islower()}
        return [name for name in names if said & _parts(name)]

    def without(self, names: Sequence[str]) -> Question:
        """The same without these names. What people say names the *other* one, so a name in the question would
        drag the search to the wrong person. A question that is nothing but names stays as it is."""
        parts = {part for name in names for part in _parts(name)}
        words = tuple(word for word in self.words if plain(word.text) not in parts)
        if all(word.stop for word in words):
            return self
        kept = [
            token for token in self.text.split() if plain(re.split(r"\W", token.lstrip("\"'(¿¡"))[0]) not in parts
        ]
        return Question(" ".join(kept), words)


def plain(text: str) -> str:
    """Without accents and case, as the store folds text."""
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)).casefold()


def _parts(name: str) -> set[str]:
    return {part for part in re.split(r"\W+", plain(name)) if len(part) > 1}


def _stems(words: Sequence[Word]) -> list[str]:
    return list(dict.fromkeys(stem for word in words for stem in word.stems))
