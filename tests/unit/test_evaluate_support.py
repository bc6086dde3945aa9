"""The second opinion on whether a memory says only what was said."""

from __future__ import annotations

import pytest

from recollect.evaluate.support import supported


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("user keeps bees", "I keep bees."),
        ("user studies marine biology", "Well, I study marine biology!"),
        ("user doesn't eat pork", "I don't eat pork"),
        ("user moved to Porto on 2026-03-04", "I moved to Porto yesterday"),
        ("user bought a kayak in the week of 2026-02-23", "I bought a kayak last week"),
        ("user has two dogs", "I've got 2 dogs, I have them since May"),
        ("Ines's sister teaches", "my sister teaches"),
        ("user can't swim", "I can’t swim"),
    ],
)
def test_what_was_said_is_supported(text: str, said: str) -> None:
    assert supported(text, [said], {"Ines"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("user keeps bees", "I keep goats."),
        ("user doesn't eat pork", "I eat pork"),
        ("user can't swim", "I can swim"),
        ("user has 3 dogs", "I have two dogs"),
        ("Omar keeps bees", "I keep bees"),
        ("user lives in Porto", "We live near Lisbon"),
    ],
)
def test_what_was_not_said_is_not(text: str, said: str) -> None:
    assert not supported(text, [said], {"Ines"})
