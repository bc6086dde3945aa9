"""How a question is asked: once as a rule, and again in other words where it finds nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from operator import itemgetter
from typing import Any

import msgspec

from recollect.recall.candidates import (
    BY_NAME,
    FEWEST,
    NAMED,
    TOLD,
    Candidate,
    Found,
    Ranked,
    Sense,
    dated,
    repeats,
    sense_of,
)
from recollect.recall.meanwhile import begun
from recollect.recall.question import asked_in, asks_age, plain, sought, timeless, unframed, unmeasured
from recollect.recall.search import ALL, DATED, SPARE, Search, candidates
from recollect.records import Hit
from recollect.text.changes import (
    Matter,
    asks_for_before,
    changing,
    otherwise,
    tells_home,
    tells_of_before,
    tells_work,
)
from recollect.text.inflections import Wanted, does_alone, happened, share, wanted, without_kind, words_in
from recollect.text.kin import (
    asks_for_favourite,
    asks_for_tastes,
    binding,
    contrary,
    forbids,
    harmless,
    in_other_sense,
    is_own,
    kin,
    no_favourite,
    of_matter,
    of_other_taste,
    of_somebody,
    of_somebody_else,
    other_favourite,
)
from recollect.text.languages import language
from recollect.text.overview import OF_ONESELF, is_small_talk, names_user
from recollect.text.spans import Span
from recollect.text.whom import ALSO_WORDS, Whom, gives_name, naming, speaks_otherwise, tells_age, whom

#: So many of the hits may be what the user must not be given, wherever food or medicine is asked for.
BOUND = 2
#: So many follow what shares the words of the question, of what is told of the same matter in other words.
FOLLOWING = 2
#: A stem begins as its word does, at least so far.
SO_FAR_ALIKE = 4


async def best(
    ask: Callable[[Search, int], Coroutine[Any, Any, Found]],
    order: Callable[[Found, float], Ranked],
    ease: Callable[[Found], Awaitable[float]],
    asked: Search,
    query: str,
    threshold: float,
    limit: int,
    *,
    dates: Sequence[Span],
) -> tuple[Found, list[Hit]]:
    """What answers; ``order`` may tell more than are wanted, since what is asked for may be a little lower, and
    ``ask`` takes what to search for, and how many to send: all candidates if they are compared with ``dates``. It
    is asked once, as a rule: but again for all candidates if the best say nearly the same or are about others,
    without of what kind the answer is, or by the words in which people tell what the question is about, if its own
    words find nothing, and by those in which they tell what they must not be given, where food or medicine is
    asked for, or who they are, where all is that is known. Where a question asks for one matter and for nothing
    else, what is told of it in other words follows what shares its own. Where somebody of the user's
    is asked for, what is known of them by name follows who they are. If all that finds nothing, ``ease`` tells by
    how much less near is as related in so small a pool."""
    if asked.least == ALL and asked.nearest == DATED:
        found = await ask(asked, DATED)
        return found, _no_surer_than_names(order(_all_related(_falling(found, dates)), 0.0))[:limit]
    if asked.least == ALL:
        found = await ask(asked, 2 * candidates(limit))
        by_words = _by(asked, OF_ONESELF)._replace(near=None, least=1.0, lowest=1.0)
        some = await ask(by_words, 2 * candidates(limit))
        who = [_known(order(_telling(some, tells), 0.0)) for tells in (names_user, tells_home, tells_work)]
        return found, _who_first(_known(order(_all_related(found), 0.0)), who, limit)
    query = unframed(query)
    amount = 2 * candidates(limit) if dates else max(limit, FEWEST) + SPARE
    tongue, by_name = language(query), threshold <= BY_NAME
    oneself = False
    if tongue == "en":
        first = begun(ask(asked, amount))
    else:
        words_of_it = wanted(timeless(query), tongue)
        first = begun(_in_any_form(ask, asked, words_of_it, threshold, limit))
        oneself = does_alone(query, words_of_it)
    # While the store looks, it is told of the question what its words alone tell.
    subject = whom(query) if tongue == "en" else None
    words_too = [name for name in asked.names.split() if name.lower() in ALSO_WORDS] if tongue == "en" else []
    favourite, sense, last = asks_for_favourite(query), sense_of(query), asked_in(query)
    theirs = subject.of_user() if subject else ""
    matter, tastes = (changing(query), asks_for_tastes(query)) if by_name else (None, False)
    bound = binding(query) or (last and binding(last)) if by_name and limit > BOUND else ""
    before, what, age = subject is not None and asks_for_before(query), naming(query), asks_age(query)
    known: Sequence[str] = ()

    def rank(found: Found, less: float = 0.0) -> Ranked:
        found = msgspec.structs.replace(found, sense=sense)
        if words_too:
            found = _named_so(found, words_too)
        if favourite:
            found = _more_than_liked(found, query)
        if oneself:
            found = _not_of_others(found)
        return order(found if subject is None else _about(found, subject, asked.names, known), less)

    found = await first
    if tongue == "en":
        known = found.stems
    hits, full = rank(found)
    if tongue == "en" and not full and len(found.candidates) == amount and not dates:
        found = await ask(asked, 2 * candidates(limit))
        hits, _ = rank(found)
    bare = query if hits else unmeasured(query)
    if not hits and (past := happened(bare)):
        found = await _in_any_form(ask, asked, past, threshold, limit)
        hits = _as_meant(rank(found).hits)
    if not hits and by_name and tongue == "en" and (words := without_kind(bare)):
        found = await ask(asked._replace(words=words), amount)
        hits = _no_surer_than_names(rank(found))
    by_kin = by_name and (not hits or tastes)
    words = ""
    if by_kin:
        words = kin(query) or kin(sought(bare)) or kin(theirs) or kin(last)
    elif by_name and len(hits) < max(limit, FEWEST):
        words = kin(query) or (kin(sought(bare)) if bare != query else "")
    told: list[Hit] = []
    if words:
        # They are names for it: one of them is enough.
        some = await ask(_by(asked, f"{words} {contrary(query)}".rstrip()), 2 * candidates(limit))
        told = [
            hit
            for hit in _spoken_of(rank(_by_a_word(some)).hits, theirs or query, of_others=bool(theirs))
            if not in_other_sense(words, hit.text)
        ]
        if by_kin:
            found = some
    if hits and matter:
        changed, _ = rank(await ask(_by(asked, matter.words), 2 * candidates(limit)))
        hits = _first(hits, lambda hit: not matter.beside.search(hit.text))
        return found, _changed_first(_followed(hits, told), changed, matter, limit)
    if by_kin and words:
        if told or not hits:
            hits = _first(_as_sure(told, hits), lambda hit: is_own(hit.text) != bool(theirs))
        bound = of_matter(bound, words)
    elif hits and told:
        hits = _followed(hits, told)
    if not hits and by_kin and matter is None:
        matter = otherwise(query)
    if by_kin and matter:
        told, _ = rank(_by_a_word(await ask(_by(asked, matter.words), 2 * candidates(limit))))
        hits = _first(hits, lambda hit: tells_home(hit.text) or tells_work(hit.text))
        hits = _and_change(_changed_first(hits, told, matter, limit), told, matter, limit)
    may_be_eased = not hits and by_name and tongue == "en"
    if may_be_eased and _may_be_meant(asked, query, known) and (less := await ease(found)):
        found = await ask(asked._replace(least=asked.least - less, lowest=asked.lowest - less), amount)
        hits = _no_surer_than_names(rank(found, less))
    if hits and bound:
        told, _ = rank(await ask(_by(asked, bound)._replace(near=None), 2 * candidates(limit)))
        hits = _bound(hits, [hit for hit in _spoken_of(told, query) if forbids(hit.text)], limit)
    if hits and by_name and len(hits) < max(limit, FEWEST) and subject is not None:
        hits = await _by_their_names(ask, order, asked, subject, sense, hits, limit)
    if hits and before:
        hits = _first(hits, lambda hit: tells_of_before(hit.text))
    if len(hits) > 1 and age:
        hits = _first(hits, lambda hit: tells_age(hit.text))
    return found, _naming_first(hits, what)[:limit]


async def _by_their_names(
    ask: Callable[[Search, int], Coroutine[Any, Any, Found]],
    order: Callable[[Found, float], Ranked],
    asked: Search,
    subject: Whom,
    sense: Sense,
    hits: list[Hit],
    limit: int,
) -> list[Hit]:
    """The hits, and behind them what is known by name of somebody of the user's who is asked for: "Omri works at
    Intel", where the boyfriend is asked for and told to be Omri."""
    names = subject.called([hit.text for hit in hits])
    if not names:
        return hits
    found = await ask(_by(asked, names), 2 * candidates(limit))
    known = {hit.text for hit in hits}
    told = [hit for hit in order(msgspec.structs.replace(found, sense=sense), 0.0).hits if hit.text not in known]
    least = hits[-1].score
    return [*hits, *(msgspec.structs.replace(hit, score=min(hit.score, least)) for hit in told[:FOLLOWING])]


