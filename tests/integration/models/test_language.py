"""From settings to a language model behind a breaker and within a budget, which tenants do not share."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import asyncpg
import msgspec
import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from recollect import Invalid, Recollect, Settings, Unavailable
from recollect.handle import Models
from recollect.ports import Answer, LanguageModel, Prompt, Tokens
from recollect.storage.spending import TenantLedger
from scripted_model import Reply, ScriptedModel, Status

PROMPT = Prompt(messages=[{"role": "user", "content": "hi"}])


def language(memory: Recollect) -> LanguageModel:
    models: Models = memory._models  # pyright: ignore[reportPrivateUsage]
    language = models.language(memory.tenant)
    assert language is not None
    assert models.language(memory.tenant) is language
    return language


async def test_without_a_setting_there_is_none(memory: Recollect) -> None:
    assert memory._models.language(memory.tenant) is None  # pyright: ignore[reportPrivateUsage]


async def test_a_model_by_its_setting(
    dsn: str, tenant: str, scripted: ScriptedModel, admin: asyncpg.Connection
) -> None:
    settings = Settings(database=dsn, tenant=tenant, model="openai:tiny:8b", openai_base_url=scripted.url)
    async with Recollect.open(settings=settings) as memory:
        assert not scripted.requests
        scripted.play(Reply("hello", tokens=(11, 2)), Reply("hello", tokens=(1, 1)))
        answer = await language(memory).complete(PROMPT)
        assert (answer.text, answer.model) == ("hello", "tiny:8b")
        assert len([item async for item in language(memory).stream(PROMPT)]) == 2
        scripted.respond = lambda _: Status(503)
        for _ in range(20):
            with pytest.raises(Unavailable):
                await language(memory).complete(PROMPT)
        assert len(scripted.requests) == 2 + 5, "the breaker"
    rows = await admin.fetch("select * from recollect.spending where tenant = $1", tenant)
    assert [(row["calls"], row["tokens_sent"], row["tokens_received"]) for row in rows] == [(2, 12, 3)]


async def test_a_model_by_name_or_by_hand(dsn: str, tenant: str) -> None:
    class Parrot:
        name = "parrot"

        async def complete(self, prompt: Prompt) -> Answer:
            return Answer(text=prompt.messages[-1]["content"], model=self.name, tokens=Tokens(1, 1))

        async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Answer]:
            yield await self.complete(prompt)

    keyed = Settings(database=dsn, tenant=tenant, model="openai:gpt-x", openai_api_key="sk-none")
    async with Recollect.open(settings=keyed) as memory:
        assert language(memory).name == "gpt-x"
    async with Recollect.open(dsn, tenant=tenant, model=Parrot()) as memory:
        assert (await language(memory).complete(PROMPT)).text == "hi"
    async with Recollect.open(settings=Settings(database=dsn, tenant=tenant), model=Parrot()) as memory:
        assert language(memory).name == "parrot"
    wrong: list[Any] = ["gpt-x", "openai:", 7, object()]
    for model in wrong:
        with pytest.raises(Invalid, match="model"):
            Recollect.open(dsn, tenant=tenant, model=model)
    with pytest.raises(Invalid, match="settings"):
        Recollect.open(settings=Settings(database=dsn), model="openai:gpt-x")


@pytest.mark.parametrize("given", [{"model": "openai:gpt-x"}, {"embedder": "openai:vectors:384"}])
async def test_openai_itself_is_not_asked_without_a_key(dsn: str, tenant: str, given: dict[str, str]) -> None:
    (field,) = given
    settings = Settings(database=dsn, tenant=tenant, **given)  # type: ignore[arg-type]
    with pytest.raises(Invalid, match="OPENAI_API_KEY") as caught:
        await Recollect.open(settings=settings)
    assert caught.value.field == field
    own = msgspec.structs.replace(settings, openai_base_url="http://127.0.0.1:9/v1")
    async with Recollect.open(settings=own) as memory:
        assert await memory.agents() == []


async def test_a_langchain_model(dsn: str, tenant: str) -> None:
    async with Recollect.open(dsn, tenant=tenant, model=FakeListChatModel(responses=["hello"])) as memory:
        assert (await language(memory).complete(PROMPT)).text == "hello"


async def test_a_budget_is_one_tenants_and_one_days(
    dsn: str, tenant: str, scripted: ScriptedModel, admin: asyncpg.Connection
) -> None:
    scripted.respond = lambda _: Reply("x", tokens=(40, 20))
    others = tenant + "-other"

    def settings(name: str) -> Settings:
        return Settings(
            database=dsn,
            tenant=name,
            model="openai:tiny",
            model_tokens_per_day=100,
            openai_base_url=scripted.url,
        )

    async with (
        Recollect.open(settings=settings(tenant)) as one,
        Recollect.open(settings=settings(others)) as other,
    ):
        for _ in range(2):
            await language(one).complete(PROMPT)
        with pytest.raises(Unavailable, match="budget of 100 tokens a day"):
            await language(one).complete(PROMPT)
        await language(other).complete(PROMPT)
        assert len(scripted.requests) == 3

        database = one._database  # pyright: ignore[reportPrivateUsage]
        assert await TenantLedger(database, tenant).spent() == 120
        assert await TenantLedger(database, others).spent() == 60
        assert await TenantLedger(database, tenant + "-nobody").spent() == 0

        yesterday = "update recollect.spending set day = day - 1 where tenant = $1"
        await admin.execute(yesterday, tenant)
        assert (await language(one).complete(PROMPT)).text == "x"
    rows = await admin.fetch("select calls from recollect.spending where tenant = $1 order by day", tenant)
    assert [row["calls"] for row in rows] == [2, 1]
