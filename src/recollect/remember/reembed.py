"""After a change of the embedding model: new vectors beside the old ones, a batch at a time.

The old generation serves until the new one is complete; then the new one serves, from one statement to the next,
and the old vectors are dropped. It can be stopped at any moment and started again: what is done is done.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import msgspec

from recollect.errors import Conflict
from recollect.models.generations import Embedders
from recollect.models.many import vectors_of_many
from recollect.observe.logs import say
from recollect.ports import Embedder
from recollect.records import Caller
from recollect.storage.database import Database, Row, Transaction
from recollect.storage.vectors import sent
from recollect.text.spoken import LONGEST, spoken

BATCH = 200
#: How work has come about: somebody wants it, or a worker saw that the settings have changed.
ASKED_FOR = "asked for"
NOTICED = "noticed"
#: So often the switch looks whether anything was written meanwhile; then it is left to the next step.
ROUNDS = 5
#: Seconds after which nobody is taken to be filling a generation any more, and a rolling update to be over.
QUIET = 3600.0

#: Told how many are done, and how many there are.
Progress = Callable[[int, int], None]


class Remaining(msgspec.Struct, frozen=True):
    """What is left to do; true as long as there is anything."""

    memories: int = 0
    messages: int = 0
    """Vectors to make."""
    old: int = 0
    """Memories whose old vector has served its time."""
    filling: bool = False
    """Whether the model still has to begin to serve."""

    def __bool__(self) -> bool:
        return bool(self.memories or self.messages or self.old or self.filling)


async def reembed(database: Database, caller: Caller, embedders: Embedders, progress: Progress | None) -> int:
    """Give every memory and message vector of the tenant to the current model; returns how many memories. Conflict
    if somebody sets another one meanwhile: the newest word counts, or two would undo each other's work."""
    start = left = await _remaining(database, caller, embedders.current)
    total = start.memories + start.messages
    async with database.transaction(caller.tenant) as transaction:
        await _ask_for(transaction, embedders.current)
    again = True
    while True:
        before, left = left, await reembed_some(database, caller, embedders, BATCH, again=again)
        if progress is not None and before.memories + before.messages:
            progress(max(total - left.memories - left.messages, 0), total)
        if not left:
            await _must_have_won(database, caller, embedders.current)
            return start.memories
        again = False


async def _ask_for(transaction: Transaction, embedder: Embedder) -> None:
    """Somebody wants this model, and so no longer what was asked for before."""
    await transaction.run("drop_asked_for", ASKED_FOR, subject(ASKED_FOR, embedder))


async def _must_have_won(database: Database, caller: Caller, embedder: Embedder) -> None:
    rows = await database.read(caller.tenant, "generations")
    models = {row["status"]: row["model"] for row in rows}
    if models.get("serving", embedder.name) != embedder.name:
        other = models.get("filling", models["serving"])
        raise Conflict(f"the embedding model was set to {other} meanwhile; {embedder.name} does not serve")


async def reembed_later(database: Database, caller: Caller, embedder: Embedder) -> None:
    """Let a worker with the same settings do it, also with a model that has served before."""
    async with database.transaction(caller.tenant) as transaction:
        await _ask_for(transaction, embedder)
        await transaction.run("mark_work", "reembed", subject(ASKED_FOR, embedder), "")
        await transaction.run("record_audit", caller.actor, "memory.reembed_later", None, embedder.name)


def subject(how: str, embedder: Embedder) -> str:
    """What work is about. It names the model, since workers with other settings, as in a rolling update, must not
    take it for theirs and call it done."""
    return f"{how}: {embedder.name}"


def told_by(subject: str) -> tuple[str, str | None]:
    """How work has come about, and for which model; none is named by what earlier versions have marked."""
    how, named, model = subject.partition(": ")
    return how, model if named else None


async def other_model_serves(database: Database, caller: Caller, embedders: Embedders) -> bool:
    """Whether background work should make new vectors; where only a person may say so, this is logged."""
    rows = await database.read(caller.tenant, "generations")
    current = embedders.current.name
    serving = next((row for row in rows if row["status"] == "serving"), None)
    if serving is None or serving["model"] == current:
        return False
    if _by_itself(rows, embedders):
        return True
    if serving["unchanged"] >= QUIET and not any(row["status"] == "filling" for row in rows):
        say(logging.WARNING, "reembed.by_hand", tenant=caller.tenant, model=current, serving=serving["model"])
    return False


