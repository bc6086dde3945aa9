"""Which messages belong to a question: pure functions over the columns of a scope.

Words (true BM25 with the scope's own document frequencies) and meaning (cosines) are brought to one scale and
added, each with the weight that it deserves for this question. Then comes what surrounds a message: the turn
before and after it, its conversation, who speaks, and dates. Each part was kept because it helps on several kinds
of conversations at once: two people who chat, a user with an assistant, and short notes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.ports import Embedder
from recollect.recall.scope import Scope
from recollect.text.dates import Span

Floats = NDArray[np.float64]

K1 = 0.9
B = 0.4
#: The share of the words arm, where both arms are sure of themselves.
WORDS = 0.5
#: The words arm is sure when its best stands out from its tenth by this much, …
STANDS_OUT = 0.3
#: … and has matched words that are together so much rarer than any (in logarithms of the number of messages).
RARE = 1.2

#: What the turn before lends: little, but much if it is a question, since then this turn is its answer.
BEFORE = 0.1
BEFORE_QUESTION = 0.45
AFTER = 0.2
CONVERSATION = 0.35
#: A message up to this size leans on its surroundings fully; the longer, the more it speaks for itself.
LEANING = 300
#: What the talk around a message says of the question: the turns so near, each fully up to this size, since a long
#: one has words of everything; half of what the message says itself, which its words have told already. Of so many
#: words, the rarest.
AROUND = 0.25
NEAR = 2
SHORT = 150
SAID_ITSELF = 0.5
MOST_WORDS = 32

SPEAKER = 0.5
FIRST_PERSON = 0.35
DATE = 0.4
TIME = 0.15
NUMBER = 0.15
QUESTION = 0.1

#: A question about someone who speaks here is likely at home here, and the user's own question a little; neither
#: is enough by itself. At 2.7, of questions that name a speaker and a matter never spoken of, 8 in 10 find
#: nothing, and recall of the others loses half a point; at 5 all of the former find something.
NAMES_SPEAKER = 2.7
USERS_OWN = 0.9
#: The same where words must tell alone: with more, one of two things that are asked for would be enough.
USERS_OWN_WORDS = 0.7
#: One about somebody whom nobody has ever named is not at home: what fits it was said of others. All its other
#: words together can still outweigh this, since the name may be spelt otherwise here.
OF_NOBODY = 2.0
#: The same where it is the name of a place or of anything else, which what answers need not say.
OF_NOTHING = 1.0
#: What a code or an acronym of the question that the best has is worth: "CI" and "Q3" are said of nothing else.
CODED = 1.6

#: Statements that share so much of the question's words with the best one, and of all its words, and come
#: from the same speaker, are taken for versions of one statement: the newest goes first.
SAME_AS_BEST = 0.6
SAME_AT_ALL = 0.5
VERSIONS = 5
#: Farther behind, down to here, only what says as much of the question, but for the order of additions.
LOOKED_AT = 20
AS_MUCH = 0.999
#: One that says itself that something has changed need not share as much.
CHANGED = 0.4

#: How related a message must be by its vector, where it shares no word with the question.
NEAR_BY = 0.25

#: How much surer words must be of themselves where the vectors do not agree, and so much of them must occur.
DOUBT = 1.0
ALL_WORDS = 0.9

#: Seconds after which people who go on talking have met again.
SILENCE = 3600.0

#: A scope of a few messages cannot tell rare words from common ones; it is taken for one of this size.
LEAST_SCOPE = 1000


class Evidence(msgspec.Struct, frozen=True):
    """What the words and the vectors say about each row, before anything is weighed."""

    bm25: Floats
    coverage: Floats
    """The share of the question's words that occur, by how rare they are."""
    told: Floats
    """The same of those words that occur anywhere."""
    around: Floats
    """The share of them that occur here or in the turns around."""
    mass: Floats
    """How rare the words that occur are together; 1 is one word that hardly any message has."""
    cosine: NDArray[np.float32]


