from __future__ import annotations

import logging
from collections.abc import AsyncGenerator

import pytest

from recollect import Unavailable
from recollect.models.spending import Capped, estimate
from recollect.ports import Answer, Prompt, Tokens

PROMPT = Prompt(messages=[{"role": "user", "content": "x" * 300}])


class Book:
    """A ledger on paper."""

    def __init__(self) -> None:
        self.calls: list[Tokens] = []
        self.burnt = False

    async def spent(self) -> int:
        return sum(tokens.sent + tokens.received for tokens in self.calls)

    async def add(self, tokens: Tokens) -> None:
        if self.burnt:
            raise Unavailable("database", "gone")
        self.calls.append(tokens)


class Talker:
    name = "talker"

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.calls = 0
        self.breaks = False

    async def complete(self, prompt: Prompt) -> Answer:
        self.calls += 1
        if self.breaks:
            raise Unavailable("model", "down")
        return Answer(text="y" * 30, model=self.name, tokens=self.tokens)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
        self.calls += 1
        yield "y" * 15
        if self.breaks:
            raise Unavailable("model", "down")
        yield "y" * 15
        yield Answer(text="y" * 30, model=self.name, tokens=self.tokens)


async def test_no_call_begins_when_the_budget_is_used_up() -> None:
    talker, book = Talker(Tokens(6, 4)), Book()
    capped = Capped(talker, book, 25)
    assert capped.name == "talker"
    for _ in range(3):
        await capped.complete(PROMPT)
    with pytest.raises(Unavailable, match="budget of 25 tokens a day is used up") as caught:
        await capped.complete(PROMPT)
    assert caught.value.part == "model"
    assert caught.value.retry_after is not None
    assert 0 < caught.value.retry_after <= 86_400
    with pytest.raises(Unavailable, match="budget"):
        await anext(capped.stream(PROMPT))
    assert (talker.calls, await book.spent()) == (3, 30)


async def test_without_a_limit_it_only_counts() -> None:
    book = Book()
    capped = Capped(Talker(Tokens(6, 4)), book, 0)
    await capped.complete(PROMPT)
    assert len([item async for item in capped.stream(PROMPT)]) == 3
    assert book.calls == [Tokens(6, 4)] * 2


async def test_what_is_not_counted_by_the_endpoint_is_estimated() -> None:
    book = Book()
    await Capped(Talker(Tokens()), book, 100).complete(PROMPT)
    [tokens] = book.calls
    assert tokens == estimate(PROMPT, "y" * 30)
    assert tokens.received == 10
    assert 100 <= tokens.sent < 150


async def test_a_stream_that_ends_early_has_cost_something() -> None:
    talker, book = Talker(Tokens(6, 4)), Book()
    capped = Capped(talker, book, 0)
    stream = capped.stream(PROMPT)
    await anext(stream)
    await stream.aclose()
    talker.breaks = True
    with pytest.raises(Unavailable, match="down"):
        _ = [item async for item in capped.stream(PROMPT)]
    assert book.calls == [estimate(PROMPT, "y" * 15)] * 2
    with pytest.raises(Unavailable, match="down"):
        await capped.complete(PROMPT)
    assert len(book.calls) == 2, "nothing was heard of this one"


async def test_an_answer_is_kept_even_if_it_cannot_be_counted(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    book = Book()
    book.burnt = True
    assert (await Capped(Talker(Tokens(6, 4)), book, 5).complete(PROMPT)).text == "y" * 30
    assert "model.not_counted" in caplog.text
