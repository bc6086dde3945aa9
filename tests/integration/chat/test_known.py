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
