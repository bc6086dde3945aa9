"""What a client sends in OpenAI's form, told apart: its instructions, its history, and the turn that is new. Pure.

Clients send their whole history with every request. Only the turn that is going on is new: the newest user
message, and after it what the model called and what the client's tools answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from recollect.conversations.incoming import Draft, draft
from recollect.errors import Invalid

MOST_MESSAGES = 10_000
INSTRUCTING = ("system", "developer")
ROLES = (*INSTRUCTING, "user", "assistant", "tool", "function")
#: An image in a message is worth keeping only while it is small; the client has it.
MOST_PARTS = 64 << 10


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """A client's messages, told apart."""

    lead: int
    """How many messages at the beginning are instructions."""
    turn: list[Draft]
    """The turn that is going on, as it would be stored."""
    earlier: Draft | None
    """The last message before it, if the client sent any."""
    text: str
    """What the user says; empty if there is nothing to read in it."""

    @property
    def alone(self) -> bool:
        """Whether the client sent nothing of what went before this turn."""
        return self.earlier is None and bool(self.turn) and self.turn[0].role == "user"


def read(messages: object) -> Sent:
    """Tell a client's messages apart; Invalid names the one that is wrong."""
    given = _checked(messages)
    lead = next((place for place, one in enumerate(given) if one["role"] not in INSTRUCTING), len(given))
    spoken = [(place, one) for place, one in enumerate(given) if one["role"] not in INSTRUCTING]
    asked = max((place for place, (_, one) in enumerate(spoken) if one["role"] == "user"), default=0)
    turn = [_draft(one, f"messages[{place}]") for place, one in spoken[asked:]]
    earlier = None if asked == 0 else _draft_if_possible(spoken[asked - 1][1])
    text = turn[0].content if turn and turn[0].role == "user" else ""
    return Sent(lead=lead, turn=turn, earlier=earlier, text=text if text.strip() else "")


def _checked(messages: object) -> list[Mapping[str, Any]]:
    if not isinstance(messages, list | tuple):
        raise Invalid("messages", f"must be a list of messages, not {type(messages).__name__}")
    given = cast("Sequence[object]", messages)
    if not 1 <= len(given) <= MOST_MESSAGES:
        raise Invalid("messages", f"must be 1 to {MOST_MESSAGES}, not {len(given)}")
    for place, one in enumerate(given):
        if not isinstance(one, Mapping):
            raise Invalid(f"messages[{place}]", f"must be an object, not {type(one).__name__}")
        if cast("Mapping[str, Any]", one).get("role") not in ROLES:
            raise Invalid(f"messages[{place}].role", f"must be one of {', '.join(ROLES)}")
    return cast("list[Mapping[str, Any]]", given)


def _draft(one: Mapping[str, Any], field: str) -> Draft:
    role = one["role"]
    values: dict[str, Any] = {
        "role": "tool" if role == "function" else role,
        "content": _content(one.get("content")),
        "name": one.get("name"),
        "tool_calls": one.get("tool_calls") or None,
        "tool_call_id": one.get("tool_call_id") if role in ("tool", "function") else None,
    }
    if values["content"] is None and role == "assistant":
        values["content"] = ""
    return draft(values, field)


def _draft_if_possible(one: Mapping[str, Any]) -> Draft | None:
    """History is not stored, so nothing in it is refused here."""
    try:
        return _draft(one, "messages")
    except Invalid:
        return Draft(role="assistant", content="\0")


def _content(content: Any) -> Any:
    """As it is, but for parts that are too large to keep: a word stands for them."""
    if not isinstance(content, list):
        return content
    return [_kept(part) for part in cast("list[Any]", content)]


def _kept(part: Any) -> Any:
    if not isinstance(part, dict) or "text" in part:
        return cast("Any", part)
    given = cast("dict[str, Any]", part)
    try:
        size = len(msgspec.json.encode(given))
    except (TypeError, ValueError, RecursionError):
        return given  # it is refused by the name of its message
    if size <= MOST_PARTS:
        return given
    kind = given.get("type")
    return {"type": "text", "text": f"[{kind if isinstance(kind, str) and kind.isidentifier() else 'part'}]"}
