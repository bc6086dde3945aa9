"""Turns without a language model: answers from memory, and a workflow from start to sent."""

from __future__ import annotations

import pytest

from recollect import Done, Piece, Recollect
from recollect.sync import Recollect as BlockingRecollect

ENGLISH = [
    ("Hi! I need an RFP for office equipment", "collecting_requirements"),
    ("Laptops and monitors for the new office in Porto", "collecting_requirements"),
    ("budget is 50000", "collecting_requirements"),
    ("the deadline is 2026-12-01", "collecting_requirements"),
    ("we need 20 laptops and 5 monitors", "selecting_vendors"),
    ("Acme and Globex", "ready_to_send"),
]
SPANISH = [
    ("Hola, necesito una solicitud de propuestas para equipos de oficina", "collecting_requirements"),
    ("Equipos para la nueva oficina de Lisboa", "collecting_requirements"),
    ("el presupuesto es de 50.000 euros", "collecting_requirements"),
    ("el 1 de diciembre de 2026", "collecting_requirements"),
    ("necesitamos 20 laptops y 5 monitors", "selecting_vendors"),
    ("Acme y Globex", "ready_to_send"),
]


@pytest.mark.parametrize(("talk", "who"), [(ENGLISH, "language model"), (SPANISH, "modelo de lenguaje")])
async def test_a_request_for_proposals_until_it_is_sent(
    memory: Recollect, talk: list[tuple[str, str]], who: str
) -> None:
    await memory.configure_agent("buyer", workflow="rfp")
    chat = await memory.conversation(user="ana", agent="buyer")
    for place, (message, step) in enumerate(talk):
        reply = await chat.say(message)
        assert reply.model == "offline"
        assert (who in reply.text) == (place == 0)
        assert reply.problems == []
        assert reply.state is not None
        assert (reply.state.step, message) == (step, message)
    state = await chat.state()
    assert state.draft["budget"] == 50000
    assert state.draft["deadline"] == "2026-12-01"
    assert state.draft["vendorsSelected"] == ["Acme", "Globex"]
    assert [(one["name"], one["quantity"]) for one in state.draft["requirements"]["items"]] == [
        ("laptops", 20),
        ("monitors", 5),
    ]
    assert (chat.status, state.actions) == ("ready_to_send", ["send_rfp"])
    # Something may still be changed; then a person sends it.
    await chat.say("change the budget to 60000")
    assert (await chat.state()).draft["budget"] == 60000
    sent = await chat.act("send_rfp", vendors=["Acme", "Globex"])
    assert (sent.step, chat.status) == ("sent", "sent")
    assert (await chat.window(1))[0].role == "system"
    assert {one.cause.kind for one in (await chat.state_history()).items} == {"message", "person"}


async def test_it_can_be_sent_in_words(memory: Recollect) -> None:
    await memory.configure_agent("buyer", workflow="rfp")
    chat = await memory.conversation(user="ana", agent="buyer")
    assert (await chat.say("send it")).state.step != "sent"  # type: ignore[union-attr]
    for message, _ in ENGLISH:
        await chat.say(message)
    reply = await chat.say("send it")
    assert (reply.state and reply.state.step, chat.status) == ("sent", "sent")
    assert [one.action for one in await memory.outbox()] == ["send_rfp"]


async def test_another_workflow(memory: Recollect) -> None:
    await memory.configure_agent("helper", workflow="support_ticket")
    chat = await memory.conversation(user="ana", agent="helper")
    for message in ("hello", "Printer is on fire", "Printer 3000", "critical", "ana@example.com"):
        reply = await chat.say(message)
    assert reply.state is not None
    assert (reply.state.step, reply.state.draft) == (
        "investigating",
        {
            "subject": "Printer is on fire",
            "product": "Printer 3000",
            "severity": "critical",
            "contact": "ana@example.com",
        },
    )
    assert "which steps to reproduce" in reply.text.lower()


async def test_fields_that_may_be_null_and_fields_of_objects_are_asked_for(memory: Recollect) -> None:
    address = {"type": "object", "properties": {"street": {"type": "string"}, "zip": {"type": "string"}}}
    properties = {
        "city": {"type": ["string", "null"]},
        "address": address,
        "notes": {"type": "object"},
        "guests": {"type": ["null", "integer"]},
        "colour": {},
    }
    definition = {
        "start": "collect",
        "draft": {"type": "object", "properties": properties},
        "steps": [{"name": "collect", "required": list(properties), "moves": ["done"]}, {"name": "done"}],
    }
    await memory.define_workflow("booking", definition)
    await memory.configure_agent("host", workflow="booking")
    chat = await memory.conversation(user="ana", agent="host")
    for message, asked in (
        ("hello", "city"),
        ("Madrid", "street"),
        ("Calle Mayor 5", "guests"),
        ("four", "guests"),
        ("4", "colour"),
    ):
        assert (await chat.say(message)).text.endswith(f"What is the {asked}?")
    await chat.say("blue")
    state = await chat.state()
    assert state.draft == {
        "city": "Madrid", "address": {"street": "Calle Mayor 5"}, "guests": 4, "colour": "blue",
    }  # fmt: skip
    assert state.missing == ["notes"]


