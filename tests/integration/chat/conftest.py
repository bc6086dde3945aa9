"""Doors whose model is scripted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from scripted_turns import Open

from recollect import Recollect, Settings
from scripted_model import ScriptedModel


@pytest.fixture
async def open_door(dsn: str, tenant: str, scripted: ScriptedModel) -> AsyncIterator[Open]:
    """Opens doors whose model is the scripted one."""
    async with AsyncExitStack() as exits:

        async def make(**given: Any) -> Recollect:
            settings = Settings.read(
                {},
                database=dsn,
                tenant=tenant,
                model="openai:scripted",
                openai_base_url=scripted.url,
                **{
                    name: given.pop(name)
                    for name in ("model_timeout", "turn_timeout", "turn_lease")
                    if name in given
                },
            )
            return await exits.enter_async_context(Recollect.open(settings=settings, **given))

        yield make
