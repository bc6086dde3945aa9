"""What is counted: recall and rank of the evidence, the answer itself, and both within a token budget. Pure."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Sequence

import msgspec

from recollect.evaluate.cases import Case
from recollect.ports import Counter
from recollect.recall.pack import FRAME

BUDGETS = (200, 500, 1500)


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What one question found."""

    case: Case
    found: list[str]
    """The ids of the turns, best first."""
    texts: list[str]
    seconds: float


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a data set, or of one kind of its questions."""

    questions: int
    recall_5: float
    recall_10: float
    mrr_10: float
    precision: float
    """The share of evidence among what was returned."""
    empty: float
    """How often nothing was returned."""
    answer_contained: float | None
    """Of questions with a known answer: how often all of its words were returned."""
    recall_within: dict[int, float]
    answer_within: dict[int, float]
    """Empty where no answer is known."""
    newest_first: float | None
    """Of questions about something that changed: how often the newest statement comes before the older ones."""
    milliseconds_median: float
    milliseconds_95: float


def summary(outcomes: Sequence[Outcome], counter: Counter) -> Summary:
    """The means over some questions; ``counter`` tells what fits into a budget."""
    changed = [
        _newest_first(one) for one in outcomes if one.case.newest and set(one.case.newest) < set(one.case.gold)
    ]
    fits = [fitting(one.texts, counter) for one in outcomes]
    answered = [(one, fit) for one, fit in zip(outcomes, fits, strict=True) if one.case.answer]
    times = sorted(one.seconds * 1000 for one in outcomes)
    return Summary(
        questions=len(outcomes),
        recall_5=_mean([_recall(one.case, one.found[:5]) for one in outcomes]),
        recall_10=_mean([_recall(one.case, one.found[:10]) for one in outcomes]),
        mrr_10=_mean([_reciprocal_rank(one.case, one.found[:10]) for one in outcomes]),
        precision=_mean(
            [len(set(one.found) & set(one.case.gold)) / len(one.found) for one in outcomes if one.found]
        ),
        empty=_mean([not one.found for one in outcomes]),
        answer_contained=_mean([_contains(one.case, one.texts) for one, _ in answered]) if answered else None,
        recall_within={
            budget: _mean(
                [_recall(one.case, one.found[: fit[budget]]) for one, fit in zip(outcomes, fits, strict=True)]
            )
            for budget in BUDGETS
        },
        answer_within={
            budget: _mean([_contains(one.case, one.texts[: fit[budget]]) for one, fit in answered])
            for budget in (BUDGETS if answered else ())
        },
        newest_first=_mean(changed) if changed else None,
        milliseconds_median=times[len(times) // 2] if times else 0.0,
        milliseconds_95=times[int(len(times) * 0.95)] if times else 0.0,
    )


def fitting(texts: Sequence[str], counter: Counter) -> dict[int, int]:
    """How many of the first texts fit into each budget, with what frames a message in a prompt."""
    used = list(itertools.accumulate(FRAME + counter.count(text) for text in texts))
    return {budget: bisect.bisect_right(used, budget) for budget in BUDGETS}


def _mean(values: Sequence[float | bool]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0


def _recall(case: Case, found: Sequence[str]) -> float:
    return len(set(case.gold) & set(found)) / len(set(case.gold))


def _reciprocal_rank(case: Case, found: Sequence[str]) -> float:
    return next((1 / rank for rank, one in enumerate(found, 1) if one in case.gold), 0.0)


def _newest_first(outcome: Outcome) -> bool:
    """The newest statement is found, and no older one comes before it."""
    case = outcome.case
    first = next((one for one in outcome.found if one in case.gold), None)
    return first in case.newest


def _contains(case: Case, texts: Sequence[str]) -> bool:
    """Every word of the answer occurs in what was found; no judge, so this is a lower bound."""
    wanted = _words(case.answer or "")
    return bool(wanted) and wanted <= _words(" ".join(texts))


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.casefold()) if word not in _SMALL}


_SMALL = frozenset({"a", "an", "the", "of", "in", "on", "at", "to", "and", "or", "is", "was", "were", "are", "it"})
