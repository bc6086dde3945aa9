"""What becomes of a pool that says something twice, or has since contradicted itself."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recollect import Conflict, Memory, Recollect
from recollect.records import Caller
from recollect.remember.consolidate import carry_out, plan

WHO = {"user": "ana", "agent": "cook"}


async def texts(memory: Recollect, status: str = "active") -> set[str]:
    return {one.text for one in (await memory.memories(**WHO, status=status, limit=1000)).items}


async def told(memory: Recollect, text: str, **given: object) -> Memory:
    """What an agent remembers: nothing that a person wrote, so it may be merged."""
    return await memory.remember(text, **WHO, author="agent", **given)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("change", ["forgotten", "revised", "retired one revised"])
async def test_nothing_is_retired_in_favour_of_what_was_changed_meanwhile(memory: Recollect, change: str) -> None:
    old = await told(memory, "user lives in Porto")
    new = await told(memory, "the user lives in Porto")
    caller, embedders = Caller(memory.tenant, "test"), memory._models.embedders  # pyright: ignore[reportPrivateUsage]
    made = await plan(memory.database, caller, embedders, "ana", "cook")
    assert [(merge.keep, merge.retire) for merge in made.merges] == [(new.id, (old.id,))]
    if change == "forgotten":
        await memory.forget(new.id)
    else:
        await memory.revise(new.id if change == "revised" else old.id, text="user lives in Oslo")
    before = await texts(memory)
    with pytest.raises(Conflict):
        async with memory.database.transaction(memory.tenant) as transaction:
            await carry_out(transaction, caller, embedders, "ana", "cook", made)
    assert await texts(memory) == before
    assert await texts(memory, "retired") == set()


async def test_what_is_contradicted_held_until_the_newer_one_began(memory: Recollect) -> None:
    old = await told(memory, "user lives in Porto", valid_from=datetime(2019, 1, 1, tzinfo=UTC))
    new = await told(memory, "user lives in Oslo", valid_from=datetime(2021, 1, 1, tzinfo=UTC))
    assert (await memory.consolidate(**WHO)).retired == 1
    assert (await memory.memory(old.id)).valid_to == new.valid_from
    for year, home in ((2020, "user lives in Porto"), (2023, "user lives in Oslo")):
        then = datetime(year, 1, 1, tzinfo=UTC)
        assert [hit.text for hit in await memory.recall("where do I live?", **WHO, as_of=then)] == [home]
