"""A summary made of what people said, word for word, and rolled on as they go on talking. Pure.

Each line is one sentence with its speaker. What was told before and what is new compete for the room by how much
they state (worth.py) and by how central they are, so an important fact of the first day outlives the chat of the
tenth; and of two lines that say nearly the same, the newer one stays: it may be a correction.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import msgspec

from recollect.records import Message
from recollect.remember.digest.sentences import sentences, words
from recollect.remember.digest.worth import LEAST, facts, is_order
from recollect.text.fence import one_line, strip_fences

#: How long a summary may be, in characters.
MOST = 800
#: A line, without its speaker.
MOST_LINE = 200
MOST_NAME = 40
#: Of the room, what older lines may take while there is something new to tell.
OLD_SHARE = 0.65
#: So many of the best are compared with each other and considered for a place.
SHORTLIST = 80
#: Two lines with this share of their words in common say nearly the same.
ALIKE = 0.6
#: With fewer words, stop words aside, a sentence seldom says what it is about.
ENOUGH = 3
#: What being central weighs against what is stated, and how many words weigh as much as a whole fact.
CENTRAL = 0.5
LONG = 12

_STOP = frozenset(
    """
    a about after all also am an and any are as at be because been but by can could did do does doing for
    from get got had has have having he her here him his how i if in into is it its just me more my no not
    now of on one or our out over she so some than that the their them then there these they this to up us
    very was we were what when where which who will with would you your a al algo ante como con cual cuando
    de del desde donde el ella ellas ellos en entre era es esa ese eso esta este esto está fue ha han hay la
    las le les lo los más me mi mis mucho muy ni nos o para pero por que qué se ser si sin sobre son su sus
    también te tiene todo tu un una uno y ya yo
    """.split()  # noqa: SIM905
)


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence that could be told."""

    place: int
    text: str
    """As it would stand in the summary, with its speaker."""
    words: tuple[str, ...]
    old: bool
    bonus: float


def summarise(previous: str | None, messages: Sequence[Message], most: int = MOST) -> str:
    """The summary so far, rolled on over these messages: lines like ``user: …``, at most ``most`` long."""
    lines = _old_lines(previous or "")
    lines += _new_lines(messages, len(lines), first=not lines)
    chosen = _chosen(_without_repetitions(_ranked(lines)), most)
    return "\n".join(line.text for line in sorted(chosen, key=lambda line: line.place))


def _old_lines(previous: str) -> list[_Line]:
    """What was told before. A long line, which only a model writes, goes on as its sentences."""
    texts: list[str] = []
    for line in strip_fences(previous).splitlines():
        bare = " ".join(line.split())
        texts += [bare] if len(bare) <= MOST_LINE + MOST_NAME + 2 else sentences(bare)
    return [_line(place, text, text, old=True, bonus=0.15) for place, text in enumerate(texts) if text]


def _new_lines(messages: Sequence[Message], place: int, *, first: bool) -> list[_Line]:
    """What the user and the assistant said; ``first`` if nothing was told before: then the topic counts."""
    lines: list[_Line] = []
    for message in messages:
        if message.role not in ("user", "assistant"):
            continue
        speaker = one_line(message.name or message.role, MOST_NAME)
        for number, sentence in enumerate(sentences(message.content)):
            bonus = 0.1 if message.role == "user" else -0.1
            bonus += 0.1 if number == 0 else -0.02 * min(number, 10)
            said = one_line(sentence, MOST_LINE)
            line = _line(place + len(lines), f"{speaker}: {said}", said, old=False, bonus=bonus)
            if first and message.role == "user" and len(line.words) >= ENOUGH:
                line, first = msgspec.structs.replace(line, bonus=line.bonus + 0.5), False
            lines.append(line)
    return lines


def _line(place: int, text: str, said: str, *, old: bool, bonus: float) -> _Line:
    if old:
        # The speaker is no part of what was said; most lines have one.
        head, colon, rest = text.partition(": ")
        said = rest if colon and len(head) <= MOST_NAME else text
    return _Line(
        place=place,
        text=text,
        words=tuple(word for word in words(said) if word not in _STOP),
        old=old,
        bonus=bonus + facts(said),
    )


def _ranked(lines: list[_Line]) -> list[tuple[float, _Line]]:
    """The lines that are worth telling, the best first: what each states, and how central it is."""
    seen = Counter(word for line in lines for word in set(line.words))
    rare = {word: math.log(1 + len(lines) / count) for word, count in seen.items()}
    centre = {word: count * rare[word] for word, count in seen.items()}
    length = math.sqrt(sum(weight * weight for weight in centre.values())) or 1.0
    scored: list[tuple[float, _Line]] = []
    for line in lines:
        own = set(line.words)
        norm = math.sqrt(sum(rare[word] ** 2 for word in own)) or 1.0
        central = sum(rare[word] * centre[word] for word in own) / (norm * length)
        score = line.bonus + CENTRAL * central + min(len(own), 12) / LONG - (0.25 if len(own) < ENOUGH else 0.0)
        # Two words tell nothing by themselves, and an order tells something to the wrong one.
        if len(own) >= 2 and not is_order(line.text) and (score >= LEAST or line.old):
            scored.append((score, line))
    scored.sort(key=lambda item: (-item[0], -item[1].place))
    return scored[:SHORTLIST]


def _without_repetitions(ranked: list[tuple[float, _Line]]) -> list[_Line]:
    """Of lines that say nearly the same only the newest, in the place of the best of them."""
    kept: list[_Line] = []
    for _, line in ranked:
        own = set(line.words)
        for place, other in enumerate(kept):
            both = set(other.words)
            if len(own & both) >= ALIKE * len(own | both):
                kept[place] = max(line, other, key=lambda one: one.place)
                break
        else:
            kept.append(line)
    return kept


def _chosen(lines: list[_Line], most: int) -> list[_Line]:
    """As many as there is room for. First the new ones get their share, then whoever is best gets the rest."""
    chosen: list[_Line] = []
    left = most + 1  # the last line needs no line break
    share = int(most * (1 - OLD_SHARE)) if any(line.old for line in lines) else left
    for line in lines:
        cost = len(line.text) + 1
        if not line.old and cost <= min(share, left):
            share -= cost
            left -= cost
            chosen.append(line)
    for line in lines:
        cost = len(line.text) + 1
        if line not in chosen and cost <= left:
            left -= cost
            chosen.append(line)
    return chosen
