"""For each reply, what the agent knew: written down without text, and gone when it is forgotten."""

from __future__ import annotations

import asyncpg
import pytest

from recollect import NotFound, Recollect


async def test_a_reply_knows_what_it_was_made_of(memory: Recollect, admin: asyncpg.Connection) -> None:
    await memory.configure_agent("buyer", workflow="rfp", window=3, instructions="Be brief.")
    await memory.edit_notes("append", "Likes short answers.", user="ana", agent="buyer")
    kept = await memory.remember("user is allergic to peanuts", user="ana", agent="buyer")
    chat = await memory.conversation(user="ana", agent="buyer")
    await chat.extend(
        [("user", "Hello"), ("assistant", "Hello!"), ("user", "How are you?"), ("assistant", "Well.")]
    )
    reply = await chat.say("Am I allergic to peanuts?")
    # What changes afterwards is not what was known.
    await memory.edit_notes("overwrite", "Likes long answers.", user="ana", agent="buyer")
    found = await chat.known(reply.messages[-1].seq)
    assert found.turn.id == reply.turn
    assert [(one.id, one.memory and one.memory.text) for one in found.memories] == [(kept.id, kept.text)]
    assert found.memories[0].score >= 0.5
    assert "peanut" not in found.memories[0].why
    assert "short answers" in found.notes
    assert found.state
    assert (found.first, found.last) == (2, 5)
    assert found.turn.tokens["memories"] > 0
    stored = await admin.fetchval("select known::text from recollect.turns where id = $1::uuid", reply.turn)
    assert "peanut" not in stored
    await memory.forget(kept.id)
    gone = await chat.known(reply.messages[-1].seq)
    assert [one.memory for one in gone.memories] == [None]


async def test_what_no_agent_said_was_not_known(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    await chat.append("user", "Hello")
    for number in (1, 2, 99):
        with pytest.raises(NotFound):
            await chat.known(number)


async def test_analytics_tell_what_prompts_cost_and_which_memories_they_held(memory: Recollect) -> None:
    used = await memory.remember("user is allergic to peanuts", user="ana", agent="cook")
    unused = await memory.remember("user keeps bees on the roof", user="ana", agent="cook")
    other = await memory.remember("user is allergic to peanuts", user="bob", agent="cook")
    chat = await memory.conversation(user="ana", agent="cook")
    replies = [await chat.say(text) for text in ("Am I allergic to peanuts?", "And to peanuts from Peru?")]
    found = await memory.analytics("ana", "cook")
    assert [(one.id, one.text, one.count) for one in found.recalled] == [(used.id, used.text, 2)]
    assert [(one.id, one.count) for one in found.never_recalled] == [(unused.id, 0)]
    assert found.never_recalled_count == 1
    # Newest first.
    assert [one.memories for one in found.turns] == [one.tokens["memories"] for one in reversed(replies)]
    assert all(0 < one.memories < one.total for one in found.turns)
    assert [one.id for one in (await memory.analytics("bob")).never_recalled] == [other.id]
    everybody = await memory.analytics()
    assert (len(everybody.turns), everybody.recalled, everybody.never_recalled) == (2, [], [])
    # What is forgotten is in no list.
    await memory.forget(used.id)
    assert (await memory.analytics("ana")).recalled == []
