"""Any OpenAI-compatible embeddings endpoint, through the ``openai`` client."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.errors import Invalid, Unavailable
from recollect.models.breaker import ABOUT_THE_PROMPT, Breaker
from recollect.models.quiet import quiet

#: What one request may hold; endpoints refuse more, or take too long.
BATCH = 256
MOST_CHARACTERS = 8000

#: Trained embedders put unrelated texts anywhere from 0.1 to 0.7. Without pairs to fit on, this is the middle
#: ground of the common ones; whoever knows their model better passes ``middle`` and ``width``.
MIDDLE = 0.4
WIDTH = 0.07


class OpenAIEmbedder:
    """Vectors from an endpoint; ``client`` is an ``openai.AsyncOpenAI`` or anything that looks like one."""

    def __init__(
        self,
        model: str,
        dimension: int,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 10.0,
        shorten: bool = False,
        middle: float = MIDDLE,
        width: float = WIDTH,
        client: Any = None,
        breaker: Breaker | None = None,
    ) -> None:
        self.name = f"{model}-{dimension}"
        self.dimension = dimension
        self._model = model
        self._asked: dict[str, Any] = {"dimensions": dimension} if shorten else {}
        self._middle = middle
        self._width = width
        self._breaker = breaker or Breaker()
        self._ours = client is None
        self._client = client if client is not None else _client(base_url, api_key, timeout)

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row for each text. The client ends a request that takes too long; a failure is Unavailable, and what
        keeps failing is left alone for a while: whoever asks can go on by words at once."""
        rows = np.zeros((len(texts), self.dimension), np.float32)
        there = [place for place, text in enumerate(texts) if text.strip()]  # endpoints refuse empty input
        for start in range(0, len(there), BATCH):
            places = there[start : start + BATCH]
            given = [texts[place][:MOST_CHARACTERS] for place in places]
            vectors = await self._vectors(given)
            if vectors.shape != (len(places), self.dimension):
                raise Unavailable(
                    "embedder",
                    f"{self._model} answered with vectors of shape {vectors.shape}, not {self.dimension} each",
                )
            if not np.isfinite(vectors).all():
                raise Unavailable("embedder", f"{self._model} answered with vectors that are not numbers")
            rows[places] = vectors
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)

    async def _vectors(self, given: list[str]) -> NDArray[np.float32]:
        if (wait := self._breaker.closed_for()) > 0:
            raise Unavailable(
                "embedder",
                f"{self._model} failed several times in a row and is left alone for now",
                retry_after=wait,
            )
        try:
            with quiet():
                answer = await self._client.embeddings.create(
                    model=self._model, input=given, encoding_format="float", **self._asked
                )
            with np.errstate(over="ignore"):  # the caller looks at it
                vectors = np.array([one.embedding for one in sorted(answer.data, key=_number)], np.float32)
        except Exception as error:
            if getattr(error, "status_code", None) in ABOUT_THE_PROMPT:
                self._breaker.succeeded()
            else:
                self._breaker.failed()
            # The client's own message may quote what was sent.
            raise Unavailable("embedder", f"{self._model} did not answer ({type(error).__name__})") from None
        except BaseException:
            self._breaker.gave_up()
            raise
        self._breaker.succeeded()
        return vectors

    async def close(self) -> None:
        """Close the connections of our own client."""
        if self._ours:
            await self._client.close()

    def relatedness(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        """Its cosines on the common scale."""
        return (1 / (1 + np.exp((self._middle - np.asarray(cosine, np.float32)) / self._width))).astype(np.float32)


def _number(one: Any) -> int:
    """Which of the texts a vector belongs to; endpoints that do not say so keep to their order."""
    number: object = getattr(one, "index", None)
    return number if isinstance(number, int) else 0


def _client(base_url: str | None, api_key: str | None, timeout: float) -> Any:
    try:
        openai = importlib.import_module("openai")
    except ModuleNotFoundError:
        raise Invalid(
            "embedder", "the openai client is not installed; run `pip install 'recollect[openai]'`"
        ) from None
    # A server that needs no key still wants one from this client.
    return openai.AsyncOpenAI(base_url=base_url, api_key=api_key or "none", timeout=timeout, max_retries=1)
