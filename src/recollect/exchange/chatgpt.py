"""The export of ChatGPT: ``conversations.json``, a list of conversations whose messages form a tree. Pure."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.exchange.names import derived
from recollect.exchange.talks import Talk, said
from recollect.exchange.wrong import converted

AGENT = "chatgpt"


class _Author(msgspec.Struct):
    role: str
    name: str | None = None


class _Message(msgspec.Struct):
    author: _Author
    id: str | None = None
    content: dict[str, Any] = {}
    create_time: float | None = None
    metadata: dict[str, Any] | None = None
    recipient: str | None = None


class _Node(msgspec.Struct):
    message: _Message | None = None
    parent: str | None = None
    children: list[str] = []


class _Conversation(msgspec.Struct):
    mapping: dict[str, _Node]
    title: str | None = None
    create_time: float | None = None
    current_node: str | None = None
    conversation_id: str | None = None
    id: str | None = None


def talk_from(given: object, where: str, user: str, agent: str) -> Talk:
    """One conversation: the branch that was last looked at, without what ChatGPT hides."""
    one = converted(given, _Conversation, where)
    source = one.conversation_id or one.id
    if not source:
        raise Invalid(f"{where}.id", "is missing")
    # Not the id itself: the same export may be brought in for several users.
    talk = derived("chatgpt", user, agent, source)
    begun = at = _moment(f"{where}.create_time", one.create_time)
    messages: list[Any] = []
    for name in _branch(one, where):
        message = one.mapping[name].message
        if message is None or (message.metadata or {}).get("is_visually_hidden_from_conversation"):
            continue
        place = f"{where}.mapping.{name}.message" if name.isprintable() and len(name) < 80 else where
        at = _moment(f"{place}.create_time", message.create_time) or at
        fields = _fields(message)
        if fields is not None:
            messages.append(said(talk, message.id or name, fields | {"at": at}, place))
    title = " ".join((one.title or "").replace("\0", "").split())[:250] or None
    return Talk(id=talk, title=title, begun=begun, said=messages)


def _branch(one: _Conversation, where: str) -> list[str]:
    """The names of the nodes from the root to the current one."""
    name = one.current_node if one.current_node in one.mapping else _newest_leaf(one)
    branch: list[str] = []
    seen: set[str] = set()
    while name is not None and name in one.mapping:
        if name in seen:
            raise Invalid(f"{where}.mapping", "goes in a circle")
        seen.add(name)
        branch.append(name)
        name = one.mapping[name].parent
    return branch[::-1]


def _newest_leaf(one: _Conversation) -> str | None:
    """Where nothing says which branch is current: the end that was written last."""

    def written(name: str) -> float:
        message = one.mapping[name].message
        return (message.create_time if message else None) or 0.0

    leaves = [name for name, node in one.mapping.items() if not node.children]
    return max(leaves, key=written, default=None)


def _fields(message: _Message) -> dict[str, Any] | None:
    """What is appended of a message; None if it says nothing."""
    content = _content(message.content)
    if not content or message.author.role not in ("user", "assistant", "system", "tool"):
        return None
    origin: dict[str, Any] = {"id": message.id} if message.id else {}
    if message.recipient not in (None, "all"):
        origin["recipient"] = message.recipient
    if model := (message.metadata or {}).get("model_slug"):
        origin["model"] = model
    fields: dict[str, Any] = {"role": message.author.role, "content": content, "metadata": {"chatgpt": origin}}
    if message.author.name:
        fields["name"] = message.author.name[: inputs.MAX_ID]
    return fields


def _content(content: dict[str, Any]) -> str | list[Any]:
    """The text; or, where there are pictures or files among it, the parts as they are."""
    parts = content.get("parts")
    if isinstance(parts, list):
        kept: list[Any] = [_clean(part) for part in parts if part not in ("", None)]  # pyright: ignore
        if all(isinstance(part, str) for part in kept):
            return "\n".join(kept)
        return kept
    for field in ("text", "result"):
        text = content.get(field)
        if isinstance(text, str) and text.strip():
            return _clean(text)
    return ""


def _clean(part: Any, depth: int = 0) -> Any:
    """Postgres cannot hold NUL, which the output of programs may contain, also inside of a part. What is nested
    deeper than can be stored is left for its check."""
    match part:
        case str():
            return part.replace("\0", "")
        case list() if depth <= inputs.MAX_DEPTH:
            return [_clean(item, depth + 1) for item in cast("list[Any]", part)]
        case dict() if depth <= inputs.MAX_DEPTH:
            return {_clean(key): _clean(item, depth + 1) for key, item in cast("dict[str, Any]", part).items()}
        case _:
            return part


def _moment(field: str, seconds: float | None) -> datetime | None:
    if seconds is None:
        return None
    try:
        return inputs.moment(field, datetime.fromtimestamp(seconds, UTC))
    except (OverflowError, OSError, ValueError):
        raise Invalid(field, "is not a point in time") from None
