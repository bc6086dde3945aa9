"""Which of the memories that the store found answer a question, and in which order. Pure.

What is related is ordered by how much of the question it says and how near it is, added up: how sure one is that
it is related says no more once one is. Importance, pinning and age count a little, and so do the dates that the
question speaks of. Of statements about the same thing the newest goes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from datetime import datetime, timedelta
from operator import attrgetter, ne
from typing import Any, Literal, NamedTuple

import msgspec

from recollect.ports import Embedder
from recollect.recall.question import Question, marked_words
from recollect.recall.scale import scale_of
from recollect.records import Hit, Memory, Source
from recollect.storage.database import Row
from recollect.storage.rows import decoded
from recollect.text.changes import is_over, tells_change
from recollect.text.dates import spans, tells_time
from recollect.text.languages import GRAMMAR
from recollect.text.siblings import (
    Asked,
    Numbered,
    asked_of,
    in_question,
    numbered,
    of_another,
    sets_apart,
)
from recollect.text.spans import Span, days, touches
from recollect.text.wordlists import listed

RELATED = 0.5
#: A name that matches is worth this much by itself.
BY_NAME = 0.6
#: What is related by neither arm alone is related by both if together they come to this much more than one must.
TOGETHER = 1.4
NEARLY = TOGETHER - 1
#: Of so many stems a row tells whether they occur, and then whether one of them is a name.
TOLD = 60
NAMED = 1 << TOLD
#: What is related by a name alone, and comes to less than this share of what the best comes to, is left out: it is
#: about the same person, and not about what is asked.
FAR_BEHIND = 0.5
#: What a date that the question speaks of is worth: about what sets the best apart from the last that is related.
DATE = 0.4
#: What telling a time is worth, where one is asked for.
WHEN = 0.1
#: What is true from when it was written down, give or take this, does not say since when.
AT_ONCE = timedelta(minutes=1)
#: Versions of one statement are about as important, and have so many of their words in common.
AS_IMPORTANT = 0.2
SAME_MATTER = 0.5
#: So many are looked at, however few are wanted: which of them is the newest is told when they are there.
FEWEST = 5
#: Where most of these are versions of the best, more are looked for: so many, which come to this share of what the
#: best comes to. What has no word of the question has none by chance only if it is as related as this.
LOOKED_AT = 40
AS_NEAR = 0.85
SURELY = 0.9
#: What says nearly the same as something else has so many of all the words of the two.
MOST_WORDS = 0.9
FEW_WORDS = 18


class Candidate(NamedTuple):
    """A row of ``find_memories``, or what is told in its place: what the two arms saw, and the memory."""

    serving: str | None
    """The model whose vectors serve; none as long as there are no vectors."""
    pool: str
    stems: str | None
    id: Any
    cosine: float | None
    wording: float
    occurring: int | None
    standing: float
    key_point: str
    importance: float
    pinned: bool
    created_at: datetime
    updated_at: datetime
    through: str
    category: str | None
    status: Literal["active", "quarantined", "retired"]
    valid_from: datetime
    valid_to: datetime | None
    expires_at: datetime | None
    superseded_by: Any
    author: str
    trust: str
    version: int
    update_count: int
    context: str | None
    conversation: Any
    first_seq: int | None
    last_seq: int | None


#: Where the columns of a candidate are, in a row that has nothing else before them.
_COLUMNS = len(Candidate._fields)


class Related(msgspec.Struct, gc=False):
    """A candidate that is related: how far up it comes, how related it is by its meaning, by its words and in all,
    and whether by no more than a name."""

    order: float
    row: Candidate
    text: str
    meaning: float
    wording: float
    score: float
    by_name: bool
    words: frozenset[str] = frozenset()
    """Those that it has, once it is looked at."""


class Ranked(NamedTuple):
    """What answers, and whether there were as many as were wanted: then nothing after these candidates matters."""

    hits: list[Hit]
    full: bool


class Sense(msgspec.Struct, frozen=True):
    """What a question says by which one thing is told from another of its kind; nothing, if that makes no
    difference."""

    question: str = ""
    """In its own words."""
    whose: Asked | None = None
    of_past: bool = False
    when: bool = False
    """Whether a time is asked for."""
    codes: Numbered | None = None


def sense_of(question: str) -> Sense:
    """What a question says by which one thing is told from another of its kind."""
    whose = asked_of(question, marked_words(question))
    asked = Question(question, ())
    return Sense(question, whose, asked.of_past, asked.asks_when, numbered(question))


class Found(msgspec.Struct, frozen=True):
    """What a pool holds that could answer a question."""

    serving: str | None
    """The model whose vectors serve; none as long as there are no vectors."""
    user: str
    pool: str
    stems: list[str]
    """Those of the question that occur in the pool; which of them a memory has, its row tells by their places."""
    candidates: Sequence[Candidate]
    sense: Sense = Sense()


def found_in(user: str, rows: Sequence[Row], after: int = 0) -> Found:
    """What ``find_memories`` answered, after so many other columns: a row for each memory, or one without any."""
    told = [Candidate._make(row[after : after + _COLUMNS] if after else row) for row in rows]
    first = told[0]
    return Found(
        first.serving,
        user,
        first.pool,
        [] if first.stems is None else first.stems.split(" "),
        [] if first.id is None else told,
    )


def ranked(
    found: Found,
    embedder: Embedder,
    limit: int,
    threshold: float,
    dates: Sequence[Span] = (),
    slack: float = 0.0,
) -> Ranked:
    """Order the candidates; drop what is not related, what says nearly the same as a better one, and of the others
    those that share no more than a name and are far behind. With ``slack``, so much less near is as related."""
    if not found.candidates:
        return Ranked([], False)
    relatedness = scale_of(embedder).relatedness
    related: list[Related] = []
    for row in found.candidates:
        wording, cosine, occurring = row.wording, row.cosine, row.occurring
        if cosine is None:
            meaning = cosine = 0.0
        else:
            meaning = relatedness(cosine + slack)
        sure = BY_NAME if wording < BY_NAME and occurring and occurring & NAMED else wording
        together = (meaning + wording) / TOGETHER
        more, less = (meaning, sure) if meaning > sure else (sure, meaning)
        surer = max(more, together)
        if surer >= threshold:
            extra = row.standing + DATE if dates and dated(row, dates) else row.standing
            if found.sense.when and tells_time(row.key_point, row.created_at.date()):
                extra += WHEN
            score = surer + 0.3 * less + extra
            by_name = sure != wording and max(meaning, wording, together) < threshold
            related.append(Related(wording + cosine + extra, row, row.key_point, meaning, sure, score, by_name))
    related.sort(key=_order, reverse=True)  # of equal ones the newest stays first
    first = limit if dates else max(limit, FEWEST)
    few = _distinct(related, first)
    full = len(few) >= limit
    few = [one for one in few if not one.by_name or one.order >= FAR_BEHIND * few[0].order]
    # A score tells how related something is, and never rises on the way down.
    scores = sorted([_rounded(min(1.0, max(0.0, one.score))) for one in few[:limit]], reverse=True)
    if not dates and len(few) > 1:
        few = _own_first(few, found)
        near = len(few)
        places = _versions(few, found, near)
        if _is_crowded(places, few):
            # The newest may be farther behind, or may not have come.
            full = False
            few = few + _distinct(related, LOOKED_AT)[first:]
            places = _versions(few, found, near)
        few = _newest_first(few, places, of_past=found.sense.of_past)
    told = _no_surer_of_others(zip(few, scores, strict=False), found, threshold)
    return Ranked([_hit(found, one, score) for one, score in told], full)


def _rounded(share: float) -> float:
    """To four places, as ``round`` does in three times as long."""
    return int(share * 10_000 + 0.5) / 10_000


def _distinct(related: Sequence[Related], most: int) -> list[Related]:
    """The best of these, at most so many, without what says nearly the same as a better one: a prompt has better
    use for the room."""
    few: list[Related] = []
    for one in related:
        if len(few) == most:
            break
        words = one.words = _words(one.text)
        few_words = len(words) < FEW_WORDS
        for better in few:
            # Nearly none passes the first of these, and it is asked of every two. Where few words may differ one
            # at most does, so that the words of one are among those of the other.
            if few_words and not (words <= better.words or words >= better.words):
                continue
            if _repeats(words, one.text, better.words, better.text):
                break
        else:
            few.append(one)
    return few


def _hit(found: Found, one: Related, score: float) -> Hit:
    memory = _memory(one.row, found)
    return Hit(one.text, score, _why(one, found.stems), memory.valid_from, memory)


def _own_first(few: list[Related], found: Found) -> list[Related]:
    """What is said of the user, or of whom the question speaks, before what is said of somebody else, if it says
    as much of the question."""
    best, whose = few[0], found.sense.whose
    if whose is None or not whose.speaks_of_others(best.text, found.user):
        return few
    own = next((one for one in few[1:] if not _lacking(one, best) and whose.speaks_of(one.text)), None)
    return few if own is None else [own, *(one for one in few if one is not own)]


def _versions(few: Sequence[Related], found: Found, near: int) -> list[int]:
    """The places of the best and of what may be versions of it, as they are as important. What comes behind the
    first, which are ``near``, must read alike and come close to the best."""
    best = few[0]
    said, matter = best.text.split(), _matter_of(best)
    pinned, importance, worded = best.row.pinned, best.row.importance, best.row.wording >= RELATED
    return [
        place
        for place, one in enumerate(few)
        if one is best
        or (
            one.row.pinned == pinned
            and -AS_IMPORTANT <= one.row.importance - importance <= AS_IMPORTANT
            and (place < near or one.order >= AS_NEAR * best.order)
            and (
                (worded and place < near and _answers_alike(one, best))
                or _reads_alike(one.text.split(), said)
                or _is_version(one, best, matter)
            )
            and not _is_sibling(one, best, found)
        )
    ]


def _is_crowded(places: Sequence[int], few: Sequence[Related]) -> bool:
    """Whether most of these are versions of the best, which has a word of the question or is surely near."""
    best = few[0]
    return 2 * len(places) > len(few) and (_shared(best.row) != 0 or best.meaning >= SURELY)


def _newest_first(few: list[Related], places: Sequence[int], *, of_past: bool) -> list[Related]:
    """What is in these places in order of time; last what is over, unless the past is asked for."""
    if len(places) < 2:
        return few

    def newest(one: Related) -> tuple[bool, datetime]:
        return of_past or not is_over(one.text), one.row.valid_from

    ordered = sorted((few[place] for place in places), key=newest, reverse=True)
    changed = few.copy()
    for place, one in zip(places, ordered, strict=True):
        changed[place] = one
    return changed


def _is_sibling(one: Related, best: Related, found: Found) -> bool:
    """Whether it is another of its kind, and no version: it is about somebody else, or lacks a word of the
    question that the best has, unless it is newer, says that something has changed, and has no other word in the
    place of that one."""
    text, said = one.text, best.text
    lacking = _lacking(one, best)
    if lacking:
        stems = [stem for place, stem in enumerate(found.stems[:TOLD]) if lacking >> place & 1]
        question = found.sense.question
        asked = [stem for stem in stems if not question or in_question(stem, question)]
        if asked and (
            one.row.valid_from < best.row.valid_from or not tells_change(text) or sets_apart(asked, said, text)
        ):
            return True
    return of_another(text, said)


def _lacking(one: Related, best: Related) -> int:
    """The stems of the question that the best has and this one has not, by their places as bits."""
    return _shared(best.row) & ~_shared(one.row)


def _no_surer_of_others(
    chosen: Iterable[tuple[Related, float]], found: Found, threshold: float
) -> Iterable[tuple[Related, float]]:
    """The same, but what lacks a code or a number of the question scores no more than a name, and what has no more
    in common with it than a piece of its code is left out: FL-198, where FL-231 is asked for."""
    codes = found.sense.codes
    if codes is None:
        return chosen
    told: list[tuple[Related, float]] = []
    most = 1.0
    for one, score in chosen:
        other = codes.is_other(one.text)
        if other and codes.is_of(_stems_in(one.row, found.stems)):
            continue
        if not other or threshold <= BY_NAME:
            most = min(most, score, BY_NAME if other else 1.0)
            told.append((one, most))
    return told


def _answers_alike(one: Related, best: Related) -> bool:
    """Whether they share the same words with the question, and enough of them, and neither is nearer by far."""
    return (
        one.row.wording >= RELATED
        and _shared(one.row) == _shared(best.row) != 0
        and (one.meaning >= RELATED) == (best.meaning >= RELATED)
    )


def _reads_alike(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether they are the same but for one word, such as a number."""
    if len(words) != len(others) or len(words) <= 2:
        return False
    if words[-1] != others[-1]:  # which tells most of them
        return words[:-1] == others[:-1]
    return sum(map(ne, words, others)) <= 1


