"""The ranking alone, over small scopes made by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.models.wordllama import WordLlama
from recollect.recall import rank
from recollect.recall.scope import Scope
from recollect.text.dates import Span

DAY = 86400.0
RANGE = 0.4


def scope_of(
    texts: Sequence[str],
    terms: Sequence[str] = (),
    *,
    conversations: Sequence[int] | None = None,
    days: Sequence[int] = (),
) -> Scope:
    """Turns like "Ana: text"; those of nobody are the user's."""
    places = list(conversations or [0] * len(texts))
    who = [text.partition(": ")[0] if ": " in text else "" for text in texts]
    names = list(dict.fromkeys(who))
    words = [text.lower().strip("?").split() for text in texts]
    hits = [
        (row, place, said.count(term))
        for row, said in enumerate(words)
        for place, term in enumerate(terms)
        if term in said
    ]
    return Scope(
        conversations=[UUID(int=place) for place in range(max(places) + 1)],
        key=np.array([(place << 40) + number for number, place in enumerate(places)], np.int64),
        at=np.array(list(days) or range(len(texts)), float) * DAY,
        bytes=np.array([len(text) for text in texts], np.int64),
        asks=np.array([text.endswith("?") for text in texts]),
        by_user=np.array([not name for name in who]),
        name=np.array([names.index(name) for name in who]),
        names=names,
        found=np.array([hit[0] for hit in hits], np.int64),
        term=np.array([hit[1] for hit in hits], np.int64),
        times=np.array([hit[2] for hit in hits], np.int64),
    )


def blind(scope: Scope) -> np.ndarray:
    return np.full(len(scope), np.nan, np.float32)


def test_bm25_is_the_textbook_formula() -> None:
    texts = ["red red apple", "green apple pie for all of us", "blue sky"]
    scope = scope_of(texts, ["red", "apple"])
    found = rank.evidence(scope, ["a", "b"], {"a", "b"}, blind(scope))
    mean = sum(map(len, texts)) / 3

    def part(times: int, documents: int, size: int) -> float:
        idf = math.log(1 + (3 - documents + 0.5) / (documents + 0.5))
        return idf * times * 1.9 / (times + 0.9 * (0.6 + 0.4 * size / mean))

    assert found.bm25[0] == pytest.approx(part(2, 1, len(texts[0])) + part(1, 2, len(texts[0])))
    assert found.bm25[1] == pytest.approx(part(1, 2, len(texts[1])))
    assert found.bm25[2] == 0


def test_terms_that_are_not_wanted_do_not_count() -> None:
    scope = scope_of(["ana likes tea", "tea"], ["ana", "tea"])
    found = rank.evidence(scope, ["a", "b"], {"b"}, blind(scope))
    assert found.coverage.tolist() == [1, 1]


def test_a_single_sign_is_half_a_word_unless_it_is_all_that_is_asked_for() -> None:
    scope = scope_of(["我 住", "tea"], ["住", "我"])
    signs, words = (
        rank.evidence(scope, terms, set(terms), blind(scope)) for terms in (["住", "我"], ["in", "me"])
    )
    assert signs.mass[0] == pytest.approx(words.mass[0] / 2)
    assert signs.coverage[0] == words.coverage[0] == 1
    scope = scope_of(["我 住", "tea"], ["住"])
    sign, word = (rank.evidence(scope, [term], {term}, blind(scope)) for term in ("住", "live"))
    assert sign.mass[0] == word.mass[0]


def test_without_vectors_words_alone_decide() -> None:
    scope = scope_of(["tea", "coffee", "tea and coffee"], ["tea", "coffee"])
    fused = rank.fused(rank.evidence(scope, ["a", "b"], {"a", "b"}, blind(scope)), RANGE)
    assert fused.argmax() == 2
    assert fused.max() == 1


def test_a_message_without_a_vector_is_still_found_by_its_words() -> None:
    scope = scope_of(["nothing of it"] * 20 + ["the zebra"], ["zebra"])
    near = np.append(np.linspace(0, 0.2, 20), np.nan).astype(np.float32)
    assert rank.fused(rank.evidence(scope, ["a"], {"a"}, near), RANGE).argmax() >= 19


