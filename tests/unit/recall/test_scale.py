from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from recollect.models.wordllama import WordLlama
from recollect.recall.scale import Scale, least_cosine


class Steep(WordLlama):
    """Another scale."""

    def relatedness(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.clip(2 * np.asarray(cosine, np.float32) - 0.5, 0, 1)


@pytest.mark.parametrize("embedder", [WordLlama(), Steep()])
def test_the_table_says_what_the_embedder_says(embedder: WordLlama) -> None:
    cosines = np.linspace(-1, 1, 1117, dtype=np.float32)
    scale = Scale(embedder)
    told = [scale.relatedness(float(cosine)) for cosine in cosines]
    assert np.allclose(told, embedder.relatedness(cosines), atol=2e-5)


def test_rounding_beyond_the_ends_of_the_scale_changes_nothing() -> None:
    scale = Scale(Steep())
    assert scale.relatedness(-1.0001) == scale.relatedness(-1.0) == 0.0
    assert scale.relatedness(1.0001) == scale.relatedness(1.0) == 1.0
    assert scale.relatedness(0.9999) == pytest.approx(1.0)


def test_what_counts_at_any_cosine_is_left_out_at_none() -> None:
    assert least_cosine(Steep(), 0.0) < -1.0001
    assert 0.498 < least_cosine(Steep(), 0.5) <= 0.5
    assert least_cosine(Steep(), 1.1) == 1.0
