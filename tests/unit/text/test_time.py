"""How long the patterns take that look at what anybody may send: no longer for each letter, however odd the text."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from recollect.recall.question import asked_in, marked_words, sought, unframed
from recollect.text.whom import gives_name


def _takes(call: Callable[[str], object], text: str) -> float:
    """The quickest of a few tries: the machine may be busy."""

    def once() -> float:
        begun = time.perf_counter()
        call(text)
        return time.perf_counter() - begun

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
    ],
)
def test_eight_times_the_text_takes_about_eight_times_as_long(call: Callable[[str], object], text: str) -> None:
    few, many = _takes(call, text), _takes(call, text[:20] + text[20:] * 8)
    assert many < 30 * max(few, 2e-5)  # a pattern that tries all pairs would take 64 times as long
