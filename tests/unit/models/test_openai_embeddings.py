from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from recollect import Invalid, Unavailable
from recollect.models import openai_embeddings
from recollect.models.breaker import Breaker
from recollect.models.openai_embeddings import BATCH, MOST_REFUSALS, OpenAIEmbedder
from scripted_model import Drip, Hang, Raw, ScriptedModel, Status, Step
from steps import stretches


class Endpoint:
    """Answers as an endpoint does: each text's length, as a vector."""

    def __init__(self, dimension: int = 2) -> None:
        self.requests: list[dict[str, Any]] = []
        self.embeddings = self
        self._dimension = dimension

    async def create(self, **request: Any) -> Any:
        self.requests.append(request)
        rows = [[float(len(text))] + [1.0] * (self._dimension - 1) for text in request["input"]]
        return SimpleNamespace(data=[SimpleNamespace(embedding=row) for row in rows])


async def test_texts_go_in_batches_and_come_back_in_order_with_length_one() -> None:
    endpoint = Endpoint()
    embedder = OpenAIEmbedder("some-model", 2, client=endpoint)
    texts = ["x" * (1 + number % 7) for number in range(BATCH + 10)]
    rows = await embedder.embed(texts)
    assert [len(request["input"]) for request in endpoint.requests] == [BATCH, 10]
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert np.allclose(rows[:, 0] / rows[:, 1], [len(text) for text in texts])
    assert embedder.name == "some-model-2"


async def test_empty_texts_are_not_sent() -> None:
    endpoint = Endpoint()
    rows = await OpenAIEmbedder("m", 2, client=endpoint).embed(["", "tea", " "])
    assert endpoint.requests[0]["input"] == ["tea"]
    assert not rows[0].any()
    assert not rows[2].any()


async def test_a_shorter_vector_is_asked_for_only_on_request() -> None:
    endpoint = Endpoint()
    await OpenAIEmbedder("m", 2, client=endpoint).embed(["tea"])
    await OpenAIEmbedder("m", 2, client=endpoint, shorten=True).embed(["tea"])
    assert ["dimensions" in request for request in endpoint.requests] == [False, True]


async def test_vectors_of_another_length_are_refused() -> None:
    with pytest.raises(Unavailable, match="shape"):
        await OpenAIEmbedder("m", 2, client=Endpoint(3)).embed(["tea"])


async def test_vectors_are_told_apart_by_their_numbers_and_not_by_their_place() -> None:
    class Backwards(Endpoint):
        async def create(self, **request: Any) -> Any:
            answer = await super().create(**request)
            for number, one in enumerate(answer.data):
                one.index = number
            return SimpleNamespace(data=answer.data[::-1])

    rows = await OpenAIEmbedder("m", 2, client=Backwards()).embed(["tea", "", "coffee"])
    assert np.allclose(rows[[0, 2], 0] / rows[[0, 2], 1], [3, 6])


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 1e300, None])
async def test_what_is_no_number_is_refused(number: float | None) -> None:
    class Odd(Endpoint):
        async def create(self, **request: Any) -> Any:
            return SimpleNamespace(data=[SimpleNamespace(embedding=[1.0, number]) for _ in request["input"]])

    with pytest.raises(Unavailable, match="not numbers") as error:
        await OpenAIEmbedder("m", 2, client=Odd()).embed(["tea"])
    assert error.value.part == "embedder"


async def test_a_failure_is_ours_and_quotes_nothing() -> None:
    class Broken(Endpoint):
        async def create(self, **request: Any) -> Any:
            raise RuntimeError(f"cannot embed {request['input']}")

    with pytest.raises(Unavailable) as error:
        await OpenAIEmbedder("m", 2, client=Broken()).embed(["a secret"])
    assert error.value.part == "embedder"
    assert "secret" not in str(error.value)