def evidence(
    scope: Scope,
    terms: Sequence[str],
    wanted: Set[str],
    cosine: NDArray[np.float32],
    weights: Mapping[str, float] | None = None,
) -> Evidence:
    """The evidence by the terms that are wanted: names of speakers were looked for too, but do not count. Some may
    be missed less than others."""
    rows = len(scope)
    counts = np.bincount(scope.term, minlength=len(terms))
    counted = np.array([term in wanted for term in terms], bool)
    # A sign of a script that is looked for sign by sign is half a word, unless nothing else is asked for.
    half = 0.5 if counted.sum() > 1 else 1.0
    whole = np.array([half if len(term) == 1 and not term.isascii() else 1.0 for term in terms], np.float64)
    rarity = np.where(counted, _idf(rows, counts), 0.0)
    presumed = np.where(counted, _idf(max(rows, LEAST_SCOPE), counts), 0.0)
    saturation = scope.times * (K1 + 1) / (scope.times + K1 * (1 - B + B * scope.size[scope.found]))
    if weights:
        worth = np.array([weights.get(term, 1.0) for term in terms])
        rarity, missed = rarity * worth, presumed * worth
    else:
        missed = presumed
    said = _summed(scope.found, missed[scope.term], rows)
    asked = max(float(missed.sum()), 1e-9)
    return Evidence(
        bm25=_summed(scope.found, rarity[scope.term] * saturation, rows),
        coverage=said / asked,
        around=_around(scope, missed) / asked,
        told=said / max(float(missed[counts > 0].sum()), 1e-9),
        mass=_summed(scope.found, (presumed * whole)[scope.term], rows) / math.log(max(rows, LEAST_SCOPE)),
        cosine=cosine,
    )


def _around(scope: Scope, worth: Floats) -> Floats:
    """What the words are worth that occur in each row or in one of the turns next to it."""
    places = np.argsort(-worth, kind="stable")[:MOST_WORDS]
    places = places[worth[places] > 0]
    line = np.full(len(worth), -1)
    line[places] = np.arange(len(places))
    entry = np.flatnonzero(line[scope.term] >= 0)
    term, row = line[scope.term[entry]], scope.found[entry]
    lent = np.zeros((len(places), len(scope)), np.float32)
    lent[term, row] = np.minimum(1.0, SHORT / np.maximum(scope.bytes[row], 1))
    here = lent.copy()
    here[term, row] = 1.0
    conversation = scope.place
    for far in range(1, NEAR + 1):
        together = (conversation[far:] == conversation[:-far]).astype(np.float32)
        np.maximum(here[:, far:], lent[:, :-far] * together, out=here[:, far:])
        np.maximum(here[:, :-far], lent[:, far:] * together, out=here[:, :-far])
    return (worth[places].astype(np.float32) @ here).astype(np.float64)


def _summed(rows: NDArray[np.int64], values: Floats, length: int) -> Floats:
    return np.bincount(rows, values, length).astype(np.float64)


def _idf(rows: int, counts: NDArray[np.int64]) -> Floats:
    return np.log(1 + (rows - counts + 0.5) / (counts + 0.5))


def fused(found: Evidence, least_range: float) -> Floats:
    """Both arms in one number between 0 and 1. Words weigh less where they say little: when many messages match
    equally well, or only by a word that is common. ``least_range`` keeps the small differences between a few
    messages small."""
    words = found.bm25 / max(float(found.bm25.max()), 1e-9)
    if np.isnan(found.cosine).all():
        return words
    matching = words[words > 0]  # most are 0, and partitioning equal ones takes long
    tenth = np.partition(matching, -10)[-10] if len(matching) >= 10 else 0.0
    sure = min(1.0, (1 - float(tenth)) / STANDS_OUT) * min(1.0, float(found.mass.max()) / RARE)
    weight = WORDS * sure
    nearest, farthest = float(np.nanmax(found.cosine)), float(np.nanmin(found.cosine))
    farthest = min(farthest, nearest - least_range)
    meaning = (found.cosine.astype(np.float64) - farthest) / (nearest - farthest)
    # What has no vector yet is judged by its words alone, not held to be far.
    return np.where(np.isnan(meaning), words * max(weight, 0.5), (1 - weight) * meaning + weight * words)


