"""How many tokens a text costs in a prompt, without a network and without the model.

The default counts with the 32,000-piece vocabulary inside the wordllama wheel. It errs on the safe side: against
o200k, on 13,344 English chat texts (LoCoMo, LongMemEval, MADial-Bench, Synthetic-Persona-Chat, STS-B), its pieces
are 1.21 times as many in all, fewer in only 9 texts, and never by more than one. So the factor is 1, and each text
counts one more: then none of them is counted below o200k, and the sets are counted 1.21 to 1.29 times too high.
Source code and JSON are counted about 1.25 times too high, western European languages 1.3 to 1.5, Chinese and
Japanese 1.7 to 1.9, other scripts up to 4.2; a text of rare words can still be counted too low. With the package
``bpe-openai`` installed the count is that of o200k itself.
"""

from __future__ import annotations

import importlib.util
import re
import warnings
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

from recollect.ports import Counter

#: The time of one stretch of text grows faster than its length.
SLICE = 2000
#: The default can be this much below o200k, for any one text.
MARGIN = 1
#: Words come again and again: most are looked up and not counted. A long one is not worth keeping.
KEPT = 1 << 15
LONG = 40
#: So do messages: a window holds nearly the same ones from turn to turn.
KEPT_TEXTS = 4096
LONG_TEXT = 1000

#: One space, and no more: no piece of either vocabulary reaches over it, so that the parts add up exactly.
_SINGLE_SPACE = re.compile(r"(?<! ) (?! )")
_BETWEEN_WORDS = re.compile(r"(?<=\S) (?=\S)")


class BundledCounter:
    """The vocabulary of the wordllama wheel, read at the first count."""

    def count(self, text: str) -> int:
        """The pieces of the text, and one for safety; nothing for no text."""
        if not text:
            return 0
        # The vocabulary puts a space in front of each text, which stands for the one that was cut away.
        words = _SINGLE_SPACE.split(text) if "  " in text else text.split(" ")
        return MARGIN + sum(_pieces_of_word(word) if len(word) <= LONG else _pieces(word) for word in words)


class ExactCounter:
    """o200k, as the models of OpenAI count since 2024; needs the package ``bpe-openai``."""

    def count(self, text: str) -> int:
        """The tokens of the text, where special tokens are text like any other."""
        return _exactly(text) if len(text) <= LONG_TEXT else sum(map(_o200k(), _slices(text)))


def default_counter() -> Counter:
    """The exact counter if its package is there, else the bundled one."""
    return ExactCounter() if importlib.util.find_spec("bpe_openai") else BundledCounter()


def _slices(text: str, size: int = SLICE) -> Iterator[str]:
    """The text in parts of about this size, cut between words; a stretch without words is cut anywhere."""
    start = 0
    while len(text) - start > size:
        between = _BETWEEN_WORDS.search(text, start + size // 2, start + size)
        end = between.start() if between else start + size
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


@lru_cache(KEPT)
def _pieces_of_word(word: str) -> int:
    return _bundled_vocabulary()(word) if word else 1


def _pieces(text: str) -> int:
    count = _bundled_vocabulary()
    return sum(count(part) for part in _slices(text))


@cache
def _bundled_vocabulary() -> Callable[[str], int]:
    # Looked up, not imported: the embedder's package loads more than the one file that is needed here.
    found = importlib.util.find_spec("wordllama")
    assert found is not None
    assert found.origin is not None
    [file] = (Path(found.origin).parent / "tokenizers").glob("l2_supercat_*.json")
    vocabulary: Any = cast("Any", importlib.import_module("tokenizers")).Tokenizer.from_file(str(file))
    vocabulary.encode_special_tokens = True  # "<s>" in a message is text
    return lambda text: len(vocabulary.encode(text, add_special_tokens=False))


@lru_cache(KEPT_TEXTS)
def _exactly(text: str) -> int:
    return _o200k()(text)


@cache
def _o200k() -> Callable[[str], int]:
    with warnings.catch_warnings():  # how it opens its own file is not our callers' business
        warnings.simplefilter("ignore", DeprecationWarning)
        encoding: Any = cast("Any", importlib.import_module("bpe_openai")).get_encoding("o200k_base")
    return lambda text: len(encoding.encode_ordinary(text))
