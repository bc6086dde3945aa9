"""Any OpenAI-compatible embeddings endpoint, through the ``openai`` client."""

from __future__ import annotations

import asyncio
import importlib
import logging
import time
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.errors import Invalid, Unavailable, to_install
from recollect.models.breaker import ABOUT_THE_PROMPT, Breaker
from recollect.models.failures import KEY, answered, is_too_long, retry_after, status_of
from recollect.models.many import NoVector
from recollect.models.quiet import quiet
from recollect.models.sizes import client_reading
from recollect.observe.logs import say

#: What one request may hold; endpoints refuse more, or take too long.
BATCH = 256
MOST_CHARACTERS = 8000
#: A batch of the longest vectors has fewer bytes.
MOST_BYTES = 64 << 20
#: A text that is refused is cut to no fewer characters: they fit into any model.
SHORTEST = 100
#: After so many refusals in a row it is not about one text or the other.
MOST_REFUSALS = 50
TRIES = 2
#: Seconds between them.
PAUSE = 0.5
#: A call that was given up after this part of its time counts as failed.
LONG = 0.2
#: Bytes of an answer that are read at once; more take a thread, as others would wait.
AT_ONCE = 100_000
#: Lengths whose squares single precision can hold.
LEAST_LENGTH = 1e-19
MOST_LENGTH = 1e19
NONSENSE = "vectors that are not numbers, or have no length"
#: Texts from one place to another, and how many of their characters are sent.
Piece = tuple[int, int, int]


class _One(msgspec.Struct):
    embedding: msgspec.Raw
    index: Any = None


class _Answer(msgspec.Struct):
    """What we read of an answer."""

    data: list[_One]


#: What is no number at all is found out later, with those that only look like some.
_NUMBERS = msgspec.json.Decoder(list[float | None])


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
        client: Any = None,
        breaker: Breaker | None = None,
    ) -> None:
        self.name = f"{model}-{dimension}"
        self.dimension = dimension
        self._model = model
        self._asked: dict[str, Any] = {"dimensions": dimension} if shorten else {}
        self._timeout = timeout
        self._breaker = breaker or Breaker()
        self._ours = client is None
        self._client = client if client is not None else _client(base_url, api_key, timeout)

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row for each text. All of it takes no longer than ``timeout`` for each batch; a failure is
        Unavailable, and what keeps failing is left alone for a while: whoever asks can go on by words at once. A
        text that is refused among others has a row of zeros."""
        rows = np.zeros((len(texts), self.dimension), np.float32)
        there = [place for place, text in enumerate(texts) if text.strip()]  # endpoints refuse empty input
        problem: Unavailable | None = None
        seconds = self._timeout * -(-len(there) // BATCH)
        try:
            # However slowly it drips: the client's own limit begins again with every byte.
            async with asyncio.timeout(seconds):
                for start in range(0, len(there), BATCH):
                    places = there[start : start + BATCH]
                    rows[places], trouble = await self._made([texts[place][:MOST_CHARACTERS] for place in places])
                    problem = trouble or problem
        except TimeoutError:
            raise Unavailable("embedder", f"{self._model} did not answer in {seconds:g} s") from None
        if problem is not None:
            without = len(there) - int(rows.any(axis=1).sum())
            if without == len(there):
                raise problem
            if without:
                say(logging.WARNING, "embedder.refused", model=self._model, texts=without)
        return rows

    async def _made(self, texts: list[str]) -> tuple[NDArray[np.float32], NoVector | None]:
        """A row for each text, and why the last of those that are zeros was not made.

        One text must not cost the others their vectors: what is refused is sent in smaller pieces, and what makes
        no sense once more alone.
        """
        rows = np.zeros((len(texts), self.dimension), np.float32)
        problem: NoVector | None = None
        refusals, longest = 0, MOST_CHARACTERS
        waiting: list[Piece] = [(0, len(texts), MOST_CHARACTERS)]
        while waiting:
            if refusals > MOST_REFUSALS:
                raise Unavailable("embedder", f"{self._model} refused one text after the other")
            start, end, most = waiting.pop()
            given = [text[:most] for text in texts[start:end]]
            try:
                made, sound = await self._vectors(given)
            except NoVector as refusal:
                problem, refusals = refusal, refusals + 1
                waiting += _smaller(start, end, max(map(len, given)), longest)
                continue
            rows[start:end][sound] = made[sound]
            if sound.any():
                refusals = 0
            if end - start == 1 and most < len(texts[start]):
                longest = min(longest, most)
            if not sound.all():
                problem, refusals = NoVector("embedder", f"{self._model} answered with {NONSENSE}"), refusals + 1
                if not sound.any() and end - start > 1:
                    raise problem  # it is not about one text
                places = [start + int(place) for place in np.flatnonzero(~sound)] if end - start > 1 else []
                waiting += [(place, place + 1, most) for place in places]
        return rows, problem

    async def _vectors(self, given: list[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """What one request brings, each of length 1, and which of them make sense; NoVector if it is refused."""
        if (wait := self._breaker.closed_for()) > 0:
            raise Unavailable(
                "embedder",
                f"{self._model} failed several times in a row and is left alone for now",
                retry_after=wait,
            )
        began = time.monotonic()
        try:
            answer = await self._answer(given)
            body: object = getattr(answer, "content", None)
            if not isinstance(body, bytes):
                vectors = np.array([one.embedding for one in sorted(answer.data, key=_number)], np.float64)
            elif len(body) < AT_ONCE:
                vectors = _read(body)
            else:
                vectors = await asyncio.to_thread(_read, body)
        except Exception as error:
            problem, status, pause = self._problem(error), status_of(error), retry_after(error)
            if status in ABOUT_THE_PROMPT:
                self._breaker.succeeded()
                raise NoVector("embedder", problem, status=status) from None
            self._breaker.failed(pause)
            raise Unavailable("embedder", problem, status=status, retry_after=pause) from None
        except BaseException:
            # Whoever stops waiting after a while has seen that it hangs.
            long = time.monotonic() - began >= LONG * self._timeout
            self._breaker.failed() if long else self._breaker.gave_up()
            raise
        self._breaker.succeeded()
        if vectors.shape != (len(given), self.dimension):
            raise Unavailable(
                "embedder",
                f"{self._model} answered with vectors of shape {vectors.shape}, not {self.dimension} each",
            )
        return _of_length_one(vectors)

    def _problem(self, error: Exception) -> str:
        """What to say of an error. The client's own message may quote what was sent."""
        status, kind = status_of(error), type(error).__name__
        if status is not None:
            return answered(self._model, status, kind, KEY if self._ours else None)
        if is_too_long(error):
            return f"the answer of {self._model} has more than {MOST_BYTES} bytes"
        return f"{self._model} did not answer ({kind})"

    async def _answer(self, given: list[str]) -> Any:
        """What the endpoint says, as it comes if the client allows that: its own kind of answer is made by looking
        at every number, on the event loop. Asked a second time where this may help at once."""
        embeddings = self._client.embeddings
        create = getattr(embeddings, "with_raw_response", embeddings).create
        tries = TRIES if self._ours else 1
        while True:
            tries -= 1
            try:
                with quiet():
                    return await create(model=self._model, input=given, encoding_format="float", **self._asked)
            except Exception as error:
                if not tries or not _passes(error):
                    raise
                await asyncio.sleep(PAUSE)

    async def close(self) -> None:
        """Close the connections of our own client."""
        if self._ours:
            await self._client.close()


