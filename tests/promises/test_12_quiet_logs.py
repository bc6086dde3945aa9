"""Promise 12: a canary in every input appears in no log line and in no error."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from recollect import Recollect, RecollectError

CANARY = "canary-7f3a"


def _bad_calls(memory: Recollect, chat: Any) -> list[Any]:
    text = f"{CANARY} text"
    return [
        lambda: chat.append("user", text + "\0"),
        lambda: chat.append("user", text + "\ud800"),
        lambda: chat.append("user", text * 100_000),
        lambda: chat.append(text, "user"),
        lambda: chat.extend([{"role": "user", "content": "x", text: 1}]),
        lambda: chat.append("user", [{"type": "text", "text": text + "\0"}]),
        lambda: chat.append("user", text, metadata={text: float("nan")}),
        lambda: chat.append("user", text, metadata=text),
        lambda: chat.append("user", text, at=text),
        lambda: chat.append("user", text, name=text + "\n"),
        lambda: chat.append("user", text, tool_calls=text),
        lambda: chat.append("user", text + " other body", key="used"),
        lambda: chat.extend([("user", text), ("user", text + "\0")]),
        lambda: chat.extend(text),
        lambda: chat.rename(text + "\0"),
        lambda: chat.say(text + "\0"),
        lambda: chat.say(text, key="said"),
        lambda: chat.act("send", text=text + "\0"),
        lambda: memory.search(text + "\0", user="ana"),
        lambda: memory.new_conversation(user="ana", agent="librarian", title=text * 1000),
    ]


async def test_content_is_in_no_log_and_no_error(data_dir: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    errors: list[str] = []
    async with Recollect.open(data_dir=data_dir) as memory:
        chat = await memory.conversation(user="ana", agent="librarian")
        await chat.append(
            "user", CANARY, metadata={"a": CANARY}, name=CANARY, at=datetime(2024, 1, 1, tzinfo=UTC), key="used"
        )
        await chat.rename(CANARY)
        assert await memory.search(CANARY, user="ana")
        await chat.say(f"what about {CANARY}?", key="said")
        for call in _bad_calls(memory, chat):
            with pytest.raises(RecollectError) as caught:
                await call()
            errors.append(str(caught.value) + repr(caught.value))

        # A statement that the server itself refuses, with the text in its arguments.
        address = f"postgresql://postgres@/postgres?host={memory_socket(data_dir)}&port=5432"
        admin = await asyncpg.connect(address)
        assert await admin.fetch("select distinct actor from recollect.messages") == [("library",)]
        await admin.execute(
            "alter table recollect.messages add constraint no_birds check (content not like '%canary%') not valid"
        )
        with pytest.raises(RecollectError) as caught:
            await chat.append("user", CANARY)
        errors.append(str(caught.value))
        assert "no_birds" in errors[-1]
        with pytest.raises(RecollectError):
            await chat.extend([("user", CANARY), ("user", CANARY)])
        with pytest.raises(RecollectError) as caught:
            await chat.say(CANARY)
        errors.append(str(caught.value))
        await admin.close()

    log = (data_dir / "postgres.log").read_text()
    assert "ready to accept connections" in log, "this is not the server's log"
    assert CANARY not in log
    assert CANARY not in "".join(errors)
    assert CANARY not in caplog.text
    assert "storage.failed" in caplog.text


def memory_socket(folder: Path) -> str:
    return (folder / "postgres" / "postmaster.pid").read_text().splitlines()[4]
