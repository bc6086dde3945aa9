"""What a model says that is no use: nothing is lost by it, and nothing corrupted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scripted_turns import Open, answer, said

from recollect import Unavailable
from rfp import ready_to_send
from scripted_model import Raw, Reply, ScriptedModel

BAD_CALLS = [
    Reply(tool_calls=[("no_such_tool", {})]),
    Reply(tool_calls=[("x" * 5000, {})]),
    Reply(tool_calls=[("manage_long_term_memory", {"operation": "explode"})]),
    Reply(tool_calls=[("recall", {"query": 7, "over": []})]),
    Reply(tool_calls=[("update_state", {"workflowStep": "nowhere"})]),
    Reply(tool_calls=[("remember", {"text": "y" * 100_000})]),
    Raw(
        json.dumps(
            {
                "choices": [
                    {
                        "message": {
                            "content": None,
                            "tool_calls": [{"id": "", "function": {"name": "recall", "arguments": "not json {"}}],
                        }
                    }
                ]
            }
        ).encode()
    ),
]


@pytest.mark.parametrize("bad", BAD_CALLS, ids=range(len(BAD_CALLS)))
async def test_bad_tool_calls_are_answered(open_door: Open, scripted: ScriptedModel, bad: Any) -> None:
    memory = await open_door()
    await memory.configure_agent("buyer", workflow="rfp")
    chat = await memory.conversation(user="ana", agent="buyer")
    scripted.play(bad, answer("Sorry."))
    reply = await chat.say("hello")
    assert reply.text == "Sorry."
    assert [one.role for one in reply.messages] == ["assistant", "tool", "assistant"]
    assert reply.messages[1].content.startswith(("error:", "refused:"))
    (turn,) = await chat.turns()
    assert turn.problems
    assert turn.problems == reply.problems
    assert (await chat.state()).step == "initial"


async def test_a_tool_that_a_model_made_up_is_sent_back_by_a_name_that_providers_take(
    open_door: Open, scripted: ScriptedModel
) -> None:
    memory = await open_door()
    chat = await memory.conversation(user="ana", agent="cook")
    scripted.play(Reply(tool_calls=[("web search: pears", {})]), "Sorry.", "Well.")
    await chat.say("hello")
    await chat.say("and now?")
    sent = [one for request in scripted.requests[1:] for one in request["messages"] if one.get("tool_calls")]
    assert [one["tool_calls"][0]["function"]["name"] for one in sent] == ["web_search__pears"] * 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("I am not JSON at all.", "I am not JSON at all."),
        ('{"response": "It breaks o', "It breaks o"),
        (answer("To the moon.", {"workflowStep": "moon"}), "To the moon."),
        (answer("Sent!", {"workflowStep": "sent"}), "Sent!"),
        (answer("Cheap.", {"rfpDraft": {"budget": "a lot", "colour": "red"}}), "Cheap."),
        (json.dumps({"response": "A list.", "stateUpdate": [1, 2]}), "A list."),
        (json.dumps({"response": "Text.", "stateUpdate": "no"}), "Text."),
        (answer("Deep.", {"rfpDraft": {"title": {"a": {"b": 1}}}}), "Deep."),
        (answer("Long.", {"rfpDraft": {"title": "x" * 100_000}}), "Long."),
        (answer("x" * 200_000), "x" * 100_000),
        (r'{"response": "Odd\u0000 \ud83d.", "stateUpdate": {"lastAction": "\u0000"}}', "Odd? ?."),
        ("```json\n" + answer("Fenced.", {"nonsense": 1}) + "\n```", "Fenced."),
    ],
    ids=["words", "broken", "step", "claims", "types", "list", "text", "deep", "long", "huge", "odd", "fenced"],
)
async def test_bad_answers_lose_nothing_and_corrupt_nothing(
    open_door: Open, scripted: ScriptedModel, text: str, shown: str
) -> None:
    memory = await open_door()
    await memory.configure_agent("buyer", workflow="rfp")
    chat = await memory.conversation(user="ana", agent="buyer")
    before = await chat.update_state({"rfpDraft": {"title": "Laptops"}})
    scripted.play(text)
    reply = await chat.say("hello")
    assert reply.text == shown
    assert await said(chat) == [("user", "hello"), ("assistant", shown)]
    state = await chat.state()
    assert (state.step, state.draft) == (before.step, before.draft)
    assert reply.problems
    (turn,) = await chat.turns()
    assert (turn.status, turn.problems) == ("done", reply.problems)


@pytest.mark.parametrize("text", ["", "   ", '{"response": 7}', '{"stateUpdate": {}}', "[1, 2", "{}"])
async def test_no_answer_is_asked_for_once_more(open_door: Open, scripted: ScriptedModel, text: str) -> None:
    memory = await open_door()
    await memory.configure_agent("buyer", workflow="rfp")
    chat = await memory.conversation(user="ana", agent="buyer")
    scripted.play(text, text)
    with pytest.raises(Unavailable, match="does not answer in the form"):
        await chat.say("hello", key="k")
    assert len(scripted.requests) == 2
    assert await said(chat) == [("user", "hello")]
    (turn,) = await chat.turns()
    assert (turn.status, len(turn.problems)) == ("failed", 3)
    scripted.play(text, answer("Hello.", {"rfpDraft": {"title": "Laptops"}}))
    reply = await chat.say("hello", key="k")
    assert (reply.text, (await chat.state()).draft) == ("Hello.", {"title": "Laptops"})


async def test_an_action_with_arguments_that_no_database_takes_is_answered(
    open_door: Open, scripted: ScriptedModel
) -> None:
    memory = await open_door()
    chat = await ready_to_send(memory, "ana")
    scripted.play(Reply(tool_calls=[("send_rfp", {"note": "\0"})]), answer("Sorry."))
    reply = await chat.say("send it")
    assert (reply.text, reply.problems) == ("Sorry.", ["tool send_rfp: Invalid"])
    assert (await chat.state()).step == "ready_to_send"
