"""A language model within a tenant's budget of tokens for the day."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, contextmanager
from datetime import UTC, datetime, timedelta

import msgspec

from recollect.errors import Overloaded, Unavailable
from recollect.observe.counted import MODEL, MODEL_SECONDS, MODEL_TOKENS, TENANT
from recollect.observe.logs import say
from recollect.observe.spans import beside, span
from recollect.ports import Answer, LanguageModel, Ledger, Prompt, Tokens

#: Where an endpoint does not say what it used: rather too many, so that a budget is kept.
_BYTES_PER_TOKEN = 3


class Allowance:
    """What a tenant may use in a day; a ``limit`` of 0 only counts."""

    def __init__(self, ledger: Ledger, limit: int) -> None:
        self._ledger = ledger
        self._limit = limit

    async def check(self) -> None:
        """Unavailable if it is used up."""
        if self._limit and await self._ledger.spent() >= self._limit:
            raise Unavailable(
                "model",
                f"the tenant's budget of {self._limit} tokens a day is used up",
                retry_after=_until_tomorrow(datetime.now(UTC)),
            )

    async def count(self, tokens: Tokens) -> None:
        """Add what a call used; an answer is not thrown away because it could not be counted."""
        try:
            await self._ledger.add(tokens)
        except (Unavailable, Overloaded) as error:
            say(logging.WARNING, "model.not_counted", error=type(error).__name__)


class Capped:
    """Counts every answer, and lets no call begin when the budget is used up; a ``limit`` of 0 only counts.

    A call that fails before anything is heard is not counted. Calls that run at the same time may go over the
    limit together, by what each of them uses.
    """

    def __init__(self, model: LanguageModel, ledger: Ledger, limit: int, tenant: str = "") -> None:
        self._tenant = tenant
        self._model = model
        self._allowance = Allowance(ledger, limit)

    @property
    def name(self) -> str:
        """The model's own."""
        return self._model.name

    async def complete(self, prompt: Prompt) -> Answer:
        """The whole answer, if the budget allows."""
        await self._allowance.check()
        with span("recollect.model", model=self.name), self._timed():
            answer = await self._model.complete(prompt)
        await self._count(used(prompt, answer))
        return answer

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        """Pieces, then the answer, if the budget allows; what was heard is counted even without the end."""
        await self._allowance.check()
        heard: list[str] = []
        tokens: Tokens | None = None
        try:
            with beside("recollect.model", model=self.name), self._timed():
                async with aclosing(self._model.stream(prompt)) as items:
                    async for item in items:
                        if isinstance(item, Answer):
                            tokens = used(prompt, item)
                        else:
                            heard.append(item)
                        yield item
        finally:
            if tokens is not None or heard:
                await self._count(tokens or estimate(prompt, "".join(heard)))

    @contextmanager
    def _timed(self) -> Generator[None]:
        began, outcome = time.monotonic(), "failed"
        try:
            yield
            outcome = "answered"
        finally:
            MODEL_SECONDS.add(MODEL(self.name), outcome, seconds=time.monotonic() - began)

    async def _count(self, tokens: Tokens) -> None:
        tenant, model = TENANT(self._tenant), MODEL(self.name)
        MODEL_TOKENS.add(tenant, model, "sent", by=tokens.sent)
        MODEL_TOKENS.add(tenant, model, "received", by=tokens.received)
        await self._allowance.count(tokens)


def used(prompt: Prompt, answer: Answer) -> Tokens:
    """What the endpoint says, or an estimate if it says nothing."""
    if answer.tokens.sent or answer.tokens.received:
        return answer.tokens
    calls = "".join(str(call) for call in answer.tool_calls)
    return estimate(prompt, answer.text + calls)


def estimate(prompt: Prompt, text: str) -> Tokens:
    """About how many tokens a prompt and a text are."""
    sent = len(msgspec.json.encode([prompt.messages, prompt.tools, prompt.schema]))
    return Tokens(-(-sent // _BYTES_PER_TOKEN), -(-len(text.encode()) // _BYTES_PER_TOKEN))


def _until_tomorrow(now: datetime) -> float:
    midnight = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return (midnight - now).total_seconds()
