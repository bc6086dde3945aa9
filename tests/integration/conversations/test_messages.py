from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pypdf
import pytest

from recollect import Invalid, KeyReused, Message, Recollect
from recollect.conversations import append
from recollect.conversations.incoming import drafts
from recollect.records import Caller

CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Porto"}'}}


async def test_what_is_appended_is_read_back_the_same(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    said = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    written = [
        await chat.append("system", "You are kind.\r\n\tReally. 🦊"),
        await chat.append(
            "user", "I moved to Porto", name="Ana", at=said, metadata={"deep": [{"a": 1.5}, None, "ñ"]}
        ),
        await chat.append("assistant", None, tool_calls=[CALL]),
        await chat.append("tool", '{"temp": 21}', tool_call_id="call_1"),
        await chat.append("assistant", "21 degrees.", metadata={"execution_time": 0.4}),
        await chat.append(
            "user", [{"type": "text", "text": "and this?"}, {"type": "image_url", "image_url": {"url": "x"}}]
        ),
        await chat.append("user", ""),
    ]
    assert [message.seq for message in written] == [1, 2, 3, 4, 5, 6, 7]
    assert [message.answers for message in written] == [None, None, 2, 2, 2, None, None]
    assert written[1].created_at == said
    assert written[2].tool_calls == [CALL]
    assert written[5].content == "and this?"
    assert await chat.window() == written
    assert (await chat.messages()).items == written


async def test_extend_is_one_transaction(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.append("user", "first")
    with pytest.raises(Invalid, match=r"messages\[1\].content"):
        await chat.extend([("user", "fine"), ("user", "a\0")])
    stored = await chat.extend(
        [("assistant", "a"), {"role": "user", "content": "b", "name": "Ana"}, ("assistant", "c")]
    )
    assert [(m.seq, m.answers) for m in stored] == [(2, 1), (3, None), (4, 3)]
    assert await chat.window() == [(await chat.window(4))[0], *stored]


async def test_a_key_gives_the_same_answer_and_stores_once(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.append("user", "question")
    body: dict[str, Any] = {"metadata": {"a": 1, "b": 2}, "key": "k"}
    first = await chat.append("assistant", "answer", **body)
    await chat.append("user", "later")
    assert await chat.append("assistant", "answer", key="k", metadata={"b": 2, "a": 1}) == first
    with pytest.raises(KeyReused, match="'k'"):
        await chat.append("assistant", "another answer", **body)
    with pytest.raises(KeyReused):
        await chat.extend([("assistant", "answer"), ("user", "and more")], key="k")
    many = await chat.extend([("user", "x"), ("assistant", "y")], key="many")
    assert await chat.extend([("user", "x"), ("assistant", "y")], key="many") == many
    assert [message.seq for message in await chat.window()] == [1, 2, 3, 4, 5]


async def test_a_key_belongs_to_its_conversation(memory: Recollect) -> None:
    one = await memory.new_conversation(user="ana", agent="librarian")
    two = await memory.new_conversation(user="ana", agent="librarian")
    await one.append("user", "a", key="k")
    await two.append("user", "b", key="k")
    assert [m.content for m in await two.window()] == ["b"]


async def test_a_cleared_message_does_not_come_back_with_its_key(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    first = await chat.append("user", "a", key="k")
    await chat.clear()
    assert await chat.append("user", "a", key="k") == first
    assert await chat.window() == []


async def test_the_window_is_the_newest_oldest_first(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    assert await chat.window() == []
    await chat.extend([("user", str(n)) for n in range(1, 31)])
    assert [m.seq for m in await chat.window()] == list(range(19, 31))
    assert [m.seq for m in await chat.window(3)] == [28, 29, 30]
    assert [m.seq for m in await chat.window(1000)] == list(range(1, 31))
    assert await chat.window(0) == []
    for wrong in (-1, 1001, "3", True):
        with pytest.raises(Invalid, match="limit"):
            await chat.window(wrong)  # pyright: ignore[reportArgumentType]


async def test_a_window_by_time_asks_the_clock_but_keeps_the_order(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    noon = datetime(2024, 1, 15, 12, tzinfo=UTC)
    hours = [0, 1, 5, 2, 3, 4]  # an import need not come in the order in which it was said
    await chat.extend([{"role": "user", "content": str(h), "at": noon + timedelta(hours=h)} for h in hours])
    late = await chat.window(since=noon + timedelta(hours=3))
    assert [m.content for m in late] == ["5", "3", "4"]
    assert [m.content for m in await chat.window(2, since=noon)] == ["3", "4"]
    assert await chat.window(since=noon + timedelta(days=1)) == []
    with pytest.raises(Invalid, match="since"):
        await chat.window(since="yesterday")  # pyright: ignore[reportArgumentType]


async def test_history_pages_oldest_first_and_goes_on_while_it_grows(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.extend([("user", str(n)) for n in range(1, 8)])
    page = await chat.messages(limit=3)
    seen = list(page.items)
    await chat.append("user", "8")
    while page.cursor:
        page = await chat.messages(limit=3, cursor=page.cursor)
        seen += page.items
    assert [m.seq for m in seen] == list(range(1, 9))
    with pytest.raises(Invalid, match="cursor"):
        await chat.messages(cursor="nonsense")


async def test_large_and_odd_text(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    words = " ".join(f"word{n:x}" for n in range(110_000))[: 1 << 20]
    for content in (words, "a" * (1 << 20), "字" * 349_525, "\u0001\u007f\u200b\ufeff", "x" * 3000 + " tail"):
        stored = await chat.append("user", content)
        assert (await chat.window(1))[0] == stored


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"content": "a\0"}, "content"),
        ({"content": "\ud800"}, "content"),
        ({"content": "x" * ((1 << 20) + 1)}, "content"),
        ({"metadata": {"a": float("nan")}}, "metadata"),
        ({"metadata": {"a": "x" * (64 << 10)}}, "metadata"),
        ({"key": ""}, "key"),
        ({"key": "k" * 256}, "key"),
        ({"name": "a\nb"}, "name"),
        ({"role": "bot"}, "role"),
    ],
)
async def test_bad_input_names_the_field_and_changes_nothing(
    memory: Recollect, change: dict[str, Any], field: str
) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    values: dict[str, Any] = {"role": "user", "content": "canary"} | change
    with pytest.raises(Invalid) as caught:
        await chat.append(**values)
    assert caught.value.field == field
    assert "canary" not in str(caught.value)
    assert (await memory.conversation(id=chat.id)).record.last_seq == 0


async def test_every_tenth_message_marks_work_once(memory: Recollect, admin: asyncpg.Connection) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")

    async def marks() -> int | None:
        return await admin.fetchval(
            "select marks from recollect.work where tenant = $1 and kind = 'extract' and subject = $2",
            memory.tenant,
            chat.id,
        )

    await chat.extend([("user", "x")] * 9)
    assert await marks() is None
    await chat.append("user", "tenth", key="k")
    assert await marks() == 1
    await chat.append("user", "tenth", key="k")
    assert await marks() == 1
    await chat.extend([("user", "x")] * 25)
    assert await marks() == 2


async def test_export_as_json(memory: Recollect) -> None:
    chat = await memory.new_conversation(user="ana", agent="librarian", title="Porto")
    await chat.append("user", "how warm is it?", at=datetime(2024, 1, 1, 12, tzinfo=UTC))
    await chat.append("assistant", "21 degrees", at=datetime(2024, 1, 1, 12, 0, 2, tzinfo=UTC))
    await chat.append("assistant", "and sunny", metadata={"execution_time": 0.25})
    document = json.loads(await chat.export("json"))
    assert document["format"] == "recollect.conversation/1"
    assert (document["conversation"]["id"], document["conversation"]["title"]) == (chat.id, "Porto")
    question, answer, more = document["messages"]
    assert question["standard"] == {
        "agent_id": "librarian",
        "tenant_id": memory.tenant,
        "timestamp": "2024-01-01T12:00:00Z",
    }
    assert answer["standard"]["user_message_id"] == question["id"]
    assert (answer["standard"]["execution_time"], more["standard"]["execution_time"]) == (2.0, 0.25)


async def test_export_of_a_reply_that_is_dated_before_its_question(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.append("user", "how warm is it?", at=datetime(2024, 1, 1, 12, tzinfo=UTC))
    await chat.append("assistant", "21 degrees", at=datetime(2024, 1, 1, 11, tzinfo=UTC))
    question, answer = json.loads(await chat.export("json"))["messages"]
    assert answer["standard"]["user_message_id"] == question["id"]
    assert "execution_time" not in answer["standard"]


async def test_export_as_markdown(memory: Recollect) -> None:
    chat = await memory.new_conversation(user="ana", agent="librarian", title="Porto")
    await chat.append("user", "hello", name="Ana", at=datetime(2024, 1, 1, 12, tzinfo=UTC))
    await chat.append("assistant", None, tool_calls=[{"code": "```"}])
    text = await chat.export("markdown")
    assert text.startswith("# Porto\n\nana with librarian, begun ")
    assert "\n## 1. user (Ana), 2024-01-01 12:00:00 UTC\n\n> hello\n" in text
    assert '\n````json\n[\n  {\n    "code": "```"\n  }\n]\n````\n' in text
    with pytest.raises(Invalid, match="format"):
        await chat.export("docx")  # pyright: ignore


async def test_export_with_its_state(memory: Recollect) -> None:
    await memory.configure_agent("buyer", workflow="rfp")
    chat = await memory.new_conversation(user="ana", agent="buyer", title="Ovens")
    await chat.append("user", "ovens, please")
    assert "state" not in json.loads(await chat.export("json"))
    assert "## State" not in await chat.export("markdown")
    await chat.update_state({"rfpDraft": {"title": "Ovens ```", "budget": 900}})
    missing = ["description", "deadline", "requirements.items"]
    assert json.loads(await chat.export("json"))["state"] == {
        "workflow": "rfp",
        "step": "initial",
        "draft": {"title": "Ovens ```", "budget": 900},
        "missing": missing,
        "version": 1,
    }
    assert (await chat.export("markdown")).endswith(
        "> ovens, please\n\n## State\n\nrfp, step initial, version 1, missing description, deadline, "
        'requirements.items\n\n````json\n{\n  "title": "Ovens ```",\n  "budget": 900\n}\n````\n'
    )
    paper = pypdf.PdfReader(io.BytesIO(await chat.export("pdf"))).pages[0].extract_text()
    assert "rfp, step initial, version 1" in paper
    assert '"budget": 900' in paper
    free = await memory.conversation(user="ana", agent="talker")
    await free.update_state({"draft": {"a": 1}})
    assert "\n## State\n\nversion 1\n\n```json\n" in await free.export("markdown")


async def test_a_long_export_is_whole(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    for _ in range(3):
        await chat.extend([("user", "x")] * 700)
    assert [m["seq"] for m in json.loads(await chat.export())["messages"]] == list(range(1, 2101))


async def test_a_message_can_be_copied_into_another_conversation(memory: Recollect) -> None:
    one = await memory.new_conversation(user="ana", agent="librarian")
    two = await memory.new_conversation(user="ana", agent="librarian")
    await one.extend([("user", "a"), {"role": "assistant", "content": "b", "metadata": {"x": 1}}])
    copied: list[Message] = await two.extend(await one.window())
    assert [(m.role, m.content, m.metadata, m.created_at) for m in copied] == [
        (m.role, m.content, m.metadata, m.created_at) for m in await one.window()
    ]


async def test_a_broken_try_that_was_cleared_is_not_answered_with_what_came_later(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    first = await chat.append("user", "mine")
    await chat.clear()
    await chat.append("user", "another's")
    (told,) = await append._read(  # pyright: ignore[reportPrivateUsage]
        memory.database,
        Caller(memory.tenant, "test"),
        chat.id,
        first.seq,
        drafts([("user", "mine")]),
        [UUID(first.id)],
    )
    assert (told.seq, told.id, told.content) == (first.seq, first.id, "mine")
