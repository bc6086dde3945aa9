from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from recollect import Invalid, Message
from recollect.conversations import incoming
from recollect.conversations.incoming import answered, draft, drafts, fingerprint, last_user
from recollect.ids import new_id


def test_the_shapes_of_a_message() -> None:
    assert draft(("user", "hi")) == draft({"role": "user", "content": "hi"}) == draft(["user", "hi"])


def test_a_message_read_can_be_appended_again() -> None:
    read = Message(
        conversation="c",
        seq=1,
        id="i",
        role="tool",
        content="42",
        created_at=datetime(2024, 1, 1, tzinfo=UTC),
        tool_call_id="call_1",
        metadata={"a": 1},
    )
    again = draft(read)
    assert (again.role, again.content, again.tool_call_id, again.metadata) == ("tool", "42", "call_1", '{"a":1}')
    assert again.at == read.created_at


def test_tool_calls_need_no_content_and_are_kept_as_given() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
    given = draft({"role": "assistant", "content": None, "tool_calls": [call], "refusal": None})
    assert given.content == ""
    assert given.tool_calls is not None
    assert '"arguments":"{\\"x\\": 1}"' in given.tool_calls


def test_content_in_parts_is_kept_and_its_text_is_read() -> None:
    parts = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "u"}}, "here"]
    given = draft(("user", parts))
    assert given.content == "look\nhere"
    assert given.parts is not None


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        ({"role": "robot", "content": "x"}, "role"),
        ({"role": ["user"], "content": "x"}, "role"),
        ({"content": "x"}, "role"),
        ({"role": "user"}, "content"),
        ({"role": "user", "content": 7}, "content"),
        ({"role": "user", "content": "x", "audio": {}}, "audio"),
        ({"role": "user", "content": "x", "metadata": [1]}, "metadata"),
        ({"role": "user", "content": "x", "name": ""}, "name"),
        ({"role": "user", "content": "x", "at": "now"}, "at"),
        ({"role": "assistant", "content": "x", "tool_calls": {}}, "tool_calls"),
        ({"role": "tool", "content": "x", "tool_call_id": 5}, "tool_call_id"),
        ("user: x", "message"),
    ],
)
def test_the_error_names_the_field(bad: object, field: str) -> None:
    with pytest.raises(Invalid) as caught:
        draft(bad)
    assert caught.value.field == field


def test_the_error_of_many_names_which_one() -> None:
    with pytest.raises(Invalid) as caught:
        drafts([("user", "fine"), ("user", "a\0")])
    assert caught.value.field == "messages[1].content"
    for wrong in ("text", {"role": "user"}, [], [("user", "x")] * 1001, None):
        with pytest.raises(Invalid, match="messages: "):
            drafts(wrong)


def test_a_text_in_the_place_of_the_role_is_not_quoted() -> None:
    for wrong in (("my secret", "user"), ("secret", "user"), {"role": "user", "content": "x", "my secret": 1}):
        with pytest.raises(Invalid) as caught:
            draft(wrong)
        assert "secret" not in str(caught.value)
    with pytest.raises(Invalid, match="'human'"):
        draft(("human", "hello"))


def test_fingerprints_tell_bodies_apart_but_not_the_order_of_keys() -> None:
    one = draft({"role": "user", "content": "x", "metadata": {"a": 1, "b": {"c": 2, "d": 3}}})
    same = draft({"content": "x", "metadata": {"b": {"d": 3, "c": 2}, "a": 1}, "role": "user"})
    assert fingerprint([one]) == fingerprint([same])
    others = [
        draft(("assistant", "x")),
        draft(("user", "x")),
        draft({"role": "user", "content": "x", "name": "Ana"}),
        draft({"role": "user", "content": "x", "at": datetime(2024, 1, 1, tzinfo=UTC)}),
    ]
    prints = {fingerprint([one]), fingerprint([one, one]), *(fingerprint([other]) for other in others)}
    assert len(prints) == 2 + len(others)


def test_who_answers_whom() -> None:
    roles = ["assistant", "user", "system", "assistant", "tool", "user", "assistant"]
    given = [incoming.Draft(role=role, content="") for role in roles]  # pyright: ignore[reportArgumentType]
    assert answered(given) == [0, None, None, 2, 2, None, 6]
    assert last_user(given) == 6
    assert last_user(given[:1]) == 0


def test_ids_are_uuids_that_sort_by_time() -> None:
    first = new_id()
    time.sleep(0.002)
    second = new_id()
    assert first < second
    assert first.version == 7
    assert first.variant == "specified in RFC 4122"
    assert len({new_id() for _ in range(10_000)}) == 10_000
