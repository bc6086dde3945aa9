"""How well duplicates are told from what is merely alike, on sentence pairs whose similarity people judged."""

from __future__ import annotations

import asyncio
import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path

import msgspec

from recollect.evaluate.files import Source
from recollect.remember.compare import relation

#: Judged from 0 to 5: from the one on, two sentences are duplicates; up to the other they are not.
DUPLICATE = 4.5
DIFFERENT = 3.0


class Pair(msgspec.Struct, frozen=True):
    """Two sentences, and how alike people found them."""

    one: str
    other: str
    similarity: float


class MergingReport(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one file of pairs; what is neither a duplicate nor different does not count."""

    dataset: str
    model: str
    duplicates: int
    different: int
    merged: int
    merged_wrongly: int
    precision: float
    """The share of duplicates among what would be merged."""
    recall: float
    """The share of duplicates that would be merged."""


def evaluate_merging(path: Path) -> MergingReport:
    """Judge every pair of a file with the lines ``sentence,sentence,similarity``."""
    from recollect.models.wordllama import WordLlama

    pairs = load_pairs(path)
    embedder = WordLlama()
    rows = asyncio.run(embedder.embed([text for pair in pairs for text in (pair.one, pair.other)]))
    cosines = [float(value) for value in (rows[::2] * rows[1::2]).sum(axis=1)]
    same = [relation(pair.one, pair.other, cosine) == "same" for pair, cosine in zip(pairs, cosines, strict=True)]
    return figures(pairs, same, dataset=Source("merging", path).name, model=embedder.name)


def figures(pairs: Sequence[Pair], same: Sequence[bool], *, dataset: str, model: str) -> MergingReport:
    """Count what was said to be the same."""
    duplicates = [merged for pair, merged in zip(pairs, same, strict=True) if pair.similarity >= DUPLICATE]
    different = [merged for pair, merged in zip(pairs, same, strict=True) if pair.similarity <= DIFFERENT]
    right, wrong = sum(duplicates), sum(different)
    return MergingReport(
        dataset=dataset,
        model=model,
        duplicates=len(duplicates),
        different=len(different),
        merged=right + wrong,
        merged_wrongly=wrong,
        precision=round(right / (right + wrong), 4) if right + wrong else 1.0,
        recall=round(right / len(duplicates), 4) if duplicates else 0.0,
    )


def load_pairs(path: Path) -> list[Pair]:
    """Read the file; a first line of column names is passed over."""
    file = Source("merging", path)
    try:
        rows = [row for row in csv.reader(io.StringIO(file.text(), newline="")) if row]
    except csv.Error:
        raise file.wrong("the file is not CSV") from None
    pairs: list[Pair] = []
    for number, row in enumerate(rows):
        try:
            pair = Pair(row[0], row[1], float(row[2]))
        except (IndexError, ValueError):
            pair = None
        if pair is not None and math.isfinite(pair.similarity):
            pairs.append(pair)
        elif number:
            raise file.wrong(f"row {number + 1} is not sentence,sentence,similarity")
    if not pairs:
        raise file.wrong("there are no pairs in it")
    return pairs
