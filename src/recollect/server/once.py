"""``Idempotency-Key`` on whatever makes something: the same request again gets the same answer."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from litestar import Request, Response

from recollect.access import answers
from recollect.errors import RecollectError
from recollect.server.who import Who

REPLAYED = {"idempotent-replayed": "true"}


async def once(
    request: Request[Any, Any, Any],
    who: Who,
    user: str,
    make: Callable[[], Awaitable[Any]],
    status: int = 201,
    headers: Callable[[Any], dict[str, str]] = lambda _: {},
    read: Callable[[str], Awaitable[Any]] | None = None,
) -> Response[Any]:
    """What ``make`` returns, made at most once under the key that the request may have.

    ``user`` is whom the answer is about: it is kept with this user's data, and erased with it. ``headers`` are for
    what was made. What ``read`` finds by its id again is kept as that id: its text must not outlive it.
    """
    key = request.headers.get("idempotency-key")
    if key is None:
        made = await make()
        return Response(made, status_code=status, headers=headers(made))
    database = request.app.state.memory.database
    said = await answers.begin(database, who.caller, user, key, await fingerprint_of(request))
    if said is not None and read is not None:
        made = await read(_id_in(said.body))
        return Response(made, status_code=said.status, headers=headers(made) | REPLAYED)
    if said is not None:
        return _again(said)
    try:
        made = await make()
    except RecollectError:
        await answers.drop(database, who.caller, user, key)
        raise
    body = msgspec.json.encode(made if read is None else made.id)
    # The effect is there: its answer is kept even if the client has gone meanwhile.
    await asyncio.shield(
        answers.save(database, who.caller, user, key, answers.Answer(status, headers(made), body))
    )
    return Response(made, status_code=status, headers=headers(made))


def _id_in(body: bytes) -> str:
    """The id; a server of an earlier version that runs beside this one keeps the whole answer."""
    kept = msgspec.json.decode(body, type=str | dict[str, Any])
    return kept if isinstance(kept, str) else kept["id"]


def _again(said: answers.Answer) -> Response[Any]:
    return Response(
        said.body,
        status_code=said.status,
        headers=said.headers | REPLAYED,
        media_type="application/json",
    )


async def fingerprint_of(request: Request[Any, Any, Any]) -> bytes:
    """The same for the same request: method, address and body."""
    line = f"{request.method} {request.url.path}?{request.url.query}\n".encode()
    return hashlib.sha256(line + await request.body()).digest()


def append_key(request: Request[Any, Any, Any]) -> str | None:
    """The key for an append, where the store itself does all this in one round trip."""
    return request.headers.get("idempotency-key")
