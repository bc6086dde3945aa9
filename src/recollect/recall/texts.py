"""Which of the messages that were read answer a question best, by what their texts say. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.recall import rank
from recollect.recall.candidates import BY_NAME, SAME_MATTER
from recollect.recall.scope import Scope
from recollect.records import Hit, Message
from recollect.text.changes import Matter, is_over, tells_change
from recollect.text.dates import tells_time
from recollect.text.kin import harmless, no_favourite, of_other_taste, tells_of
from recollect.text.overview import is_small_talk
from recollect.text.siblings import (
    ONESELF,
    Asked,
    in_question,
    matter_of,
    numbered,
    of_another,
    sets_apart,
    somebody,
)

#: A text says its dates, and what it is about, early; reading on would cost more than it finds.
READ = 2000
#: That something has changed is said at once.
SAYS_CHANGE = 300
_SENTENCE = re.compile(r"[^.!?…\n]*[.!?…\n]|[^.!?…\n]+")


class Texts:
    """What was read of a scope, to tell versions of one statement from two of a kind."""

    def __init__(self, scope: Scope, terms: Sequence[str], messages: Mapping[int, Message]) -> None:
        self._scope = scope
        self._terms = terms
        self._messages = messages

    def __contains__(self, row: int) -> bool:
        return row in self._messages

    def tells_change(self, row: int) -> bool:
        """Whether one says that something has changed."""
        return row in self._messages and tells_change(self._messages[row].content[:SAYS_CHANGE])

    def tells_time(self, row: int) -> bool:
        """Whether one says when something is, was or will be."""
        return row in self._messages and tells_time(self._messages[row].content[:READ], self._scope.day(row))

    def own_first(self, ranked: NDArray[np.int64], many: int, asked: Asked, user: str) -> NDArray[np.int64]:
        """What is said of the user, or of whom the question speaks, before what the same one says of somebody
        else, if it says as much of the question and is among the first ``many``."""
        best, *others = ranked[:many].tolist()
        if best not in self._messages or not asked.speaks_of_others(self._telling(best), user):
            return ranked
        own = next((row for row in others if self._is_own(row, best, asked)), None)
        return ranked if own is None else _with_first(own, ranked)

    def lasting_first(self, ranked: NDArray[np.int64]) -> NDArray[np.int64]:
        """What still holds before what the same one says is over, if it says as much of the question."""
        best, *others = ranked[: rank.VERSIONS].tolist()
        lasting = (row for row in others if self._is_as_much(row, best) and not self._is_over(row))
        first = next(lasting, None) if self._is_over(best) else None
        return ranked if first is None else _with_first(first, ranked)

    def is_over_since(self, row: int, best: int) -> bool:
        """Whether one says that it is over, and the best does not."""
        return self._is_over(row) and not self._is_over(best)

    def _is_over(self, row: int) -> bool:
        return row in self and is_over(self._messages[row].content[:SAYS_CHANGE])

    def is_sibling(self, row: int, best: int) -> bool:
        """Whether one speaks of another of the kind of which the best speaks: of somebody else, or without a word
        of the question that the best has and that sets the two apart; any sets apart two that read alike, unless
        something is said to have changed."""
        said, text = self._messages[best].content[:READ], self._messages[row].content[:READ]
        lacking = self._lacking(row, best)
        if lacking and not self.tells_change(row) and self.is_alike(row, best):
            return True
        return sets_apart(lacking, said, text) or of_another(self._telling(row), self._telling(best))

    def is_alike(self, row: int, best: int) -> bool:
        """Whether the two have half of their words in common."""
        words, others = (matter_of(self._messages[one].content[:READ]) for one in (row, best))
        return len(words & others) >= SAME_MATTER * len(words | others)

    def _is_own(self, row: int, best: int, asked: Asked) -> bool:
        if not self._is_as_much(row, best):
            return False
        telling = self._telling(row)
        if asked.speaks_of(telling):
            return True
        # Where no word tells who it is about, as in "empecé a trabajar", it is who says it.
        return asked == ONESELF and bool(self._scope.by_user[row]) and not asked.speaks_of_others(telling, "")

    def _is_as_much(self, row: int, best: int) -> bool:
        scope = self._scope
        return (
            row in self._messages
            and scope.name[row] == scope.name[best]
            and scope.by_user[row] == scope.by_user[best]
            and not self._lacking(row, best)
        )

    def _lacking(self, row: int, best: int) -> list[str]:
        """The stems of the question that the best has and this one has not."""
        lacking = rank.terms_of(self._scope, best) - rank.terms_of(self._scope, row)
        return [stem for term in lacking if (stem := self._terms[term])]

    def _telling(self, row: int) -> str:
        """The sentence that has most of the question."""
        sentences = _SENTENCE.findall(self._messages[row].content[:READ])
        if len(sentences) < 2:
            return sentences[0] if sentences else ""
        stems = [self._terms[term] for term in rank.terms_of(self._scope, row)]
        return max(sentences, key=lambda one: sum(in_question(stem, one) for stem in stems if stem))


def versions_of(
    scope: Scope,
    found: rank.Evidence,
    ranked: NDArray[np.int64],
    texts: Texts,
    current: bool,
    *,
    asked_when: bool = False,
) -> NDArray[np.bool_]:
    """Which of the first are versions of the best, also by what they say; farther behind they must read alike.
    What tells no time is no later version of what tells the time that is ``asked_when``."""
    few = ranked[: rank.LOOKED_AT]
    alike = rank.versions(scope, found, few, of_past=not current)
    best, *_ = rows = few.tolist()
    timed = asked_when and texts.tells_time(best)
    for place in np.flatnonzero(alike[1:]).tolist():
        row = rows[place + 1]
        alike[place + 1] = (
            best in texts
            and row in texts
            and (place + 1 < rank.VERSIONS or texts.is_alike(row, best))
            and not texts.is_sibling(row, best)
            and not (current and texts.is_over_since(row, best))
            and (not timed or texts.tells_time(row))
        )
    return alike


def changed_first(
    scope: Scope, found: rank.Evidence, chosen: NDArray[np.int64], texts: Texts
) -> NDArray[np.int64]:
    """The newest of those first that say themselves that something has changed, and share enough with the best."""
    if not len(chosen):
        return chosen
    best, few = int(chosen[0]), chosen[: rank.VERSIONS]
    newer = [
        row
        for row in few[rank.may_change(scope, found, few)].tolist()
        if scope.at[row] > scope.at[best]
        and texts.tells_change(row)
        and not (best in texts and texts.is_sibling(row, best))
    ]
    if not newer:
        return chosen
    newest = max(newer, key=lambda row: scope.at[row])
    return _with_first(newest, chosen)


def _with_first(first: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.array([first, *(row for row in rows.tolist() if row != first)], np.int64)


def no_surer_of_others(
    rows: NDArray[np.int64],
    scores: NDArray[np.float64],
    messages: Mapping[int, Message],
    query: str,
    least: float,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The same, but what lacks a code or a number of the question scores no more than a name."""
    codes = numbered(query)
    if codes is None or not len(rows):
        return rows, scores
    texts = (messages[row].content if row in messages else "" for row in rows.tolist())
    other = np.array([codes.is_other(text) for text in texts], bool)
    kept = ~other if least > BY_NAME else np.ones(len(rows), bool)
    return rows[kept], np.minimum.accumulate(np.where(other, np.minimum(scores, BY_NAME), scores)[kept])


