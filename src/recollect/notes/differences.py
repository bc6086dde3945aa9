"""What changed from one text to another, as a unified diff, in a bounded number of steps. Pure.

difflib looks for the longest stretch of equal lines, then on both sides of it, and so on. Each look compares every
line with all of its equals, so that texts of recurring lines cost the cube of their length. Here the price of a
look is known before it is taken, and what can no longer be paid for is told as replaced: longer, and still true.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, pairwise, takewhile
from operator import eq
from typing import NamedTuple

#: Pairs of lines that one diff may look at: half a second. Every other line of 3,000 may have changed.
MOST_PAIRS = 5_000_000

_CONTEXT = 3  # equal lines that are told before and after a change


class _Change(NamedTuple):
    """Lines of the old text, from and to, and the lines of the new one that stand in their place."""

    old: int
    old_end: int
    new: int
    new_end: int


def unified(old: str, new: str, old_name: str, new_name: str, most: int = MOST_PAIRS) -> str:
    """How to get from one text to the other; empty if they are equal."""
    before, after = _lines(old), _lines(new)
    told: list[str] = []
    for hunk in _hunks(_changes(before, after, most)):
        lead = min(_CONTEXT, hunk[0].old)  # before the first change of all, both texts have as many lines
        tail = min(_CONTEXT, len(before) - hunk[-1].old_end)
        at = hunk[0].old - lead
        old_range = _range(at, hunk[-1].old_end + tail)
        new_range = _range(hunk[0].new - lead, hunk[-1].new_end + tail)
        told.append(f"@@ -{old_range} +{new_range} @@")
        for change in hunk:
            told += [f" {line}" for line in before[at : change.old]]
            told += [f"-{line}" for line in before[change.old : change.old_end]]
            told += [f"+{line}" for line in after[change.new : change.new_end]]
            at = change.old_end
        told += [f" {line}" for line in before[at : at + tail]]
    return "\n".join([f"--- {old_name}", f"+++ {new_name}", *told]) if told else ""


def _changes(old: Sequence[str], new: Sequence[str], most: int) -> list[_Change]:
    """What stands between the equal stretches. Those at both ends are seen without looking."""
    head = _alike(old, new)
    tail = _alike(old[head:][::-1], new[head:][::-1])
    old_end, new_end = len(old) - tail, len(new) - tail
    inner = _matches(old[head:old_end], new[head:new_end], most)
    equal = [(0, 0, head), *((head + i, head + j, size) for i, j, size in inner), (old_end, new_end, tail)]
    between = (_Change(i + size, k, j + size, m) for (i, j, size), (k, m, _) in pairwise(equal))
    return [change for change in between if change.old < change.old_end or change.new < change.new_end]


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines the texts have in common from the start."""
    return sum(takewhile(bool, map(eq, old, new)))


def _matches(old: Sequence[str], new: Sequence[str], most: int) -> list[tuple[int, int, int]]:
    """Equal stretches, in order: where they are in both texts, and how long. What is left between them is searched
    in turn, so that not all is spent on one end of the text."""
    matcher = SequenceMatcher(None, old, new)
    equals: dict[str, list[int]] = vars(matcher)["b2j"]  # documented, and missing in the types
    prices = [0, *accumulate(1 + len(equals.get(line, ())) for line in old)]
    found: list[tuple[int, int, int]] = []
    gaps = deque([(0, len(old), 0, len(new))])
    while gaps:
        start, end, new_start, new_end = gap = gaps.popleft()
        price = prices[end] - prices[start]
        if start == end or new_start == new_end or price > most:
            continue
        most -= price
        i, j, size = matcher.find_longest_match(*gap)
        if size:
            found.append((i, j, size))
            gaps += (start, i, new_start, j), (i + size, end, j + size, new_end)
    return sorted(found)


def _hunks(changes: Sequence[_Change]) -> Iterator[list[_Change]]:
    """Changes that are told together, because the lines told around them touch."""
    hunk: list[_Change] = []
    for change in changes:
        if hunk and change.old - hunk[-1].old_end > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _range(start: int, end: int) -> str:
    """Lines as they are counted in the head of a hunk: from 1, and where there are none, from the line before."""
    if end - start == 1:
        return str(end)
    return f"{start + 1 if end > start else start},{end - start}"


def _lines(text: str) -> list[str]:
    """Lines end at line feeds only, so that a rare separator inside a line does not tear the diff apart. A last
    one that does not end is marked as it is everywhere."""
    *lines, last = text.split("\n")
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines
