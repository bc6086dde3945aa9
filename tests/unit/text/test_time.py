"""How long the patterns take that look at what anybody may send: no longer for each letter, however odd the text."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date

import pytest

from recollect.chat.offline import fields
from recollect.recall.question import (
    Question,
    asked_in,
    marked_words,
    named_as_words,
    only_dated,
    sought,
    unframed,
)
from recollect.remember.extract.answers import completed
from recollect.remember.extract.own_words import asks_for_text, sentences
from recollect.text.changes import asks_for_before, tells_home
from recollect.text.kin import asks_for_tastes, in_other_sense, kin
from recollect.text.siblings import asked_of, numbered, sets_apart
from recollect.text.whom import gives_name, speaks_otherwise, tells_age, whom
from recollect.workflows.reading import shipped


def read_draft(text: str) -> None:
    for asked in ("title", "budget", "requirements.items"):
        fields.read(shipped()["rfp"].draft, {}, f"{text}x", asked, date(2026, 1, 1))


def read_mail(text: str) -> None:
    fields.read(shipped()["support_ticket"].draft, {}, text, "contact", date(2026, 1, 1))


def tell_numbered(text: str) -> None:
    codes = numbered(text)
    assert codes is not None
    codes.is_other(text)


def _takes(call: Callable[[str], object], text: str) -> float:
    """The quickest of a few tries: the machine may be busy."""

    def once() -> float:
        begun = time.thread_time()
        call(text)
        return time.thread_time() - begun

    return min(once() for _ in range(5))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (asked_in, "Can you fix this? " + "lorem ipsum " * 80),
        (asked_in, "?" * 1000),
        (marked_words, "a" + "\n" * 1000),
        (sought, "when? " + "a " * 500),
        (unframed, "hey " * 250),
        (lambda text: gives_name(text, "boat"), "a-" * 500),
        (asks_for_tastes, "what do I like " + "really " * 150),
        (asks_for_before, "where did I live before" + "!" * 900),
        (lambda text: kin.__wrapped__(f"{text}x y z w"), "can I eat something-" + "-" * 900),
        (kin.__wrapped__, "what do I do on weekends" + " " * 900 + "x"),
        (lambda text: in_other_sense("reports", text), "who reported " + "bugs " * 200),
        (lambda text: Question(text, ()).asks_of_answers, "what did you already " + "already " * 120),
        (lambda text: whom(text[:140]), "what is " + "A" * 1000),
        (tells_age, "user is 6 and so on " + ".,;" * 300 + "x"),
        (tells_home, "user moved to " + "the north-" * 100),
        (only_dated, "what is on 3 March " + "what " * 200),
        (lambda text: speaks_otherwise(text, ["Will"]), "will " * 200),
        (named_as_words, "who is Will? " + "Will " * 200),
        (lambda text: asked_of(text, []), "\N{CJK UNIFIED IDEOGRAPH-5B57}" * 1000),
        (lambda text: sets_apart(["foo"], text, text), "bar foo " * 120),
        (tell_numbered, "1. item\n" * 120),
        (read_draft, "Here is the mail:   " + "\n" * 800),
        (read_draft, "the title is " + " ,;." * 200),
        (read_draft, "we need 5           " + " " * 900),
        (read_draft, "the budget is about " + "1" * 900),
        (read_draft, "we need " + "1 laptop and " * 60),
        (read_mail, "a" * 900),
        (read_draft, "it costs $5 for all " + " " * 900),
        (lambda text: completed("Do you like tea?", f"{text}x"), "Yes" + "," * 900),
        (lambda text: completed("Which colour do you like?", f"{text}x"), "red" + " " * 900),
        (sentences, "I live in Oslo now, " + " " * 700),
        (sentences, "A. " * 240),
        (asks_for_text, "Here is what it says" + "\n" * 700),
    ],
)
def test_eight_times_the_text_takes_about_eight_times_as_long(call: Callable[[str], object], text: str) -> None:
    few, many = _takes(call, text), _takes(call, text[:20] + text[20:] * 8)
    assert many < 30 * max(few, 2e-5)  # a pattern that tries all pairs would take 64 times as long
