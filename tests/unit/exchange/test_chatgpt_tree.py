"""From ChatGPT's tree of nodes to a conversation."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from recollect import Invalid
from recollect.exchange.chatgpt import talk_from


def node(name: str, parent: str | None, role: str | None, content: Any = "", **more: Any) -> tuple[str, Any]:
    message: Any = None
    if role is not None:
        inside = content if isinstance(content, dict) else {"content_type": "text", "parts": [content]}
        message = {"id": f"m-{name}", "author": {"role": role}, "content": inside, "create_time": 1.7e9} | more
    return name, {"id": name, "message": message, "parent": parent, "children": []}


def tree(*nodes: tuple[str, Any], current: str | None = None, **more: Any) -> dict[str, Any]:
    mapping = dict(nodes)
    for name, one in mapping.items():
        if one["parent"] in mapping:
            mapping[one["parent"]]["children"].append(name)
    return {
        "id": "c-1",
        "title": "A talk",
        "create_time": 1.69e9,
        "mapping": mapping,
        "current_node": current,
    } | more


def texts(given: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one.role, one.content) for _, one in talk_from(given, "[0]", "ana", "chatgpt").said]


def test_the_current_branch_is_taken() -> None:
    given = tree(
        node("root", None, None),
        node("s", "root", "system", ""),
        node("q", "s", "user", "which tea?"),
        node("a1", "q", "assistant", "green", create_time=1.8e9),
        node("a2", "q", "assistant", "black"),
        node("q2", "a2", "user", "thanks"),
        current="q2",
    )
    assert texts(given) == [("user", "which tea?"), ("assistant", "black"), ("user", "thanks")]
    assert texts(given | {"current_node": None})[-1] == ("assistant", "green"), "the end that was written last"


def test_what_is_hidden_or_empty_is_left_out() -> None:
    hidden = {"is_visually_hidden_from_conversation": True}
    given = tree(
        node("h", None, "user", "my instructions", metadata=hidden),
        node("e", "h", "assistant", {"content_type": "text", "parts": ["", None]}),
        node("t", "e", "assistant", {"content_type": "thoughts", "thoughts": []}),
        node("w", "t", "wizard", "?"),
        node("k", "w", "user", "kept"),
        current="k",
    )
    assert texts(given) == [("user", "kept")]


def test_code_pictures_and_tools() -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    given = tree(
        node("p", None, "user", {"content_type": "multimodal_text", "parts": [picture, "what is this?"]}),
        node("c", "p", "assistant", {"content_type": "code", "language": "python", "text": "1+1"}, recipient="python"),
        node("o", "c", "tool", {"content_type": "execution_output", "text": "2\0"}, author={"role": "tool", "name": "python"}),
        current="o",
    )  # fmt: skip
    talk = talk_from(given, "[0]", "ana", "chatgpt")
    (_, shown), (_, code), (_, result) = talk.said
    assert shown.content == "what is this?"
    assert shown.parts is not None
    assert "asset_pointer" in shown.parts
    assert code.metadata is not None
    assert '"recipient":"python"' in code.metadata
    assert (result.role, result.name, result.content) == ("tool", "python", "2")


def test_what_cannot_be_stored_inside_of_a_part_is_taken_out() -> None:
    part = {"content_type": "tether", "found": [{"ti\0tle": "a\0b"}]}
    given = tree(node("p", None, "tool", {"content_type": "multimodal_text", "parts": [part]}), current="p")
    ((_, found),) = talk_from(given, "[0]", "ana", "chatgpt").said
    assert found.parts is not None
    assert '[{"title":"ab"}]' in found.parts


def test_times_and_titles() -> None:
    given = tree(node("a", None, "user", "x"), node("b", "a", "user", "y", create_time=None), current="b")
    talk = talk_from(given, "[0]", "ana", "chatgpt")
    assert talk.title == "A talk"
    assert talk.begun == datetime.fromtimestamp(1.69e9, UTC)
    assert [one.at for _, one in talk.said] == [datetime.fromtimestamp(1.7e9, UTC)] * 2, (
        "unknown: that of the one before"
    )


def test_ids_follow_from_the_source() -> None:
    given = tree(node("a", None, "user", "x"), current="a")
    first, again = (talk_from(given, "[0]", "ana", "chatgpt") for _ in range(2))
    other = talk_from(given, "[0]", "ben", "chatgpt")
    assert (first.id, first.said[0][0]) == (again.id, again.said[0][0])
    assert first.id != other.id
    assert first.said[0][0] != other.said[0][0]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"mapping": []}, r"\[0\]\.mapping"),
        ({"id": None}, r"\[0\]\.id: is missing"),
        ({"create_time": 1e300}, r"\[0\]\.create_time"),
        ({"mapping": {"a": {"message": {"author": {}}}}, "current_node": "a"}, r"author\.role: is missing"),
        ({"mapping": {"a": {"parent": "b"}, "b": {"parent": "a"}}, "current_node": "a"}, "goes in a circle"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid, match=field):
        talk_from(tree(node("a", None, "user", "x"), current="a") | change, "[0]", "ana", "chatgpt")


def test_no_text_is_quoted_when_something_is_wrong() -> None:
    given = tree(node("a", None, "user", {"content_type": "text", "parts": ["secret" * 200_000]}), current="a")
    with pytest.raises(Invalid) as caught:
        talk_from(given, "[0]", "ana", "chatgpt")
    assert "content" in caught.value.field
    assert "secret" not in str(caught.value)
