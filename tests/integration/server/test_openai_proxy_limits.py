"""The proxy when the model is slow, when a tenant has used up its budget, and when there is no model at all."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI
from proxied import Proxied, bound, kept, proxying

from recollect import Recollect
from scripted_model import Drip, Hang
from serving import Served


@pytest.fixture(scope="module")
def impatient(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    limits = {"turn_timeout": "3", "model_timeout": "2", "model_tokens_per_day": "8"}
    with proxying(tmp_path_factory.mktemp("impatient"), dsn, **limits) as running:
        yield running


@pytest.fixture
async def hasty(impatient: Proxied, memory: Recollect) -> AsyncIterator[AsyncOpenAI]:
    async with impatient.client(await bound(memory)) as client:
        yield client


async def test_who_waits_too_long_is_told_so(impatient: Proxied, hasty: AsyncOpenAI, memory: Recollect) -> None:
    hi: Any = [{"role": "user", "content": "hi"}]
    impatient.upstream.play(Hang(), Drip(), Hang())
    for stream in (False, False, True):
        with pytest.raises(openai.InternalServerError) as late:
            await hasty.chat.completions.create(model="m", messages=hi, stream=stream)
        assert (late.value.status_code, late.value.code) == (504, "upstream_timeout")
    assert await kept(memory) == []
    impatient.upstream.play(Drip())
    stream = await hasty.chat.completions.create(model="m", messages=hi, stream=True)
    with pytest.raises(openai.APIError) as late:
        async for _ in stream:
            pass
    assert late.value.code == "upstream_timeout"
    assert await kept(memory) == [("user", "hi")]


async def test_a_budget_that_is_used_up(impatient: Proxied, hasty: AsyncOpenAI, memory: Recollect) -> None:
    hi: Any = [{"role": "user", "content": "hi"}]
    impatient.upstream.play("ten tokens")
    await hasty.chat.completions.create(model="m", messages=hi)
    with pytest.raises(openai.RateLimitError) as refused:
        await hasty.chat.completions.create(model="m", messages=hi)
    assert refused.value.code == "insufficient_quota"
    assert int(refused.value.response.headers["retry-after"]) > 0
    assert len(await kept(memory)) == 2


async def test_without_an_upstream_the_offline_responder_answers(served: Served, memory: Recollect) -> None:
    await memory.remember("user is allergic to peanuts", user="ana", agent="assistant")
    ask: Any = [{"role": "user", "content": "What am I allergic to?"}]
    async with AsyncOpenAI(base_url=f"{served.url}/v1", api_key=await bound(memory), max_retries=0) as client:
        assert [one.id async for one in client.models.list()] == ["recollect-offline"]
        answer = await client.chat.completions.create(model="gpt-4o", messages=ask)
        assert answer.model == "recollect-offline"
        assert "peanuts" in (answer.choices[0].message.content or "")
        stream = await client.chat.completions.create(
            model="gpt-4o", messages=ask, stream=True, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in stream]
        text = "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)
        assert "peanuts" in text
        assert chunks[-1].usage is not None
        assert [role for role, _ in await kept(memory)] == ["user", "assistant"] * 2
        again = {"idempotency-key": "o1"}
        first, second = [
            (await client.chat.completions.create(model="m", messages=ask, extra_headers=again)).id
            for _ in range(2)
        ]
        assert first == second
        with pytest.raises(openai.UnprocessableEntityError, match="no upstream is set"):
            await client.chat.completions.create(
                model="m",
                messages=[*ask, {"role": "assistant", "content": "x"}, {"role": "assistant", "content": "y"}],
            )
        assert len(await kept(memory)) == 6
