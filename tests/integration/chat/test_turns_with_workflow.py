"""Turns of a conversation with a workflow: a model fills in the draft, and moves on."""

from __future__ import annotations

from typing import Any

import asyncpg
import pytest
from scripted_turns import Open, answer

from recollect import Done, Invalid, Piece
from recollect.workflows.reading import parse, written
from scripted_model import Reply, ScriptedModel, Status

ACTIONS = ["recall", "send the offer (final)", "do_recall", "send_the_offer", "é" * 200]


def recalling(actions: list[str]) -> dict[str, Any]:
    return {
        "start": "open",
        "steps": [{"name": "open", "moves": ["done"]}, {"name": "done"}],
        "actions": [{"name": name, "steps": ["open"], "to": "done"} for name in actions],
    }


async def test_the_request_for_proposals_from_start_to_sent(open_door: Open, scripted: ScriptedModel) -> None:
    memory = await open_door()
    await memory.configure_agent("buyer", instructions="You help {user} buy. {state}", workflow="rfp")
    chat = await memory.conversation(user="ana", agent="buyer")
    items = [{"name": "laptop", "quantity": 20, "specifications": None}]
    requirements = {
        "items": items,
        "deliveryDays": None,
        "paymentTerms": None,
        "warranty": None,
        "otherRequirements": None,
    }
    script: list[tuple[str, Any, str]] = [
        (
            "We need 20 laptops",
            answer("For how much?", {
                "workflowStep": "collecting_requirements",
                "rfpDraft": {"title": "Laptops", "description": "20 laptops", "budget": None,
                             "requirements": requirements},
                "lastAction": "asked for the budget",
                "missingFields": ["everything"],
            }),
            "collecting_requirements",
        ),
        (
            "50000 by 2026-12-01",
            answer("Here it is.", {"workflowStep": "drafting_rfp",
                                   "rfpDraft": {"budget": 50000, "deadline": "2026-12-01"}}),
            "drafting_rfp",
        ),
        ("looks fine", answer("Good.", {"workflowStep": "reviewing_rfp"}), "reviewing_rfp"),
        ("go on", answer("Whom shall I ask?", {"workflowStep": "selecting_vendors"}), "selecting_vendors"),
        (
            "Acme and Globex",
            answer("Ready.", {"workflowStep": "ready_to_send", "rfpDraft": {"vendorsSelected": ["Acme", "Globex"]}}),
            "ready_to_send",
        ),
    ]  # fmt: skip
    for message, text, step in script:
        scripted.play(text)
        reply = await chat.say(message)
        assert (reply.state and reply.state.step, reply.problems) == (step, [])
        assert chat.status == (await memory.conversation(id=chat.id)).status
    state = await chat.state()
    assert state.draft == {
        "title": "Laptops", "description": "20 laptops", "budget": 50000, "deadline": "2026-12-01",
        "requirements": {"items": [{"name": "laptop", "quantity": 20}]}, "vendorsSelected": ["Acme", "Globex"],
    }  # fmt: skip
    assert state.missing == []
    assert chat.status == "ready_to_send"
    # The state is in the prompt, at its place in the instructions, and only the last three messages with it.
    system, *window = scripted.requests[-1]["messages"]
    assert system["content"].startswith(
        "You help ana buy. Workflow: Request for proposals. Step: selecting_vendors"
    )
    assert [one["role"] for one in window] == ["assistant", "user", "assistant", "user"]
    form = scripted.requests[-1]["response_format"]["json_schema"]
    assert form["strict"] is True
    assert form["schema"]["required"] == ["response", "stateUpdate"]
    # The state is seen as it stood when each message was the newest.
    assert (await chat.state(at=1)).step == "initial"
    assert (await chat.state(at=2)).step == "collecting_requirements"
    # The model may send when it is asked to.
    scripted.play(Reply(tool_calls=[("send_rfp", {"note": "urgent"})]), answer("It is on its way."))
    reply = await chat.say("send it")
    assert (reply.text, chat.status, reply.problems) == ("It is on its way.", "sent", [])
    last = await chat.window(1)
    assert (last[0].role, last[0].content) == (
        "system",
        "The request for proposals was sent to the selected vendors.",
    )
    (entry,) = await memory.outbox()
    assert entry.payload["arguments"] == {"note": "urgent"}
    assert entry.payload["state"]["rfpDraft"]["vendorsSelected"] == ["Acme", "Globex"]
    changes = (await chat.state_history()).items
    assert {one.cause.kind for one in changes} == {"model", "tool"}
    # Not twice.
    scripted.play(Reply(tool_calls=[("send_rfp", {})]), answer("It was sent already."))
    assert "tool send_rfp: ValueError" in (await chat.say("send it again")).problems
    assert len(await memory.outbox()) == 1


