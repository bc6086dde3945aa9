"""The document beside a conversation: no update is lost, from the first one on."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from recollect import Conflict, Invalid, Recollect


async def test_of_those_who_saw_the_same_version_one_succeeds(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    for version in range(5):
        tries = await asyncio.gather(
            *(chat.save_memory_document({"by": number}, version=version) for number in range(6)),
            return_exceptions=True,
        )
        assert sum(isinstance(one, Conflict) for one in tries) == 5
        assert (await chat.memory_document()).version == version + 1


@pytest.mark.parametrize("wrong", ["1", True, -1, 1.0])
async def test_a_version_is_a_whole_number(memory: Recollect, wrong: Any) -> None:
    chat = await memory.conversation(user="ana", agent="cook")
    with pytest.raises(Invalid, match="version"):
        await chat.save_memory_document({}, version=wrong)
