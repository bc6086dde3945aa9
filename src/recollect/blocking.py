"""Blocking twins of asynchronous classes, whose calls all run on one background event loop.

The methods are made from the asynchronous ones as a module loads, so there is no second copy to keep; stubs,
written by ``tools/sync_stub.py``, tell type checkers.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from typing import Any, TypeVar

T = TypeVar("T")
B = TypeVar("B", bound="Blocking")


class _Loop:
    """One event loop in a daemon thread, started at the first call and again after a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._process = 0

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for the work; Ctrl-C cancels it."""
        if sys.is_finalizing():
            # The thread of the loop stands still for good; whoever waited for it would never end.
            work.close()
            raise RuntimeError("the interpreter is shutting down; call this earlier, or close in a `with` block")
        loop = self._running()
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("this was called from its own event loop; use the asynchronous door there")
        future = asyncio.run_coroutine_threadsafe(work, loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._process != os.getpid():
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="recollect", daemon=True)
                self._thread.start()
                self._process = os.getpid()
            return self._loop


_loop = _Loop()

#: What is asynchronous to its core and for servers and workers only.
INSIDE = {"database"}
#: What is not asynchronous at all.
PLAIN = {"tool"}


class Blocking:
    """Stands before an asynchronous object."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._process = os.getpid()

    def __repr__(self) -> str:
        return repr(self._inner)

    def _is_live(self) -> bool:
        """Whether what is behind it can still be asked: not while the interpreter shuts down, which ends it all by
        itself, and not in a forked child, which has only copies."""
        return not sys.is_finalizing() and self._process == os.getpid()


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Run this on the background loop."""
    return _loop.run(work)


def inside(twin: object) -> tuple[Any, asyncio.AbstractEventLoop]:
    """The asynchronous object behind a blocking one, and the loop that it lives on; for adapters, which have both
    kinds of callers."""
    assert isinstance(twin, Blocking)
    return twin._inner, _loop._running()  # pyright: ignore[reportPrivateUsage]


def blocking(source: type, twins: dict[type, type[Blocking]]) -> Callable[[type[B]], type[B]]:
    """Give a class a blocking method for every public coroutine method of ``source``, and its properties. What a
    method returns is put behind its own twin, if it has one."""

    def decorate(target: type[B]) -> type[B]:
        for name, member in inspect.getmembers(source):
            if name.startswith("_") or name in vars(target) or name in INSIDE:
                continue
            if name == "close":
                setattr(target, name, _closing(member))
            elif inspect.iscoroutinefunction(member):
                setattr(target, name, _method(member, twins))
            elif inspect.isasyncgenfunction(member):
                setattr(target, name, _iterating(member))
            elif name in PLAIN:
                setattr(target, name, _plain(member))
            elif isinstance(member, property) or name in source.__annotations__:
                setattr(target, name, property(functools.partial(_forward, name), doc=member.__doc__))
        target.__doc__ = source.__doc__
        twins[source] = target
        return target

    return decorate


def _method(function: Callable[..., Coroutine[Any, Any, object]], twins: dict[type, type[Blocking]]) -> Any:
    @functools.wraps(function)
    def call(self: Blocking, *args: object, **kwargs: object) -> object:
        result = _loop.run(function(self._inner, *args, **kwargs))  # pyright: ignore[reportPrivateUsage]
        twin = twins.get(type(result))
        return result if twin is None else twin(result)

    return call


def _closing(function: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @functools.wraps(function)
    def close(self: Blocking) -> None:
        if self._is_live():  # pyright: ignore[reportPrivateUsage]
            _loop.run(function(self._inner))  # pyright: ignore[reportPrivateUsage]

    return close


def _iterating(function: Callable[..., AsyncGenerator[object]]) -> Callable[..., object]:
    @functools.wraps(function)
    def iterate(self: Blocking, *args: object, **kwargs: object) -> Iterator[object]:
        items = function(self._inner, *args, **kwargs)  # pyright: ignore[reportPrivateUsage]
        end = object()
        try:
            while (item := _loop.run(_next(items, end))) is not end:
                yield item
        finally:
            if self._is_live():  # pyright: ignore[reportPrivateUsage]
                _loop.run(items.aclose())

    return iterate


async def _next(items: AsyncGenerator[object], end: object) -> object:
    return await anext(items, end)


def _plain(function: Callable[..., object]) -> Callable[..., object]:
    @functools.wraps(function)
    def call(self: Blocking, *args: object, **kwargs: object) -> object:
        return function(self._inner, *args, **kwargs)  # pyright: ignore[reportPrivateUsage]

    return call


def _forward(name: str, holder: Blocking) -> object:
    return getattr(holder._inner, name)  # pyright: ignore[reportPrivateUsage]
