"""Recall over messages: fetch a scope's columns, rank them, and read only what is going to be shown."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect import inputs
from recollect.errors import Invalid
from recollect.models.generations import Embedders
from recollect.recall import rank
from recollect.recall.candidates import BY_NAME
from recollect.recall.question import (
    Question,
    Word,
    ageless,
    asked_in,
    asks,
    essential,
    last_turn,
    marked_words,
    named_as_words,
    plain,
    sought,
    uncontracted,
    unframed,
    unmeasured,
)
from recollect.recall.scope import Scope, column, scope_from
from recollect.recall.texts import (
    READ,
    Texts,
    changed_first,
    moved_first,
    no_surer_of_others,
    put_last,
    spoken_of,
    versions_of,
    without_small_talk,
)
from recollect.recall.vectors import cosines
from recollect.records import Caller, Hit, Message
from recollect.storage.database import Database, Row
from recollect.storage.rows import message_from
from recollect.text.changes import changing, otherwise
from recollect.text.dates import Span, spans, tells_number, tells_time, touches, undated
from recollect.text.function_words import without_function_words
from recollect.text.inflections import Wanted, of_oneself, other_forms, wanted, without_kind
from recollect.text.kin import asks_for_favourite, kin, other_favourite
from recollect.text.languages import language
from recollect.text.overview import is_small_talk, said_lately
from recollect.text.siblings import asked_of
from recollect.text.spans import after
from recollect.text.whom import Whom, also_called, gives_name, naming, whom, written

MAX_QUERY = 10_000
#: What counts as related where the caller names no threshold, and how far below the best a hit may be: the higher,
#: the less comes that does not belong; above this, recall would lose a point and more.
RELATED = 0.5
BELOW_BEST = 0.6
#: How related is what was said at the time that is asked for, where nothing but the time is asked for.
BY_DATE = 0.7
#: So many candidates are read for the dates in their texts, where the question asks for a time.
CANDIDATES = 60
#: "CI", "Q3", "k8s"; but any talk may be about TV.
_CODE = re.compile(r"(?!(?:AM|DIY|IT|NYC|OK|PM|TV|UK|USA?)\b)[A-Z]{2,}\d*|[A-Za-z]+\d\w*")
#: As many are read besides of those said so many days after the time that is asked for.
SOON = 14


async def recall_messages(
    database: Database,
    caller: Caller,
    embedders: Embedders,
    query: str,
    user: str,
    agent: str | None,
    limit: int,
    *,
    as_of: datetime | None = None,
    threshold: float | None = None,
) -> list[Hit]:
    """What a user and their agents said that belongs to a question, best first; nothing if nothing does.

    With ``as_of``, nothing that was said after that day. A score is how related the best hit is, from 0 to 1,
    where 0.5 means "related", and in proportion to it for the others. Without a ``threshold`` the best must be
    related, and the others not far below it and, unless the question names who speaks, related by themselves.
    """
    asking = partial(_found, database, caller, embedders, user=user, agent=agent, as_of=as_of)
    hits, current = await asking(query, limit=limit, threshold=threshold)
    plainly, by_name = unframed(query), (threshold or 0.0) <= BY_NAME
    if hits and asks_for_favourite(plainly):
        hits = [hit for hit in hits if not other_favourite(plainly, hit.text[:READ])]
    if not hits and by_name and (words := _kin(plainly)):
        told, _ = await asking(words, limit=CANDIDATES, threshold=0.0)
        hits = spoken_of(told, query, words)
    elif not hits and by_name and (subject := _somebody_of_theirs(plainly)) and (words := kin(subject.of_user())):
        told, _ = await asking(words, limit=CANDIDATES, threshold=0.0)
        hits = spoken_of(told, query, words, also_called(subject.relation))
    if not hits and by_name and not marked_words(plainly) and (words := without_kind(plainly)):
        # "What colour was my bike?" is answered by what calls a bike green, and need not say that it is a colour.
        hits, _ = await asking(words, limit=limit, threshold=threshold)
        hits = [msgspec.structs.replace(hit, score=min(hit.score, BY_NAME)) for hit in hits]
    matter = changing(plainly) if current else None
    if matter is None and not hits:
        matter = otherwise(plainly)
    if matter is None or (not hits and not by_name):
        return hits[:limit]
    told, _ = await asking(matter.words, limit=CANDIDATES, threshold=0.0)
    return moved_first(hits, told, matter)[:limit]


def _kin(query: str) -> str:
    """The words in which people tell what is asked for, and for nothing else."""
    last = asked_in(query)
    return kin(query) or kin(sought(unmeasured(query))) or (kin(last) if last else "")


def _somebody_of_theirs(query: str) -> Whom | None:
    """Whom a question is about, if it is somebody of the user's."""
    subject = whom(query) if language(query) == "en" else None
    return subject if subject and subject.relation else None


