"""``Idempotency-Key`` for the proxy: the same request again gets the same bytes, and no model is asked."""

from __future__ import annotations

from typing import Any

from litestar import Request

from recollect.access import answers
from recollect.server.once import fingerprint_of
from recollect.server.who import Who

#: A larger answer is not kept: then the same request again is a new one.
MOST_KEPT = 4 << 20


class Keyed:
    """An answer that may have to be given again."""

    def __init__(self, request: Request[Any, Any, Any], who: Who, user: str) -> None:
        self._key = request.headers.get("idempotency-key")
        self._request = request
        self._who = who
        self._user = user
        self._database = request.app.state.memory.database
        self._ours = False
        self._pieces: list[bytes] = []
        self._size = 0

    async def said(self) -> answers.Answer | None:
        """What was answered before; None if it is now ours to answer."""
        if self._key is None:
            return None
        mark = await fingerprint_of(self._request)
        found = await answers.begin(self._database, self._who.caller, self._user, self._key, mark)
        self._ours = found is None
        return found

    def add(self, piece: bytes) -> None:
        """A piece of the answer."""
        self._size += len(piece)
        if self._ours and self._size <= MOST_KEPT:
            self._pieces.append(piece)

    async def save(self, headers: dict[str, str]) -> None:
        """The answer is whole, and what came of it is stored."""
        if self._size > MOST_KEPT:
            await self.drop()
        elif self._ours and self._key is not None:
            self._ours = False
            answer = answers.Answer(200, headers, b"".join(self._pieces))
            await answers.save(self._database, self._who.caller, self._user, self._key, answer)

    async def drop(self) -> None:
        """Nothing came of it."""
        if self._ours and self._key is not None:
            self._ours = False
            await answers.drop(self._database, self._who.caller, self._user, self._key)
