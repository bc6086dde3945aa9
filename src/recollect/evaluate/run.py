"""Stores a data set through the front door, asks its questions, and counts what is found."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from recollect import inputs
from recollect.evaluate.cases import Case, Dataset, Store
from recollect.evaluate.loaders import load
from recollect.evaluate.metrics import Outcome, Summary, summary
from recollect.models.tokens import default_counter
from recollect.opening import Recollect
from recollect.settings import Settings

#: Told what is done, how much of it, and how much there is.
Progress = Callable[[str, int, int], None]
AGENT = "evaluate"
LIMIT = 10


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one file."""

    dataset: str
    model: str
    messages: int
    overall: Summary
    kinds: dict[str, Summary]
    unknown_evidence: int = 0
    """Ids of evidence that no message has; they count as not found."""


async def evaluate(
    files: Sequence[Path],
    *,
    memories: Path | None = None,
    threshold: float | None = None,
    progress: Progress | None = None,
) -> list[Report]:
    """Evaluate files in an embedded database of their own, which is thrown away."""
    check_threshold(threshold)
    datasets = [load(path, memories) for path in files]
    with tempfile.TemporaryDirectory(prefix="recollect-evaluate-") as folder:
        settings = Settings.read(data_dir=str(Path(folder) / "data"))
        # Whatever database or cache the environment names is for other things.
        settings = msgspec.structs.replace(settings, database=None, cache=None)
        async with Recollect.open(settings=settings) as memory:
            return [
                await _evaluate(memory, one, f"file-{number}", threshold, progress or _quiet)
                for number, one in enumerate(datasets, 1)
            ]


def check_threshold(threshold: float | None) -> None:
    """Refuse what is no score."""
    if threshold is not None:
        inputs.share("threshold", threshold)


async def _evaluate(
    memory: Recollect, dataset: Dataset, owner: str, threshold: float | None, progress: Progress
) -> Report:
    """The figures of one file; ``owner`` begins the names of its users, as two files may use the same ones."""
    outcomes: list[Outcome] = []
    stored = unknown = 0
    questions = sum(len(store.cases) for store in dataset.stores)
    for number, store in enumerate(dataset.stores):
        user = f"{owner}/store-{number}"
        ids = await _store(memory, store, user)
        stored += len(ids)
        known = set(ids.values())
        unknown += sum(len(set(case.gold) - known) for case in store.cases)
        progress(f"{dataset.name}: store", number + 1, len(dataset.stores))
        # The first question finds messages without vectors and makes them; that is not its latency.
        await _ask(memory, Case(question="anything", gold=[]), user, ids, threshold)
        for case in store.cases:
            outcomes.append(await _ask(memory, case, user, ids, threshold))
            progress(f"{dataset.name}: ask", len(outcomes), questions)
    counter = default_counter()
    kinds = sorted({one.case.kind for one in outcomes if one.case.kind})
    return Report(
        dataset=dataset.name,
        model=memory.model,
        messages=stored,
        overall=summary(outcomes, counter),
        kinds={kind: summary([one for one in outcomes if one.case.kind == kind], counter) for kind in kinds},
        unknown_evidence=unknown,
    )


async def _store(memory: Recollect, store: Store, user: str) -> dict[tuple[str, int], str]:
    """Every session becomes a conversation; returns which turn each message is."""
    ids: dict[tuple[str, int], str] = {}
    for turns in store.sessions:
        chat = await memory.new_conversation(user, AGENT)
        for start in range(0, len(turns), 1000):
            some = turns[start : start + 1000]
            kept = await chat.extend([one.message for one in some])
            ids |= {(message.conversation, message.seq): one.id for message, one in zip(kept, some, strict=True)}
    return ids


async def _ask(
    memory: Recollect,
    case: Case,
    user: str,
    ids: dict[tuple[str, int], str],
    threshold: float | None,
) -> Outcome:
    start = time.perf_counter()
    hits = await memory.recall(
        case.question, user, AGENT, limit=LIMIT, threshold=threshold, as_of=case.asked_at, over="messages"
    )
    seconds = time.perf_counter() - start
    found = [ids[hit.message.conversation, hit.message.seq] for hit in hits if hit.message is not None]
    return Outcome(case=case, found=found, texts=[hit.text for hit in hits], seconds=seconds)


def _quiet(what: str, done: int, of: int) -> None:
    """Says nothing."""
