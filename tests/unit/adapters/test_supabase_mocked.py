"""SupabaseChatMemory over a client that only writes down what it is asked."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import AsyncMock, MagicMock, call

import httpx
import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from postgrest.exceptions import APIError
from postgrest.types import CountMethod, ReturnMethod
from supabase import AsyncClient

from recollect.adapters.supabase import COLUMNS, SupabaseChatMemory, shared_client
from recollect.errors import Invalid, RecollectError, Refused, Unavailable

SESSION = "6f1a2c3e-0000-4000-8000-000000000001"
SECRET = "the code of the safe is 1234"


class Asked:
    """A client, and the one query that it is asked."""

    def __init__(self, *answers: Any) -> None:
        self.query = MagicMock()
        for method in ("select", "eq", "gte", "gt", "lt", "order", "limit", "insert", "delete"):
            getattr(self.query, method).return_value = self.query
        self.query.execute = AsyncMock(side_effect=answers)
        self.client = AsyncMock(spec=AsyncClient)
        self.client.table = MagicMock(return_value=self.query)

    @property
    def calls(self) -> list[Any]:
        return self.query.method_calls


def _rows(*given: tuple[str, str]) -> list[dict[str, Any]]:
    return [
        {"seq": seq, "role": role, "content": content, "metadata": {}, "created_at": "2026-01-01T00:00:00+00:00"}
        for seq, (role, content) in enumerate(given, 1)
    ]


def _answer(rows: list[dict[str, Any]] | None = None, count: int | None = None) -> MagicMock:
    return MagicMock(data=rows or [], count=count)


async def test_all_messages_are_asked_for_in_order() -> None:
    rows = _rows(("system", "be brief"), ("user", "hello"), ("assistant", "hi"))
    asked = Asked(_answer(rows, 3))
    messages = await SupabaseChatMemory(client=asked.client).get_messages(SESSION)
    assert messages == [SystemMessage("be brief"), HumanMessage("hello"), AIMessage("hi")]
    asked.client.table.assert_called_once_with("conversation_messages")
    assert asked.calls == [
        call.select(*COLUMNS, count=CountMethod.exact),
        call.eq("session_id", SESSION),
        call.order("seq"),
        call.limit(1000),
        call.execute(),
    ]


async def test_a_long_session_is_read_page_by_page_however_small_the_pages_are() -> None:
    rows = _rows(("user", "one"), ("user", "two"), ("user", "three"))
    asked = Asked(_answer(rows[:2], 3), _answer(rows[2:]))
    messages = await SupabaseChatMemory(client=asked.client).get_messages(SESSION)
    assert [message.content for message in messages] == ["one", "two", "three"]
    assert call.gt("seq", 2) in asked.calls


async def test_the_newest_are_asked_for_and_turned_round() -> None:
    asked = Asked(_answer(_rows(("assistant", "newest"), ("user", "older"))))
    since = datetime(2026, 1, 1, tzinfo=UTC)
    messages = await SupabaseChatMemory(client=asked.client).load_context(SESSION, since=since)
    assert [message.content for message in messages] == ["older", "newest"]
    assert asked.calls == [
        call.select(*COLUMNS),
        call.eq("session_id", SESSION),
        call.gte("created_at", since.isoformat()),
        call.order("seq", desc=True),
        call.limit(12),
        call.execute(),
    ]


async def test_one_row_is_inserted_for_each_message() -> None:
    asked = Asked(_answer(), _answer())
    memory = SupabaseChatMemory(client=asked.client, table="mine")
    await memory.add_user_message(SESSION, "hello")
    await memory.add_ai_message(SESSION, "hi", {"tokens": 3})
    asked.client.table.assert_called_with("mine")
    first, second = (given.args[0] for given in asked.query.insert.call_args_list)
    assert first.pop("id") != second.pop("id")
    assert first == {"session_id": SESSION, "role": "user", "content": "hello"}
    assert second == {
        "session_id": SESSION,
        "role": "assistant",
        "content": "hi",
        "metadata": {"tokens": 3},
    }
    assert asked.query.insert.call_args.kwargs == {"returning": ReturnMethod.minimal}


async def _chunks(*parts: str, fail: bool = False) -> AsyncIterator[str]:
    for part in parts:
        yield part
    if fail:
        raise RuntimeError("the model is gone")


async def test_a_streamed_reply_is_written_once_at_its_end() -> None:
    asked = Asked(_answer())
    heard = []
    async for part in SupabaseChatMemory(client=asked.client).add_streamed_message(SESSION, _chunks("Hel", "lo")):
        assert asked.calls == []
        heard.append(part)
    assert heard == ["Hel", "lo"]
    (given,) = asked.query.insert.call_args_list
    assert given.args[0]["content"] == "Hello"
    assert asked.query.execute.await_count == 1


async def test_a_reply_that_breaks_off_is_not_written() -> None:
    asked = Asked()
    with pytest.raises(RuntimeError):
        async for _ in SupabaseChatMemory(client=asked.client).add_streamed_message(
            SESSION, _chunks("Hel", fail=True)
        ):
            pass
    assert asked.calls == []


async def test_reset_and_retention_delete_without_reading() -> None:
    asked = Asked(_answer(), _answer())
    memory = SupabaseChatMemory(client=asked.client, retention_minutes=30)
    await memory.reset(SESSION)
    before = datetime.now(UTC)
    await memory.delete_expired_sessions()
    minimal = call.delete(returning=ReturnMethod.minimal)
    assert asked.calls[:4] == [minimal, call.eq("session_id", SESSION), call.execute(), minimal]
    name, cutoff = asked.query.lt.call_args.args
    assert name == "created_at"
    age = before - datetime.fromisoformat(cutoff)
    assert timedelta(minutes=29) < age <= timedelta(minutes=30)
    asked.query.eq.assert_called_once()


async def test_tidying_goes_on_after_a_failure() -> None:
    asked = Asked(httpx.ConnectError("down"), _answer(), asyncio.CancelledError())
    with pytest.raises(asyncio.CancelledError):
        await SupabaseChatMemory(client=asked.client).keep_tidy(every=0)
    assert asked.query.execute.await_count == 3


@pytest.mark.parametrize(
    ("failure", "expected", "told"),
    [
        (httpx.ConnectError(SECRET), Unavailable, "ConnectError"),
        (httpx.ReadTimeout(SECRET), Unavailable, "ReadTimeout"),
        (TimeoutError(SECRET), Unavailable, "TimeoutError"),
        (APIError({"code": "57014", "message": SECRET, "details": SECRET}), Unavailable, "57014"),
        (APIError({"code": "42501", "message": SECRET}), Refused, "42501"),
    ],
)
async def test_errors_are_logged_with_context_and_without_content(
    failure: Exception, expected: type[RecollectError], told: str, caplog: pytest.LogCaptureFixture
) -> None:
    asked = Asked(failure)
    with caplog.at_level(logging.ERROR), pytest.raises(expected) as raised:
        await SupabaseChatMemory(client=asked.client).add_user_message(SESSION, SECRET)
    assert SECRET not in str(raised.value)
    assert raised.value.__suppress_context__
    assert SECRET not in caplog.text
    assert f"action=insert session={SESSION} table=conversation_messages" in caplog.text
    assert told in caplog.text


async def test_a_request_that_hangs_is_given_up() -> None:
    async def hang() -> None:
        await asyncio.Event().wait()

    asked = Asked()
    asked.query.execute = hang
    with pytest.raises(Unavailable, match=r"did not end within 0\.01 seconds"):
        await SupabaseChatMemory(client=asked.client, timeout=0.01).get_messages(SESSION)


async def test_an_insert_that_came_through_before_is_not_an_error() -> None:
    asked = Asked(APIError({"code": "23505", "message": "duplicate key"}))
    await SupabaseChatMemory(client=asked.client).add_user_message(SESSION, "hello")


async def test_bad_input_asks_nothing() -> None:
    asked = Asked()
    memory = SupabaseChatMemory(client=asked.client)
    for work in (
        memory.get_messages("no uuid"),
        memory.load_context(SESSION, 0),
        memory.add_user_message(SESSION, "\0"),
        memory.delete_expired_sessions(0),
        memory.reset(""),
    ):
        with pytest.raises(Invalid):
            await work
    assert asked.calls == []
    with pytest.raises(Invalid):
        SupabaseChatMemory("http://localhost")


async def test_a_process_has_one_client() -> None:
    key = "eyJhbGciOiJIUzI1NiJ9.e30.x"
    one, two = await asyncio.gather(
        shared_client("http://localhost:1", key), shared_client("http://localhost:1", key)
    )
    assert one is two
    assert one.options.schema == "api"
