"""Of all that is known about somebody, what is asked for comes first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recollect import Recollect

WHO: dict[str, Any] = {"user": "ana", "agent": "librarian"}
ABOUT_BRUNO = [
    "Bruno is afraid of fireworks",
    "Bruno weighs nineteen kilos",
    "Bruno gets pills for his thyroid",
    "Bruno was groomed by a barber",
    "Bruno comes from a shelter in Turin",
    "Bruno wears a green collar",
    "Bruno goes to the vet in April",
    "Bruno swims in the canal",
    "Bruno barks at cyclists",
    "Bruno stole a sausage",
    "Bruno chewed the remote control",
    "Bruno rides in the sidecar",
]


@pytest.fixture
async def bruno(memory: Recollect) -> Recollect:
    begun = datetime.now(UTC) - timedelta(days=20)
    for day, text in enumerate(ABOUT_BRUNO):
        await memory.remember(text, **WHO, valid_from=begun + timedelta(days=day))
    await memory.remember("user collects old cameras", **WHO)
    return memory


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How heavy is Bruno?", "nineteen kilos"),
        ("What medicine does Bruno take?", "pills"),
        ("What noise scares Bruno?", "fireworks"),
        ("What did Bruno eat?", "sausage"),
        ("Where was Bruno adopted?", "shelter"),
        ("What kind of water does Bruno bathe in?", "canal"),
    ],
)
async def test_what_is_asked_for_comes_first_and_not_the_newest_about_the_same(
    bruno: Recollect, question: str, answer: str
) -> None:
    hits = await bruno.recall(question, **WHO)
    assert answer in hits[0].text
    again = await bruno.recall(question, **WHO, as_of=datetime.now(UTC) + timedelta(seconds=1))
    assert [hit.text for hit in again] == [hit.text for hit in hits]


async def test_who_shares_no_more_than_a_name_is_left_out_beside_a_plain_answer(bruno: Recollect) -> None:
    hits = await bruno.recall("Does Bruno wear a green collar?", **WHO)
    assert hits[0].text == "Bruno wears a green collar"
    assert len(hits) < 5, "there are eleven others about him"


async def test_a_name_alone_is_asked_for_as_before(bruno: Recollect) -> None:
    hits = await bruno.recall("Who is Bruno?", **WHO)
    assert len(hits) == 5
    assert all("Bruno" in hit.text and "bruno" in hit.why for hit in hits)


async def test_of_two_that_differ_in_one_word_the_newer_comes_first(memory: Recollect) -> None:
    begun = datetime.now(UTC) - timedelta(days=90)
    for day, kilos in ((0, 82), (40, 79)):
        await memory.remember(f"user weighs {kilos} kilos", **WHO, valid_from=begun + timedelta(days=day))
    await memory.remember("user collects old cameras", **WHO)
    hits = await memory.recall("What is my weight?", **WHO)
    assert [hit.text for hit in hits] == ["user weighs 79 kilos", "user weighs 82 kilos"]
