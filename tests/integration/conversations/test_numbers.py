"""Numbers that the store writes out digit by digit: what was read can be written again."""

from __future__ import annotations

import random
import struct

import asyncpg
import msgspec
import pytest

from recollect import Invalid, KeyReused, Recollect, inputs

EDGES = [0.0, 1e-4, 1e-5, 9.9e-6, 1e-6, 9999999999999998.0, 1e16, 1e17, 1e19, 1e22, 5e-324, 1.7976931348623157e308]


async def test_a_limit_counts_what_is_stored(admin: asyncpg.Connection) -> None:
    rolled = random.Random(1)
    some = [struct.unpack("d", struct.pack("Q", rolled.getrandbits(62)))[0] for _ in range(300)]
    for number in [*EDGES, *some]:
        for value in (number, -number):
            size = len(await admin.fetchval("select $1::jsonb::text", msgspec.json.encode(value).decode()))
            if value:  # the store drops the sign of a zero
                with pytest.raises(Invalid, match=f"has {size:,} bytes"):
                    inputs.json_text("value", value, size - 1)
            assert inputs.json_text("value", number, size)


async def test_metadata_as_large_as_can_be_may_come_back(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    with pytest.raises(Invalid, match="metadata"):
        await chat.append("user", "x", metadata={"v": [1e308] * 9000})
    await chat.append("user", "x", metadata={"v": [1e308] * 210, "w": [1e-300]})
    (read,) = await chat.window()
    again = await chat.append("user", "x", metadata=read.metadata)
    assert again.metadata == read.metadata
    assert (await chat.window(1))[0].metadata == read.metadata


async def test_a_document_as_large_as_can_be_may_come_back(memory: Recollect) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    with pytest.raises(Invalid, match="document"):
        await chat.save_memory_document({"n": [1e308] * 100_000})
    await chat.save_memory_document({"n": [1e308] * 3000})
    read = await chat.memory_document()
    await chat.save_memory_document(read.value)
    assert (await chat.memory_document()).value == read.value


@pytest.mark.parametrize("number", [*EDGES, -0.0, -1e22, -(1 << 63), (1 << 63) - 1])
async def test_a_retry_with_what_was_read_back_is_a_retry(memory: Recollect, number: float) -> None:
    chat = await memory.conversation(user="ana", agent="librarian")
    await chat.append("user", "x", metadata={"a": [number]}, key="k")
    (read,) = await chat.window()
    assert (await chat.append("user", "x", metadata=read.metadata, key="k")).seq == 1
    with pytest.raises(KeyReused):
        await chat.append("user", "x", metadata={"a": [number / 2 or 1]}, key="k")


@pytest.mark.parametrize("number", [-(1 << 63), (1 << 63) - 1])
async def test_whole_numbers_stay_what_they_are(memory: Recollect, number: int) -> None:
    await memory.put_document(["a"], "k", {"n": number})
    found = await memory.document(["a"], "k")
    assert found is not None
    assert (found.value["n"], type(found.value["n"])) == (number, int)
