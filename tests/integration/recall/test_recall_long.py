"""Messages of several sentences: what belongs to them is found, and what merely shares how a sentence begins is not."""

from __future__ import annotations

import pytest

from recollect import Recollect

KNOWN = (
    "user's friends meet at the harbour on Fridays",
    "user works at a bakery in Ghent",
    "user repaired an old violin last winter",
    "user's grandmother baked rye bread with caraway",
    "user is learning to sail a small wooden boat",
    "user collects stamps from Iceland",
    "user plays chess online at night",
    "user had a knee operation in March",
)
SAILING = (
    "It was such a long week, honestly, and on Saturday I finally went out again. The wind was stronger than I thought "
    "it would be, and at first I could not hold the course at all. We had to turn around twice before the boat went "
    "where it should. Somebody on the pier laughed, but kindly. Now my hands hurt and I am happy. How can I get better "
    "at sailing in strong wind?"
)
NOTHING_KNOWN = (
    "The printer is broken again. Friends of the boss say that the paper was damp. Work has to wait until someone "
    "finds the right cable. Could you write a short poem about this, with four lines and a title?",
    "Please translate the following. Meet me under the clock. Last orders are at nine. Night falls early.",
    "Old habits die hard, they say. March comes in like a lion. Small steps count. What do proverbs like these have "
    "in common?",
)


@pytest.fixture
async def known(memory: Recollect) -> Recollect:
    for text in KNOWN:
        await memory.remember(text, user="ana", agent="librarian")
    return memory


async def test_a_long_message_finds_what_belongs_to_it(known: Recollect) -> None:
    hits = await known.recall(SAILING, user="ana", agent="librarian")
    assert [hit.text for hit in hits][:1] == ["user is learning to sail a small wooden boat"]


@pytest.mark.parametrize("message", NOTHING_KNOWN)
async def test_what_begins_a_sentence_is_no_name(known: Recollect, message: str) -> None:
    assert [hit.text for hit in await known.recall(message, user="ana", agent="librarian")] == []


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Dinner with Ines tonight. She brings wine. What should I cook for us? Nothing heavy please.", True),
        ("What a day. Could you suggest something for dinner?", True),
        ("The canteen closed early. What is the capital of Peru?", False),
    ],
)
async def test_whoever_asks_for_food_among_other_things_is_told_what_must_not_be_given(
    known: Recollect, message: str, found: bool
) -> None:
    await known.remember("user is allergic to peanuts", user="ana", agent="librarian")
    await known.remember("user's sister Ines lives in Porto", user="ana", agent="librarian")
    hits = [hit.text for hit in await known.recall(message, user="ana", agent="librarian")]
    assert ("user is allergic to peanuts" in hits) is found
    assert ("user's sister Ines lives in Porto" in hits) is ("Ines" in message)