@lru_cache(maxsize=64)
def usual_range(embedder: Embedder) -> float:
    """How far apart an embedder's cosines of related and of unrelated texts are, told from its own scale."""
    cosines = np.linspace(-1, 1, 401, dtype=np.float32)
    scale = embedder.relatedness(cosines)
    doubtful, likely = np.interp((0.25, 0.75), scale, cosines)
    return 4 * float(likely - doubtful)


def surrounded(scope: Scope, own: Floats, found: Evidence, *, of_answers: bool = False) -> Floats:
    """Each row's own score with what its surroundings lend it, and less for a mere question. Where it is asked for
    what somebody answered, each turn of the user's lends as a question does."""
    follows = np.diff(scope.place) == 0
    lent = CONVERSATION * _best_of_conversation(scope, own)
    lent[1:] += np.where(_answered(scope, of_answers)[:-1], BEFORE_QUESTION, BEFORE) * own[:-1] * follows
    lent[:-1] += AFTER * own[1:] * follows
    lent += AROUND * (found.around - SAID_ITSELF * found.coverage)
    leaning = np.minimum(1.0, LEANING / np.maximum(scope.bytes, 1))
    return own + leaning * (lent - QUESTION * scope.asks)


def _answered(scope: Scope, of_answers: bool) -> NDArray[np.bool_]:
    """Behind which rows an answer stands, if anything does."""
    return scope.asks | scope.by_user if of_answers else scope.asks


def _best_of_conversation(scope: Scope, own: Floats) -> Floats:
    """For each row the mean of the three best of its conversation."""
    begins = np.diff(scope.place, prepend=-1) != 0
    number = np.cumsum(begins) - 1
    starts = np.flatnonzero(begins)
    rest = own.copy()
    best = np.maximum.reduceat(rest, starts)
    sums, many = best.copy(), np.ones(len(starts))
    for _ in range(2):
        equal = np.flatnonzero(rest == best[number])
        rest[equal[np.diff(number[equal], prepend=-1) != 0]] = -np.inf  # one of each conversation
        best = np.maximum.reduceat(rest, starts)
        sums += np.where(np.isfinite(best), best, 0.0)
        many += np.isfinite(best)
    return (sums / many)[number]


def spoken_by(scope: Scope, names: Sequence[str], *, first_person: bool, of_answers: bool = False) -> Floats:
    """More for those whom the question names, and for the user where the question is the user's own; but for the
    others where it asks what those have said."""
    worth: Floats = np.array([SPEAKER if name in names else 0.0 for name in scope.names], np.float64)[scope.name]
    if of_answers and scope.by_user.any():
        return worth + SPEAKER * ~scope.by_user
    return worth + FIRST_PERSON * scope.by_user if first_person else worth


def days(scope: Scope) -> Floats:
    """The day on which each row was said, as an ordinal."""
    return np.floor(scope.at / 86400) + _ORDINAL_1970


def said_within(scope: Scope, asked: Sequence[Span]) -> NDArray[np.bool_]:
    """Which rows were said on a day that the question speaks of."""
    said, within = days(scope), np.zeros(len(scope), bool)
    for span in asked:
        since = said - span.first
        within |= (
            (since % 365.2425) if span.yearly else np.where(since < 0, np.inf, since)
        ) <= span.last - span.first
    return within


def of_last_sitting(scope: Scope, now: float, *, before: bool) -> NDArray[np.bool_]:
    """Which rows were said last, without a long silence in between; the time ``before``, if people talk now."""
    order = np.argsort(scope.at, kind="stable")
    order = order[scope.at[order] <= now]
    sitting = np.zeros(len(scope), bool)
    if len(order):
        times = scope.at[order]
        number = np.concatenate([[0], np.cumsum(np.diff(times) > SILENCE)])
        last = number[-1] - (before and number[-1] > 0 and now - times[-1] <= SILENCE)
        sitting[order[number == last]] = True
    return sitting


