"""The old generation of vectors serves until the new one is complete; vectors of two are never compared."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import asyncpg
import numpy as np
import pytest
from numpy.typing import NDArray

from recollect import Conflict, Recollect, Unavailable
from recollect.door import Door
from recollect.handle import Models
from recollect.models.generations import vector_text
from recollect.models.tokens import default_counter
from recollect.remember.reembed import reembed_some
from recollect.storage.database import Database, Row
from recollect.storage.migrations import migrate, shipped
from steps import stretches

MEANINGS = [("hound", "puppy", "terrier"), ("tea", "espresso", "beverage"), ("porto", "town", "village")]


class Thesaurus:
    """Knows three meanings, each by several words; two of different dimensions cannot be compared at all."""

    def __init__(self, name: str, dimension: int) -> None:
        self.name, self.dimension = name, dimension
        self.seen: list[str] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.seen += texts
        rows = np.full((len(texts), self.dimension), 1e-3, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for place, words in enumerate(MEANINGS):
                row[place] += any(re.search(rf"\b{word}s?\b", text, re.IGNORECASE) for word in words)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def relatedness(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(cosine, np.float32)


class World:
    """Processes of one tenant, each with its settings."""

    def __init__(self, memory: Recollect, admin: asyncpg.Connection) -> None:
        self.old, self.new = Thesaurus("old", 4), Thesaurus("new", 7)
        self.database, self._caller = memory._database, memory._caller  # pyright: ignore[reportPrivateUsage]
        self._admin, self.tenant = admin, memory.tenant

    def door(self, embedder: Thesaurus, *, alone: bool = False, database: Database | None = None) -> Door:
        known = {} if alone else {"old": self.old, "new": self.new}
        return Door(database or self.database, self._caller, Models(lambda: embedder, default_counter, known.get))

    async def step(self, door: Door, most: int, **options: Any) -> bool:
        embedders = door._models.embedders  # pyright: ignore[reportPrivateUsage]
        return bool(await reembed_some(self.database, self._caller, embedders, most, **options))

    async def pass_time(self, hours: float) -> None:
        """As if everything had happened so much earlier, though nobody has fallen silent."""
        ago = f"- interval '{hours} hours'"
        for change in (
            f"recollect.work set due_at = due_at {ago}, created_at = created_at {ago} where kind <> 'settle' and",
            f"recollect.embedding_generations set changed_at = changed_at {ago} where",
        ):
            await self._admin.execute(f"update {change} tenant = $1", self.tenant)

    async def message_vectors(self) -> dict[str, int]:
        count = "select model, count(*) from recollect.message_vectors where tenant = $1 group by model"
        return dict(await self.rows(count))

    async def reembed_work(self) -> list[Any]:
        return await self.rows(
            "select subject, attempts, leased_until from recollect.work where tenant = $1 and kind = 'reembed'"
        )

    async def rows(self, sql: str) -> list[Any]:
        return [tuple(row) for row in await self._admin.fetch(sql, self.tenant)]

    async def generations(self) -> dict[str, str]:
        return dict(await self.rows("select model, status from recollect.embedding_generations where tenant = $1"))

    async def vectors(self) -> list[Any]:
        return await self.rows(
            "select distinct model, vector_dims(embedding), next_model, vector_dims(next_embedding) "
            "from recollect.memories where tenant = $1 order by 1, 2, 3, 4"
        )


@pytest.fixture
def world(memory: Recollect, admin: asyncpg.Connection) -> World:
    return World(memory, admin)


async def learned(door: Door, count: int = 30) -> None:
    for number in range(count):
        words = MEANINGS[number % 3]
        await door.remember(f"fact {number} of some {words[0]}", user="ana", agent="cook")


async def found(door: Door, query: str, **options: Any) -> list[str]:
    """By meaning alone: the questions share no word with what is known."""
    hits = await door.recall(query, user="ana", agent="cook", limit=100, **options)
    assert all("meaning" in hit.why for hit in hits)
    return sorted(hit.text for hit in hits)


async def test_everything_is_found_by_meaning_all_the_way(world: World) -> None:
    await learned(world.door(world.old))
    door = world.door(world.new)
    expected = [await found(door, words[1]) for words in MEANINGS]
    assert [len(one) for one in expected] == [10, 10, 10]
    halves = 0
    while True:
        more = await world.step(door, 7)
        halves += ("old", 4, "new", 7) in await world.vectors() and ("old", 4, None, None) in await world.vectors()
        assert [await found(door, words[2]) for words in MEANINGS] == expected
        assert [await found(world.door(world.new), words[1]) for words in MEANINGS] == expected
        assert [await found(world.door(world.old), words[1]) for words in MEANINGS] == expected
        if not more:
            break
    assert halves > 2, "there were moments with some of both"
    assert await world.vectors() == [("new", 7, None, None)]
    assert await world.generations() == {"old": "retired", "new": "serving"}


async def test_the_old_one_is_asked_until_the_switch_and_never_again(world: World) -> None:
    await learned(world.door(world.old))
    await world.step(world.door(world.new), 20)
    door = world.door(world.new)
    world.new.seen.clear()
    assert await found(door, "puppy")
    assert world.new.seen == ["puppy"], "a new process does not know yet; the answer tells it"
    world.old.seen.clear()
    assert await found(door, "terrier")
    assert (world.new.seen, world.old.seen) == (["puppy"], ["terrier"]), "from then on it knows"
    while await world.step(world.door(world.new), 20):
        pass
    assert await found(door, "puppy")
    world.old.seen.clear()
    assert await found(door, "terrier")
    assert world.old.seen == []


async def test_the_context_of_a_prompt_is_asked_for_the_same_way(world: World) -> None:
    await world.door(world.old).remember("fact about a hound", user="ana", agent="cook")
    door = world.door(world.new)
    chat = await door.conversation(user="ana", agent="cook")
    for _ in range(4):
        context = await chat.context("which puppy?")
        assert [hit.text for hit in context.memories] == ["fact about a hound"]
        await world.step(door, 1)


async def test_it_can_be_stopped_and_goes_on(world: World) -> None:
    await learned(world.door(world.old), 9)

    class Stopped(Exception):
        pass

    class Dying(Thesaurus):
        async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if len(self.seen) >= 4:
                raise Stopped
            return await super().embed(texts)

    dying = world.door(Dying("new", 7))
    await world.step(dying, 4)
    with pytest.raises(Stopped):
        await world.step(dying, 4)
    assert await world.rows(
        "select count(*) from recollect.memories where tenant = $1 and next_model = 'new'"
    ) == [(4,)]
    seen: list[tuple[int, int]] = []
    assert await world.door(world.new).reembed(lambda done, of: seen.append((done, of))) == 5
    assert len([text for text in world.new.seen if text.startswith("fact")]) == 5, "what is done is done"
    assert seen[-1] == (5, 5)
    assert await world.door(world.new).reembed() == 0
    assert await world.vectors() == [("new", 7, None, None)]


async def test_what_is_written_meanwhile_is_found_at_once_and_afterwards(world: World) -> None:
    await learned(world.door(world.old), 6)
    door, other = world.door(world.new), world.door(world.old)
    await world.step(door, 3)
    for number, writer in enumerate((door, other)):
        await writer.remember(f"new hound {number}", user="ana", agent="cook")
        for reader in (door, other, world.door(world.new)):
            assert f"new hound {number}" in await found(reader, "puppy")
    while await world.step(door, 3):
        assert {"new hound 0", "new hound 1"} <= set(await found(door, "puppy"))
    await other.remember("hound of a process with the old settings", user="ana", agent="cook")
    assert len(await found(door, "puppy")) == len(await found(other, "puppy")) == 5
    assert await world.vectors() == [("new", 7, None, None)]


async def test_writers_all_through_the_change(world: World) -> None:
    old, new = world.door(world.old), world.door(world.new)
    await learned(old, 12)

    async def write(door: Door, name: str) -> None:
        for number in range(20):
            await door.remember(f"{name} {number} hound", user="ana", agent="cook")

    async def change() -> None:
        while await world.step(new, 5):
            pass

    await asyncio.gather(write(old, "a"), write(new, "b"), change())
    await change()
    assert len(await found(new, "puppy")) == 44
    assert await world.vectors() == [("new", 7, None, None)]


class Hanging(Thesaurus):
    """Embeds a text of which it was told not before it is let go."""

    def __init__(self, name: str, dimension: int, word: str) -> None:
        super().__init__(name, dimension)
        self.word, self.asked, self.go = word, asyncio.Event(), asyncio.Event()

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if any(self.word in text for text in texts):
            self.asked.set()
            await self.go.wait()
        return await super().embed(texts)


async def test_nobody_waits_for_a_model_that_hangs_during_the_switch(world: World) -> None:
    old = world.door(world.old)

    class Late(Hanging):
        """While it embeds messages, somebody says something: only the switch is left to see it."""

        async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if any("message" in text for text in texts):
                await old.remember("the last hound", user="ana", agent="cook")
            return await super().embed(texts)

    hanging = Late("new", 7, "last")
    await learned(old, 3)
    await said(old, 3)
    new = world.door(hanging)
    change = asyncio.create_task(new.reembed())
    try:
        await hanging.asked.wait()
        async with asyncio.timeout(20):
            await old.remember("one more hound", user="ana", agent="cook")
            await old.new_conversation(user="ben", agent="cook")
            await old.edit_notes("append", "something", user="ana", agent="cook")
        assert await world.generations() == {"old": "serving", "new": "filling"}
    finally:
        hanging.go.set()
        await change
    assert await world.generations() == {"old": "retired", "new": "serving"}
    assert await world.vectors() == [("new", 7, None, None)]
    assert len(await found(new, "puppy")) == 3


async def test_nothing_is_held_while_the_model_that_serves_is_asked(
    world: World, admin: asyncpg.Connection
) -> None:
    await learned(world.door(world.old), 3)
    world.old = hanging = Hanging("old", 4, "last")
    late = asyncio.create_task(world.door(world.new).remember("the last hound", user="ana", agent="cook"))
    try:
        await hanging.asked.wait()
        await admin.execute("select from recollect.tenants where tenant = $1 for update nowait", world.tenant)
    finally:
        hanging.go.set()
        await late
    assert await world.vectors() == [("old", 4, None, None)]


async def test_what_a_model_wrote_that_nobody_else_knows_of_is_found_by_its_words(world: World) -> None:
    await learned(world.door(world.old), 3)
    await world.door(world.new).reembed()
    third = world.door(Thesaurus("third", 5), alone=True)  # which cannot ask the one that serves
    await third.remember("a chess board", user="bea", agent="cook")
    assert "third" not in await world.generations()
    for door in (world.door(world.new), third):
        hits = await door.recall("chess", user="bea", agent="cook")
        assert [hit.text for hit in hits] == ["a chess board"]


async def _while_asked(
    hanging: Hanging, change: Awaitable[object], admin: asyncpg.Connection, tenant: str
) -> None:
    """Make a change, and see that nothing is held while the model is asked for it."""
    task = asyncio.ensure_future(change)
    try:
        await hanging.asked.wait()
        await admin.execute("select from recollect.tenants where tenant = $1 for update nowait", tenant)
    finally:
        hanging.go.set()
        await task


async def test_nothing_is_held_either_while_a_memory_is_revised_or_learned(
    world: World, admin: asyncpg.Connection
) -> None:
    old = world.door(world.old)
    kept = await old.remember("a hound", user="ana", agent="cook")
    world.old = hanging = Hanging("old", 4, "last")
    await _while_asked(hanging, world.door(world.new).revise(kept.id, "the last hound"), admin, world.tenant)
    chat = await old.conversation(user="ana", agent="cook")
    await chat.append("user", "I live in Porto.")
    world.old = hanging = Hanging("old", 4, "Porto")
    await _while_asked(hanging, world.door(world.new).digest(everything=True), admin, world.tenant)
    assert await world.vectors() == [("old", 4, None, None)]
    known = [one.text for one in (await old.memories(user="ana", agent="cook")).items]
    assert sorted(known) == ["the last hound", "user lives in Porto"]


async def test_the_switch_is_tried_again_while_much_is_written(world: World) -> None:
    old = world.door(world.old)

    class Talkative(Thesaurus):
        """While it embeds, somebody says more."""

        left = 20

        async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if self.left:
                self.left -= 1
                await old.remember(f"hound number {self.left}", user="ana", agent="cook")
            return await super().embed(texts)

    await learned(old, 3)
    new = world.door(Talkative("new", 7))
    assert await world.step(new, 100)
    assert await world.generations() == {"old": "serving", "new": "filling"}, "a step ends, whatever is written"
    await new.reembed()
    assert await world.generations() == {"old": "retired", "new": "serving"}
    assert len(await found(new, "puppy")) == 21


async def test_a_step_that_ends_with_the_last_message_is_not_the_last(world: World) -> None:
    await said(world.door(world.old), 6)
    assert await world.step(world.door(world.new), 6), "the new one does not serve yet"
    while await world.step(world.door(world.new), 6):
        pass
    assert await world.generations() == {"old": "retired", "new": "serving"}


async def test_a_model_that_was_replaced_does_not_begin_to_serve(world: World) -> None:
    await learned(world.door(world.old), 3)
    hanging, third = Hanging("new", 7, "fact"), Thesaurus("third", 5)
    late = asyncio.create_task(world.step(world.door(hanging), 100))
    await hanging.asked.wait()
    await world.step(world.door(third), 3)
    hanging.go.set()
    await late
    assert (await world.generations())["old"] == "serving"
    while await world.step(world.door(third), 3):
        pass
    assert await world.vectors() == [("third", 5, None, None)]


async def test_revise_and_undo_in_the_middle(world: World) -> None:
    kept = await world.door(world.old).remember("fact of a hound", user="ana", agent="cook")
    other = await world.door(world.old).remember("fact of some tea", user="ana", agent="cook")
    door = world.door(world.new)
    await world.step(door, 1)
    await world.step(door, 1)
    assert await world.generations() == {"old": "serving", "new": "filling"}
    assert await world.vectors() == [("old", 4, "new", 7)], "both are filled, and the old one still serves"
    await door.revise(kept.id, "fact of some tea leaves")
    await door.revise(other.id, pinned=True)
    assert ("old", 4, None, None) in await world.vectors(), "the vector of the old text is gone"
    assert ("old", 4, "new", 7) in await world.vectors(), "that of the same text is kept"
    assert len(await found(door, "beverage")) == 2
    assert await found(door, "puppy") == []
    await world.step(door, 100)
    await door.undo(kept.id)
    for _ in range(2):
        assert await found(door, "puppy") == ["fact of a hound"]
        assert await found(door, "beverage") == ["fact of some tea"]
        while await world.step(door, 100):
            pass
    await door.forget(kept.id)
    assert await found(door, "puppy") == []


async def test_an_old_model_that_cannot_be_run_leaves_its_words(world: World) -> None:
    await learned(world.door(world.old), 9)
    door = world.door(world.new, alone=True)
    assert await found(door, "puppy") == []
    assert len(await door.recall("hound", user="ana", agent="cook")) == 3, "by its words"
    await door.remember("another hound", user="ana", agent="cook")
    assert await found(door, "puppy") == ["another hound"]
    await world.step(door, 8)
    assert len(await found(door, "puppy")) > 1, "what has its new vector is found by it"
    await door.reembed()
    assert len(await found(door, "puppy")) == 4


async def test_an_old_model_that_does_not_answer_keeps_no_import_out(world: World) -> None:
    await learned(world.door(world.old), 3)
    document = await world.door(world.old).export(user="ana")

    async def gone(texts: Sequence[str]) -> NDArray[np.float32]:
        raise Unavailable("embedder", "gone")

    world.old.embed = gone
    door = world.door(world.new)
    assert (await door.import_user(document, user="bob")).memories == 3
    assert len(await door.recall("puppy", user="bob", agent="cook")) == 1, "found as what is remembered now is"


async def test_a_new_model_that_does_not_answer_yet_keeps_nothing_out(world: World) -> None:
    await learned(world.door(world.old), 3)
    await said(world.door(world.old), 3)
    for text in ("tea", "hound", "porto"):
        await world.door(world.old).put_document(["shelf"], text, {"text": f"some {text}"})
    document = await world.door(world.old).export(user="ana")

    async def gone(texts: Sequence[str]) -> NDArray[np.float32]:
        raise Unavailable("embedder", "gone")

    world.new.embed = gone
    # Each of them has just begun, and takes the model of its settings for the one that serves.
    kept = await world.door(world.new).remember("fact about a hound", user="ana", agent="cook")
    assert (await world.door(world.new).revise(kept.id, text="fact about two hounds")).version == 2
    assert (await world.door(world.new).import_user(document, user="bob")).memories == 3
    assert "fact about two hounds" in await found(world.door(world.new), "puppy")
    hits = await world.door(world.new).recall("puppy", user="ana", agent="cook", over="messages")
    assert "meaning" in hits[0].why
    (hit,) = await world.door(world.new).search_documents("puppy", ["shelf"], limit=1)
    assert hit.document.key == "hound"
    assert await world.vectors() == [("old", 4, None, None)]


async def test_a_process_that_has_just_begun_learns_and_consolidates_as_the_others_do(world: World) -> None:
    old = world.door(world.old)
    for text in ("user lives in Porto", "the user lives in Porto"):
        await old.remember(text, user="ana", agent="cook", author="agent")
    chat = await old.conversation(user="ana", agent="cook")
    await chat.append("user", "I have a hound called Rex.")

    async def gone(texts: Sequence[str]) -> NDArray[np.float32]:
        raise Unavailable("embedder", "gone")

    world.new.embed = gone
    assert (await world.door(world.new).consolidate("ana", "cook")).retired == 1
    done = await world.door(world.new).digest(everything=True)
    assert (done.added, done.failed) == (1, 0)
    assert await world.vectors() == [("old", 4, None, None)]


async def test_a_retired_model_comes_back_only_if_a_person_says_so(world: World) -> None:
    await learned(world.door(world.old), 3)
    await world.door(world.new).reembed()
    late = world.door(world.old)
    assert not await world.step(late, 100), "the worker of an old deployment leaves it alone"
    assert await world.generations() == {"old": "retired", "new": "serving"}
    assert await late.reembed() == 3
    assert await world.vectors() == [("old", 4, None, None)]
    assert await world.generations() == {"old": "serving", "new": "retired"}


async def test_with_nothing_left_the_new_one_serves_at_once(world: World) -> None:
    kept = await world.door(world.old).remember("a hound", user="ana", agent="cook")
    await world.door(world.old).forget(kept.id)
    assert await world.door(world.new).reembed() == 0
    assert await world.generations() == {"old": "retired", "new": "serving"}


async def test_a_change_of_mind_half_way(world: World) -> None:
    await learned(world.door(world.old), 6)
    await world.step(world.door(world.new), 3)
    third = Thesaurus("third", 5)
    await world.door(third).reembed()
    assert await world.generations() == {"old": "retired", "new": "retired", "third": "serving"}
    assert await world.vectors() == [("third", 5, None, None)]
    assert len(await found(world.door(third), "puppy")) == 2


async def test_of_two_who_want_different_models_the_newest_word_counts(world: World) -> None:
    await learned(world.door(world.old), 210)
    new, third, made = world.door(world.new), world.door(Thesaurus("third", 5)), world.new.embed

    async def overtaken(texts: Sequence[str]) -> NDArray[np.float32]:
        world.new.embed = made
        await world.step(third, 7, again=True)
        return await made(texts)

    world.new.embed = overtaken
    with pytest.raises(Conflict, match="set to third meanwhile; new does not serve"):
        await new.reembed()
    assert await world.generations() == {"old": "serving", "new": "replaced", "third": "filling"}
    await new.reembed()  # once more is the newest word
    assert await world.generations() == {"old": "retired", "new": "serving", "third": "retired"}


async def test_what_was_asked_for_of_another_model_before_is_not_wanted_any_more(world: World) -> None:
    await learned(world.door(world.old), 3)
    new, third = world.door(world.new), world.door(Thesaurus("third", 5))
    await new.reembed_later()
    await third.reembed_later()
    await third.reembed_later()
    assert [subject for subject, _, _ in await world.reembed_work()] == ["asked for: third"]
    await new.reembed()
    assert await world.reembed_work() == []
    await third.digest()
    assert (await world.generations())["new"] == "serving"


async def test_a_model_that_was_replaced_before_it_served_is_taken_up_again(world: World) -> None:
    await said(world.door(world.old), 3)
    await learned(world.door(world.old), 6)
    new, third = world.door(world.new), world.door(Thesaurus("third", 5))
    await world.step(new, 3)
    await world.step(third, 3)
    for hours in (0, 0.5, 0.4):
        await world.pass_time(hours)
        assert not await world.step(new, 100), "somebody is at it: two settings do not take turns"
    assert await world.generations() == {"old": "serving", "new": "replaced", "third": "filling"}
    await world.step(third, 1)
    await world.pass_time(0.5)
    assert not await world.step(new, 100), "each step counts"
    await world.pass_time(1)
    await new.digest()
    assert await world.generations() == {"old": "retired", "new": "serving", "third": "retired"}
    assert await world.vectors() == [("new", 7, None, None)]
    assert await world.message_vectors() == {"new": 3}
    await world.pass_time(2)
    await third.digest()
    assert (await world.generations())["new"] == "serving", "the late worker of an update does not undo it"


async def test_a_model_comes_back_by_itself_where_the_other_cannot_be_run(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    await said(world.door(world.old), 3)
    await learned(world.door(world.old), 3)
    await world.door(world.new).reembed()
    back = world.door(world.old, alone=True)
    await back.digest()
    await world.pass_time(0.9)
    await back.digest()
    assert await world.generations() == {"old": "retired", "new": "serving"}, "it may be an update that goes on"
    await world.pass_time(1.1)
    await world.door(world.old).digest()
    assert await world.generations() == {"old": "retired", "new": "serving"}, "here the new one can be run"
    assert f"reembed.by_hand tenant={world.tenant} model=old serving=new" in caplog.text
    caplog.clear()
    await world.pass_time(1.1)
    await back.digest()
    assert await world.generations() == {"old": "serving", "new": "retired"}
    assert await world.vectors() == [("old", 4, None, None)]
    assert len(await found(back, "puppy")) == 1
    assert "reembed.by_hand" not in caplog.text
    await world.pass_time(2)
    await world.door(world.new).digest()
    assert await world.generations() == {"old": "serving", "new": "retired"}, "and it is not undone"


async def test_messages_are_found_by_meaning_all_the_way(world: World) -> None:
    old, new = world.door(world.old), world.door(world.new)
    said = [("user", f"fact {number} of some {MEANINGS[number % 3][0]}") for number in range(9)]
    for _ in range(2):
        await (await old.new_conversation(user="ana", agent="cook")).extend(said)
    chat = await old.new_conversation(user="ana", agent="cook")
    await chat.extend(said)
    look = {"user": "ana", "agent": "cook", "over": "messages", "limit": 5, "threshold": 0.0}
    assert await old.recall("puppy", **look)
    more, steps = True, 0
    while more:
        more = await world.step(new, 6)
        if steps == 2:
            await chat.append("user", "a message in between of a hound")
        for reader in (new, world.door(world.new), old):
            assert all("hound" in hit.text for hit in await reader.recall("puppy", **look)), steps
        steps += 1
    assert steps > 5
    assert await world.message_vectors() == {"new": 28}
    world.new.seen.clear()
    assert await world.door(world.new).recall("puppy", **look)
    assert world.new.seen == ["puppy"], "no message is embedded again"


async def test_others_go_on_while_vectors_are_written(world: World) -> None:
    wide = Thesaurus("wide", 3072)
    await learned(world.door(world.old), 100)
    async with stretches() as stalls:
        await world.door(wide).reembed()
    rows = await wide.embed(["hound"] * 100)
    before = time.thread_time()
    for row in rows:
        vector_text(row)
    assert max(stalls) < (time.thread_time() - before) / 2, "less than to write half of them as text"
    assert len(await found(world.door(wide), "puppy")) == 34


async def said(door: Door, count: int = 9) -> None:
    """Messages that have vectors, since somebody has looked for them."""
    chat = await door.new_conversation(user="ana", agent="cook")
    await chat.extend([("user", f"message {number} of some {MEANINGS[number % 3][0]}") for number in range(count)])
    await door.recall("puppy", user="ana", agent="cook", over="messages")


async def test_a_process_with_the_old_settings_drops_nothing_that_is_being_filled(world: World) -> None:
    old, new = world.door(world.old), world.door(world.new)
    await said(old)
    await world.step(new, 6)
    while await world.step(old, 6):
        pass
    assert await world.message_vectors() == {"old": 9, "new": 6}
    while await world.step(new, 6):
        pass
    assert await world.message_vectors() == {"new": 9}
    await new.recall("puppy", user="ana", agent="cook", over="messages")
    assert len([text for text in world.new.seen if text.startswith("message")]) == 9, "each was embedded once"


async def test_a_worker_with_the_old_settings_leaves_the_work_to_others(world: World) -> None:
    old, new = world.door(world.old), world.door(world.new)
    await said(old, 510)
    await old.digest()
    await new.reembed_later()
    for step in range(3):
        done = await old.digest()
        assert (done.done, done.passed_on, done.failed) == (0, 1, 0), "and it does not come back to us at once"
        assert await world.reembed_work() == [("asked for: new", 0, None)], "as if it had not been tried"
        await world.pass_time(0.1)
        if step == 1:
            assert (await new.digest(most=1)).done == 1
            assert await world.message_vectors() == {"old": 510, "new": 500}
    await world.pass_time(1)
    assert not (await new.digest()).passed_on
    assert await world.generations() == {"old": "retired", "new": "serving"}
    assert await world.message_vectors() == {"new": 510}
    assert await world.reembed_work() == []


async def test_what_a_worker_notices_is_left_to_others_as_well(world: World) -> None:
    old, new = world.door(world.old), world.door(world.new)
    await said(old)
    await learned(old, 3)
    await world.pass_time(2)
    await new.digest(most=1)
    assert await world.reembed_work() == [("noticed: new", 0, None)]
    assert (await old.digest()).passed_on == 1
    await world.pass_time(1)
    await new.digest()
    assert await world.generations() == {"old": "retired", "new": "serving"}


async def test_what_was_noticed_and_is_wanted_no_longer_does_not_stay(world: World) -> None:
    old, new = world.door(world.old), world.door(world.new)
    await learned(old, 3)
    await world.pass_time(2)
    await new.digest(most=1)
    await new.reembed_later()
    await world.pass_time(20)
    assert (await old.digest()).passed_on == 2
    await world.pass_time(5)
    assert (await old.digest()).passed_on >= 1
    assert await world.reembed_work() == [("asked for: new", 0, None)], "what a person wants stays"


async def test_work_that_names_no_model_is_for_whoever_takes_it(world: World) -> None:
    """Marked by an earlier version."""
    await learned(world.door(world.old), 3)
    async with world.database.transaction(world.tenant) as transaction:
        await transaction.run("mark_work", "reembed", "asked for", "")
    await world.door(world.new).digest()
    assert await world.generations() == {"old": "retired", "new": "serving"}


async def test_one_generation_costs_one_statement(world: World) -> None:
    class Counted(Database):
        def __init__(self, inner: Database) -> None:
            self._inner, self.calls = inner, [""][:0]

        async def call(self, query: str, *args: object) -> Sequence[Row]:
            self.calls.append(query)
            return await self._inner.call(query, *args)

    await learned(world.door(world.old), 3)
    counted = Counted(world.database)
    door = world.door(world.old, database=counted)
    for _ in range(2):
        await found(door, "village")  # which is no matter that is told in other words, too
    assert counted.calls == ["find_memories"] * 2


async def test_what_was_there_before_serves_after_the_migration(
    new_database: Callable[[], Awaitable[str]],
) -> None:
    connection = await asyncpg.connect(await new_database())
    try:
        steps = shipped()
        here = next(place for place, step in enumerate(steps) if step.name == "generations")
        await migrate(connection, steps[:here])
        await connection.execute("insert into recollect.tenants (tenant) values ('t'), ('empty')")
        await connection.execute(
            "insert into recollect.memories (tenant, id, user_id, pool, agent, key_point, author, fingerprint, words, model, embedding)"
            " select 't', gen_random_uuid(), 'ana', 'cook', 'cook', 'x', 'user', n::text::bytea, '', "
            " case when n < 3 then 'few' else 'many' end, '[1]' from generate_series(1, 9) as n"
        )
        await migrate(connection, steps[: here + 1])
        rows = await connection.fetch("select tenant, model, status from recollect.embedding_generations")
        assert [tuple(row) for row in rows] == [("t", "many", "serving")]
        forced = await connection.fetchval(
            "select count(*) from pg_class where relnamespace = 'recollect'::regnamespace and relkind = 'r' "
            "and relrowsecurity and not relforcerowsecurity"
        )
        assert forced == 0, "the wall stands again"
    finally:
        await connection.close()
