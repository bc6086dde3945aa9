"""Nothing is learned from talk about nothing, from what was pasted, and from what was recalled."""

from __future__ import annotations

import pytest

from junk import PASTED, RECALLED, REQUESTS, SAID, SMALL_TALK, turns
from recollect.records import Message
from recollect.remember.extract import extract


def test_a_thousand_turns_of_junk_leave_next_to_nothing() -> None:
    messages = turns(1000)
    learned = [one for start in range(0, 1000, 10) for one in extract(messages[start : start + 10])]
    distinct = {one.text for one in learned}  # what is said again only refreshes what is there
    assert len(distinct) < 10, distinct
    assert not [text for text in distinct if text.startswith(("user", "usuario"))]


@pytest.mark.parametrize("text", SMALL_TALK + REQUESTS + PASTED + RECALLED)
def test_nothing_is_learned_from(text: str) -> None:
    message = Message(conversation="c", seq=1, id="1", role="user", content=text, created_at=SAID)
    assert [one.text for one in extract([message])] == []