_ORDINAL_1970 = 719_163


def versions(
    scope: Scope, found: Evidence, ranked: NDArray[np.int64], *, of_past: bool = True
) -> NDArray[np.bool_]:
    """Which of a ranking may be versions of the statement that is its first. What happened once has no versions:
    where the question is ``of_past``, they must say more of it; and behind the first few as much as the best."""
    best = ranked[:1]
    said = found.coverage if of_past else found.told
    share = np.where(np.arange(len(ranked)) < VERSIONS, SAME_AS_BEST, AS_MUCH)
    return (
        (said[ranked] >= share * said[best])
        & (said[ranked] >= SAME_AT_ALL)
        & (scope.name[ranked] == scope.name[best])
        & (scope.by_user[ranked] == scope.by_user[best])
    )


def newest_first(
    scope: Scope,
    found: Evidence,
    ranked: NDArray[np.int64],
    *,
    of_past: bool = True,
    alike: NDArray[np.bool_] | None = None,
) -> NDArray[np.int64]:
    """The ranking with versions of one statement, which are ``alike``, in order of time, newest first. Where that
    is not told, they are looked for among the first few."""
    alike = versions(scope, found, ranked[:VERSIONS], of_past=of_past) if alike is None else alike
    places = np.flatnonzero(alike)
    if len(places) < 2 or places[0] != 0:
        return ranked
    changed = ranked.copy()
    changed[places] = ranked[places][np.argsort(-scope.at[ranked[places]], kind="stable")]
    return changed


def terms_of(scope: Scope, row: int) -> set[int]:
    """The terms that occur in a row."""
    return set(scope.term[scope.found == row].tolist())


def may_change(scope: Scope, found: Evidence, few: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of these share enough with the first to take its place, if they say that it has changed."""
    best = few[0]
    return (
        (found.told[few] >= CHANGED * found.told[best])
        & (scope.name[few] == scope.name[best])
        & (scope.by_user[few] == scope.by_user[best])
    )


def has_its_own(
    scope: Scope,
    found: Evidence,
    relatedness: NDArray[np.float32],
    rows: NDArray[np.int64],
    *,
    of_answers: bool = False,
) -> NDArray[np.bool_]:
    """Which of these rows have something to do with the question themselves, or answer a turn that has: two people
    who chat go on about one thing, but what a user tells an assistant in one go may be anything."""
    by_itself = (found.coverage > 0) | (np.nan_to_num(relatedness, nan=0.0) >= NEAR_BY)
    before = np.maximum(rows - 1, 0)
    asked = _answered(scope, of_answers)[before] & by_itself[before]
    answers = (scope.place[before] == scope.place[rows]) & asked & (rows > 0)
    return by_itself[rows] | answers


def related(found: Evidence, relatedness: NDArray[np.float32], rows: NDArray[np.int64], at_home: float) -> float:
    """How related the best of these rows is, from 0 to 1, where 0.5 means "related".

    Logistic regressions over questions that a store can answer against questions of quite other stores: meaning
    with share and rarity of the words, or the words alone. Meaning alone must be surer than "related": some
    message always comes near. ``at_home`` is what speaks for the question itself.
    """
    meaning = np.clip(relatedness[rows].astype(np.float64), 0.05, 0.999)
    words = found.coverage[rows], found.mass[rows]
    near = np.log(meaning / (1 - meaning))
    both = np.maximum(0.75 * near + 1.7 * words[0] + 1.7 * words[1] - 2.4, near - 1.2)
    alone = 3.4 * words[0] + 3.1 * words[1] - 5.2
    # Where all the words occur, a vector that does not know them has little to say against it.
    certain = np.where(words[0] >= ALL_WORDS, np.maximum(both, alone - DOUBT), both)
    best = float(np.where(np.isnan(meaning), alone, certain).max()) + at_home
    return 1 / (1 + math.exp(-best))