def _may_be_meant(asked: Search, query: str, known: Sequence[str]) -> bool:
    """Whether what is nearest may be meant though it is not near: not in small talk, nor where somebody or
    something is named of which the pool has never heard."""
    if asked.near is None or is_small_talk(query):
        return False
    names = [plain(name)[:SO_FAR_ALIKE] for name in asked.names.split()]
    return not names or any(stem.startswith(name) for name in names for stem in known)


def _no_surer_than_names(ranked: Ranked) -> list[Hit]:
    return [msgspec.structs.replace(hit, score=min(hit.score, BY_NAME)) for hit in ranked.hits]


def _all_related(found: Found) -> Found:
    """What answers a question for all that is known: each as much as a name does, and by no word of it, so that
    none is taken for a newer answer than another."""
    related = [row._replace(wording=BY_NAME, occurring=0) for row in found.candidates]
    return msgspec.structs.replace(found, candidates=related)


def _known(ranked: Ranked) -> list[Hit]:
    return [msgspec.structs.replace(hit, why="known of the user") for hit in ranked.hits]


def _about(found: Found, subject: Whom, names: str, known: Sequence[str]) -> Found:
    """Those that may be about whom the question is about; ``known`` are the stems of it that the pool has."""
    texts = [row.key_point for row in found.candidates]
    return _among(found, subject.among(texts, names.split(), found.user, known))


