from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.records import Message, Role
from recollect.remember.digest.sentiment import NEUTRAL, feeling, label, sentiment

AT = datetime(2024, 5, 1, tzinfo=UTC)
SIGNS = {"-": "negative", "0": "neutral", "+": "positive"}


def message(content: str, role: Role = "user") -> Message:
    return Message("c", 1, "m", role, content, AT)


def mood(text: str) -> str:
    value = feeling(text)
    return "neutral" if value is None else label(value)


# "dev" was written before the list of words, "heldout" after it; then the list grew, and "unseen" came last. Nothing
# was changed for the sake of "unseen".
@pytest.mark.parametrize("corpus", ["dev", "heldout", "unseen"])
def test_most_sentences_are_understood(corpus: str) -> None:
    lines = (Path(__file__).parent / f"sentiment_{corpus}.tsv").read_text().splitlines()
    cases = [line.split("\t") for line in lines]
    assert len(cases) >= 60
    right = [mood(text) == SIGNS[sign] for sign, text in cases]
    assert sum(right) >= 0.9 * len(cases)


@pytest.mark.parametrize(
    ("plain", "turned"),
    [
        ("It is good.", "It is not good."),
        ("I like this.", "I don't like this."),
        ("He is friendly.", "He was never really friendly."),
        ("That was helpful.", "That wasn’t very helpful."),
        ("Me gusta.", "No me gusta."),
        ("Es amable.", "Nunca es amable."),
        ("Está bien.", "No está bien."),
    ],
)
def test_a_negation_turns_what_it_stands_before(plain: str, turned: str) -> None:
    assert (mood(plain), mood(turned)) == ("positive", "negative")


@pytest.mark.parametrize(
    "text", ["Not bad at all.", "No, that's great.", "I was never so happy.", "No está nada mal.", "No problem!"]
)
def test_what_only_looks_like_a_negation(text: str) -> None:
    assert mood(text) == "positive"


def test_degrees() -> None:
    def felt(text: str) -> float:
        value = feeling(text)
        assert value is not None
        return value

    assert 0 < felt("slightly good") < felt("good") < felt("very good") < felt("very good!") < 1
    assert -1 < felt("muy mal") < felt("mal") < 0
    assert felt("It was nice, but the end was awful.") < 0 < felt("The end was awful, but it was nice.")
    assert felt("Is it good?") < felt("It is good.")
    assert felt("ok 😡😡😡") == felt("ok 😡") < 0
    assert felt("estupendisimo") == felt("estupendísimo") > 0


def test_what_was_said_last_counts_most() -> None:
    good, bad, plain = message("This is wonderful!"), message("This is terrible!"), message("It is Monday.")
    better, worse = sentiment([bad, good]), sentiment([good, bad])
    assert better is not None
    assert worse is not None
    assert better > 0 > worse
    alone, diluted = sentiment([good]), sentiment([good, *[plain] * 20])
    assert alone is not None
    assert diluted is not None
    assert 0 < diluted < alone / 2


def test_only_the_user_is_asked() -> None:
    assert sentiment([message("I am so sorry, terrible!", "assistant"), message("It is Monday.")]) is None
    assert sentiment([message("awful", "tool"), message("Great, thanks!")]) == sentiment(
        [message("Great, thanks!")]
    )
    assert sentiment([]) is None
    assert sentiment([message("```\nraise TerribleError\n```")]) is None


def test_labels() -> None:
    assert [label(value) for value in (-1.0, -0.2, -NEUTRAL, 0.0, NEUTRAL, 0.2, 1.0)] == [
        "negative", "negative", "neutral", "neutral", "neutral", "positive", "positive",
    ]  # fmt: skip


@given(st.lists(st.text(max_size=200) | st.sampled_from(["love " * 500, "not never no", "but", "!!!", "😭"])))
def test_any_text_stays_between_minus_one_and_one(texts: list[str]) -> None:
    value = sentiment([message(text) for text in texts])
    assert value is None or -1 <= value <= 1
