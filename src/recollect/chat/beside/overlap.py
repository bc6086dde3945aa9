"""How much of a client's turn is stored already. Pure.

A client repeats itself: in every round of tools it sends the turn from its beginning, and when an answer got lost
it sends the same again. What is stored must be neither doubled nor split. Where nobody can know whether a user
said something twice or a client sent it twice, it was said twice: one message too many is better than one lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from recollect.conversations.incoming import Draft
from recollect.recall.render import call_id, short_id
from recollect.records import Message


def stored_already(newest: Sequence[Message], turn: Sequence[Draft], earlier: Draft | None, retried: bool) -> int:
    """How many messages of the turn, from its beginning, are in the store.

    ``newest`` are the newest messages, with the last user message among them; ``earlier`` is what the client has
    before the turn; ``retried`` says that the client knows that it sends this again.
    """
    said = spoken(newest)
    if not turn or turn[0].role != "user":
        return _overlap(said, turn)
    before, last = parted(said)
    same_so_far = 0
    while same_so_far < min(len(turn), len(last)) and same(last[same_so_far], turn[same_so_far]):
        same_so_far += 1
    if same_so_far == 0 or len(last) == same_so_far:
        return same_so_far
    if same_so_far < len(turn):
        # Both go on, differently: a turn that has its final answer is over, and this is another one.
        return same_so_far if last[same_so_far].tool_calls else 0
    seen_before = (
        earlier is not None and bool(before) and same(before[-1], earlier) and not same(last[-1], earlier)
    )
    return same_so_far if retried or len(turn) > 1 or seen_before else 0


def parted(said: Sequence[Message]) -> tuple[Sequence[Message], Sequence[Message]]:
    """What went before the last turn, and the last turn, which begins with what a user said."""
    asked = max((place for place, one in enumerate(said) if one.role == "user"), default=len(said))
    return said[:asked], said[asked:]


def spoken(messages: Sequence[Message]) -> list[Message]:
    """Without what the system noted in between."""
    return [one for one in messages if one.role != "system"]


def same(stored: Message, given: Draft) -> bool:
    """Whether a client's message is a stored one; clients drop the text beside a call, but keep its id, which is
    as short as contexts have it if they got it from one."""
    if stored.role != given.role:
        return False
    if stored.role == "tool" and stored.tool_call_id and given.tool_call_id:
        return short_id(stored.tool_call_id) == short_id(given.tool_call_id)
    calls, theirs = _calls(stored.tool_calls), _calls(decoded_calls(given))
    if calls or theirs:
        return calls == theirs
    return stored.content.strip() == given.content.strip()


def decoded_calls(given: Draft) -> list[Any] | None:
    """The tool calls of a draft, which holds them as JSON."""
    return None if given.tool_calls is None else msgspec.json.decode(given.tool_calls)


def _calls(calls: Sequence[Any] | None) -> list[Any]:
    ids = [call_id(call) for call in calls or ()]
    return [call if id is None else short_id(id) for id, call in zip(ids, calls or (), strict=True)]


def _overlap(said: Sequence[Message], turn: Sequence[Draft]) -> int:
    """Of messages without a user's among them: the longest beginning that the store ends with."""
    for length in range(min(len(said), len(turn)), 0, -1):
        if all(same(one, given) for one, given in zip(said[-length:], turn, strict=False)):
            return length
    return 0