async def test_an_endpoint_that_keeps_failing_is_left_alone_for_a_while() -> None:
    class Failing(Endpoint):
        status: int | None = None
        works = False

        async def create(self, **request: Any) -> Any:
            answer = await super().create(**request)
            if self.works:
                return answer
            error = RuntimeError("no")
            error.status_code = self.status  # type: ignore[attr-defined]  # pyright: ignore
            raise error

    now = 0.0
    endpoint = Failing()
    embedder = OpenAIEmbedder("m", 2, client=endpoint, breaker=Breaker(3, 30.0, lambda: now))
    endpoint.status = 400
    for _ in range(5):  # it blames the text, and is well
        with pytest.raises(Unavailable):
            await embedder.embed(["tea"])
    endpoint.status = None
    for _ in range(3):
        with pytest.raises(Unavailable, match="did not answer"):
            await embedder.embed(["tea"])
    asked = len(endpoint.requests)
    with pytest.raises(Unavailable, match="left alone") as error:
        await embedder.embed(["tea"])
    assert (error.value.part, error.value.retry_after, len(endpoint.requests)) == ("embedder", 30.0, asked)
    now, endpoint.works = 31.0, True
    assert len(await embedder.embed(["tea"])) == len(await embedder.embed(["tea"])) == 1


def test_a_missing_client_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(openai_embeddings.importlib, "import_module", missing)
    with pytest.raises(Invalid, match=r"\.\[openai\]"):
        OpenAIEmbedder("m", 2)


class Blamed(RuntimeError):
    """What a client raises where an endpoint blames the texts."""

    status_code = 400


class Picky(Endpoint):
    """Refuses a request in which anything is wrong."""

    def __init__(self, wrong: Callable[[list[str]], bool]) -> None:
        super().__init__()
        self._wrong = wrong

    async def create(self, **request: Any) -> Any:
        answer = await super().create(**request)
        if self._wrong(request["input"]):
            raise Blamed(f"cannot embed {request['input']}")
        return answer


def longer_than(most: int) -> Callable[[list[str]], bool]:
    return lambda texts: any(len(text) > most for text in texts)


async def test_a_text_that_is_too_long_is_cut_and_the_others_are_not() -> None:
    endpoint = Picky(longer_than(1500))
    texts = ["x" * 1400] * 100 + ["y" * 4000] + ["z"] * 100
    rows = await OpenAIEmbedder("m", 2, client=endpoint).embed(texts)
    lengths = (rows[:, 0] / rows[:, 1]).round().tolist()
    assert lengths == [1400] * 100 + [1000] + [1] * 100
    assert len(endpoint.requests) < 30


async def test_where_all_are_too_long_the_first_tells_how_long_they_may_be() -> None:
    endpoint = Picky(longer_than(1500))
    rows = await OpenAIEmbedder("m", 2, client=endpoint).embed(["y" * 4000] * BATCH)
    assert np.allclose(rows[:, 0] / rows[:, 1], 1000)
    assert len(endpoint.requests) < 40


async def test_more_texts_than_a_request_may_hold_go_in_several() -> None:
    endpoint = Picky(lambda texts: len(texts) > 32)
    texts = ["x" * (1 + number % 7) for number in range(BATCH)]
    rows = await OpenAIEmbedder("m", 2, client=endpoint).embed(texts)
    assert np.allclose(rows[:, 0] / rows[:, 1], [len(text) for text in texts])
    assert len(endpoint.requests) == 15


async def test_what_is_refused_at_any_length_has_no_vector_and_the_others_have(
    caplog: pytest.LogCaptureFixture,
) -> None:
    endpoint = Picky(lambda texts: any("poison" in text for text in texts))
    rows = await OpenAIEmbedder("m", 2, client=endpoint).embed(["tea"] * 40 + ["poison"] + ["milk"] * 40)
    assert rows.any(axis=1).tolist() == [True] * 40 + [False] + [True] * 40
    assert "embedder.refused" in caplog.text
    assert "poison" not in caplog.text