async def test_state_by_tool_where_a_model_knows_no_structured_output(
    open_door: Open, scripted: ScriptedModel
) -> None:
    memory = await open_door()
    await memory.configure_agent("buyer", workflow="rfp")
    chat = await memory.conversation(user="ana", agent="buyer")
    update = {"workflowStep": "collecting_requirements", "rfpDraft": {"title": "Laptops", "budget": "much"}}
    scripted.play(Status(400, "response_format is not supported"), Status(400, "response_format is not supported"))
    scripted.play(Reply(tool_calls=[("update_state", update)]), "I have written it down.")
    reply = await chat.say("laptops please")
    assert reply.text == "I have written it down."
    assert reply.state_update == update
    state = await chat.state()
    assert (state.step, state.draft) == ("collecting_requirements", {"title": "Laptops"})
    assert any("budget" in problem for problem in reply.problems)
    assert "refused: rfpDraft.budget" in reply.messages[1].content


async def test_pieces_of_a_structured_answer_are_plain_text(open_door: Open, scripted: ScriptedModel) -> None:
    memory = await open_door()
    await memory.configure_agent("buyer", workflow="rfp")
    chat = await memory.conversation(user="ana", agent="buyer")
    whole = answer('Say "hi" to José\n😀!', {"rfpDraft": {"title": "Hi"}})
    scripted.play(Reply(pieces=[whole[n : n + 3] for n in range(0, len(whole), 3)]))
    events = [event async for event in chat.stream("hello")]
    assert "".join(event.text for event in events if isinstance(event, Piece)) == 'Say "hi" to José\n😀!'
    assert isinstance(events[-1], Done)
    assert events[-1].reply.text == 'Say "hi" to José\n😀!'
    assert (await chat.state()).draft == {"title": "Hi"}


@pytest.mark.parametrize("name", ["recall", "update_state", "send the offer", "1st", "envía", "x" * 65])
async def test_an_action_needs_a_name_that_a_model_can_call(open_door: Open, name: str) -> None:
    memory = await open_door()
    with pytest.raises(Invalid) as refused:
        await memory.define_workflow("product_recall", recalling(["send", name]))
    assert refused.value.field == "workflow.actions[1].name"


async def test_an_action_that_was_defined_with_another_name_is_called_by_one_near_it(
    open_door: Open, scripted: ScriptedModel, admin: asyncpg.Connection
) -> None:
    memory = await open_door()
    await memory.define_workflow("product_recall", recalling(["send"]))
    await admin.execute(
        "update recollect.workflows set definition = $2 where tenant = $1",
        memory.tenant,
        written(parse("product_recall", recalling(ACTIONS))),
    )
    await memory.define_workflow("product_recall", recalling(ACTIONS))  # the same one again
    await memory.configure_agent("w", workflow="product_recall")
    chat = await memory.conversation(user="ana", agent="w")
    scripted.play(
        Reply(tool_calls=[("recall", {"query": "tea"})]), answer("Nothing."),
        Reply(tool_calls=[("do_recall_2", {})]), answer("It is recalled."),
    )  # fmt: skip
    assert (await chat.say("what do I like?")).messages[1].content == "nothing is known about that"
    assert (await chat.state()).step == "open"
    names = [one["function"]["name"] for one in scripted.requests[0]["tools"]]
    assert names[-5:] == ["do_recall_2", "do_send_the_offer_final_", "do_recall", "send_the_offer", "do__"]
    assert (await chat.say("recall the product")).problems == []
    assert (await chat.state()).step == "done"
    assert [one.action for one in await memory.outbox()] == ["recall"]