def _is_version(one: Related, best: Related, matter: set[str]) -> bool:
    """Whether they speak of the same: alike but for numbers and a word or two. A newer one that says itself that
    something has changed need not say the rest again. Who is named in the question is in both or in neither."""
    common = len(one.words & matter)  # which tells most of them sooner than anything else
    if not common or ((one.row.occurring or 0) ^ (best.row.occurring or 0)) & NAMED:
        return False
    words = _matter_of(one)
    if common >= SAME_MATTER * (len(words) + len(matter) - common):
        return True
    newer = one if one.row.valid_from > best.row.valid_from else best
    return common >= SAME_MATTER * min(len(words), len(matter)) and tells_change(newer.text)


def _matter_of(one: Related) -> set[str]:
    """What a statement is about: its words without grammar, numbers and that it is about the user."""
    return {word for word in one.words - GRAMMAR if word.isalpha() and len(word) > 1}


def _stems_in(row: Candidate, stems: Sequence[str]) -> list[str]:
    """Those stems of the question that occur."""
    occurring = _shared(row)
    return [stem for place, stem in enumerate(stems[:TOLD]) if occurring >> place & 1]


def _shared(row: Candidate) -> int:
    """Which stems of the question occur, by their places as bits."""
    return (row.occurring or 0) & ((1 << TOLD) - 1)


