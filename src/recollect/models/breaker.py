"""A circuit breaker: what keeps failing is left alone for a while, and then tried by one call first."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from recollect.errors import Unavailable
from recollect.ports import Answer, LanguageModel, Prompt

#: Answers that blame the prompt: the endpoint is well.
ABOUT_THE_PROMPT = (400, 413, 422)


class Breaker:
    """Counts failures in a row. Closed, everything passes; open, nothing; after a pause, one call at a time."""

    def __init__(
        self, failures: int = 5, pause: float = 30.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = failures
        self._pause = pause
        self._clock = clock
        self._failures = 0
        self._until: float | None = None
        self._trying = False

    @property
    def open(self) -> bool:
        """Whether calls are turned away, but for the one that tries."""
        return self._until is not None

    def closed_for(self) -> float:
        """Seconds until the next call may pass: 0 lets it pass, and makes it the one that tries if we are open."""
        if self._until is None:
            return 0.0
        if self._trying:
            return self._pause
        wait = self._until - self._clock()
        if wait > 0:
            return wait
        self._trying = True
        return 0.0

    def succeeded(self) -> None:
        """It works again."""
        self._failures = 0
        self._until = None
        self._trying = False

    def failed(self, pause: float | None = None) -> None:
        """One more failure; ``pause`` is how long it asked to be left alone."""
        self._failures += 1
        if self._failures >= self._most:
            self._until = self._clock() + max(self._pause, pause or 0.0)
        self._trying = False

    def gave_up(self) -> None:
        """The call ended without telling us anything: another one may try."""
        self._trying = False


class Guarded:
    """A language model behind a breaker."""

    def __init__(self, model: LanguageModel, breaker: Breaker) -> None:
        self._model = model
        self._breaker = breaker

    @property
    def name(self) -> str:
        """The model's own."""
        return self._model.name

    async def complete(self, prompt: Prompt) -> Answer:
        """The whole answer, unless the breaker is open."""
        self._admit()
        try:
            answer = await self._model.complete(prompt)
        except BaseException as error:
            self._learn(error)
            raise
        self._breaker.succeeded()
        return answer

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        """Pieces, then the answer. Who stops listening after a piece has seen that the model answers."""
        self._admit()
        heard = False
        try:
            async with aclosing(self._model.stream(prompt)) as items:
                async for item in items:
                    heard = True
                    yield item
        except GeneratorExit:
            self._breaker.succeeded() if heard else self._breaker.gave_up()
            raise
        except BaseException as error:
            self._learn(error)
            raise
        self._breaker.succeeded()

    def _admit(self) -> None:
        wait = self._breaker.closed_for()
        if wait > 0:
            raise Unavailable(
                "model", f"{self.name} failed several times in a row and is left alone for now", retry_after=wait
            )

    def _learn(self, error: BaseException) -> None:
        if not isinstance(error, Unavailable):
            self._breaker.gave_up()
        elif error.status in ABOUT_THE_PROMPT:
            self._breaker.succeeded()
        else:
            self._breaker.failed(error.retry_after)
