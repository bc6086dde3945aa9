"""What people write for a value is understood; what they do not write is not made up."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.chat.offline import fields, values
from recollect.chat.offline.steps import onward, wanted_action, wanted_step
from recollect.workflows.reading import shipped
from recollect.workflows.records import Snapshot

TODAY = date(2026, 11, 16)
RFP = shipped()["rfp"]
TICKET = shipped()["support_ticket"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("50000", 50000),
        ("50,000", 50000),
        ("50.000 €", 50000),
        ("$1,250.50", 1250.5),
        ("1.250,50", 1250.5),
        ("about 75k", 75000),
        ("1.5 million", 1500000),
        ("50 mil euros", 50000),
        ("12 000", 12000),
        ("3.5", 3.5),
        ("none", None),
    ],
)
def test_numbers(text: str, number: float | None) -> None:
    assert values.number_of(text) == number


@given(st.integers(0, 10**12))
def test_any_whole_number_comes_back(number: int) -> None:
    assert values.number_of(f"the sum is {number}") == number
    assert values.number_of(f"{number:,}") == number


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-12-01", "2026-12-01"),
        ("December 1, 2026", "2026-12-01"),
        ("1 de diciembre de 2026", "2026-12-01"),
        ("on March 3", "2027-03-03"),
        ("next friday", "2026-11-20"),
        ("soon", None),
    ],
)
def test_dates(text: str, day: str | None) -> None:
    assert values.date_of(text, TODAY) == day


def read(message: str, asked: str | None = None, draft: dict[str, Any] | None = None) -> dict[str, Any]:
    return fields.read(RFP.draft, draft or {}, message, asked, TODAY)


THINGS = {"requirements": {"items": [{"name": "laptops", "quantity": 20}, {"name": "monitors", "quantity": 5}]}}


@pytest.mark.parametrize(
    ("message", "patch"),
    [
        ("budget is 50000", {"budget": 50000}),
        ("The budget is $50,000 and the deadline is 2026-12-01.", {"budget": 50000, "deadline": "2026-12-01"}),
        ("title: Office laptops", {"title": "Office laptops"}),
        ("we need 20 laptops and 5 monitors", THINGS),
        ("We want to buy 20 laptops, 5 monitors for the new office.", THINGS),
        ("vendors are Acme and Globex", {"vendorsSelected": ["Acme", "Globex"]}),
        ("el presupuesto es de 50.000 euros", {"budget": 50000}),
        ("el plazo es el 1 de diciembre de 2026", {"deadline": "2026-12-01"}),
        ("los proveedores son Acme, Globex y Initech", {"vendorsSelected": ["Acme", "Globex", "Initech"]}),
        ("change the budget to 60000", {"budget": 60000}),
        ("We can spend $40k", {"budget": 40000}),
        ("I need an RFP for office chairs", {"title": "office chairs"}),
        ("we need it by December 1, 2026", {"deadline": "2026-12-01"}),
        ("delivery time is 30 days", {"requirements": {"deliveryDays": 30}}),
        ("hello", {}),
        ("what is the budget?", {}),
        ("we need help", {}),
        ("I like Porto", {}),
    ],
)
def test_sentences(message: str, patch: dict[str, Any]) -> None:
    assert read(message) == patch


@pytest.mark.parametrize(
    ("asked", "message", "patch"),
    [
        ("budget", "50000", {"budget": 50000}),
        ("budget", "no idea", {}),
        ("title", "Office laptops", {"title": "Office laptops"}),
        ("title", "thanks", {}),
        ("title", "Which title do you mean?", {}),
        ("deadline", "next friday", {"deadline": "2026-11-20"}),
        ("vendorsSelected", "let's ask Acme and Globex", {"vendorsSelected": ["Acme", "Globex"]}),
        ("requirements.items", "laptops and docks",
         {"requirements": {"items": [{"name": "laptops"}, {"name": "docks"}]}}),
        ("requirements.items", "dos portátiles con 16 GB",
         {"requirements": {"items": [{"name": "portátiles", "quantity": 2, "specifications": "16 GB"}]}}),
        ("title", "the budget is 50000", {"budget": 50000}),
        ("description", "Laptops for the new office in Porto", {"description": "Laptops for the new office in Porto"}),
    ],
)  # fmt: skip
def test_answers_to_the_question_that_was_asked(asked: str, message: str, patch: dict[str, Any]) -> None:
    assert read(message, asked) == patch


@pytest.mark.parametrize(
    ("asked", "message", "patch"),
    [
        ("description", "16 GB RAM", {"description": "16 GB RAM"}),
        ("description", "the budget is 50000", {"budget": 50000}),
        ("description", "items: 16 docks", {"requirements": {"items": [{"name": "docks", "quantity": 16}]}}),
        ("deadline", "vendors please", {}),
        ("deadline", "as soon as possible", {"deadline": "as soon as possible"}),
    ],
)
def test_what_is_there_stays_unless_it_is_named(asked: str, message: str, patch: dict[str, Any]) -> None:
    assert read(message, asked, THINGS) == patch


def test_more_of_a_list_is_added() -> None:
    assert read("we also need 3 docks", None, THINGS) == {
        "requirements": {"items": [*THINGS["requirements"]["items"], {"name": "docks", "quantity": 3}]}
    }


@given(st.text(max_size=200), st.sampled_from([None, "title", "budget", "deadline", "requirements.items"]))
def test_any_text_gives_a_patch_of_known_fields(message: str, asked: str | None) -> None:
    assert set(read(message, asked)) <= set(RFP.draft["properties"])


def test_fields_of_another_workflow() -> None:
    patch = fields.read(
        TICKET.draft,
        {},
        "the product is Printer 3 and the severity is high, contact: ana@example.com",
        None,
        TODAY,
    )
    assert patch == {"product": "Printer 3", "severity": "high", "contact": "ana@example.com"}


def test_where_a_workflow_goes_by_itself() -> None:
    full = {
        "title": "t", "description": "d", "budget": 1, "deadline": "x", "requirements": {"items": [{"name": "a"}]},
    }  # fmt: skip
    assert onward(RFP, Snapshot(step="initial"), "message") == "collecting_requirements"
    assert onward(RFP, Snapshot(step="collecting_requirements"), "message") is None
    assert onward(RFP, Snapshot(step="collecting_requirements", draft=full), "message") == "drafting_rfp"
    assert onward(RFP, Snapshot(step="selecting_vendors", draft=full), "message") is None
    ready = Snapshot(step="ready_to_send", draft=full | {"vendorsSelected": ["A"]})
    assert onward(RFP, ready, "message") is None
    assert onward(TICKET, Snapshot(step="waiting_for_customer"), "message") is None
    assert wanted_action(RFP, ready, "send it") == "send_rfp"
    assert wanted_action(RFP, ready, "envíalo") == "send_rfp"
    assert wanted_action(RFP, ready, "do not send it") is None
    assert wanted_action(RFP, ready, "can you send it?") is None
    assert wanted_action(RFP, Snapshot(step="initial"), "send it") is None
    assert wanted_step(RFP, "go back to drafting rfp please") == "drafting_rfp"
    assert wanted_step(RFP, "go to the office") is None
