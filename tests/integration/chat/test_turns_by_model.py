"""Whole turns with a scripted OpenAI-compatible server, through the real client."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import asyncpg
import pytest
from scripted_turns import Open, asked, said

from recollect import (
    Busy,
    Conflict,
    Done,
    Invalid,
    KeyReused,
    NotFound,
    Piece,
    Recollect,
    Settings,
    Started,
    Unavailable,
)
from scripted_model import BreakOff, Hang, Raw, Reply, ScriptedModel, Status, huge


async def test_a_turn(open_door: Open, scripted: ScriptedModel) -> None:
    memory = await open_door()
    await memory.configure_agent("librarian", instructions="Be kind.")
    await memory.remember("user is allergic to peanuts", user="ana", agent="librarian")
    chat = await memory.conversation(user="ana", agent="librarian")
    scripted.play(Reply("No peanuts then.", tokens=(70, 5)))
    reply = await chat.say("Can I eat this snack? I am allergic to peanuts")
    assert (reply.text, reply.model, reply.problems, reply.state_update) == (
        "No peanuts then.",
        "scripted",
        [],
        None,
    )
    assert [(one.seq, one.role, one.answers) for one in reply.messages] == [(2, "assistant", 1)]
    assert reply.messages[0].metadata["model"] == "scripted"
    assert await said(chat) == [
        ("user", "Can I eat this snack? I am allergic to peanuts"),
        ("assistant", "No peanuts then."),
    ]
    (request,) = scripted.requests
    assert reply.context is not None
    assert request["messages"] == reply.context.messages
    assert [one["role"] for one in request["messages"]] == ["system", "user"]
    assert "user is allergic to peanuts" in request["messages"][0]["content"]
    assert "response_format" not in request
    # What each section cost is told in the reply and kept in the record.
    assert (reply.tokens["sent"], reply.tokens["received"], reply.tokens["rounds"]) == (70, 5, 1)
    assert 0 < reply.tokens["memories"] < 200
    assert reply.tokens["total"] == sum(
        reply.tokens[one] for one in ("instructions", "notes", "memories", "window")
    )
    (turn,) = await chat.turns()
    assert (turn.status, turn.model, turn.asked, turn.first, turn.last) == ("done", "scripted", 1, 2, 2)
    assert turn.tokens == reply.tokens
    assert list(turn.tokens)[:6] == ["instructions", "notes", "memories", "state", "summary", "window"]
    assert (turn.tries, turn.problems) == (1, [])


async def test_a_message_longer_than_the_budget_is_answered(open_door: Open, scripted: ScriptedModel) -> None:
    memory = await open_door()
    await memory.configure_agent("librarian", instructions="Be kind.", budget=100)
    chat = await memory.conversation(user="ana", agent="librarian")
    for length in (300, 30_000):
        message = "figs " * length
        scripted.play("so many")
        reply = await chat.say(message)
        assert scripted.requests[-1]["messages"][-1]["content"] == message
        assert scripted.requests[-1]["messages"][0] == {"role": "system", "content": "Be kind."}
        assert reply.context is not None
        beside = reply.tokens["total"] - (await chat.context(message, budget=1 << 20, window=0)).tokens["window"]
        assert beside <= 100, "everything else stays within the budget"
    scripted.play("again")
    events = [event async for event in chat.stream("nuts " * 300)]
    assert isinstance(events[-1], Done)
    assert scripted.requests[-1]["messages"][-1]["content"] == "nuts " * 300
    small = await chat.context("nuts " * 300)
    assert small.tokens["total"] <= 100, "a context by itself keeps to its budget"


async def test_the_same_key_gives_the_saved_reply(open_door: Open, scripted: ScriptedModel) -> None:
    memory = await open_door()
    chat = await memory.conversation(user="ana", agent="librarian")
    scripted.play("hello Ana")
    first = await chat.say("hello", key="k")
    again = await chat.say("hello", key="k")
    assert (again.text, again.messages, again.tokens, again.turn) == (
        first.text,
        first.messages,
        first.tokens,
        first.turn,
    )
    assert again.context is None
    assert len(scripted.requests) == 1
    assert len(await said(chat)) == 2
    with pytest.raises(KeyReused):
        await chat.say("something else", key="k")
    # A message that was appended by itself with this key is the one that is answered.
    await chat.append("user", "are you there?", key="k2")
    scripted.play("yes")
    assert (await chat.say("are you there?", key="k2")).asked == 3
    assert len(await said(chat)) == 4


async def test_stream(open_door: Open, scripted: ScriptedModel) -> None:
    memory = await open_door()
    chat = await memory.conversation(user="ana", agent="librarian")
    scripted.play(Reply(pieces=["Hel", "lo ", "Ana"]))
    events = [event async for event in chat.stream("hi", key="k")]
    assert isinstance(events[0], Started)
    assert [event.text for event in events if isinstance(event, Piece)] == ["Hel", "lo ", "Ana"]
    assert isinstance(events[-1], Done)
    assert events[-1].reply.text == "Hello Ana"
    assert await said(chat) == [("user", "hi"), ("assistant", "Hello Ana")]
    again = [event async for event in chat.stream("hi", key="k")]
    assert [type(event) for event in again] == [Started, Done]
    assert len(scripted.requests) == 1


async def test_who_stops_listening_still_gets_a_reply_once(open_door: Open, scripted: ScriptedModel) -> None:
    memory = await open_door()
    chat = await memory.conversation(user="ana", agent="librarian")
    scripted.play(Reply(pieces=["one ", "two ", "three"]))
    stream = chat.stream("count", key="k")
    async for event in stream:
        if isinstance(event, Piece):
            break
    await stream.aclose()
    # Whoever is cancelled in the middle of a whole turn.
    other = await memory.new_conversation(user="ben", agent="librarian")
    cancelled = threading.Event()
    scripted.respond = lambda _: "hello Ben" if cancelled.wait(60) else Hang()
    asking = asyncio.create_task(other.say("hello"))
    await asked(scripted, 2)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    cancelled.set()
    await asyncio.gather(*memory._equipment._tasks)  # pyright: ignore[reportPrivateUsage]
    assert await said(chat) == [("user", "count"), ("assistant", "one two three")]
    assert await said(other) == [("user", "hello"), ("assistant", "hello Ben")]
    assert (await chat.say("count", key="k")).text == "one two three"
    assert len(scripted.requests) == 2


async def test_a_door_that_closes_waits_for_its_turns(dsn: str, tenant: str, scripted: ScriptedModel) -> None:
    settings = Settings.read(
        {}, database=dsn, tenant=tenant, model="openai:scripted", openai_base_url=scripted.url, turn_timeout=4
    )
    async with Recollect.open(settings=settings) as memory:
        chat = await memory.conversation(user="ana", agent="librarian")
        scripted.respond = lambda asked: Hang() if asked["messages"][-1]["content"] == "hang" else "hello"
        stream = chat.stream("hi")
        assert isinstance(await anext(stream), Started)
        await stream.aclose()
        stuck = await memory.new_conversation(user="ben", agent="librarian")
        stream = stuck.stream("hang")
        assert isinstance(await anext(stream), Started)
        await stream.aclose()
    async with Recollect.open(dsn, tenant=tenant) as memory:
        chat = await memory.conversation(user="ana", agent="librarian")
        stuck = await memory.conversation(user="ben", agent="librarian")
        assert await said(chat) == [("user", "hi"), ("assistant", "hello")]
        assert await said(stuck) == [("user", "hang")]
        assert [turn.status for turn in await stuck.turns()] == ["failed"]


@pytest.mark.parametrize(
    "fault",
    [BreakOff(("half an",)), BreakOff(("half an",), politely=True), Status(500), Status(429), Raw(b"{}"), huge()],
    ids=["dies", "ends early", "500", "429", "no answer", "10 MB"],
)
@pytest.mark.parametrize("streamed", [False, True])
async def test_a_model_that_dies_leaves_the_message_and_can_be_asked_again(
    open_door: Open, scripted: ScriptedModel, fault: Any, streamed: bool
) -> None:
    if isinstance(fault, BreakOff) and not streamed:
        fault = Raw(b'{"choices": [{"message": {"content": "half')
    memory = await open_door()
    chat = await memory.conversation(user="ana", agent="librarian")
    scripted.play(fault)

    async def ask() -> str:
        if not streamed:
            return (await chat.say("hello", key="k")).text
        events = [event async for event in chat.stream("hello", key="k")]
        assert isinstance(events[-1], Done)
        return events[-1].reply.text

    with pytest.raises(Unavailable, match="model"):
        await ask()
    assert await said(chat) == [("user", "hello")]
    (turn,) = await chat.turns()
    assert (turn.status, turn.first, len(turn.problems)) == ("failed", None, 1)
    scripted.play("hello Ana")
    assert await ask() == "hello Ana"
    assert await said(chat) == [("user", "hello"), ("assistant", "hello Ana")]
    (turn,) = await chat.turns()
    assert (turn.status, turn.tries, turn.first) == ("done", 2, 2)
    assert await ask() == "hello Ana"
    assert len(scripted.requests) == 2


async def test_a_late_retry_answers_what_was_asked_then(open_door: Open, scripted: ScriptedModel) -> None:
    memory = await open_door()
    chat = await memory.conversation(user="ana", agent="librarian")
    scripted.play(Status(400), "two", "one")
    with pytest.raises(Unavailable):
        await chat.say("first", key="a")
    await chat.say("second", key="b")
    late = await chat.say("first", key="a")
    assert [(one.seq, one.answers) for one in late.messages] == [(4, 1)]
    assert scripted.requests[-1]["messages"][-1] == {"role": "user", "content": "first"}


async def test_two_turns_at_once_are_told_apart(open_door: Open, scripted: ScriptedModel) -> None:
    memory, elsewhere = await open_door(model_timeout=8), await open_door()
    chat = await memory.conversation(user="ana", agent="librarian")
    same = await elsewhere.conversation(id=chat.id)
    scripted.play(Hang())
    first = asyncio.create_task(chat.say("first", key="a"))
    await asked(scripted, 1)
    for other in (chat, same):
        with pytest.raises(Busy) as refused:
            await other.say("second")
        assert refused.value.retry_after > 0
    with pytest.raises(Conflict):
        await same.say("first", key="a")
    assert await said(chat) == [("user", "first")], "what was refused is not stored"
    aside = await memory.new_conversation(user="ana", agent="librarian")
    scripted.play("another conversation is free")
    assert (await aside.say("hello")).text == "another conversation is free"
    with pytest.raises(Unavailable):
        await first
    scripted.play("second then")
    assert (await same.say("second")).text == "second then"


async def test_many_at_once_leave_whole_turns(open_door: Open, scripted: ScriptedModel) -> None:
    memory = await open_door()
    chat = await memory.conversation(user="ana", agent="librarian")
    scripted.respond = lambda request: request["messages"][-1]["content"].upper()
    results = await asyncio.gather(*(chat.say(f"m{n}") for n in range(12)), return_exceptions=True)
    done = [one for one in results if not isinstance(one, BaseException)]
    assert done
    assert all(isinstance(one, Busy) for one in results if isinstance(one, BaseException))
    talk = await said(chat)
    assert len(talk) == 2 * len(done)
    assert [text for _, text in talk[1::2]] == [text.upper() for _, text in talk[::2]]


async def test_a_turn_that_is_given_up_is_taken_over(
    open_door: Open, scripted: ScriptedModel, admin: asyncpg.Connection
) -> None:
    memory = await open_door()
    chat = await memory.conversation(user="ana", agent="librarian")
    scripted.play(Reply(tool_calls=[("slow", {})]), "too late")
    go, waiting = asyncio.Event(), asyncio.Event()

    @memory.tool
    async def slow() -> str:
        """Takes its time."""
        waiting.set()
        await go.wait()
        return "done"

    first = asyncio.create_task(chat.say("hello", key="k"))
    await waiting.wait()
    await admin.execute("update recollect.turns set leased_until = now() where conversation = $1", chat.id)
    scripted._script.clear()  # pyright: ignore[reportPrivateUsage]
    scripted.play("in time")
    assert (await chat.say("hello", key="k")).text == "in time"
    scripted.play("too late")
    go.set()
    with pytest.raises(Conflict):
        await first
    assert await said(chat) == [("user", "hello"), ("assistant", "in time")]
    (turn,) = await chat.turns()
    assert (turn.status, turn.tries) == ("done", 2)
    assert "the process that ran it ended before it did" in turn.problems


async def test_a_turn_that_is_taken_over_while_it_waits_to_save_saves_nothing(
    open_door: Open, scripted: ScriptedModel, admin: asyncpg.Connection
) -> None:
    memory = await open_door()
    chat = await memory.conversation(user="ana", agent="librarian")
    scripted.play(Reply(tool_calls=[("slow", {})]), "too late")
    go, waiting = asyncio.Event(), asyncio.Event()

    @memory.tool
    async def slow() -> str:
        """Takes its time."""
        waiting.set()
        await go.wait()
        return "done"

    first = asyncio.create_task(chat.say("hello"))
    await waiting.wait()
    async with admin.transaction():
        await admin.execute("select from recollect.conversations where id = $1 for update", chat.id)
        await admin.execute("update recollect.turns set token = token + 1 where conversation = $1", chat.id)
        go.set()
        held_up = (
            "select exists (select from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid)))"
        )
        for _ in range(3000):
            if await admin.fetchval(held_up):
                break
            await asyncio.sleep(0.01)
    with pytest.raises(Conflict):
        await first
    assert await said(chat) == [("user", "hello")]


async def test_a_lease_is_kept_while_a_turn_runs(
    open_door: Open, scripted: ScriptedModel, admin: asyncpg.Connection
) -> None:
    memory = await open_door(turn_lease=6)
    chat = await memory.conversation(user="ana", agent="librarian")
    scripted.play(Reply(tool_calls=[("slow", {})]), "done")

    @memory.tool
    async def slow() -> str:
        """Takes until the lease is extended."""
        until = "select leased_until from recollect.turns where conversation = $1"
        first = await admin.fetchval(until, chat.id)
        for _ in range(600):
            if await admin.fetchval(until, chat.id) > first:
                break
            await asyncio.sleep(0.1)
        with pytest.raises(Busy):
            await chat.say("meanwhile")
        return "done"

    assert (await chat.say("hello")).text == "done"


async def test_a_turn_has_a_time_limit(open_door: Open, scripted: ScriptedModel) -> None:
    memory = await open_door(turn_timeout=1)
    chat = await memory.conversation(user="ana", agent="librarian")
    scripted.play(Hang())
    with pytest.raises(Unavailable, match="longer than 1 s"):
        await chat.say("hello")
    assert [turn.status for turn in await chat.turns()] == ["failed"]
    patient = await (await open_door()).conversation(id=chat.id)  # a busy machine may need more than that second
    scripted.play("hello")
    assert (await patient.say("hello again")).text == "hello"


async def test_bad_input_changes_nothing(open_door: Open, scripted: ScriptedModel) -> None:
    memory = await open_door()
    chat = await memory.conversation(user="ana", agent="librarian")
    for bad in ("", "  ", "\0", "x" * (2 << 20), None):
        with pytest.raises(Invalid):
            await chat.say(bad)  # pyright: ignore[reportArgumentType]
    with pytest.raises(Invalid):
        await chat.say("hello", key="")
    assert await said(chat) == []
    await chat.delete()
    with pytest.raises(NotFound):
        await chat.say("hello")
    assert scripted.requests == []


async def test_an_agent_has_a_model_of_its_own(open_door: Open, scripted: ScriptedModel) -> None:
    memory = await open_door()
    agent = await memory.configure_agent("librarian", model="openai:other")
    assert (agent.model, agent.version) == ("openai:other", 1)
    with pytest.raises(Invalid, match="model"):
        await memory.configure_agent("librarian", model="gpt")
    scripted.play("I am another", "I am the usual one")
    chat = await memory.conversation(user="ana", agent="librarian")
    assert (await chat.say("who are you?")).model == "other"
    assert (await memory.configure_agent("librarian", model="")).model is None
    assert (await chat.say("and now?")).model == "scripted"
    assert [request["model"] for request in scripted.requests] == ["other", "scripted"]


async def test_a_turn_marks_what_is_to_be_learned(open_door: Open, scripted: ScriptedModel) -> None:
    memory = await open_door()
    chat = await memory.conversation(user="ana", agent="librarian")
    scripted.respond = lambda _: "I see."
    for n in range(5):
        await chat.say(f"message {n}")
    assert [one.kind for one in await memory.work()] == ["extract", "settle"]
