"""Content words, each in one form. Pure."""

from __future__ import annotations

import re

from recollect.remember.compare.figures import figures
from recollect.remember.compare.lexicon import PEOPLE, SMALL, SYNONYMS

NOT = frozenset({"not", "no", "never", "none", "nobody", "nothing", "ningun", "ninguna", "tampoco"})
SOMEBODY = frozenset({"he", "she", "they", "we", "it", "you", "ella", "ellos", "ellas", "nosotros"})
_TOKEN = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")


def tokens(text: str) -> list[str]:
    """The words of a text, small."""
    return [token.lower() for token in _TOKEN.findall(text)]


def content(given: list[str]) -> tuple[str, ...]:
    """The words that mean something, each in one form."""
    kept = (token.removesuffix("'s").removesuffix("'") for token in given)
    return tuple(folded(token) for token in kept if token not in SMALL and token not in NOT)


def words_in(text: str) -> tuple[str, ...]:
    """The content words of a part of a plain text, without its figures."""
    return content(tokens(figures(text)[1]))


def folded(word: str) -> str:
    """One form for singular and plural, for "smokes" and "smoking", and for words that mean the same.

    The past keeps its form: whoever lived somewhere need not live there.
    """
    word = PEOPLE.get(word) or SYNONYMS.get(word) or PEOPLE.get(word.removesuffix("s")) or word
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes", "zes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    elif len(word) > 5 and word.endswith("ing"):
        word = word[:-3]
        if word[-1] == word[-2] and word[-1] not in "lsz":
            word = word[:-1]
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if word == "has":
        word = "hav"
    again = SYNONYMS.get(word) or SYNONYMS.get(word + "e")
    return again.removesuffix("e") if again and len(again) > 3 else again or word