@pytest.mark.parametrize("length", [6, 8000])
async def test_a_text_alone_that_is_refused_at_any_length_is_unavailable(length: int) -> None:
    endpoint = Picky(lambda texts: True)
    with pytest.raises(Unavailable) as error:
        await OpenAIEmbedder("m", 2, client=endpoint).embed(["secret".ljust(length, "x")])
    assert (error.value.part, error.value.status) == ("embedder", 400)
    assert "secret" not in str(error.value)
    assert len(endpoint.requests) <= 7


async def test_an_endpoint_that_refuses_everything_is_not_asked_for_ever() -> None:
    endpoint = Picky(lambda texts: True)
    with pytest.raises(Unavailable):
        await OpenAIEmbedder("m", 2, client=endpoint).embed(["tea"] * BATCH)
    assert len(endpoint.requests) <= MOST_REFUSALS + 1


async def test_many_texts_that_are_refused_leave_the_others_their_vectors() -> None:
    endpoint = Picky(lambda texts: any("poison" in text for text in texts))
    texts = ["poison" if number % 5 == 0 else "tea" for number in range(BATCH)]
    rows = await OpenAIEmbedder("m", 2, client=endpoint).embed(texts)
    assert rows.any(axis=1).tolist() == [text == "tea" for text in texts]


class Fixed(Endpoint):
    """Some texts have a vector of their own."""

    def __init__(self, vectors: dict[str, list[float]]) -> None:
        super().__init__()
        self._vectors = vectors

    async def create(self, **request: Any) -> Any:
        self.requests.append(request)
        rows = [self._vectors.get(text, [1.0, 1.0]) for text in request["input"]]
        return SimpleNamespace(data=[SimpleNamespace(embedding=row) for row in rows])


@pytest.mark.parametrize("vector", [[0.0, 0.0], [1e25, 1e25], [1e-30, 0.0]])
async def test_a_vector_without_a_length_is_refused(vector: list[float]) -> None:
    endpoint = Fixed({"tea": vector})
    with pytest.raises(Unavailable, match="no length") as error:
        await OpenAIEmbedder("m", 2, client=endpoint).embed(["tea"])
    assert error.value.part == "embedder"
    with pytest.raises(Unavailable, match="no length"):
        await OpenAIEmbedder("m", 2, client=endpoint).embed(["tea"] * 3)


async def test_a_vector_without_a_length_is_asked_for_again_and_costs_the_others_nothing() -> None:
    endpoint = Fixed({"???": [0.0, 0.0]})
    rows = await OpenAIEmbedder("m", 2, client=endpoint).embed(["tea", "???", "milk"])
    assert rows.any(axis=1).tolist() == [True, False, True]
    assert [request["input"] for request in endpoint.requests] == [["tea", "???", "milk"], ["???"]]


def at(scripted: ScriptedModel, step: Step, **options: Any) -> OpenAIEmbedder:
    """An embedder of an endpoint that does nothing else."""
    scripted.instead = lambda texts: step
    return OpenAIEmbedder("m", 2, base_url=scripted.url, **options)


@pytest.mark.parametrize("step", [Drip(0.05), Hang()])
async def test_the_whole_of_a_call_has_one_time_limit(scripted: ScriptedModel, step: Step) -> None:
    embedder = at(scripted, step, timeout=0.5)
    async with asyncio.timeout(30):
        with pytest.raises(Unavailable, match="m did not answer"):
            await embedder.embed(["tea"])
    assert len(scripted.embedded) == 1, "who was slow once is not asked again"
    await embedder.close()


async def test_nobody_waits_until_an_endpoint_wants_to_be_asked_again(scripted: ScriptedModel) -> None:
    embedder = at(scripted, Status(429, headers={"Retry-After": "45"}), timeout=60, breaker=Breaker(2, 30.0))
    async with asyncio.timeout(30):
        for _ in range(2):
            with pytest.raises(Unavailable, match="answered 429") as error:
                await embedder.embed(["tea"])
            assert (error.value.status, error.value.retry_after) == (429, 45.0)
    assert len(scripted.embedded) == 2
    with pytest.raises(Unavailable, match="left alone") as error:
        await embedder.embed(["tea"])
    assert error.value.retry_after is not None
    assert error.value.retry_after > 30, "for as long as it asked for"
    await embedder.close()


