"""How two short texts about someone relate: the same thing, a newer value of it, or two things. Pure.

Vectors cannot tell a paraphrase from a contradiction ("on Monday", "on Tuesday"), so words, figures, denials,
opposites and slots decide. Merging wrongly is the worst error: "same" needs everything to agree.
"""

from __future__ import annotations

from collections.abc import Callable

from recollect.remember.compare.containment import contains
from recollect.remember.compare.reading import Reading, read
from recollect.remember.compare.rules import Comparison, Relation, judge
from recollect.remember.compare.several import BY_FIGURES, is_list
from recollect.remember.insight import fingerprint

__all__ = [
    "BY_FIGURES", "Comparison", "Reading", "Relation", "compare", "contains", "is_list", "judge", "read",
    "relation", "says_no_more", "slot",
]  # fmt: skip


def relation(old: str, new: str, cosine: float) -> Relation:
    """Whether the newer text says the same, something else about the same thing, or another thing."""
    return compare(old, new, cosine).relation


def compare(old: str, new: str, cosine: float, reader: Callable[[str], Reading] = read) -> Comparison:
    """The same with the reason."""
    if fingerprint(old) == fingerprint(new):
        return Comparison("same", "same text")
    return judge(reader(old), reader(new), cosine)


def says_no_more(text: str, than: str) -> bool:
    """Whether one text says only what another says, in other words or with less detail."""
    return relation(text, than, 1.0) == "same" or contains(read(than), read(text))


def slot(text: str) -> str | None:
    """What a text gives a value to, if there is one of it at a time: "home", "sister:home", "favourite colour"."""
    found = read(text).slots
    return found[0].key if found else None
