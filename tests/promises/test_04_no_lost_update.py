"""Promise 4: memories, notes, state and agents are versioned. Of many who write at once, those whose version is stale are
told so, and nothing of the others is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import pytest

from recollect import Conflict, Recollect

WRITERS = 32
ROUNDS = 3
WHO: dict[str, Any] = {"user": "ana", "agent": "librarian"}


class Seen(NamedTuple):
    """What a reader has seen: a version, and the words that are written there."""

    version: int
    words: list[str]


class Place(NamedTuple):
    """Somewhere that many write to, each of whom adds a word to those that it has seen."""

    read: Callable[[], Awaitable[Seen]]
    write: Callable[[list[str], int | None], Awaitable[object]]


async def _memory(memory: Recollect) -> Place:
    id = (await memory.remember("known:", **WHO)).id

    async def read() -> Seen:
        found = await memory.memory(id)
        return Seen(found.version, found.text.split()[1:])

    return Place(read, lambda words, version: memory.revise(id, " ".join(["known:", *words]), version=version))


async def _notes(memory: Recollect) -> Place:
    async def read() -> Seen:
        found = await memory.notes(**WHO)
        return Seen(found.version, found.text.split())

    return Place(
        read, lambda words, version: memory.edit_notes("overwrite", " ".join(words), version=version, **WHO)
    )


async def _state(memory: Recollect) -> Place:
    chat = await memory.conversation(**WHO)

    async def read() -> Seen:
        found = await chat.state()
        return Seen(found.version, list(found.metadata.get("words", [])))

    return Place(read, lambda words, version: chat.update_state({"metadata": {"words": words}}, version=version))


async def _agent(memory: Recollect) -> Place:
    async def read() -> Seen:
        found = await memory.agent("librarian")
        return Seen(found.version, found.instructions.split())

    return Place(
        read,
        lambda words, version: memory.configure_agent("librarian", instructions=" ".join(words), version=version),
    )


PLACES: dict[str, Callable[[Recollect], Awaitable[Place]]] = {
    "memory": _memory,
    "notes": _notes,
    "state": _state,
    "agent": _agent,
}


@pytest.fixture(params=PLACES)
async def place(memory: Recollect, request: pytest.FixtureRequest) -> Place:
    return await PLACES[request.param](memory)


async def written(place: Place, *, careful: bool) -> list[str]:
    """Everybody reads, then everybody writes; the words of those who were told that it was done."""
    told: list[str] = []

    async def write(word: str, seen: Seen) -> None:
        try:
            await place.write([*seen.words, word], seen.version if careful else None)
        except Conflict:
            return
        told.append(word)

    for turn in range(ROUNDS):
        seen = await asyncio.gather(*(place.read() for _ in range(WRITERS)))
        await asyncio.gather(*(write(f"{careful}-{turn}-{writer}", one) for writer, one in enumerate(seen)))
    return told


async def test_with_versions_nothing_is_lost_and_the_naive_way_loses_nearly_all(place: Place) -> None:
    before = await place.read()
    told = await written(place, careful=True)
    after = await place.read()
    assert after.words == told
    assert after.version - before.version == len(told) == ROUNDS
    naive = await written(place, careful=False)
    assert len(naive) == ROUNDS * WRITERS, "everybody is told that it was done"
    last = await place.read()
    assert last.version - after.version == len(naive), "and it was, one after the other"
    assert len(set(naive) - set(last.words)) == ROUNDS * (WRITERS - 1)


async def test_whoever_reads_again_gets_through(place: Place) -> None:
    """As clients do it: told that it is stale, they read, add their word and try again."""

    async def write(word: str) -> None:
        while True:
            seen = await place.read()
            try:
                await place.write([*seen.words, word], seen.version)
            except Conflict:
                continue
            return

    before = (await place.read()).version
    await asyncio.gather(*(write(f"w{number}") for number in range(8)))
    after = await place.read()
    assert sorted(after.words) == [f"w{number}" for number in range(8)]
    assert after.version - before == 8


async def test_a_stale_version_changes_nothing(place: Place) -> None:
    stale = (await place.read()).version
    await place.write(["first"], stale)
    with pytest.raises(Conflict):
        await place.write(["late"], stale)
    assert (await place.read()).words == ["first"]