async def test_it_answers_from_memories_notes_and_messages(memory: Recollect) -> None:
    await memory.remember("user is allergic to peanuts", user="ana", agent="librarian")
    await memory.edit_notes("append", "# Cats\nHer cat is called Misha.", user="ana", agent="librarian")
    earlier = await memory.new_conversation(user="ana", agent="librarian")
    await earlier.append("user", "My sister Berta moved to Lisbon in May to open a bakery")
    chat = await memory.new_conversation(user="ana", agent="librarian")
    reply = await chat.say("what am I allergic to?")
    assert "no language model" in reply.text
    (line,) = [line for line in reply.text.splitlines() if "peanuts" in line]
    assert (
        line[2:12] == (await memory.memories(user="ana", agent="librarian")).items[0].created_at.date().isoformat()
    )
    assert "bakery" in (await chat.say("where did my sister Berta move to?")).text
    assert "Misha" in (await chat.say("what is my cat called?")).text
    assert "nothing about that" in (await chat.say("who won the chess tournament in Oslo?")).text
    assert (await chat.say("I moved to Porto")).text.endswith("I have kept what you said.")
    assert "no tengo un modelo" in (await chat.say("¿a qué soy alérgica?")).text
    # It does not repeat itself as if it had learned something.
    assert "(I, #" not in (await chat.say("what am I allergic to, again?")).text
    assert all(0 <= turn.tokens["memories"] < 200 for turn in await chat.turns())


async def test_a_question_is_no_answer_to_another_one(memory: Recollect) -> None:
    earlier = await memory.new_conversation(user="ana", agent="librarian")
    await earlier.append("user", "What does my cat eat at night?")
    await earlier.append("user", "My cat likes to eat tuna. What else does my cat eat?")
    chat = await memory.new_conversation(user="ana", agent="librarian")
    reply = await chat.say("What does my cat like to eat?")
    assert "at night" not in reply.text
    assert "tuna" in reply.text


async def test_what_it_repeats_is_not_learned_again(memory: Recollect) -> None:
    known = await memory.remember("user is allergic to peanuts", user="ana", agent="librarian")
    chat = await memory.conversation(user="ana", agent="librarian")
    for _ in range(5):
        assert "peanuts" in (await chat.say("what am I allergic to?")).text
    assert (await memory.digest(everything=True)).messages == 10
    assert [one.id for one in (await memory.memories(user="ana", agent="librarian")).items] == [known.id]
    assert (await memory.memory(known.id)).update_count == known.update_count


async def test_a_question_during_a_workflow(memory: Recollect) -> None:
    await memory.remember("user prefers Lenovo laptops", user="ana", agent="buyer")
    await memory.configure_agent("buyer", workflow="rfp")
    chat = await memory.conversation(user="ana", agent="buyer")
    await chat.say("hello")
    reply = await chat.say("which laptops do I prefer?")
    assert "Lenovo" in reply.text
    assert reply.text.endswith("What is the title?")
    assert (await chat.state()).draft == {}
    assert "go back" not in (await chat.say("go to selecting vendors")).text
    assert (await chat.state()).step == "collecting_requirements", "there is no such move"


async def test_stream_and_keys(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    events = [event async for event in chat.stream("hello", key="k")]
    assert isinstance(events[-1], Done)
    assert "".join(event.text for event in events if isinstance(event, Piece)) == events[-1].reply.text
    assert (await chat.say("hello", key="k")).turn == events[-1].reply.turn
    assert len(await chat.window(10)) == 2


def test_blocking(dsn: str, tenant: str) -> None:
    with BlockingRecollect.open(dsn, tenant=tenant) as memory:

        @memory.tool
        def shout(text: str) -> str:
            """Say it loud."""
            return text.upper()

        assert shout("a") == "A"
        chat = memory.conversation(user="ana", agent="librarian")
        assert "no language model" in chat.say("hello", key="k").text
        events = list(chat.stream("hello", key="k"))
        assert isinstance(events[-1], Done)
        listening = chat.stream("hello again")
        next(listening)
        listening.close()
        assert [turn.status for turn in chat.turns()][-1] == "done"