def _among(found: Found, kept: Sequence[bool]) -> Found:
    if all(kept):
        return found
    rows = [row for row, one in zip(found.candidates, kept, strict=True) if one]
    return msgspec.structs.replace(found, candidates=rows)


def _not_of_others(found: Found) -> Found:
    """Those that are about whom the question is about: who asks "¿dónde trabajo?" does not ask for "el marido de
    usuario trabaja …"."""
    whose = found.sense.whose
    if whose is None:
        return found
    return _among(found, [not whose.speaks_of_others(row.key_point, found.user) for row in found.candidates])


def _named_so(found: Found, names: Sequence[str]) -> Found:
    """The same without what has these names as words only, "user will move", unless it shares something else."""
    low = {name.lower() for name in names}
    others = sum(1 << place for place, stem in enumerate(found.stems[:TOLD]) if stem not in low)
    rows: list[Candidate] = []
    for row in found.candidates:
        if not speaks_otherwise(row.key_point, names):
            rows.append(row)
        elif shared := (row.occurring or 0) & others:
            rows.append(row._replace(occurring=shared))
    return msgspec.structs.replace(found, candidates=rows)


def _more_than_liked(found: Found, query: str) -> Found:
    """The same without what shares no more with the question than that something is a favourite: a dish is no
    colour."""
    others = sum(1 << place for place, stem in enumerate(found.stems[:TOLD]) if not stem.startswith("favo"))
    kept = [
        bool((row.occurring or 0) & others) or not other_favourite(query, row.key_point)
        for row in found.candidates
    ]
    return _among(found, kept)


