"""Doctor asks the embedder, the model and the cache, and says what to do where they do not answer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Settings
from recollect.cli import trials as trying
from recollect.cli.findings import Finding
from scripted_model import Hang, Raw, ScriptedModel, Status, Step
from valkeys import Valkey

NOWHERE = "http://127.0.0.1:1/v1"


@pytest.fixture
def endpoint() -> Iterator[ScriptedModel]:
    with ScriptedModel() as server:
        yield server


async def found(what: str, **given: object) -> Finding:
    return next(one for one in await trying.trials(Settings.read({}, **given)) if one.what == what)


async def test_what_comes_along_is_fine() -> None:
    assert [(one.what, one.verdict) for one in await trying.trials(Settings())] == [
        ("embedder", "ok"),
        ("model", "ok"),
        ("cache", "ok"),
    ]


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (Status(401), "check OPENAI_API_KEY"),
        (Status(429), "asked too often, or its budget is used up"),
        (Status(500), "the fault is there"),
        (Raw(b"garbage"), "check OPENAI_BASE_URL, RECOLLECT_EMBEDDER"),
        (Raw(b'{"data": [{"embedding": [1, 2]}]}'), "check OPENAI_BASE_URL, RECOLLECT_EMBEDDER"),
    ],
)
async def test_an_embedder_that_does_not_work(endpoint: ScriptedModel, step: Step, said: str) -> None:
    endpoint.instead = lambda texts: step
    finding = await found("embedder", embedder="openai:m:3", openai_base_url=endpoint.url)
    assert not finding.fine
    assert said in finding.detail


async def test_an_embedder_that_works(endpoint: ScriptedModel) -> None:
    endpoint.embed = lambda text: [1.0, len(text) % 7, len(text) % 3]
    finding = await found("embedder", embedder="openai:m:3", openai_base_url=endpoint.url)
    assert (finding.fine, finding.detail) == (True, "m-3")
    assert endpoint.embedded[-1] == ["word"]


async def test_a_model_that_works(endpoint: ScriptedModel) -> None:
    endpoint.play("ok")
    finding = await found("model", model="openai:m", openai_base_url=endpoint.url)
    assert finding.fine
    assert "m answered in" in finding.detail


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (Status(403), "check OPENAI_API_KEY"),
        (Status(404), "check OPENAI_BASE_URL, RECOLLECT_MODEL"),
        (Raw(b"garbage"), "check OPENAI_BASE_URL, RECOLLECT_MODEL"),
    ],
)
async def test_a_model_that_does_not_work(endpoint: ScriptedModel, step: Step, said: str) -> None:
    endpoint.respond = lambda request: step
    finding = await found("model", model="openai:m", openai_base_url=endpoint.url)
    assert not finding.fine
    assert said in finding.detail


async def test_nothing_is_waited_for_without_end(endpoint: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trying, "PATIENCE", 0.3)
    endpoint.respond = lambda request: Hang()
    endpoint.instead = lambda texts: Hang()
    given = {"openai_base_url": endpoint.url, "model": "openai:m", "embedder": "openai:m:3"}
    findings = await trying.trials(Settings.read({}, **given))
    assert [one.verdict for one in findings] == ["problem", "problem", "ok"]
    assert all("did not answer in 0.3 s" in one.detail for one in findings[:2])


async def test_an_endpoint_that_is_not_there() -> None:
    finding = await found("model", model="openai:m", openai_base_url=NOWHERE)
    assert "did not answer (APIConnectionError); check OPENAI_BASE_URL" in finding.detail


@pytest.mark.parametrize(
    ("cache", "said"),
    [
        ("foo", "must be like redis://host:6379/0"),
        ("redis://127.0.0.1:1", "it does not answer (ConnectionError); check RECOLLECT_CACHE"),
        ("redis+sentinel://127.0.0.1:1/x", "it does not answer (ConnectionError); check RECOLLECT_CACHE"),
    ],
)
async def test_a_cache_that_does_not_work(cache: str, said: str) -> None:
    finding = await found("cache", cache=cache)
    assert not finding.fine
    assert said in finding.detail


async def test_a_cache_that_works(tmp_path: Path) -> None:
    server = Valkey(tmp_path)
    try:
        assert await found("cache", cache=server.url) == Finding("cache", True, "it answers")
    finally:
        server.kill()
    assert (await found("cache", cache="memory")).fine


@pytest.mark.parametrize(
    ("missing", "setting", "extra"),
    [
        ("openai", {"model": "openai:m", "openai_api_key": "none"}, "openai"),
        ("openai", {"embedder": "openai:m:3", "openai_api_key": "none"}, "openai"),
        ("redis", {"cache": "redis://127.0.0.1:1"}, "redis"),
    ],
)
def test_an_extra_that_is_missing(missing: str, setting: dict[str, str], extra: str) -> None:
    code = (
        f"import asyncio, sys; sys.modules[{missing!r}] = None\n"
        "from recollect import Settings; from recollect.cli.trials import trials\n"
        f"for one in asyncio.run(trials(Settings(**{setting!r}))): print(one.what, one.fine, one.detail)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    line = next(line for line in done.stdout.splitlines() if "False" in line)
    assert line.startswith(next(iter(setting)))
    assert f"pip install '.[{extra}]'" in line