def dated(row: Candidate, dates: Sequence[Span]) -> bool:
    """Whether a memory speaks of one of these dates, or was said to have become true then."""
    began, written = row.valid_from, row.created_at
    said = spans(row.key_point, written.date())
    if abs(written - began) > AT_ONCE:
        said.append(days(began.date()))
    return any(touches(one, other) for one in dates for other in said)


def _words(text: str) -> frozenset[str]:
    """The words of a text, however they are written."""
    if text.isascii():
        return frozenset(text.encode().translate(_LOWER).decode().split())
    return frozenset(_WORD.findall(text.casefold()))


_WORD = re.compile(r"\w+")
#: What is in words in small letters, and spaces for all else: of plain letters it gives the same in half the time.
_LOWER = bytes(ord(sign.lower() if _WORD.match(sign) else " ") for sign in map(chr, range(256)))
#: What says something beside words: "C++" is not "C#", "A+" not "A-", nor one picture another.
_SIGN = re.compile(r"(?<=\w)[-–−](?!\w)|(?<![\w.])[-–−](?=\d)|[^\w\s.,;:!?…¿¡'’‘\"“”«»`()\[\]{}/–—-]")
_order = attrgetter("order")


def _memory(row: Candidate, found: Found) -> Memory:
    (
        _, _, _, id, _, _, _, _, text, importance, pinned, created_at, updated_at, through, category,
        status, valid_from, valid_to, expires_at, superseded_by, author, trust, version, update_count,
        context, conversation, first, last,
    ) = row  # fmt: skip
    source = None
    if conversation is not None and first is not None and last is not None:
        source = Source(str(conversation), first, last)
    return Memory(
        str(id),
        text,
        found.user,
        found.pool,
        through,
        category,
        _rounded(importance),
        pinned,
        status,
        created_at,
        updated_at,
        valid_from,
        valid_to,
        expires_at,
        None if superseded_by is None else str(superseded_by),
        author,
        trust,
        version,
        update_count,
        {} if context is None or context == "{}" else decoded(context) or {},
        source,
    )


