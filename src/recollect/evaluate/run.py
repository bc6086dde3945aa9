"""Stores a data set through the front door, asks its questions, and counts what is found."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.evaluate.cases import Case, Dataset, Store
from recollect.evaluate.loaders import load
from recollect.evaluate.metrics import Outcome, Summary, summary
from recollect.models.tokens import default_counter
from recollect.opening import Recollect
from recollect.remember.learning import MAX_LEARNED
from recollect.settings import Settings
from recollect.storage.embedded.throwaway import throwaway
from recollect.text.fence import one_line

#: What is searched: all that was said, or the facts that the file has beside it.
Over = Literal["messages", "memories"]
#: Told what is done, how much of it, and how much there is.
Progress = Callable[[str, int, int], None]
AGENT = "evaluate"
LIMIT = 10
#: So many questions of the other files are asked of each.
STRANGE = 200


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one file."""

    dataset: str
    model: str
    over: Over = "messages"
    messages: int
    """How many were stored; memories, where these were asked for."""
    overall: Summary
    kinds: dict[str, Summary]
    unknown_evidence: int = 0
    """Ids of evidence that no message has; they count as not found."""
    strange: int = 0
    """Questions of the other files that were asked of this one, which holds no answer to them, …"""
    strange_found: int = 0
    """… and how many of these found something all the same."""


async def evaluate(
    files: Sequence[Path],
    *,
    memories: Path | None = None,
    threshold: float | None = None,
    over: Over = "messages",
    progress: Progress | None = None,
) -> list[Report]:
    """Evaluate files in an embedded database of their own, which is thrown away."""
    check_threshold(threshold)
    datasets = [load(path, memories) for path in files]
    if over == "memories":
        for path, one in zip(files, datasets, strict=True):
            if not any(store.facts for store in one.stores):
                raise Invalid("over", f"{path.name} has no facts beside what was said, so there are no memories")
    with throwaway("recollect-evaluate-") as folder:
        settings = Settings.read(data_dir=str(folder / "data"))
        # Whatever database or cache the environment names is for other things.
        settings = msgspec.structs.replace(settings, database=None, cache=None)
        async with Recollect.open(settings=settings) as memory:
            how, told = Ask(threshold, over), progress or _quiet
            reports = [
                await _evaluate(memory, one, _owner(number), how, told) for number, one in enumerate(datasets)
            ]
            return [
                await _strangely(memory, report, number, datasets, how, told)
                for number, report in enumerate(reports)
            ]


def check_threshold(threshold: float | None) -> None:
    """Refuse what is no score."""
    if threshold is not None:
        inputs.share("threshold", threshold)


class Ask(NamedTuple):
    """How questions are asked."""

    threshold: float | None
    over: Over


async def _evaluate(memory: Recollect, dataset: Dataset, owner: str, how: Ask, progress: Progress) -> Report:
    """The figures of one file; ``owner`` begins the names of its users, as two files may use the same ones."""
    outcomes: list[Outcome] = []
    stored = unknown = 0
    questions = sum(len(store.cases) for store in dataset.stores)
    for number, store in enumerate(dataset.stores):
        user = _user(owner, number)
        if how.over == "messages":
            ids, cases = await _store(memory, store, user), store.cases
        else:
            ids, cases = await _remember(memory, store, user)
            questions -= len(store.cases) - len(cases)
        stored += len(ids)
        known = set(ids.values())
        unknown += sum(len(set(case.gold) - known) for case in cases)
        progress(f"{dataset.name}: store", number + 1, len(dataset.stores))
        # The first question finds messages without vectors and makes them; that is not its latency.
        await _ask(memory, Case(question="anything", gold=[]), user, ids, how)
        for case in cases:
            outcomes.append(await _ask(memory, case, user, ids, how))
            progress(f"{dataset.name}: ask", len(outcomes), questions)
    counter = default_counter()
    kinds = sorted({one.case.kind for one in outcomes if one.case.kind})
    return Report(
        dataset=dataset.name,
        model=memory.model,
        over=how.over,
        messages=stored,
        overall=summary(outcomes, counter),
        kinds={kind: summary([one for one in outcomes if one.case.kind == kind], counter) for kind in kinds},
        unknown_evidence=unknown,
    )


async def _strangely(
    memory: Recollect, report: Report, number: int, datasets: Sequence[Dataset], how: Ask, progress: Progress
) -> Report:
    """The figures of a file with how often it answers what only the other files know; they are asked of its stores
    in turn."""
    others = [one for place, one in enumerate(datasets) if place != number]
    cases = [case for one in others for store in one.stores for case in store.cases]
    some = cases[:: max(1, -(-len(cases) // STRANGE))]
    stores = len(datasets[number].stores)
    found = 0
    for place, case in enumerate(some):
        user = _user(_owner(number), place % stores)
        hits = await memory.recall(case.question, user, AGENT, limit=LIMIT, threshold=how.threshold, over=how.over)
        found += bool(hits)
        progress(f"{report.dataset}: ask what others know", place + 1, len(some))
    return msgspec.structs.replace(report, strange=len(some), strange_found=found)


def _owner(number: int) -> str:
    return f"file-{number + 1}"


def _user(owner: str, number: int) -> str:
    return f"{owner}/store-{number}"


async def _store(memory: Recollect, store: Store, user: str) -> dict[object, str]:
    """Every session becomes a conversation; returns which turn each message is."""
    ids: dict[object, str] = {}
    for turns in store.sessions:
        chat = await memory.new_conversation(user, AGENT)
        for start in range(0, len(turns), 1000):
            some = turns[start : start + 1000]
            kept = await chat.extend([one.message for one in some])
            ids |= {(message.conversation, message.seq): one.id for message, one in zip(kept, some, strict=True)}
    return ids


async def _remember(memory: Recollect, store: Store, user: str) -> tuple[dict[object, str], list[Case]]:
    """Every fact becomes a memory. What should be found are those that a turn of the evidence says; a question
    with evidence that nobody wrote down is left out."""
    says: dict[str, set[str]] = {}
    for fact in store.facts:
        text = one_line(fact.text, MAX_LEARNED)
        kept = await memory.remember(text, user, AGENT, valid_from=fact.at)
        says.setdefault(kept.id, set()).update(fact.evidence)
    gold = [[id for id, turns in says.items() if turns.intersection(case.gold)] for case in store.cases]
    newest = [[id for id, turns in says.items() if turns.intersection(case.newest)] for case in store.cases]
    cases = [
        msgspec.structs.replace(case, gold=known, newest=now)
        for case, known, now in zip(store.cases, gold, newest, strict=True)
        if known
    ]
    return {id: id for id in says}, cases


async def _ask(memory: Recollect, case: Case, user: str, ids: dict[object, str], how: Ask) -> Outcome:
    start = time.perf_counter()
    hits = await memory.recall(
        case.question, user, AGENT, limit=LIMIT, threshold=how.threshold, as_of=case.asked_at, over=how.over
    )
    seconds = time.perf_counter() - start
    found = [
        ids[(hit.message.conversation, hit.message.seq) if hit.message else hit.memory and hit.memory.id]
        for hit in hits
    ]
    return Outcome(case=case, found=found, texts=[hit.text for hit in hits], seconds=seconds)


def _quiet(what: str, done: int, of: int) -> None:
    """Says nothing."""
