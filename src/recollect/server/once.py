"""``Idempotency-Key`` on whatever makes something: the same request again gets the same answer."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from litestar import Request, Response

from recollect import inputs
from recollect.access import answers
from recollect.server.who import Who
from recollect.storage.making import Answer

REPLAYED = {"idempotent-replayed": "true"}


def its_id(made: Any) -> str:
    """What most things are found by again."""
    return made.id


async def once(
    request: Request[Any, Any, Any],
    who: Who,
    user: str,
    make: Callable[[], Awaitable[Any]],
    read: Callable[[Any], Awaitable[Any]],
    *,
    keep: Callable[[Any], object] = its_id,
    status: int = 201,
    headers: Callable[[Any], dict[str, str]] = lambda _: {},
) -> Response[Any]:
    """What ``make`` returns, made at most once under the key that the request may have.

    ``user`` is whom the answer is about: it is kept with this user's data, and erased with it. What ``keep`` takes
    of the record that was made is stored in the same transaction, and ``read`` finds the rest by it again: a text
    must not outlive what it belongs to. ``headers`` are for what was made.
    """
    key = request.headers.get("idempotency-key")
    if key is None:
        made = await make()
        return Response(made, status_code=status, headers=headers(made))
    database = request.app.state.memory.database
    begun = await answers.begin(database, who.caller, user, key, await fingerprint_of(request))
    if isinstance(begun, Answer):
        made = await read(msgspec.json.decode(answers.told(begun)))
        return Response(made, status_code=begun.status, headers=headers(made) | REPLAYED)
    try:
        with begun.making(lambda record: Answer(status, {}, msgspec.json.encode(keep(record)))):
            made = await make()
    except BaseException:
        # If it was made all the same, as when a commit was not heard of, its answer is there and stays.
        await asyncio.shield(answers.drop(database, begun))
        raise
    if not begun.done:
        await answers.drop(database, begun)  # it changed nothing
    return Response(made, status_code=status, headers=headers(made))


async def fingerprint_of(request: Request[Any, Any, Any]) -> bytes:
    """The same for the same request: method, address and body."""
    line = f"{request.method} {request.url.path}?{request.url.query}\n".encode()
    return hashlib.sha256(line + await request.body()).digest()


def append_key(request: Request[Any, Any, Any]) -> str | None:
    """The key for an append, where the store itself does all this in one round trip."""
    key = request.headers.get("idempotency-key")
    return None if key is None else inputs.identifier("key", key)
