"""Whether a later statement of somebody takes the place of an earlier one of the same run. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from recollect.remember.compare import Reading, judge
from recollect.remember.compare import read as read_text
from recollect.text.grounding import content_words, stem, words

#: A run is compared with itself only; what is read for one statement serves for the next.
_read = lru_cache(maxsize=256)(read_text)
#: Of two statements that differ in a value, the words of the value.
MOST_VALUE = 4
#: In one talk two trades, or a flat and a suburb, are more often both somebody's than one after the other.
_BOTH = ("job", "kind of home")
_CHANGED = re.compile(r"\b(?:now|currently|became|started|ahora|actualmente|empezó)\b", re.IGNORECASE)


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """A statement as it was said: by whom, where, and whether it corrects something."""

    speaker: tuple[str, str | None]
    seq: int
    place: int
    text: str
    """In the third person, of a "user": names do not matter here."""
    sure: bool = False
    maybe: bool = False
    rather_than: str = ""
    bound: bool = False


def corrects(new: Heard, old: Heard) -> bool:
    """Whether the newer one says that the older one was wrong: it was never so, and is not worth a place."""
    if new.speaker != old.speaker or new.text == old.text:
        return False
    says_so = new.sure or new.maybe or new.bound or bool(new.rather_than)
    if not says_so and new.seq != old.seq:  # most do not: what need not be read is not
        return False
    mine, theirs = _read(old.text), _read(new.text)
    if mine.denies and not theirs.denies and new.seq == old.seq:
        return _fill_one_slot(mine, theirs)
    return says_so and (
        judge(mine, theirs, 0.0).relation == "update"
        or _said_not_to_be(new, old)
        or (new.sure and mine.denies == theirs.denies and _one_frame(old.text, new.text))
    )


def contradicts(new: Heard, old: Heard) -> bool:
    """Whether the newer one leaves the older one untrue from then on."""
    if new.speaker != old.speaker or new.place < old.place or new.text == old.text:
        return False
    mine, theirs = _read(old.text), _read(new.text)
    # "I don't like tea, but I like green tea" is one thing to say.
    if mine.denies and not theirs.denies and new.seq == old.seq:
        return False
    found = judge(mine, theirs, 0.0)
    return found.relation == "update" and (found.why not in _BOTH or _CHANGED.search(new.text) is not None)


def _fill_one_slot(denied: Reading, said: Reading) -> bool:
    """No longer in Leeds, now in York: the second says it all."""
    return not {slot.key for slot in denied.slots}.isdisjoint(slot.key for slot in said.slots)


def _said_not_to_be(new: Heard, old: Heard) -> bool:
    """Allergic to shellfish, not nuts: what is left of the older one without the nuts is in the newer one."""
    gone = {stem(word) for word in content_words(new.rather_than)}
    before = {stem(word) for word in content_words(old.text)}
    return bool(gone) and gone <= before and before - gone <= {stem(word) for word in content_words(new.text)}


def _one_frame(old: str, new: str) -> bool:
    """Whether two texts begin alike and differ only in the value at their end."""
    one, other = words(old), words(new)
    alike = 0
    while alike < min(len(one), len(other)) and one[alike] == other[alike]:
        alike += 1
    return alike >= 3 and max(len(one), len(other)) - alike <= MOST_VALUE