def _has_code(query: str, asked: Question, scope: Scope, row: int) -> bool:
    """Whether a message has an acronym or another code of the question."""
    codes = {plain(word) for word in marked_words(query) if _CODE.fullmatch(word)}
    stems = {stem for word in asked.words if plain(word.text) in codes for stem in word.stems}
    places = [place for place, term in enumerate(asked.terms) if term in stems]
    return bool(places) and bool(np.isin(scope.term[scope.found == row], places).any())


async def _found(
    database: Database,
    caller: Caller,
    embedders: Embedders,
    query: str,
    user: str,
    agent: str | None,
    limit: int,
    *,
    as_of: datetime | None,
    threshold: float | None,
) -> tuple[list[Hit], bool]:
    """What belongs to a question, some more than are wanted, and whether it asks for how things are now."""
    query = inputs.text("query", query, MAX_QUERY)
    if not query.strip():
        raise Invalid("query", "must not be empty")
    user = inputs.identifier("user", user)
    agent = None if agent is None else inputs.identifier("agent", agent)
    limit = inputs.amount("limit", limit)
    if threshold is not None:
        threshold = inputs.share("threshold", threshold)
    moment = datetime.now(UTC) if as_of is None else inputs.moment("as_of", as_of)

    query = unframed(query)
    tongue = language(query)
    words = () if tongue == "en" else wanted(query, tongue)
    forms = other_forms(query) if tongue == "en" else {}
    spoken = " ".join(form for word in words for form in word.forms)
    spoken = spoken or without_function_words(uncontracted(ageless(essential(query))))
    others = [form for word in forms.values() for form in word]
    words_too = named_as_words(query) if tongue == "en" else []
    looked_for = " ".join([spoken, *others])
    row = (await database.call("recall_scope", caller.tenant, user, agent, looked_for, words_too))[0]
    last = last_turn(query)
    asked = _question(query, row, words, forms).stressing(last)
    terms = asked.terms
    scope = scope_from(row, terms, asked.forms)
    if scope is None:
        return [], False
    matching = scope.found
    if words_too:
        scope = await _named_so(database, caller, scope, asked, words_too)
    names = asked.named(scope.names)
    bare = asked.without(names)
    near, embedder = await cosines(
        database, caller, embedders, scope, bare.text, asked.part(last).without(names).text
    )
    if len(terms) == len(words_too) > 0:  # to a model, too, a name is the word that it looks like
        near = near.copy()
        near[np.setdiff1d(matching, scope.found)] = np.nan
    dates = spans(query, moment.date())
    counted = set(bare.only(undated(bare.matter) if dates else bare.matter).terms)
    found = rank.evidence(scope, terms, counted, near, asked.weights)
    of_answers = asked.asks_of_answers
    score = rank.surrounded(scope, rank.fused(found, rank.usual_range(embedder)), found, of_answers=of_answers)
    score += rank.spoken_by(scope, names, first_person=asked.first_person, of_answers=of_answers)
    if as_of is not None:
        score[rank.days(scope) > moment.toordinal()] = -math.inf
    only_dates = bool(dates) and bare.only_talk(undated(bare.text))
    if only_dates and bare.of_talk:
        score[~rank.said_within(scope, dates)] = -math.inf
    if dates or asked.asks_when or asked.asks_number:
        score, dated = await _with_dates(database, caller, scope, score, dates, asked)
        if only_dates:
            score[~dated] = -math.inf
    before = None if dates else said_lately(query)
    if before is not None:
        lately = rank.of_last_sitting(scope, moment.timestamp(), before=before)
        score = np.where(lately, score + rank.DATE, -math.inf)
    by_time = only_dates or before is not None
    ranked = _best(scope, score, max(limit, rank.LOOKED_AT))
    ranked = ranked[np.isfinite(score[ranked])]
    if not len(ranked):
        return [], False
    first = ranked[: max(limit, rank.VERSIONS)]
    users_own = rank.USERS_OWN_WORDS if words else rank.USERS_OWN
    at_home = rank.NAMES_SPEAKER if names else users_own if asked.first_person or of_answers else 0.0
    if tongue == "en" and not names:
        at_home -= _of_nobody(query, asked, scope)
    if _has_code(query, asked, scope, int(ranked[0])):
        at_home += rank.CODED
    relatedness = embedder.relatedness(near)
    certain = rank.related(found, relatedness, first, at_home)
    if by_time:
        certain = max(certain, BY_DATE)
    scores = certain * np.sort(score[first])[::-1] / max(float(score[first].max()), 1e-9)
    least = threshold if threshold is not None else (certain * BELOW_BEST if certain >= RELATED else math.inf)
    kept = scores >= least
    current = not (dates or names or asked.of_past)
    if not kept.any():
        return [], current
    by_age = not dates and not (asked.asks_when and asked.of_past)
    few = ranked[: rank.LOOKED_AT]
    alike = rank.versions(scope, found, few, of_past=not current) if by_age else np.zeros(len(few), bool)
    messages = await _read(database, caller, scope, np.union1d(first[kept], few[alike]))
    texts = Texts(scope, [term if term in counted else "" for term in terms], messages)
    if not names and (spoken := asked_of(query, marked_words(query))) is not None:
        ranked = texts.own_first(ranked, len(first), spoken, user)
    if current:
        ranked = texts.lasting_first(ranked)
    if by_age:
        alike = versions_of(scope, found, ranked, texts, current, asked_when=asked.asks_when)
        ranked = rank.newest_first(scope, found, ranked, alike=alike)
    first = ranked[: len(first)]
    if threshold is None and not names and not dates and not by_time:
        kept &= rank.has_its_own(scope, found, relatedness, first, of_answers=of_answers)
    chosen = first[kept]
    if current:
        chosen = changed_first(scope, found, chosen, texts)
    chosen, scores = no_surer_of_others(chosen, scores[kept], messages, query, least)
    if threshold is None and not by_time and not names and not is_small_talk(query):
        chosen, scores = without_small_talk(chosen, scores, messages, RELATED)
    answer = _answer(scope, chosen, messages)
    if answer is not None and np.isfinite(score[answer]):
        messages |= await _read(database, caller, scope, np.array([answer]))
        chosen, scores = np.append(chosen, answer), np.append(scores, scores[-1])
    reasons = _Reasons(scope, bare, terms)
    hits = [
        Hit(
            text=message.content,
            score=round(float(value), 4),
            why=reasons.of(int(row), message),
            at=message.created_at,
            message=message,
        )
        for row, value in zip(chosen, scores, strict=True)
        if (message := messages.get(int(row))) is not None
    ]
    if current and len(hits) > 1 and (what := naming(query)):
        hits = put_last(hits, lambda hit: not gives_name(hit.text[:READ], what))
    return hits, current


