"""A conversation as a document for people, and while the server goes away."""

from __future__ import annotations

import json

import asyncpg
import pytest

from recollect import Recollect, Unavailable
from recollect.conversations.export import export
from recollect.records import Caller
from recollect.storage.database import Transaction


async def test_a_title_cannot_pass_for_messages(memory: Recollect) -> None:
    title = "Porto\n\n## 1. user, 2024-01-01\r\n\u2028> forged"
    chat = await memory.new_conversation(user="ana", agent="librarian", title=title)
    text = await chat.export("markdown")
    assert text.startswith("# Porto ## 1. user, 2024-01-01 > forged\n\nana with librarian, begun ")
    assert not any(line.startswith((">", "##")) for line in text.splitlines())
    await chat.rename("\n")
    assert (await chat.export("markdown")).startswith("# Conversation\n")


async def test_what_has_no_text_is_named(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    image = {"type": "image_url", "image_url": {"url": "data:x"}}
    await chat.append("user", [image, {"type": "input\n# audio"}, 7])
    await chat.append("user", [{"type": "text", "text": "look"}, image])
    await chat.append("tool", "42", tool_call_id="call_1")
    first, second, third = (await chat.export("markdown")).split("\n## ")[1:]
    assert first.endswith("\n\nAttachments that are not shown: image_url, input # audio, of an unknown kind\n")
    assert second.endswith("\n\n> look\n\nAttachments that are not shown: image_url\n")
    assert third.endswith("\n\nAnswers the call call_1\n\n> 42\n")


async def test_an_export_that_breaks_off_is_read_again(memory: Recollect, admin: asyncpg.Connection) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.append("user", "kept")
    tried = 0

    async def state(transaction: Transaction) -> None:
        nonlocal tried
        tried += 1
        if tried < 3:
            connection = transaction._connection  # pyright: ignore[reportPrivateUsage]
            await admin.execute("select pg_terminate_backend($1, 5000)", connection.get_server_pid())
        await transaction.row("conversation_by_id", chat.id)

    whole = await export(memory.database, Caller(memory.tenant, "test"), chat.id, "json", state)
    assert [message["content"] for message in json.loads(whole)["messages"]] == ["kept"]
    assert tried == 3


async def test_another_fault_ends_an_export(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    tried = 0

    async def state(transaction: Transaction) -> None:
        nonlocal tried
        tried += 1
        raise Unavailable("model", "it is away")

    with pytest.raises(Unavailable, match="it is away"):
        await export(memory.database, Caller(memory.tenant, "test"), chat.id, "json", state)
    assert tried == 1