def _falling(found: Found, dates: Sequence[Span]) -> Found:
    """What speaks of one of these dates, or was said to have become true then."""
    return _among(found, [dated(row, dates) for row in found.candidates])


def _telling(found: Found, tells: Callable[[str], bool]) -> Found:
    """What tells something: many a colleague works somewhere, and would leave no place for who the user is."""
    return _among(found, [tells(row.key_point) for row in found.candidates])


def _who_first(hits: list[Hit], who: Sequence[Sequence[Hit]], limit: int) -> list[Hit]:
    """What is known of the user, and who they are before all: the newest of each of these."""
    first = {hit.text: hit for hit in (max(some, key=lambda hit: hit.at) for some in who if some)}
    others = [hit for hit in hits if hit.text not in first]
    score = max((hit.score for hit in (*hits, *first.values())), default=BY_NAME)
    return [*(msgspec.structs.replace(hit, score=score) for hit in first.values()), *others][:limit]


def _naming_first(hits: list[Hit], what: str) -> list[Hit]:
    """Those first that give something its name, where that is asked for."""
    return _first(hits, lambda hit: gives_name(hit.text, what)) if what and len(hits) > 1 else hits


def _first(hits: list[Hit], comes: Callable[[Hit], bool]) -> list[Hit]:
    """Those of which this is true before the others; the scores stay where they are."""
    ordered = sorted(hits, key=comes, reverse=True)
    return [msgspec.structs.replace(hit, score=old.score) for hit, old in zip(ordered, hits, strict=True)]


def _by_a_word(found: Found) -> Found:
    """Those with one of the words that stand for a matter, each as related as by a name: none falls behind for
    being less near."""
    rows = [
        row._replace(wording=max(row.wording, BY_NAME)) if (row.occurring or 0) & NAMED else row
        for row in found.candidates
    ]
    return msgspec.structs.replace(found, candidates=rows)


def _spoken_of(hits: Sequence[Hit], query: str, *, of_others: bool = False) -> list[Hit]:
    """Those that speak of what is asked for, in words that stand for it; ``of_others`` if it is about somebody of
    the user's."""
    return [
        msgspec.structs.replace(hit, why=hit.why.replace("shares", "speaks of", 1))
        for hit in hits
        if (of_others or not of_somebody_else(query, hit.text))
        and not of_other_taste(query, hit.text)
        and not harmless(query, hit.text)
        and not no_favourite(query, hit.text)
    ]


def _as_meant(hits: Sequence[Hit]) -> list[Hit]:
    """The same, where one that has none of the words it was found by, but another for them, does not say that it
    shares them: "child" for "kid"."""

    def meant(hit: Hit) -> Hit:
        text, shared = plain(hit.text), hit.why.partition("shares ")[2].split(", ")
        if any(word[:SO_FAR_ALIKE] in text for word in shared):
            return hit
        return msgspec.structs.replace(hit, why=hit.why.replace("shares", "speaks of", 1))

    return [meant(hit) for hit in hits]


def _as_sure(told: list[Hit], hits: Sequence[Hit]) -> list[Hit]:
    """The same, where one that was found before is as sure as it was then."""
    before = {hit.text: hit.score for hit in hits}
    surer = [msgspec.structs.replace(hit, score=max(hit.score, before.get(hit.text, 0.0))) for hit in told]
    return sorted(surer, key=lambda hit: hit.score, reverse=True)