def test_small_differences_between_a_few_messages_stay_small() -> None:
    scope = scope_of(["a", "b"])
    fused = rank.fused(rank.evidence(scope, [], set(), np.array([0.51, 0.5], np.float32)), RANGE)
    assert 0.9 < fused[1] < fused[0] == 1


def test_an_embedder_tells_its_range_by_its_scale() -> None:
    assert 0.3 < rank.usual_range(WordLlama()) < 0.6


def test_words_that_many_messages_share_weigh_little() -> None:
    """All have the word, so it tells nothing; the vectors must decide."""
    scope = scope_of(["good day"] * 30, ["good"])
    near = np.linspace(0, 1, 30).astype(np.float32)
    assert rank.fused(rank.evidence(scope, ["a"], {"a"}, near), RANGE).argmax() == 29


def surrounded(scope: Scope, own: np.ndarray, terms: Sequence[str] = ()) -> np.ndarray:
    return rank.surrounded(scope, own, rank.evidence(scope, terms, set(terms), blind(scope)))


def test_an_answer_borrows_from_the_question_before_it() -> None:
    scope = scope_of(["Ana: what is its name?", "Ben: Rex", "Ben: fine", "Ana: bye", "Ben: bye"])
    own = np.array([1.0, 0.2, 0.2, 0.2, 0.2])
    score = surrounded(scope, own)
    assert score[1] > score[2] == pytest.approx(score[3])


def test_nothing_is_borrowed_across_conversations() -> None:
    own = np.array([1.0, 0.2, 0.2])
    together = surrounded(scope_of(["a?", "b", "c"]), own)
    apart = surrounded(scope_of(["a?", "b", "c"], conversations=[0, 1, 1]), own)
    assert together[1] > apart[1]


def test_a_long_message_leans_less_on_its_surroundings() -> None:
    own = np.array([1.0, 0.2])
    short = surrounded(scope_of(["a", "b"]), own)
    long = surrounded(scope_of(["a", "b" * 3000]), own)
    assert short[1] > long[1] > own[1]


def test_a_talk_that_has_all_words_of_the_question_lends_more_than_one_that_has_one() -> None:
    """ "The kiln broke", "oh no", "the glaze ran": the turn between them is in the midst of it."""
    terms = ["kiln", "glaze"]
    both = scope_of(["the kiln broke", "oh no", "the glaze ran", "well"], terms)
    one = scope_of(["the kiln broke", "oh no", "the kiln ran", "well"], terms)
    own = np.array([0.5, 0.2, 0.5, 0.2])
    assert surrounded(both, own, terms)[1] > surrounded(one, own, terms)[1] + 0.05


def test_the_talk_around_ends_with_the_conversation_and_two_turns_away() -> None:
    terms = ["kiln"]
    texts = ["a", "b", "c", "the kiln broke", "d", "e", "f"]

    def around(scope: Scope) -> list[bool]:
        return (rank.evidence(scope, terms, set(terms), blind(scope)).around > 0).tolist()

    assert around(scope_of(texts, terms)) == [False, True, True, True, True, True, False]
    apart = scope_of(texts, terms, conversations=[0, 0, 0, 1, 1, 2, 2])
    assert around(apart) == [False, False, False, True, True, False, False]


def test_a_long_turn_tells_less_about_those_around_it() -> None:
    """It has words of everything."""
    terms = ["kiln"]
    short = scope_of(["kiln", "b"], terms)
    long = scope_of(["kiln" + " x" * 500, "b"], terms)
    shares = [rank.evidence(scope, terms, set(terms), blind(scope)).around[1] for scope in (short, long)]
    assert shares[0] == pytest.approx(1)
    assert 0 < shares[1] < 0.2


def test_a_word_that_is_worth_less_counts_less() -> None:
    scope = scope_of(["kilns", "glaze"], ["kilns", "glaze"])
    found = rank.evidence(scope, ["kilns", "glaze"], {"kilns", "glaze"}, blind(scope), {"kilns": 0.5})
    assert found.bm25[0] == pytest.approx(found.bm25[1] / 2)
    assert found.coverage.tolist() == pytest.approx([1 / 3, 2 / 3])


