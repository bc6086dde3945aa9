"""Whatever a text is made of, to read it takes no longer for each letter the longer it is: one sign, one word or one
line again and again, behind what somebody may begin with. ``test_time`` has what was found so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from itertools import count

import pytest

from recollect.chat.offline import fields
from recollect.models.tokens import BundledCounter
from recollect.notes.sections import edited
from recollect.recall.question import (
    Question,
    asked_in,
    last_turn,
    marked_words,
    named_as_words,
    only_dated,
    sought,
    unframed,
    unmeasured,
)
from recollect.records import Message, Role
from recollect.remember.digest.extractive import summarise
from recollect.remember.digest.sentiment import sentiment
from recollect.remember.extract import extract
from recollect.remember.extract.own_words import asks_for_text
from recollect.text.changes import changing, is_over, otherwise, tells_change
from recollect.text.dates import tells_time, undated
from recollect.text.fence import defused, escaped, strip_fences
from recollect.text.inflections import other_forms, wanted
from recollect.text.kin import kin
from recollect.text.languages import language
from recollect.text.overview import is_small_talk
from recollect.text.siblings import asked_of, numbered, of_another, sets_apart
from recollect.text.whom import gives_name, tells_age, whom
from recollect.workflows.reading import shipped

DAY = date(2026, 1, 5)
SHORT, LONG = 500, 4000

#: What may stand at the beginning …
OPENINGS = ("", "Yes", "where do I live", "it costs $5 a piece")
#: … and what may follow, again and again.
REPEATED = (
    " ", "\n", "\t", ",", ".", "-", "'", '"', "?", "a", "A", "1", "(", "[", "<", "*", "_", "`", "#", "|", "=", "é",
    "字", "나", "ש", "e\N{COMBINING ACUTE ACCENT}", "\N{ZERO WIDTH SPACE}", " .", ". ", ", ", " \n", "a-", "a'", "a.",
    "A. ", "1,", "1. ", "a ", "Foo ", "Foo, ", "no ", "and ", "my ", "I ", "the ", "to ", "very ", "user ", "mi ",
    "12 ", "3 March ", "2024-01-02 ", "in May ", "why? ", "I like tea. ", "Me gusta. ", "1. item\n", "- item\n",
    "# Head\n", "```\n", "> a\n", "| a | b\n", "Ana: hi\n", "<a> ", "</a>", '"a" ', "a@", "a@b.co ", "https://a.b/",
    "{user} ", "e1043 ", "$5 ", "my sister ", "who is ", "remember that ", "he said ", "not ",
)  # fmt: skip
NEW = count()


def _said(seq: int, role: Role, content: str) -> Message:
    at = datetime(2026, 1, 5, 12, seq, tzinfo=UTC)
    return Message(id=str(seq), conversation="c", seq=seq, role=role, content=content, created_at=at)


def learn(text: str) -> None:
    extract([_said(1, "assistant", "Do you like tea?"), _said(2, "user", text), _said(3, "assistant", "Nice.")])


def learn_after(text: str) -> None:
    extract(
        [_said(1, "assistant", text), _said(2, "user", "She likes tea."), _said(3, "user", "Yes, my cat does.")]
    )


def digest(text: str) -> None:
    said = [_said(1, "user", text)]
    summarise("", said, 800)
    sentiment(said)


def compare(text: str) -> None:
    of_another(text, "user's sister lives in Oslo")
    sets_apart(["foo"], text, text)
    if codes := numbered(text):
        codes.is_other(text)


def read_draft(text: str) -> None:
    fields.read(shipped()["rfp"].draft, {}, text, "requirements.items", DAY)


def section(text: str) -> None:
    edited(f"# Section\n{text}", "replace_section_by_header", "x", "# Section")


def properties(text: str) -> None:
    asked = Question(text, ())
    assert {asked.asks_of_answers, asked.asks_when, asked.of_past} <= {True, False}


def spanish(text: str) -> None:
    wanted(text, "es")


def fences(text: str) -> None:
    defused(text)
    escaped(text)
    strip_fences(text)


READERS: tuple[Callable[[str], object], ...] = (
    learn, learn_after, asks_for_text, digest, compare, read_draft, section, properties, spanish, fences,
    unframed, last_turn, asked_in, marked_words, named_as_words, only_dated, sought, unmeasured, undated, kin, whom,
    language, other_forms, changing, otherwise, tells_change, is_over, is_small_talk, tells_age,
    BundledCounter().count, lambda text: asked_of(text, []), lambda text: gives_name(text, "boat"),
    lambda text: tells_time(text, DAY),
)  # fmt: skip


def _takes(read: Callable[[str], object], text: str) -> float:
    begun = time.thread_time()  # not by the clock on the wall: the machine may be busy
    read(f"{text} {next(NEW)}x")  # nothing that is kept helps
    return time.thread_time() - begun


def _grows_too_fast(read: Callable[[str], object], opening: str, repeated: str, tries: int) -> bool:
    """Whether eight times the text takes 24 times as long; a pattern that tries all pairs would take 64 times."""
    texts = [opening + repeated * (length // len(repeated)) for length in (SHORT, LONG)]
    many = min(_takes(read, texts[1]) for _ in range(tries))
    return many > 0.01 and many > 24 * min(_takes(read, texts[0]) for _ in range(tries))


@pytest.mark.parametrize("read", READERS)
def test_eight_times_the_text_takes_about_eight_times_as_long(read: Callable[[str], object]) -> None:
    read = getattr(read, "__wrapped__", read)
    grow = (
        (opening, repeated)
        for opening in OPENINGS
        for repeated in REPEATED
        if _grows_too_fast(read, opening, repeated, 1) and _grows_too_fast(read, opening, repeated, 5)
    )
    assert next(grow, None) is None
