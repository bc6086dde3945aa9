"""Who forgets to await a door is told so."""

from __future__ import annotations

import copy

import pytest

from recollect import Recollect
from recollect.client import Recollect as Client


@pytest.mark.parametrize("opening", [lambda: Recollect.open(), lambda: Client.open("http://127.0.0.1:1")])
async def test_a_door_that_is_not_open_says_what_to_write(opening) -> None:
    door = opening()
    with pytest.raises(AttributeError, match=r"no 'conversation' before the door is open: use `async with"):
        door.conversation(user="ana", agent="librarian")
    assert not hasattr(door, "recall")
    assert copy.copy(door) is not door


async def test_what_it_has_is_found() -> None:
    assert callable(Recollect.open().__aenter__)
