"""To think about a question while the store looks for the answer. Pure."""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine, Generator
from types import coroutine
from typing import Any, TypeVar, cast

T = TypeVar("T")


def begun(work: Coroutine[Any, Any, T]) -> Awaitable[T]:
    """Some work that has gone on up to where it first waits; whoever awaits this waits for the rest. Until then
    nothing else may be awaited: it would not be a task of its own, which takes far longer to make."""
    try:
        waits_for = work.send(None)
    except StopIteration as done:
        return _done(done.value)
    return _rest(work, waits_for)


async def _done(result: T) -> T:
    return result


@coroutine
def _rest(work: Coroutine[Any, Any, T], waits_for: Any) -> Generator[Any, Any, T]:
    while True:
        try:
            told = yield waits_for
        except BaseException as error:
            try:
                waits_for = work.throw(error)
            except StopIteration as done:
                return cast("T", done.value)
        else:
            try:
                waits_for = work.send(told)
            except StopIteration as done:
                return cast("T", done.value)