async def test_what_fails_once_is_tried_again(scripted: ScriptedModel) -> None:
    scripted.embed = lambda text: [1.0, 2.0]
    scripted.instead = lambda texts: Status(503) if len(scripted.embedded) == 1 else None
    embedder = OpenAIEmbedder("m", 2, base_url=scripted.url)
    assert (await embedder.embed(["tea"])).any()
    assert len(scripted.embedded) == 2
    await embedder.close()


async def test_callers_that_waited_long_and_gave_up_are_failures(scripted: ScriptedModel) -> None:
    embedder = at(scripted, Hang(), timeout=2.0, breaker=Breaker(2, 60.0))

    async def asked(seconds: float) -> None:
        async with asyncio.timeout(seconds):
            await embedder.embed(["tea"])

    for seconds in (0.01, 0.01, 0.01, 0.6, 0.6):
        with pytest.raises(TimeoutError):
            await asked(seconds)
    with pytest.raises(Unavailable, match="left alone"):
        await asked(0.6)
    await embedder.close()


def body(rows: list[list[Any]], **more: Any) -> Raw:
    data = [{"object": "embedding", "index": number, "embedding": row} for number, row in enumerate(rows)]
    return Raw(json.dumps({"object": "list", "data": data[::-1], **more}).encode())


async def test_an_answer_is_read_as_it_comes(scripted: ScriptedModel) -> None:
    embedder = at(scripted, body([[3, 4.0], [1, 0]], model="m", usage=None))
    assert np.allclose(await embedder.embed(["tea", "milk"]), [[0.6, 0.8], [1, 0]])
    for odd in ([[None, 1.0]], [["x", 1.0]], [[1.0]], [], [[float("nan"), 1.0]]):
        scripted.instead = lambda texts, odd=odd: body(odd)
        with pytest.raises(Unavailable) as error:
            await embedder.embed(["tea"])
        assert error.value.part == "embedder"
    await embedder.close()


async def test_others_go_on_while_a_large_answer_is_read(scripted: ScriptedModel) -> None:
    rows = np.random.default_rng(1).normal(size=(BATCH, 3072)).astype(np.float32)
    embedder = at(scripted, answer := body(rows.tolist()), timeout=120)
    embedder.dimension = 3072
    async with stretches() as stalls:
        made = await embedder.embed(["tea"] * BATCH)
    assert np.allclose(made, rows / np.linalg.norm(rows, axis=1, keepdims=True), atol=1e-6)
    before = time.thread_time()
    json.loads(answer.body)
    assert max(stalls) < time.thread_time() - before, "less than to look at every number once"
    await embedder.close()


@pytest.mark.parametrize(
    ("status", "problem"),
    [(401, "m answered 401 .*check OPENAI_API_KEY"), (429, "m answered 429 .RateLimitError.$")],
)
async def test_a_refusal_is_an_answer(scripted: ScriptedModel, status: int, problem: str) -> None:
    embedder = at(scripted, Status(status, "a secret"))
    with pytest.raises(Unavailable, match=problem) as caught:
        await embedder.embed(["tea"])
    assert (caught.value.status, "secret" in str(caught.value)) == (status, False)
    await embedder.close()


async def test_no_more_of_an_answer_is_read_than_it_may_have(scripted: ScriptedModel) -> None:
    scripted.instead = lambda _: Raw(b" " * (openai_embeddings.MOST_BYTES + 1))
    embedder = OpenAIEmbedder("m", 2, base_url=scripted.url, timeout=120)
    with pytest.raises(Unavailable, match="more than 67108864 bytes"):
        await embedder.embed(["tea"])
    assert len(scripted.embedded) == 1, "it would be as long again"
    await embedder.close()
