"""What was said in a talk with an assistant: amounts, times, and what was answered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recollect import Recollect

WHO: dict[str, Any] = {"user": "u-1", "agent": "librarian"}
START = datetime(2024, 3, 4, 9, tzinfo=UTC)


async def said(memory: Recollect, question: str, talks: Sequence[Sequence[str]]) -> list[str]:
    """What is found of talks on different days, in each of which the user begins and takes turns with the assistant."""
    for day, talk in enumerate(talks):
        chat = await memory.new_conversation(**WHO)
        for place, text in enumerate(talk):
            role = "assistant" if place % 2 else "user"
            await chat.append(role, text, at=START + timedelta(days=9 * day, minutes=place))
    return [hit.text for hit in await memory.recall(question, **WHO, over="messages")]


PAID = "I paid 640 euro for the dinghy."
TALKS = [
    [PAID, "A fair price for one of that age."],
    ["My neighbour gave me a jar of honey.", "How kind of your neighbour!"],
    ["The choir sings in the old mill again.", "A fine place for voices."],
]


async def test_what_says_how_much_comes_before_what_only_says_much(memory: Recollect) -> None:
    much = "There is always so much to do on a dinghy."
    assert (await said(memory, "how much was the dinghy?", [*TALKS, ["The weather turned.", much]]))[0] == PAID


async def test_what_tells_no_time_is_no_newer_version_of_what_does(memory: Recollect) -> None:
    plan, later = "The regatta is on 21 May.", "I am looking forward to the regatta."
    assert (await said(memory, "when is the regatta?", [[plan], *TALKS, [later]]))[0] == plan


async def test_what_tells_another_time_is_a_newer_version(memory: Recollect) -> None:
    plan, moved = "The regatta is on 21 May.", "The regatta is on 28 May."
    assert (await said(memory, "when is the regatta?", [[plan], *TALKS, [moved]]))[0] == moved


@pytest.mark.parametrize("asked", ["How do I get tar off a wooden oar?", "how do i get tar off a wooden oar"])
async def test_a_question_comes_with_what_was_answered(memory: Recollect, asked: str) -> None:
    answer = "Rub it with butter or a little turpentine, wait for ten minutes and wipe it with a rag."
    found = await said(memory, "tar on a wooden oar", [*TALKS, [asked, answer]])
    assert found[0] == asked
    assert answer in found


async def test_a_statement_does_not_bring_what_was_replied(memory: Recollect) -> None:
    told, reply = "I got tar on a wooden oar.", "What a nuisance that must have been!"
    found = await said(memory, "tar on a wooden oar", [*TALKS, [told, reply]])
    assert told in found
    assert reply not in found


async def test_that_something_was_suggested_need_not_be_said(memory: Recollect) -> None:
    answer = "For Whitsun: Lindau, the Allgäu, or a week in the Vosges."
    found = await said(memory, "what did you suggest for whitsun?", [*TALKS, ["I want to get away.", answer]])
    assert found[:1] == [answer]


@pytest.mark.parametrize(("place", "many"), [("Texel", 1), ("Borkum", 0)])
async def test_a_name_that_nobody_has_said_speaks_against_an_answer(
    memory: Recollect, place: str, many: int
) -> None:
    told = "The hotel on Texel let us in early."
    found = await said(memory, f"Which hotel did we take on {place}?", [*TALKS, [told]])
    assert found.count(told) == many


async def test_who_has_moved_may_say_where_they_are_now(memory: Recollect) -> None:
    talks = [["I live in Graz, near the river."], *TALKS, ["So I moved! I'm in Linz now, with a garden."]]
    assert (await said(memory, "where do I live?", talks))[0] == talks[-1][0]
