"""What of a client's turn is stored already, decided without a database."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.chat.beside.enriching import joined
from recollect.chat.beside.overlap import stored_already
from recollect.chat.beside.reading import read
from recollect.errors import Invalid
from recollect.recall.pack import Sections, pack
from recollect.records import Message

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def calls(*ids: str, text: str | None = None) -> dict[str, Any]:
    made = [{"id": id, "type": "function", "function": {"name": "look", "arguments": "{}"}} for id in ids]
    return {"role": "assistant", "content": text, "tool_calls": made}


def result(id: str, text: str = "found") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": text}


def stored(*messages: dict[str, Any]) -> list[Message]:
    return [
        Message(
            "c",
            seq,
            str(seq),
            one["role"],
            one.get("content") or "",
            NOW,
            tool_calls=one.get("tool_calls"),
            tool_call_id=one.get("tool_call_id"),
        )
        for seq, one in enumerate(messages, 1)
    ]


class Each:
    def count(self, text: str) -> int:
        return len(text)


NOTE = {"role": "system", "content": "noted"}


@pytest.mark.parametrize(
    ("there", "sent", "expected"),
    [
        ([], [user("a")], 0),
        ([user("a"), said("b")], [user("c")], 0),
        ([user("a"), said("b")], [user("a"), said("b"), user("c")], 0),
        # a stream broke, and the client asks again
        ([user("a"), said("b"), user("c")], [user("c")], 1),
        ([user("a"), said("b"), user("c"), NOTE], [user("a"), said("b"), user("c")], 1),
        # rounds of tools
        ([user("a"), calls("1", "2")], [user("a"), calls("1", "2"), result("1"), result("2")], 2),
        ([user("a"), calls("1", text="let me see")], [user("a"), calls("1"), result("1")], 2),
        ([user("a"), calls("1"), result("1"), calls("2")],
         [user("a"), calls("1"), result("1"), calls("2"), result("2")], 4),
        # the answer to a round got lost
        ([user("a"), calls("1"), result("1"), said("done")], [user("a"), calls("1"), result("1")], 3),
        # the rounds before were had elsewhere
        ([user("z"), said("y")], [user("a"), calls("1"), result("1")], 0),
        # the same words again: a new turn, as the client has seen the answer to the one before
        ([user("yes"), said("ok")], [user("yes"), said("ok"), user("yes")], 0),
        ([user("yes"), said("ok")], [user("yes")], 0),
        # the same words again, from a client that has not seen the answer: the same turn
        ([user("a"), said("b"), user("yes"), said("ok")], [user("a"), said("b"), user("yes")], 1),
        # a turn that has its answer is over
        ([user("yes"), said("ok")], [user("yes"), calls("1"), result("1")], 0),
        ([user("yes"), calls("0")], [user("yes"), calls("1"), result("1")], 1),
        # without anything of the user's
        ([user("a"), calls("1")], [calls("1"), result("1")], 1),
        ([user("a"), calls("1")], [result("1")], 0),
    ],
)  # fmt: skip
def test_what_is_stored_already(there: list[Any], sent: list[Any], expected: int) -> None:
    told = read([{"role": "system", "content": "be brief"}, *sent])
    assert stored_already(stored(*there), told.turn, told.earlier, False) == expected


def test_a_client_that_says_that_it_asks_again() -> None:
    told = read([user("yes")])
    assert stored_already(stored(user("yes"), said("ok")), told.turn, None, True) == 1
    assert stored_already(stored(user("no"), said("ok")), told.turn, None, True) == 0


def test_a_client_that_goes_on_with_the_ids_of_a_context() -> None:
    """A context has shorter ids than the store, where those are too long for a provider."""
    there = stored(user("a"), calls(id := "i" * 60), result(id))
    context = pack(Sections(window=there, message="a"), 1_000_000, Each())
    (short,) = {one["tool_call_id"] for one in context.messages if one["role"] == "tool"}
    assert len(short) < 60
    told = read([*context.messages, said("b")])
    assert stored_already(there, told.turn, told.earlier, False) == 3


def test_messages_are_told_apart() -> None:
    told = read([{"role": "developer", "content": "x"}, user("a"), said("b"), user("c"), calls("1"), result("1")])
    assert (told.lead, [one.role for one in told.turn]) == (1, ["user", "assistant", "tool"])
    assert (told.text, told.alone) == ("c", False)
    assert read([user("a"), calls("1"), result("1")]).alone
    assert not read([calls("1"), result("1")]).alone
    assert read([{"role": "system", "content": "x"}]).turn == []


def test_large_parts_are_not_kept_and_small_ones_are() -> None:
    def picture(size: int) -> dict[str, Any]:
        return {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * size}}

    words = {"type": "text", "text": "what is this?"}
    told = read([user([words, picture(10)]), said("a cat"), user([words, picture(2_000_000)])])  # type: ignore[arg-type]
    assert told.text == "what is this?\n[image_url]"
    assert len(told.turn[0].parts or "") < 200
    assert "data:image/png" in (read([user([words, picture(10)])]).turn[0].parts or "")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("messages", "field"),
    [
        ("hello", "messages"),
        ([], "messages"),
        (["hello"], "messages[0]"),
        ([{"role": "owner", "content": "x"}], "messages[0].role"),
        ([user("a"), {"role": "user"}], "messages[1].content"),
        ([user("a\0")], "messages[0].content"),
        ([user("a"), {"role": "tool", "content": "x", "tool_call_id": 7}], "messages[1].tool_call_id"),
        ([user("x" * 1_100_000)], "messages[0].content"),
        ([{"role": "user", "content": [{"type": "image", "data": object()}]}], "messages[0].content"),
        ([{"role": "user", "content": [{"type": "image", "data": "\ud800"}]}], "messages[0].content"),
    ],
)
def test_what_cannot_be_kept_is_refused_by_name(messages: Any, field: str) -> None:
    with pytest.raises(Invalid) as refused:
        read(messages)
    assert refused.value.field == field


def test_history_is_not_stored_and_so_not_refused() -> None:
    assert read([user("a\0"), said("b\0"), user("c")]).text == "c"


def test_what_is_known_joins_the_clients_own_instructions() -> None:
    known = [{"role": "system", "content": "KNOWN"}, user("before")]
    assert joined([user("now")], 0, known) == [*known, user("now")]
    mine = {"role": "system", "content": "be brief"}
    assert joined([mine, user("now")], 1, known) == [
        {"role": "system", "content": "be brief\n\nKNOWN"},
        user("before"),
        user("now"),
    ]
    noted = {"role": "system", "content": [{"type": "text", "text": "NOTED"}]}
    assert joined([mine, user("now")], 1, [*known, noted, said("yes")]) == [
        {"role": "system", "content": "be brief\n\nKNOWN\n\nNOTED"},
        user("before"),
        said("yes"),
        user("now"),
    ]
    parts = {"role": "developer", "content": [{"type": "text", "text": "x"}]}
    assert joined([mine, parts, user("now")], 2, known)[1]["content"][-1] == {"type": "text", "text": "KNOWN"}
    assert joined([mine, user("now")], 1, []) == [mine, user("now")]
