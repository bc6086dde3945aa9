"""An embedder's cosines on the common scale, by a table: for the few candidates of a question, calling numpy would
take longer than all the rest of ordering them."""

from __future__ import annotations

from functools import lru_cache

from recollect.ports import Embedder

#: Between two of the cosines that are looked up, the scale is taken for straight.
STEPS = 1000


class Scale:
    """Tells how related something is by its cosine, and how near it must be to be so related."""

    def __init__(self, embedder: Embedder) -> None:
        import numpy as np

        self._table: list[float] = embedder.relatedness(
            np.linspace(-1, 1, 2 * STEPS + 1, dtype=np.float32)
        ).tolist()

    def relatedness(self, cosine: float) -> float:
        """From 0 to 1, where 0.5 means "related"."""
        place = (cosine + 1) * STEPS
        step = int(place)
        if not 0 < place < 2 * STEPS:  # rounding takes a cosine beyond 1
            return self._table[0 if step <= 0 else -1]
        low = self._table[step]
        return low + (place - step) * (self._table[step + 1] - low)

    def least(self, threshold: float) -> float:
        """A cosine below which nothing reaches the threshold by meaning, so that it need not be sent."""
        first = next((place for place, one in enumerate(self._table) if one >= threshold), 2 * STEPS + 1)
        return (first - 1) / STEPS - 1 if first else -2.0


def scale_of(embedder: Embedder) -> Scale:
    """The scale of an embedder, made once; and once more if it had to be told before the model could be asked."""
    return _scale(embedder, getattr(embedder, "calibration", None))


def least_cosine(embedder: Embedder, threshold: float) -> float:
    """A cosine of this embedder below which nothing reaches the threshold by meaning."""
    return _least(embedder, getattr(embedder, "calibration", None), threshold)


@lru_cache(maxsize=64)
def _scale(embedder: Embedder, calibration: object) -> Scale:  # noqa: ARG001 (it tells one from the next)
    return Scale(embedder)


@lru_cache(maxsize=64)
def _least(embedder: Embedder, calibration: object, threshold: float) -> float:
    return _scale(embedder, calibration).least(threshold)
