"""``Idempotency-Key`` for the proxy: the same request again gets the same bytes, and no model is asked."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from litestar import Request

from recollect.access import answers
from recollect.server.once import fingerprint_of
from recollect.server.who import Who
from recollect.storage.making import Answer, Making

#: Of a larger answer only that it was given is kept.
MOST_KEPT = 4 << 20


class Keyed:
    """An answer that may have to be given again."""

    def __init__(self, request: Request[Any, Any, Any], who: Who, user: str) -> None:
        self._key = request.headers.get("idempotency-key")
        self._request = request
        self._who = who
        self._user = user
        self._database = request.app.state.memory.database
        self._mine: Making | None = None
        self._pieces: list[bytes] = []
        self._size = 0

    async def said(self) -> Answer | None:
        """What was answered before; None if it is now ours to answer."""
        if self._key is None:
            return None
        mark = await fingerprint_of(self._request)
        begun = await answers.begin(self._database, self._who.caller, self._user, self._key, mark)
        if isinstance(begun, Answer):
            return begun
        self._mine = begun
        return None

    def add(self, piece: bytes) -> None:
        """A piece of the answer."""
        self._size += len(piece)
        if self._mine is not None and self._size <= MOST_KEPT:
            self._pieces.append(piece)

    @contextmanager
    def kept(self, conversation: str, headers: dict[str, str]) -> Generator[None]:
        """The answer is whole, and kept with the reply that is stored inside; it goes with the conversation."""
        if self._mine is None:
            yield
            return
        body = b"".join(self._pieces) if self._size <= MOST_KEPT else None
        answer = Answer(200, headers, body, conversation)
        with self._mine.making(lambda _: answer):
            yield

    async def drop(self) -> None:
        """Nothing came of it."""
        if self._mine is not None:
            await answers.drop(self._database, self._mine)
            self._mine = None
