"""The offline embedder: static word vectors that come inside a wheel, about 10,000 sentences a second."""

from __future__ import annotations

import asyncio
import importlib
import logging
import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.text.languages import language

#: The beginning of a text; the mean of more words than these says little about any of them.
MOST_CHARACTERS = 4000
#: So many characters take a tenth of a millisecond, and a thread takes longer to begin.
AT_ONCE = 300

#: The cosine that means "related", and how sharply it turns: a logistic regression of the best cosine of questions
#: that a store of conversations can answer against that of questions from elsewhere. Of sentence pairs whose
#: similarity people judged, about 9 of 10 that have nothing in common stay below it, and nearly all that say the
#: same are above it.
MIDDLE = 0.374
WIDTH = 0.046

#: With so many words, and with each time as many again, what belongs to a text is less near by so much.
FEW_WORDS = 12
SLACK = 0.043
MOST_SLACK = 0.1

#: The scale was made with pools of so many memories. What comes nearest by chance is the best of as many tries,
#: and is less near by so much each time there are half as many.
MANY = 256
EASE = 0.03
MOST_EASE = 0.12

#: Its words were learned from English: to it, any two texts in another script say the same.
_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")


class WordLlama:
    """wordllama's 256 dimensions, loaded once per process; a thread does that, and reads all but short texts."""

    name = "wordllama-l2-256"
    dimension = 256

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row for each text; a question is done before a thread would have begun."""
        if sum(map(len, texts)) <= AT_ONCE and _model.cache_info().currsize:
            return _embed(texts)
        return await asyncio.to_thread(_embed, list(texts))

    def reads(self, text: str) -> bool:
        """English: of two texts in another language it sees little more than that they are in it."""
        return language(text) == "en"

    def slack(self, text: str) -> float:
        """The mean of many words is about each of them a little: a long message is less near to what belongs to it
        than a question is, and no nearer to anything else."""
        words = text.count(" ") + 1
        return min(MOST_SLACK, SLACK * math.log2(words / FEW_WORDS)) if words > FEW_WORDS else 0.0

    def ease(self, size: int) -> float:
        """Among few memories, less near is as related."""
        return min(MOST_EASE, EASE * math.log2(MANY / size)) if 0 < size < MANY else 0.0

    def relatedness(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        """Its cosines on the common scale."""
        return (1 / (1 + np.exp((MIDDLE - np.asarray(cosine, np.float32)) / WIDTH))).astype(np.float32)


@cache
def _model() -> Any:
    """The weights are looked for beside the package: its own default folder needs a download."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    package = importlib.import_module("wordllama")
    # Importing it sets up logging for the whole process, which is for the application to decide.
    root.handlers[:] = handlers
    root.setLevel(level)
    return package.WordLlama.load(cache_dir=Path(str(package.__file__)).parent, disable_download=True)


def _embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """One text after the other: a batch would be padded to its longest text, which takes twice as long."""
    rows = np.zeros((len(texts), WordLlama.dimension), np.float32)
    for row, text in zip(rows, texts, strict=True):
        cut = text[:MOST_CHARACTERS]
        if _reads(cut):
            _mean(cut, row)
    return rows


def _mean(text: str, row: NDArray[np.float32]) -> None:
    """Put the mean of the vectors of a text's pieces there, at length 1; of no pieces, nothing."""
    model = _model()
    pieces: list[int] = model.tokenizer.encode(text, add_special_tokens=False).ids
    np.add.reduce(model.embedding[pieces], axis=0, out=row)
    if length := math.sqrt(row @ row):
        row /= length


def _reads(text: str) -> bool:
    """Whether at least half of the letters are of its script. Of the others words alone must tell."""
    return text.isascii() or 2 * len(_LATIN.findall(text)) >= len(_LETTER.findall(text))