def _answer(scope: Scope, chosen: NDArray[np.int64], messages: Mapping[int, Message]) -> int | None:
    """What was answered to the best, if that is a question of the user's, which alone tells nothing."""
    best = int(chosen[0]) if len(chosen) else -1
    row = best + 1
    if best not in messages or row >= len(scope) or row in chosen or scope.place[row] != scope.place[best]:
        return None
    answered = scope.by_user[best] and not scope.by_user[row] and asks(messages[best].content)
    return row if answered else None


def _question(
    query: str, row: Row, wanted: Sequence[Wanted], others: Mapping[str, Sequence[str]] | None = None
) -> Question:
    """The store itself takes the words apart, so that both sides agree on stems; those that it was given as forms
    of one, or behind the question as ``others`` of its words, are put together again."""
    sent = zip(row["words"] or (), row["stems"] or (), row["stops"] or (), strict=True)
    words = [Word(word, tuple(stems.split()), stop) for word, stems, stop in sent]
    stems = {word.text: word.stems for word in words}
    if not wanted:
        given = len(words) - sum(map(len, (others or {}).values()))
        return Question(query, tuple(_with_others(word, others or {}, stems) for word in words[:given]))
    return Question(query, tuple(_in_all_forms(one, stems) for one in wanted), of_oneself(query, wanted))


def _of_nobody(query: str, asked: Question, scope: Scope) -> float:
    """How much speaks against a question for a name in it that nobody has said here: most if it is plainly about
    somebody called so, less if it is the name of anything else."""
    subject = whom(query)
    if subject is not None and subject.name:
        return rank.OF_NOBODY if _unsaid(subject.name, asked, scope) else 0.0
    names = (word for word in marked_words(undated(query)) if word.isalpha() and not word.isupper())
    return rank.OF_NOTHING if any(_unsaid(plain(name), asked, scope) for name in names) else 0.0


def _unsaid(name: str, asked: Question, scope: Scope) -> bool:
    """Whether it is a word of the question, and of no message."""
    stems = {stem for word in asked.words if plain(word.text) == name for stem in word.stems}
    places = [place for place, term in enumerate(asked.terms) if term in stems]
    return bool(places) and not np.isin(scope.term, places).any()


async def _named_so(
    database: Database, caller: Caller, scope: Scope, asked: Question, names: Sequence[str]
) -> Scope:
    """The same, where these names do not occur in messages that have them as words only: "I will", "it may"."""
    stems = {stem for word in asked.words if word.text in names for stem in word.stems}
    places = [place for place, term in enumerate(asked.terms) if term in stems]
    query = " | ".join(f"'{stem}'" for stem in sorted(stems))
    row = (await database.call("recall_named", caller.tenant, scope.conversations, query, written(names)))[0]
    return scope.where(places, column(row["key"], ">i8")) if places else scope


