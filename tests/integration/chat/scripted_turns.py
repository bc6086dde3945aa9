"""What tests of turns by a scripted model share."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from recollect import Chat, Recollect
from scripted_model import ScriptedModel

Open = Callable[..., Awaitable[Recollect]]


def answer(response: str, update: dict[str, Any] | None = None) -> str:
    return json.dumps({"response": response, "stateUpdate": update})


async def asked(scripted: ScriptedModel, times: int) -> None:
    """Wait until the model was asked so many times."""
    for _ in range(3000):
        if len(scripted.requests) >= times:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("nobody asks the model")


async def said(chat: Chat) -> list[tuple[str, str]]:
    return [(one.role, one.content) for one in await chat.window(100)]