#: What turns a statement into its opposite.
_NEGATIONS = listed(
    """not no never nor none without cannot t longer stopped quit nunca jamás tampoco sin ni dejó"""
)


def repeats(text: str, other: str) -> bool:
    """Whether two texts say nearly the same."""
    words, others = _words(text), _words(other)
    return _repeats(words, text, others, other)


def _repeats(words: Set[str], text: str, others: Set[str], other: str) -> bool:
    """Most words in common. What differs by a number, a name or a "not", or has the same words in another order,
    says something else."""
    common = len(words & others)
    return (
        common >= MOST_WORDS * (len(words) + len(others) - common)
        and not any(word in _NEGATIONS or not word.isalpha() for word in words ^ others)
        and _says_the_same(text, other)
    )


def _says_the_same(text: str, other: str) -> bool:
    """Whether two texts of nearly the same words have the same names and signs, as "C++" has, and what they share
    in the same order."""
    words, others = _WORD.findall(text), _WORD.findall(other)
    if {*filter(_is_name, words)} != {*filter(_is_name, others)} or _SIGN.findall(text) != _SIGN.findall(other):
        return False
    said, there = ([word.casefold() for word in one] for one in (words, others))
    common = (set(said) & set(there)) - GRAMMAR
    return [word for word in dict.fromkeys(said) if word in common] == [
        word for word in dict.fromkeys(there) if word in common
    ]


def _is_name(word: str) -> bool:
    return word[0].isupper() and word.casefold() not in GRAMMAR


def _why(one: Related, stems: Sequence[str]) -> str:
    meaning = one.meaning
    why = f"close in meaning ({meaning:.2f})" if meaning >= 0.5 else ""
    if stems and one.wording >= 0.3:
        shared = sorted(_stems_in(one.row, stems))
        if shared:
            why = f"{why}{', ' if why else ''}shares {', '.join(shared[:4])}"
    if one.row.pinned:
        why = f"{why}{', ' if why else ''}pinned"
    return why or f"related ({max(meaning, one.wording):.2f})"
