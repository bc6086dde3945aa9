"""What people write for a value is understood; what they do not write is not made up."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from recollect.chat.offline import fields, values
from recollect.chat.offline.steps import onward, wanted_action, wanted_step
from recollect.workflows.definition import Action
from recollect.workflows.reading import shipped
from recollect.workflows.records import Snapshot

TODAY = date(2026, 11, 16)
RFP = shipped()["rfp"]
TICKET = shipped()["support_ticket"]
FULL = {
    "title": "t", "description": "d", "budget": 1, "deadline": "x", "requirements": {"items": [{"name": "a"}]},
}  # fmt: skip
READY = Snapshot(step="ready_to_send", draft=FULL | {"vendorsSelected": ["A"]})


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
        ("0.125", 0.125),
        ("0,125", 0.125),
        ("-5", -5),
        ("-$1,250.50", -1250.5),
        ("about -3", -3),
        ("- 40 chairs", 40),
        ("ISO-9001", 9001),
        ("10-5", 5),
        ("9" * 400, None),
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
        ("31/12/2026", "2026-12-31"),
        ("3/15/2027", "2027-03-15"),
        ("5.5.2027", "2027-05-05"),
        ("2027/03/05", "2027-03-05"),
        ("05/03/2027", None),
        ("31/02/2026", None),
        ("2026-02-31", None),
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
        ("TİTLE is laptops", {"title": "laptops"}),
        ("the tıtle is laptops", {"title": "laptops"}),
        ("The budget is not 50000 but 45000", {"budget": 45000}),
        ("The budget is not 50000", {}),
        ("the title is not Laptops but Office chairs", {"title": "Office chairs"}),
        ("vendors are not only Acme but also Globex", {"vendorsSelected": ["not only Acme but also Globex"]}),
        ("it is not $50,000 but $45,000", {"budget": 45000}),
        ("deadline is 31/02/2026", {}),
        ("deadline is 05/03/2027", {"deadline": "05/03/2027"}),
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
        ("title", "hmm I don't know yet", {}),
        ("title", "I’m not sure", {}),
        ("title", "No idea.", {}),
        ("title", "todavía no lo sé", {}),
        ("title", "Later life planning", {"title": "Later life planning"}),
        ("description", "We do not know yet", {}),
        ("budget", "not 50000 but 45000", {"budget": 45000}),
        ("budget", "no es 50000 sino 45000", {"budget": 45000}),
        ("deadline", "hmm, I don't know yet", {}),
        ("deadline", "31/02/2026", {}),
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
    assert onward(RFP, Snapshot(step="initial"), "message") == "collecting_requirements"
    assert onward(RFP, Snapshot(step="collecting_requirements"), "message") is None
    assert onward(RFP, Snapshot(step="collecting_requirements", draft=FULL), "message") == "drafting_rfp"
    assert onward(RFP, Snapshot(step="selecting_vendors", draft=FULL), "message") is None
    assert onward(RFP, READY, "message") is None
    assert onward(TICKET, Snapshot(step="waiting_for_customer"), "message") is None
    assert wanted_step(RFP, "go back to drafting rfp please") == "drafting_rfp"
    assert wanted_step(RFP, "go to the office") is None


@pytest.mark.parametrize(
    "message",
    [
        "send", "Send it", "send it!", "“send rfp”", "send_rfp", "Send the RFP.", "please send it now", "Yes, send it",
        "OK, go ahead and send it", "Let’s send it", "You can send it now", "you may send this to the vendors",
        "I want to send it", "I’d like you to send the request for proposals", "Just send it, please", "send it out",
        "Great! Send it.", "send it to all vendors today", "SEND IT",
        "envíalo", "envialo", "Sí, envíalo ya", "si, mándalo", "envía la solicitud", "Por favor, envíala ahora",
        "enviar", "quiero enviar la solicitud de propuestas", "puedes enviarlo a los proveedores", "envíelo",
        "Adelante, enviémoslo", "mándaselo a los proveedores",
    ],
)  # fmt: skip
def test_a_plain_request_is_done(message: str) -> None:
    assert wanted_action(RFP, READY, message) == "send_rfp"
    assert wanted_action(RFP, Snapshot(step="initial"), message) is None


@pytest.mark.parametrize(
    "message",
    [
        "do not send it", "don't send it", "Don’t send it yet", "We can't send it now", "You cannot send this",
        "I won't send it today", "Hold on before you send", "Acme will send us samples", "No, send",
        "I did send the contract yesterday", "Who should send the invoice", "Please stop, do NOT send",
        "can you send it?", "Can you send it", "Should I send it", "shall we send it now", "send it?", "when to send",
        "send it tomorrow", "send it later", "send it when Ana is back", "send me the draft", "Send us the samples",
        "Send Acme a reminder", "send nothing", "send it to me first", "send it to Acme", "I need to send it",
        "we will send it", "they send it", "if you send it", "sent", "sending it", "wait, send it", "send it not now",
        "Ana said to send it", "never send it", "before you send it to the vendors please", "yes", "go ahead", "",
        "sin enviar por ahora", "no lo envíes", "todavía no envíes nada", "no enviar", "¿lo envío?", "¿Enviar?",
        "ya envié la solicitud", "el envío llega hoy", "enviado", "Acme envía la solicitud", "envíalo mañana",
        "envíame el borrador", "antes de enviar", "quién debe enviarlo", "cuando lo envíes", "no puedes enviarlo",
        "si envía la solicitud",
    ],
)  # fmt: skip
def test_what_is_no_plain_request_is_not_done(message: str) -> None:
    assert wanted_action(RFP, READY, message) is None


def test_of_two_actions_that_begin_alike_the_one_that_is_named_is_done() -> None:
    both = structs.replace(
        RFP,
        actions=(*RFP.actions, Action(name="send_reminder", steps=("ready_to_send",)), Action("-", ("initial",))),
    )
    assert wanted_action(both, READY, "send it") is None
    assert wanted_action(both, READY, "send rfp") == "send_rfp"
    assert wanted_action(both, READY, "please send the reminder") == "send_reminder"
    assert wanted_action(both, Snapshot(step="initial"), "it") is None


@pytest.mark.parametrize(
    "message", ["refund please", "I want a refund", "refund the customer", "devuelve el dinero"]
)
def test_another_action_is_asked_for(message: str) -> None:
    escalated = Snapshot(step="escalated", draft={"contact": "ana@example.com"})
    assert wanted_action(TICKET, escalated, message) == "refund"
    assert wanted_action(TICKET, escalated, f"no {message}") is None
    assert wanted_action(TICKET, escalated, f"why {message}") is None