def test_what_is_around_is_told_by_the_rarest_words_of_a_long_question() -> None:
    terms = [f"w{number}" for number in range(rank.MOST_WORDS + 100)]
    scope = scope_of([*(" ".join(terms[:-1]) for _ in range(5)), terms[-1], "x"], terms)
    found = rank.evidence(scope, terms, set(terms), blind(scope))
    assert found.around[6] > 0
    assert found.around.max() <= 1


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1)), min_size=1, max_size=40))
def test_the_best_three_of_each_conversation(rows: list[tuple[int, float]]) -> None:
    rows.sort(key=lambda row: row[0])
    scope = scope_of(["x"] * len(rows), conversations=[row[0] for row in rows])
    own = np.array([row[1] for row in rows])
    best = rank._best_of_conversation(scope, own)  # pyright: ignore[reportPrivateUsage]
    for row, (place, _) in enumerate(rows):
        mine = sorted((value for other, value in rows if other == place), reverse=True)[:3]
        assert best[row] == pytest.approx(sum(mine) / len(mine), abs=1e-9)


def test_what_has_something_to_do_with_the_question_itself() -> None:
    scope = scope_of(["kiln", "x", "y", "which kiln?", "z", "w"], ["kiln"], conversations=[0, 0, 0, 0, 0, 1])
    found = rank.evidence(scope, ["kiln"], {"kiln"}, blind(scope))
    near = np.array([0, 0, 0.9, 0, 0, np.nan], np.float32)
    own = rank.has_its_own(scope, found, near, np.arange(6))
    assert own.tolist() == [True, False, True, True, True, False]


def test_whoever_is_named_and_the_user_who_asks_are_preferred() -> None:
    scope = scope_of(["Ana: x", "Ben: x", "x"])
    assert rank.spoken_by(scope, ["Ben"], first_person=False).argmax() == 1
    assert rank.spoken_by(scope, [], first_person=True).argmax() == 2
    assert not rank.spoken_by(scope, [], first_person=False).any()


def test_which_rows_were_said_on_the_days_asked_for() -> None:
    first = date(1970, 1, 1).toordinal()
    scope = scope_of(["a", "b", "c"], days=[0, 10, 375])
    assert rank.said_within(scope, [Span(first + 9, first + 11)]).tolist() == [False, True, False]
    assert rank.said_within(scope, [Span(first + 9, first + 11, yearly=True)]).tolist() == [False, True, True]
    assert not rank.said_within(scope, []).any()


def test_of_versions_of_one_statement_the_newest_comes_first() -> None:
    scope = scope_of(["my desk is oak", "the desk is pine", "a lamp"], ["desk"], days=[1, 2, 3])
    found = rank.evidence(scope, ["a"], {"a"}, blind(scope))
    assert rank.newest_first(scope, found, np.array([0, 1, 2])).tolist() == [1, 0, 2]


def test_what_someone_else_said_is_no_newer_version() -> None:
    scope = scope_of(["Ana: my desk is oak", "Ben: the desk is pine"], ["desk"], days=[1, 2])
    found = rank.evidence(scope, ["a"], {"a"}, blind(scope))
    assert rank.newest_first(scope, found, np.array([0, 1])).tolist() == [0, 1]


def test_relatedness_rises_with_words_and_with_meaning() -> None:
    scope = scope_of(["the zebra ran", "hello"], ["zebra", "ran"])
    found = rank.evidence(scope, ["a", "b"], {"a", "b"}, blind(scope))
    rows = np.array([0, 1])
    unknown, low, high = (np.full(2, value, np.float32) for value in (np.nan, 0.01, 0.9))
    assert rank.related(found, unknown, rows, 0.0) > 0.5
    assert rank.related(found, unknown, rows[1:], 0.0) < 0.1
    assert rank.related(found, high, rows, 0.0) > rank.related(found, low, rows, 0.0)
    assert rank.related(found, low, rows, 0.0) > 0.5, "the very words are there"
    assert rank.related(found, low, rows[1:], 3.0) > rank.related(found, low, rows[1:], 0.0)
    assert rank.related(found, low, rows[1:], rank.NAMES_SPEAKER) < 0.5, "a speaker's name alone is not enough"
