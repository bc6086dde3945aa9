"""How a user feels, by a list of words of English and Spanish. Pure.

Only what the user says counts, and what was said last counts most. A negation turns what follows it, up to four
words on or to the next comma; after a "but" stands what is meant.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

from recollect.records import Message
from recollect.remember.digest.lexicon import (
    BEGIN,
    BUT,
    EMOJI,
    NEGATIONS,
    PHRASES,
    SMILEYS,
    STRONGER,
    WEAKER,
    WHOLE,
)
from recollect.remember.digest.sentences import sentences

#: After so many messages of the user, a feeling has half of its weight.
HALF_LIFE = 6
#: What a message without any feeling weighs against one with.
PLAIN = 0.2
#: Closer to zero than this is neutral.
NEUTRAL = 0.12

_TURNED = -0.75
_REACH = 4
_LONGEST_PHRASE = max(map(len, PHRASES))
_LONGEST_BEGINNING, _SHORTEST_BEGINNING = max(map(len, BEGIN)), min(map(len, BEGIN))
_CLAUSES = re.compile(r"[,;:()¡¿—–]|\.\.\.|…")
_SUPERLATIVE = re.compile(r"isim[oa]s?$")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


def sentiment(messages: Sequence[Message]) -> float | None:
    """From -1 to 1, over the user's messages, oldest first; None where none of them says how the user feels."""
    felt = [feeling(message.content) for message in messages if message.role == "user"]
    if all(value is None for value in felt):
        return None
    total = weights = 0.0
    for age, value in enumerate(reversed(felt)):
        weight = 0.5 ** (age / HALF_LIFE) * (PLAIN if value is None else 1.0)
        total += weight * (value or 0.0)
        weights += weight
    return total / weights


def label(value: float) -> Literal["negative", "neutral", "positive"]:
    """The sentiment in a word."""
    if abs(value) <= NEUTRAL:
        return "neutral"
    return "negative" if value < 0 else "positive"


def feeling(text: str) -> float | None:
    """How one text feels, from -1 to 1; None if it has no word that feels like anything."""
    values = [value for sentence in sentences(text) if (value := _sentence(sentence)) is not None]
    values += _pictures(text)
    return math.tanh(sum(values) / 3.5) if values else None


def _sentence(sentence: str) -> float | None:
    """The sum of its words, or None; questions say less and exclamation marks more."""
    before: list[float] = []
    now: list[float] = []
    for clause in _CLAUSES.split(_folded(sentence)):
        tokens = _WORD.findall(clause)
        start = 0
        for place, token in enumerate(tokens):
            if token in BUT and place + 1 < len(tokens):
                now += _clause(tokens[start:place])
                before, now, start = before + now, [], place + 1
        now += _clause(tokens[start:])
    if not before and not now:
        return None
    total = 0.4 * sum(before) + sum(now) if now else sum(before)
    if "!" in sentence:
        return total * (1 + 0.1 * min(sentence.count("!"), 3))
    return total * 0.6 if sentence.rstrip().endswith("?") else total


def _clause(tokens: list[str]) -> list[float]:
    values: list[float] = []
    place = 0
    while place < len(tokens):
        length, value = _phrase(tokens, place)
        if not length:
            length, value = 1, _word(tokens[place])
            ahead = tokens[max(0, place - _REACH) : place]
            if value and tokens[place - 1 : place] and tokens[place - 1] in STRONGER:
                value *= 1.4
            elif value and tokens[place - 1 : place] and tokens[place - 1] in WEAKER:
                value *= 0.6
            if value and _negated(ahead, tokens[place]):
                value *= _TURNED
        if value:
            values.append(value)
        place += length
    return values


def _negated(ahead: list[str], word: str) -> bool:
    """Whether a word is turned by those before it. "Never so good" and "never better" are better than good."""
    if ahead[-1:] and ahead[-1] in ("so", "such", "tan"):
        return False
    if ("never" in ahead and word.endswith("er")) or ("nunca" in ahead and word == "mejor"):
        return False
    return any(token in NEGATIONS for token in ahead)


def _phrase(tokens: list[str], place: int) -> tuple[int, float]:
    """The longest phrase that begins here, and how it feels."""
    for length in range(min(_LONGEST_PHRASE, len(tokens) - place), 1, -1):
        value = PHRASES.get(tuple(tokens[place : place + length]))
        if value is not None:
            return length, value
    return 0, 0.0


def _word(word: str) -> float:
    if (base := _SUPERLATIVE.sub("", word)) != word:
        return 1.3 * (_word(base + "o") or _word(base + "a") or _word(base))
    value = WHOLE.get(word)
    if value is not None:
        return value
    for length in range(min(len(word), _LONGEST_BEGINNING), _SHORTEST_BEGINNING - 1, -1):
        value = BEGIN.get(word[:length])
        if value is not None:
            return value
    return 0.0


def _pictures(text: str) -> list[float]:
    """Emoji and smileys; the same one many times says it once more, not many times."""
    found = [EMOJI[character] for character in dict.fromkeys(text) if character in EMOJI]
    return found + [value for smiley, value in SMILEYS.items() if smiley in text and "://" not in text]


def _folded(text: str) -> str:
    """Small letters without accents: many people write without them."""
    apart = unicodedata.normalize("NFKD", text.replace("’", "'")).casefold()
    return "".join(character for character in apart if not unicodedata.combining(character))