def _passes(error: Exception) -> bool:
    """Whether to ask again at once: the connection broke, or the endpoint stumbled and names no time."""
    status = status_of(error)
    if status is None:
        if is_too_long(error):
            return False
        return type(error).__name__ == "APIConnectionError"  # and not one of its kind that is about time
    return (status in (408, 409) or status >= 500) and retry_after(error) is None


def _smaller(start: int, end: int, length: int, longest: int) -> list[Piece]:
    """What to send in place of texts that were refused, the longest of which has this length. What another one had
    to be cut to is tried first: where many are too long, there would be no end of requests."""
    if length > longest:
        return [(start, end, longest)]
    if end - start > 1:
        middle = (start + end) // 2
        return [(middle, end, length), (start, middle, length)]
    return [(start, end, length // 2)] if length // 2 >= SHORTEST else []


def _of_length_one(vectors: NDArray[np.float64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The vectors, and which of them have a length. In single precision the square of a large or a tiny number is
    none, and what nothing can be near to would be kept for ever."""
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        sound = (lengths > LEAST_LENGTH) & (lengths < MOST_LENGTH)  # of what is no number, neither
        rows = np.where(sound, vectors / np.where(sound, lengths, 1), 0)
    return rows.astype(np.float32), sound[:, 0]


def _read(body: bytes) -> NDArray[np.float64]:
    """The vectors in an answer. One is read after the other, so that a thread which does it lets others work."""
    data = msgspec.json.decode(body, type=_Answer).data
    return np.array([np.array(_NUMBERS.decode(one.embedding), np.float64) for one in sorted(data, key=_number)])


def _number(one: Any) -> int:
    """Which of the texts a vector belongs to; endpoints that do not say so keep to their order."""
    number: object = getattr(one, "index", None)
    return number if isinstance(number, int) else 0


def _client(base_url: str | None, api_key: str | None, timeout: float) -> Any:
    try:
        openai = importlib.import_module("openai")
    except ModuleNotFoundError:
        raise Invalid("embedder", f"the openai client is not installed; {to_install('openai')}") from None
    # A server that needs no key still wants one from this client. It would wait for as long as the endpoint names
    # before it tries again, so we do that ourselves.
    return openai.AsyncOpenAI(
        base_url=base_url,
        api_key=api_key or "none",
        timeout=timeout,
        max_retries=0,
        http_client=client_reading(MOST_BYTES),
    )