async def reembed_some(
    database: Database, caller: Caller, embedders: Embedders, most: int = 500, *, again: bool = False
) -> Remaining:
    """One step of at most so many vectors; call it until nothing remains.

    With ``again`` a person says so, and any model is taken up; else see ``_by_itself``.
    """
    embedder = embedders.current
    rows = await database.read(caller.tenant, "generations")
    serving = next((row["model"] for row in rows if row["status"] == "serving"), None)
    embedders.heard(caller.tenant, serving)
    if serving is None:
        return Remaining()
    if serving == embedder.name:
        await _fill_memories(database, caller, embedder, most)  # written by a process with other settings
        await _settle(database, caller, embedder, most)
        return await _remaining(database, caller, embedder)
    if not again and not _by_itself(rows, embedders):
        return Remaining()
    if not any(row["model"] == embedder.name and row["status"] == "filling" for row in rows):
        async with database.transaction(caller.tenant) as transaction:
            await transaction.run("hold_generations")
            await transaction.run("begin_filling", embedder.name)
    made = await _fill_memories(database, caller, embedder, most)
    if made < most:
        made += await _fill_messages(database, caller, embedder, serving, most - made)
    if made < most and await _switched(database, caller, embedder, most):
        embedders.heard(caller.tenant, embedder.name)
    return await _remaining(database, caller, embedder)


def _by_itself(rows: Sequence[Row], embedders: Embedders) -> bool:
    """Whether the model of the settings is taken up, where another one serves, without a person's word.

    One that is new is, and one that was replaced before it served, once nobody fills the other any more. One that
    has served comes back only where the one that serves cannot be run with these settings, and has served for a
    while: else processes with different settings, as in a rolling update, would undo each other's work for ever.
    Of two of them at most one cannot run the other's model, so this ends as well.
    """
    own = next((row["status"] for row in rows if row["model"] == embedders.current.name), None)
    if own in (None, "filling"):
        return True
    filling = [row for row in rows if row["status"] == "filling"]
    if any(row["unchanged"] < QUIET for row in filling):
        return False
    if own == "replaced" and filling:
        return True
    serving = next(row for row in rows if row["status"] == "serving")
    return serving["unchanged"] >= QUIET and not embedders.can_run(serving["model"])


async def _remaining(database: Database, caller: Caller, embedder: Embedder) -> Remaining:
    (row,) = await database.read(caller.tenant, "count_remaining", embedder.name)
    return Remaining(row["memories"], row["messages"], row["old"], row["filling"])


async def _fill_memories(database: Database, caller: Caller, embedder: Embedder, most: int) -> int:
    rows = await database.read(caller.tenant, "unfilled_memories", embedder.name, most)
    if rows:
        made = await vectors_of_many(embedder, [row["key_point"] for row in rows])
        ids, versions = [row["id"] for row in rows], [row["version"] for row in rows]
        vectors = [sent(vector) for vector in made]
        async with database.transaction(caller.tenant) as transaction:
            await transaction.run("fill_memories", embedder.name, ids, versions, vectors)
            await transaction.run("go_on_filling", embedder.name)
    return len(rows)


async def _fill_messages(database: Database, caller: Caller, embedder: Embedder, serving: str, most: int) -> int:
    """From where the last step ended; at the end once more from the beginning: vectors may have come since."""
    rows = await database.read(caller.tenant, "generations")
    reached = next((row for row in rows if row["model"] == embedder.name), None)
    after = (None, None) if reached is None else (reached["reached_conversation"], reached["reached_seq"])
    wanted = ("unfilled_messages", embedder.name, serving, most, LONGEST)
    rows = await database.read(caller.tenant, *wanted, *after)
    if not rows and after[0] is not None:
        rows = await database.read(caller.tenant, *wanted, None, None)
    if not rows:
        return 0
    made = await vectors_of_many(embedder, [spoken(row["name"], row["content"]) for row in rows])
    conversations, seqs = [row["conversation"] for row in rows], [row["seq"] for row in rows]
    async with database.transaction(caller.tenant) as transaction:
        vectors = [sent(one) for one in made]
        await transaction.run("store_message_vectors", conversations, seqs, embedder.name, vectors)
        await transaction.run("remember_reached", embedder.name, conversations[-1], seqs[-1])
        await transaction.run("go_on_filling", embedder.name)
    return len(rows)


async def _switched(database: Database, caller: Caller, embedder: Embedder, most: int) -> bool:
    """Let the new generation serve, if nothing was written since; writers wait, so that nothing slips through.

    They never wait for the model, which may hang: what was written is embedded in between. A message without a
    vector is given one by the recall that meets it, and holds nothing up.
    """
    for _ in range(ROUNDS):
        async with database.transaction(caller.tenant) as transaction:
            await transaction.run("hold_generations")
            rows = await transaction.rows("generations")
            if not any(row["model"] == embedder.name and row["status"] == "filling" for row in rows):
                return False  # somebody has thought better of it
            if not await transaction.rows("unfilled_memories", embedder.name, 1):
                await transaction.run("retire_serving")
                await transaction.run("begin_serving", embedder.name)
                await transaction.run("record_audit", caller.actor, "memory.reembed", None, embedder.name)
                return True
        if await _fill_memories(database, caller, embedder, most) == most:
            return False  # much was written, and there may be more
    return False


async def _settle(database: Database, caller: Caller, embedder: Embedder, most: int) -> None:
    """The generation that serves takes the place of the one before."""
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("settle_memories", embedder.name, most)
        await transaction.run("drop_old_message_vectors", embedder.name, most)
        await transaction.run("drop_old_document_vectors", embedder.name, most)
