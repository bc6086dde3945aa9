"""Whether a text says all that another says, and more: "user likes green tea" and "user likes tea". Pure."""

from __future__ import annotations

import re

from recollect.remember.compare.lexicon import QUALITIES, WEAK
from recollect.remember.compare.reading import Reading
from recollect.remember.compare.words import folded, tokens

_QUALITIES = frozenset(folded(word) for word in QUALITIES)
_WEAK = frozenset(folded(word) for word in WEAK)
_ADDED = re.compile(
    r",? (?:called|named|with|in|on|at|since|because|when|near|together|llamad[oa]|con|en|desde|porque|cuando)\b",
    re.IGNORECASE,
)
#: Of these the narrower one does not say it all.
_BROAD = re.compile(r"\b(?:allerg\w*|alergi\w*|all|any|every\w*|tod[oa]s?|afraid|forbidden)\b", re.IGNORECASE)


def contains(long: Reading, short: Reading) -> bool:
    """Whether the shorter one may go without loss; in doubt it may not."""
    if long.denies or short.denies or long.happened != short.happened or not short.words:
        return False
    extra = set(long.words) - set(short.words)
    if not set(short.words) < set(long.words) or not set(short.figures) <= set(long.figures):
        return False
    if extra & _WEAK or _BROAD.search(short.plain) or len(short.words) < 2:
        return False
    kept = tuple(word for word in long.words if word not in extra)
    return kept == short.words and (extra <= _QUALITIES or _goes_on(long.plain, short.plain))


def _goes_on(long: str, short: str) -> bool:
    start, whole = " ".join(tokens(short)), " ".join(tokens(long))
    return whole.startswith(start + " ") and _ADDED.match(whole[len(start) :]) is not None
