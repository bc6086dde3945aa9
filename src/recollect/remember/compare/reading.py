"""A text brought to what can be compared: content words, figures, slots, and whether it denies. Pure."""

from __future__ import annotations

import re
import unicodedata

import msgspec

from recollect.remember.compare.figures import Figure, figures
from recollect.remember.compare.lexicon import HAPPENED, LIGHT, STATES
from recollect.remember.compare.slots import Slot, slots
from recollect.remember.compare.turns import turned
from recollect.remember.compare.words import NOT, SOMEBODY, content, tokens
from recollect.remember.insight import telling_signs
from recollect.text.marks import without_accents


class Reading(msgspec.Struct, frozen=True):
    """What a text says, as far as rules can tell."""

    plain: str
    """Without accents, in English turns of phrase; capitals as they were."""
    words: tuple[str, ...]
    """Content words in their order."""
    core: frozenset[str]
    """The content words that keep two facts apart."""
    figures: tuple[Figure, ...]
    signs: tuple[str, ...]
    """Those that make it another thing: "C" is not "C++"."""
    denies: bool
    happened: bool
    """Whether it tells of an event of the past, which may happen again."""
    slots: tuple[Slot, ...]


def read(text: str) -> Reading:
    """Read a text."""
    plain = turned(text)
    numbers, rest = figures(plain)
    given = tokens(rest)
    words = content(given)
    if given and given[0] in SOMEBODY:  # a pronoun at the start is not the user
        words = (given[0], *words)
    return Reading(
        plain=plain,
        words=words,
        core=frozenset(words) - LIGHT or frozenset(words),
        figures=tuple(numbers),
        signs=telling_signs(text),
        denies=sum(token in NOT for token in given) % 2 == 1,
        happened=_happened(text),
        slots=tuple(slots(plain)),
    )


def _happened(text: str) -> bool:
    # The accent tells "trabajó" from "trabajo", so it is looked for before it is gone.
    if re.search(r"\b\w{2,}(?:ó|aron|ieron)\b", unicodedata.normalize("NFC", text)):
        return True
    # "has read 20 books" is a count that goes on; "read 20 books" is over.
    given = tokens(re.sub(r"\b(?:has|have|ha|he) \w+", " ", without_accents(text), flags=re.IGNORECASE))
    return any(
        word in HAPPENED or (word.endswith("ed") and len(word) > 4 and word not in STATES) for word in given
    )