def _followed(hits: list[Hit], told: Sequence[Hit]) -> list[Hit]:
    """The hits, and behind them some of what is told of the same matter in other words than the question's."""
    known = {hit.text for hit in hits}
    more = [hit for hit in told if hit.text not in known and is_own(hit.text)][:FOLLOWING]
    return [*hits, *(msgspec.structs.replace(hit, score=min(hit.score, hits[-1].score)) for hit in more)]


def _bound(hits: list[Hit], binding: Sequence[Hit], limit: int) -> list[Hit]:
    """The hits with what binds whoever answers, an allergy or a diet, in the last places if there is no other."""
    known = [hit.text for hit in hits[: limit - BOUND]]
    more = [
        hit for hit in binding if not of_somebody(hit.text) and not any(repeats(hit.text, text) for text in known)
    ][:BOUND]
    told = {hit.text for hit in more}
    first = [hit for hit in hits if hit.text not in told][: limit - len(more)]
    return [*first, *(msgspec.structs.replace(hit, score=min(hit.score, first[-1].score)) for hit in more)]


def _by(asked: Search, words: str) -> Search:
    """The same, but by these words, each of which is enough."""
    return asked._replace(words=words, names=words, unnamed=None)


def _newest_change(told: Sequence[Hit], matter: Matter) -> Hit | None:
    """The newest that tells of a change in a matter of the user's."""
    changes = [(hit.memory.valid_from, hit) for hit in told if hit.memory and matter.told.search(hit.text)]
    _, newest = max(changes, key=itemgetter(0), default=(None, None))
    return newest and msgspec.structs.replace(newest, why=newest.why.replace("shares", "speaks of", 1))


def _changed_first(hits: list[Hit], told: Sequence[Hit], matter: Matter, limit: int) -> list[Hit]:
    """The newest that tells of a change comes first, if it is newer than what is known of the user otherwise:
    "user moved to Oslo" answers where they live, if they lived elsewhere before."""
    newest = _newest_change(told, matter)
    if newest is None or newest.memory is None:
        return hits[:limit]
    at, others = newest.memory.valid_from, [hit for hit in hits if hit.text != newest.text]
    if any(hit.memory and at <= hit.memory.valid_from and matter.is_of_user(hit.text) for hit in others):
        return hits[:limit]
    score = max(newest.score, hits[0].score) if hits else newest.score
    return [msgspec.structs.replace(newest, score=score), *others][:limit]


def _and_change(hits: list[Hit], told: Sequence[Hit], matter: Matter, limit: int) -> list[Hit]:
    """The same with the newest that tells of a change in the last place, where it is nowhere: what was found by
    other words than those of the question need not answer it better."""
    newest = _newest_change(told, matter)
    if newest is None or newest.text in {hit.text for hit in hits}:
        return hits
    least = min(newest.score, hits[-1].score)
    return [*hits[: limit - 1], msgspec.structs.replace(newest, score=least)]


async def _in_any_form(
    ask: Callable[[Search, int], Coroutine[Any, Any, Found]],
    asked: Search,
    words: Sequence[Wanted],
    threshold: float,
    limit: int,
) -> Found:
    """What has the words of a question in any of their forms. The store does not know that these are one word, so
    it is asked for each as for a name, and what a memory says of the question is told here."""
    forms = " ".join(form for word in words for form in word.forms)
    every = _by(asked, forms)._replace(threshold=min(threshold, BY_NAME))
    found = await ask(every, 2 * candidates(limit))
    names = words_in(asked.names)
    told = [_told(row, words, names) for row in found.candidates]
    return msgspec.structs.replace(found, stems=[word.forms[0] for word in words], candidates=told)


def _told(row: Candidate, words: Sequence[Wanted], names: set[str]) -> Candidate:
    """A candidate with how much of these words it says, and which."""
    there = words_in(row.key_point)
    here = [word.occurs(there) for word in words]
    occurring = sum(1 << place for place, one in enumerate(here[:TOLD]) if one)
    return row._replace(
        wording=share(words, here), occurring=occurring if names.isdisjoint(there) else occurring | NAMED
    )
