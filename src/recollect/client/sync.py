"""The client for blocking code: ``from recollect.client.sync import Recollect``, and no ``await``."""

from __future__ import annotations

import functools
from typing import Any, Self, cast

from recollect.blocking import Blocking, blocking, wait_for
from recollect.client import handle, opening

_TWINS: dict[type, type[Blocking]] = {}


@blocking(handle.Chat, _TWINS)
class Chat(Blocking):  # noqa: D101
    pass


@blocking(opening.Recollect, _TWINS)
class Recollect(Blocking):  # noqa: D101
    @classmethod
    @functools.wraps(opening.Recollect.open.__func__)  # pyright: ignore
    def open(cls, *args: Any, **kwargs: Any) -> Self:  # noqa: D102
        return cls(wait_for(_opened(*args, **kwargs)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        cast("Any", self).close()


async def _opened(*args: Any, **kwargs: Any) -> opening.Recollect:
    return await opening.Recollect.open(*args, **kwargs)
