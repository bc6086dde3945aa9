"""How near is near enough, told from what a model makes of a few texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.cache.vectors import Remembering
from recollect.errors import Unavailable
from recollect.models.calibration import ELSEWHERE, MANY, MOST, PAIRS, TEXTS, Calibrated, Calibration, calibrated
from recollect.models.questions import ease, ready, vector_of
from recollect.models.wordllama import MIDDLE, WordLlama
from recollect.recall.scale import least_cosine, scale_of

WIDTH = 256


def made(*, base: float, own: float, elsewhere: float | None = None, seed: int = 1) -> NDArray[np.float32]:
    """Vectors of the texts: all have ``base`` in common, a pair ``own`` besides, in other languages ``elsewhere``."""
    rng = np.random.default_rng(seed)
    common, foreign = _unit(rng.normal(size=WIDTH)), _unit(rng.normal(size=WIDTH))
    rows: list[NDArray[np.float64]] = []
    for number in range(len(PAIRS) + len(ELSEWHERE)):
        theirs = _unit(rng.normal(size=WIDTH))
        shared = foreign if number >= len(PAIRS) and elsewhere is not None else common
        part = elsewhere if number >= len(PAIRS) and elsewhere is not None else base
        for _ in range(2):
            alone = _unit(rng.normal(size=WIDTH))
            rows.append(_unit(np.sqrt(part) * shared + np.sqrt(own) * theirs + np.sqrt(1 - part - own) * alone))
    return np.array(rows, np.float32)


def _unit(row: NDArray[np.float64]) -> NDArray[np.float64]:
    return row / np.linalg.norm(row)


class Told:
    """Makes the vectors that it was given, after so many failures."""

    name = "told-256"
    dimension = WIDTH

    def __init__(self, rows: NDArray[np.float32], failures: int = 0) -> None:
        self.rows, self.failures = dict(zip(TEXTS, rows, strict=True)), failures
        self.asked: list[list[str]] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.failures:
            self.failures -= 1
            raise Unavailable("embedder", "told is away")
        self.asked.append(list(texts))
        return np.array([self.rows.get(text, np.zeros(WIDTH, np.float32)) for text in texts])


def test_no_two_texts_are_the_same() -> None:
    assert len(set(TEXTS)) == len(TEXTS) == 2 * (len(PAIRS) + len(ELSEWHERE))


@pytest.mark.parametrize("base", [0.0, 0.2, 0.5])
def test_the_middle_lies_between_what_is_related_and_what_is_not(base: float) -> None:
    scale = calibrated(made(base=base, own=0.45))
    assert base + 0.15 < scale.middle < base + 0.45, "wherever unrelated texts lie to this model"


async def test_static_vectors_would_be_told_nearly_what_was_measured() -> None:
    scale = calibrated(await WordLlama().embed(TEXTS))
    assert scale.middle == pytest.approx(MIDDLE, abs=0.05)


def test_one_that_cannot_tell_our_pairs_gets_the_middle_ground() -> None:
    assert calibrated(made(base=0.2, own=0.0)) == Calibration()
    assert calibrated(np.full((len(TEXTS), 4), 0.5, np.float32)) == Calibration(), "all texts are one to it"
    assert calibrated(np.zeros((len(TEXTS), 4), np.float32)) == Calibration()


def test_nothing_must_be_nearer_than_a_text_to_itself() -> None:
    few = np.random.default_rng(1).normal(size=(len(TEXTS) // 2, 4)).astype(np.float32)
    few /= np.linalg.norm(few, axis=1, keepdims=True)
    assert calibrated(np.repeat(few, 2, axis=0)).middle == MOST, "in so few dimensions anything is near by chance"


def test_other_languages_are_read_where_they_are_as_far_apart_as_english() -> None:
    assert calibrated(made(base=0.05, own=0.5)).polyglot
    assert not calibrated(made(base=0.05, own=0.3, elsewhere=0.6)).polyglot


async def test_it_is_made_once_and_before_the_first_vector() -> None:
    model = Told(made(base=0.2, own=0.4, elsewhere=0.6))
    embedder = Calibrated(model)
    await embedder.embed([TEXTS[0]])
    await embedder.embed([TEXTS[1]])
    assert model.asked == [TEXTS, [TEXTS[0]], [TEXTS[1]]]
    assert embedder.calibration is not None
    assert embedder.calibration == calibrated(np.array(list(model.rows.values())))
    low, middle, high = embedder.relatedness(np.array([0.2, embedder.calibration.middle, 0.7], np.float32))
    assert low < 0.1 < middle < 0.9 < high
    assert middle == pytest.approx(0.5)


async def test_a_model_that_is_away_is_asked_again_and_its_scale_is_then_another() -> None:
    embedder = Remembering(Calibrated(Told(made(base=0.5, own=0.45), failures=2)))
    with pytest.raises(Unavailable):
        await embedder.embed(["tea"])
    await ready(embedder)
    before = least_cosine(embedder, 0.5)
    assert before == pytest.approx(0.4, abs=0.01), "the middle ground"
    await ready(embedder)
    assert least_cosine(embedder, 0.5) > before + 0.2
    assert scale_of(embedder).relatedness(0.5) < 0.1


async def test_what_it_does_not_read_means_nothing_to_it() -> None:
    embedder = Calibrated(Told(made(base=0.05, own=0.3, elsewhere=0.6)))
    await embedder.load()
    assert embedder.reads("Where do I live now?")
    assert not embedder.reads("¿Cómo se llama mi perro?")
    assert not (await vector_of(embedder, ELSEWHERE[0][0])).any()


async def test_among_few_memories_less_near_is_as_related() -> None:
    embedder = Calibrated(Told(made(base=0.2, own=0.5)))
    assert ease(embedder, 10) == 0, "not before it is known what near means"
    await embedder.load()
    assert embedder.calibration is not None
    assert 0 < ease(embedder, 100) < ease(embedder, 10) <= 1.7 * embedder.calibration.spread
    assert ease(embedder, MANY) == ease(embedder, 5000) == ease(embedder, 0) == 0
    vague = Calibrated(Told(made(base=0.2, own=0.0)))
    await vague.load()
    assert ease(vague, 10) == 0