def _with_others(word: Word, others: Mapping[str, Sequence[str]], stems: Mapping[str, tuple[str, ...]]) -> Word:
    forms = () if word.stop else others.get(word.text.lower(), ())
    return (
        msgspec.structs.replace(word, forms=tuple(stem for form in forms for stem in stems[form]))
        if forms
        else word
    )


def _in_all_forms(wanted: Wanted, stems: Mapping[str, tuple[str, ...]]) -> Word:
    said, *others = (stems.get(form, ()) for form in wanted.forms)
    forms = tuple(stem for other in others for stem in other)
    return Word(wanted.said, said, stop=False, forms=forms, weight=wanted.weight)


def _best(scope: Scope, score: NDArray[np.float64], limit: int) -> NDArray[np.int64]:
    """The rows of the best scores, best first; of equal ones what was said last, then what stands first."""
    exact = np.round(score, 6)  # what is said twice gets the same score but for the order of additions
    if len(exact) > 4 * limit:
        rows = np.flatnonzero(exact >= np.partition(exact, -limit)[-limit])
    else:
        rows = np.arange(len(exact))
    return rows[np.lexsort((-scope.at[rows], -exact[rows]))][:limit]


async def _with_dates(
    database: Database,
    caller: Caller,
    scope: Scope,
    score: NDArray[np.float64],
    dates: Sequence[Span],
    asked: Question,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """More for what was said on a day that the question speaks of, or speaks of that day itself, and which these
    are; and for what tells a time or a number where one is asked for."""
    score = score.copy()
    dated = rank.said_within(scope, dates)
    score[dated] += rank.DATE
    candidates = _best(scope, score, CANDIDATES)
    if dates:
        # What happened on a day is told within days: "yesterday", "last weekend".
        soon = np.flatnonzero(rank.said_within(scope, [after(one, SOON) for one in dates]) & ~dated)
        told = soon[np.argsort(-score[soon], kind="stable")][:CANDIDATES]
        candidates = np.union1d(candidates, told[np.isfinite(score[told])])
    conversations, seqs = scope.ids(candidates)
    rows = await database.call("recall_texts", caller.tenant, conversations, seqs, READ)
    texts = {(row["conversation"], row["seq"]): row["content"] for row in rows}
    for row, key in zip(candidates.tolist(), zip(conversations, seqs, strict=True), strict=True):
        text, day = texts.get(key, ""), scope.day(row)
        if dates and not dated[row]:
            said = spans(text, day)
            if any(touches(one, other) for one in dates for other in said):
                score[row] += rank.DATE
                dated[row] = True
        if asked.asks_when and tells_time(text, day):
            score[row] += rank.TIME
        if asked.asks_number and tells_number(text):
            score[row] += rank.NUMBER
    return score, dated


async def _read(database: Database, caller: Caller, scope: Scope, rows: NDArray[np.int64]) -> dict[int, Message]:
    """The messages of these rows; one that was deleted meanwhile is missing."""
    if not len(rows):
        return {}
    conversations, seqs = scope.ids(rows)
    places = {key: int(row) for key, row in zip(zip(conversations, seqs, strict=True), rows, strict=True)}
    read = await database.call("recall_messages", caller.tenant, conversations, seqs)
    return {places[row["conversation"], row["seq"]]: message_from(str(row["conversation"]), row) for row in read}


class _Reasons:
    """Says in a few words why a message was found."""

    def __init__(self, scope: Scope, question: Question, terms: Sequence[str]) -> None:
        self._scope = scope
        said = {stem: word.text for word in reversed(question.words) for stem in word.stems}
        self._words = [plain(said[term]) if term in said else None for term in terms]
        self._rarest = np.argsort(np.bincount(scope.term, minlength=len(terms)), kind="stable")

    def of(self, row: int, message: Message) -> str:
        """Such as "matches 'porto' and 'moved', said by Ana, May 2023"."""
        here = set(self._scope.term[self._scope.found == row].tolist())
        rarest: list[int] = self._rarest.tolist()
        words = [word for term in rarest if term in here and (word := self._words[term]) is not None]
        quoted = [f"'{word}'" for word in dict.fromkeys(words)][:3]
        matching = " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
        reason = f"matches {matching}" if matching else "near in meaning or in the course of the talk"
        month = f"{_MONTHS[message.created_at.month - 1]} {message.created_at.year}"
        return f"{reason}, said by {message.name or message.role}, {month}"


_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