def without_small_talk(
    rows: NDArray[np.int64], scores: NDArray[np.float64], messages: Mapping[int, Message], least: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The same without what is said in passing: "how's it going?" tells nobody where they are going. Where that
    was the best, the others must be related by themselves."""
    texts = (messages[row].content[:READ] if row in messages else "?1" for row in rows.tolist())
    idle = np.array([is_small_talk(text) and not any(map(str.isdigit, text)) for text in texts], bool)
    if not idle.any():
        return rows, scores
    kept = ~idle & (scores >= least) if idle[0] else ~idle
    return rows[kept], scores[kept]


def moved_first(hits: list[Hit], told: Sequence[Hit], matter: Matter) -> list[Hit]:
    """The newest that the user says of a change first, if it is newer than all that was found of the user: who has
    moved lives elsewhere, but does not say "live"."""
    hits = put_last(hits, lambda hit: _is_beside(matter, hit))
    own = [
        hit
        for hit in hits
        if hit.message
        and hit.message.role == "user"
        and not _is_beside(matter, hit)
        and not somebody(hit.text[:SAYS_CHANGE])
    ]
    changes = [
        hit
        for hit in (*hits, *told)
        if hit.message and hit.message.role == "user" and matter.said.search(hit.text[:SAYS_CHANGE])
    ]
    newest = max(changes, key=lambda hit: hit.at, default=None)
    if newest is None or any(hit.at >= newest.at and hit.message != newest.message for hit in own):
        return hits
    others = [hit for hit in hits if hit.message != newest.message]
    score = max(newest.score, hits[0].score) if hits else BY_NAME  # it was not asked for by its words
    return [msgspec.structs.replace(newest, score=score), *others]


def spoken_of(told: Sequence[Hit], query: str, words: str, whose: Set[str] = frozenset()) -> list[Hit]:
    """What the user says of themselves in these words, which stand for what is asked for, or of somebody of
    theirs, if it is told ``whose``; each is as related as a name makes it. What is said of somebody else answers
    only where such people are asked for."""
    people = whose or set(words.split())
    return [
        msgspec.structs.replace(hit, score=BY_NAME, why=hit.why.replace("matches", "speaks of", 1))
        for hit in told
        if hit.message
        and hit.message.role == "user"
        and tells_of(words, text := hit.text[:SAYS_CHANGE])
        and ((not (who := somebody(text)) and not whose) or who in people)
        and not of_other_taste(query, text)
        and not harmless(query, text)
        and not no_favourite(query, text)
    ]


def put_last(hits: list[Hit], later: Callable[[Hit], bool]) -> list[Hit]:
    """Those last of which this is true; the scores stay where they are."""
    ordered = sorted(hits, key=later)
    return [msgspec.structs.replace(hit, score=old.score) for hit, old in zip(ordered, hits, strict=True)]


def _is_beside(matter: Matter, hit: Hit) -> bool:
    return matter.beside.search(hit.text[:SAYS_CHANGE]) is not None
