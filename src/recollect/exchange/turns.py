"""Turns of a conversation and its idempotency keys in a document: what is let in, and how it is brought back."""

from __future__ import annotations

from uuid import UUID

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.exchange.document import KeptAppendKey, KeptConversation, KeptKnown, KeptTurn
from recollect.storage.database import Transaction

BATCH = 500
MAX_FINGERPRINT = 64
MAX_TOKENS = (1 << 31) - 1


def check_turns(given: KeptConversation, where: str) -> None:
    """Whether they speak of this conversation, and can be read again."""
    for place, turn in enumerate(given.turns):
        _check_turn(turn, given.last_seq, f"{where}.turns[{place}]")
    for place, one in enumerate(given.keys):
        _check_key(one, given.last_seq, f"{where}.keys[{place}]")


def _check_turn(turn: KeptTurn, last: int, where: str) -> None:
    _check_fingerprint(turn.fingerprint, where)
    if turn.status == "done" and (turn.first_seq is None or turn.last_seq is None):
        raise Invalid(where, "must have first_seq and last_seq: it is done")
    if max(turn.user_seq, turn.first_seq or 0, turn.last_seq or 0) > last:
        raise Invalid(where, f"must have no number above last_seq ({last})")
    for count in turn.tokens.values():
        inputs.amount(f"{where}.tokens", count, most=MAX_TOKENS, least=0)
    inputs.json_text(f"{where}.known", msgspec.to_builtins(turn.known))


def _check_key(one: KeptAppendKey, last: int, where: str) -> None:
    _check_fingerprint(one.fingerprint, where)
    if not one.ids or one.first_seq < 1 or max(one.user_seq, one.first_seq + len(one.ids) - 1) > last:
        raise Invalid(where, f"must be of messages with numbers from 1 to last_seq ({last})")


def _check_fingerprint(given: bytes, where: str) -> None:
    if not 0 < len(given) <= MAX_FINGERPRINT:
        raise Invalid(f"{where}.fingerprint", f"must have 1 to {MAX_FINGERPRINT} bytes")


async def restore_turns(
    transaction: Transaction, user: str, given: KeptConversation, memories: dict[UUID, UUID]
) -> None:
    """For a conversation that is new here; ``memories`` is under which ids those of the document are kept."""
    used = {one.id for turn in given.turns if turn.known is not None for one in turn.known.memories}
    rows = await transaction.rows("memory_owners", list(used - memories.keys())) if used else ()
    # Whoever looks up what was known is shown those memories: they must be this user's, or nobody's any more.
    others: set[UUID] = {row["id"] for row in rows if row["user_id"] != user}
    for start in range(0, len(given.turns), BATCH):
        some = given.turns[start : start + BATCH]
        await transaction.run(
            "restore_turns",
            given.id,
            [one.id for one in some],
            [one.key for one in some],
            [one.fingerprint for one in some],
            [one.status for one in some],
            [one.tries for one in some],
            [one.user_seq for one in some],
            [one.first_seq for one in some],
            [one.last_seq for one in some],
            [one.model for one in some],
            [_json(one.tokens) for one in some],
            [_json(one.problems) for one in some],
            [one.seconds for one in some],
            [one.started_at for one in some],
            [one.ended_at for one in some],
            [None if one.known is None else _json(_moved(one.known, memories, others)) for one in some],
        )
    for one in given.keys:
        facts = (one.key, one.fingerprint, one.first_seq, one.user_seq, one.created_at, one.ids)
        await transaction.run("restore_append_key", given.id, *facts)


def _moved(known: KeptKnown, memories: dict[UUID, UUID], others: set[UUID]) -> KeptKnown:
    kept = [one for one in known.memories if one.id not in others]
    moved = [msgspec.structs.replace(one, id=memories.get(one.id, one.id)) for one in kept]
    return msgspec.structs.replace(known, memories=moved)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
