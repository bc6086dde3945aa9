"""What is being made under an idempotency key.

Its answer is kept in the very transaction that makes it, so that whoever asks again finds both or neither, however
a connection broke. The attempt is known by the context of the request: it would otherwise be an argument of every
method of the door that makes something.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from uuid import UUID, uuid4

import msgspec


class Answer(msgspec.Struct, frozen=True):
    """What a request is answered with."""

    status: int
    headers: dict[str, str]
    body: bytes | None
    """None if it is kept no longer: it was too large, or what it quotes is gone."""
    conversation: str | None = None
    """Which one it quotes, and goes with."""


class Making(msgspec.Struct):
    """One attempt to make what a request with a key asks for."""

    tenant: str
    user: str
    key: str
    attempt: UUID = msgspec.field(default_factory=uuid4)
    answer: Callable[[Any], Answer] | None = None
    """The answer for what was made."""
    done: bool = False
    """Whether it was made, in a transaction that may yet fail."""

    @contextmanager
    def making(self, answer: Callable[[Any], Answer]) -> Generator[None]:
        """Whatever is made inside is what the key is for."""
        self.answer = answer
        before = MAKING.set(self)
        try:
            yield
        finally:
            MAKING.reset(before)


MAKING: ContextVar[Making | None] = ContextVar("making", default=None)
