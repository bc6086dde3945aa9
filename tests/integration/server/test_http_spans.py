"""OpenTelemetry spans: of requests and of what they do, when they are wanted, and without content."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import msgspec
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from recollect import Recollect, Settings
from recollect.observe import spans
from recollect.server.app import create_app
from scripted_model import Reply, ScriptedModel

TRACE = "0af7651916cd43dd8448eb211c80319c"
CANARY = "zebrafinch"


@pytest.fixture(scope="module")
def exporter() -> InMemorySpanExporter:
    """The SDK, set up for the whole process as its own auto-configuration does it; that can be done once."""
    made = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(made))
    trace.set_tracer_provider(provider)
    return made


@pytest.fixture
def seen(exporter: InMemorySpanExporter) -> Iterator[InMemorySpanExporter]:
    exporter.clear()
    yield exporter
    spans.stop()


@pytest.fixture
async def traced(dsn: str, tenant: str, scripted: ScriptedModel) -> AsyncIterator[httpx.AsyncClient]:
    settings = Settings(
        database=dsn, tenant=tenant, spans=True, model="openai:scripted", openai_base_url=scripted.url,
        openai_api_key="none",
    )  # fmt: skip
    async with Recollect.open(settings=settings) as memory:
        app: Any = create_app(memory, settings)
        key = (await memory.create_key(scopes=["read", "write", "admin"])).text
        transport = httpx.ASGITransport(app=app)
        headers = {"authorization": f"Bearer {key}"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1", headers=headers, timeout=60
        ) as client:
            yield client


def _by_name(seen: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in seen.get_finished_spans()}


async def test_a_request_and_what_it_does(
    seen: InMemorySpanExporter, traced: httpx.AsyncClient, scripted: ScriptedModel
) -> None:
    traced.headers["traceparent"] = f"00-{TRACE}-b7ad6b7169203331-01"
    chat = await traced.post("/api/conversations", json={"user": CANARY, "agent": CANARY})
    path = f"/api/conversations/{chat.json()['id']}"
    await traced.post(f"{path}/messages", json={"role": "user", "content": CANARY})
    await traced.post(f"{path}/context", json={"message": CANARY})
    assert (await traced.get(f"/api/conversations/{CANARY}")).status_code == 422
    found = _by_name(seen)
    posted = found["POST /api/conversations/{id}/messages"]
    assert posted.attributes is not None
    assert posted.attributes["http.response.status_code"] == 201
    assert posted.attributes["http.route"] == "/api/conversations/{id}/messages"
    assert posted.kind is trace.SpanKind.SERVER
    assert {span.context.trace_id for span in seen.get_finished_spans() if span.context} == {int(TRACE, 16)}
    for child, parent in (
        ("recollect.append", "POST /api/conversations/{id}/messages"),
        ("recollect.context", "POST /api/conversations/{id}/context"),
        ("recollect.context.fetch", "recollect.context"),
        ("recollect.context.rank", "recollect.context.fetch"),
        ("recollect.context.pack", "recollect.context"),
    ):
        above, of = found[child].parent, found[parent].context
        assert above is not None
        assert of is not None
        assert above.span_id == of.span_id, child
    told = "".join(span.to_json() for span in seen.get_finished_spans())
    assert CANARY not in told


async def test_turns_models_and_work(
    seen: InMemorySpanExporter, traced: httpx.AsyncClient, scripted: ScriptedModel
) -> None:
    scripted.play(Reply("Hello."))
    body = {"message": f"I live in {CANARY}", "agent_id": "cook", "user_id": "ana"}
    assert (await traced.post("/api/chat", json=body)).status_code == 200
    scripted.play(Reply("Hello again."))
    talk = (await traced.get("/api/conversations", params={"user": "ana"})).json()["items"][0]["id"]
    streamed = await traced.post(f"/api/conversations/{talk}/stream", json={"message": CANARY})
    assert "event: done" in streamed.text
    assert [span.name for span in seen.get_finished_spans()].count("recollect.model") == 2
    await traced.post("/api/admin/digest", json={"everything": True})
    found = _by_name(seen)
    assert {"POST /api/chat", "recollect.turn", "recollect.model", "recollect.work"} <= set(found)
    work = found["recollect.work"].attributes
    assert work is not None
    assert work["kind"] in ("extract", "summarise", "tidy")
    assert CANARY not in "".join(span.to_json() for span in seen.get_finished_spans())


def test_nothing_is_imported_when_nobody_wants_spans() -> None:
    program = (
        "import sys, recollect, recollect.server.app; from recollect.observe.spans import span\n"
        "with span('x') as made: assert made is None\n"
        "assert not [name for name in sys.modules if name.startswith('opentelemetry')]"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_missing_package_is_named() -> None:
    program = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "from recollect.observe import spans\n"
        "try: spans.start()\n"
        "except Exception as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert "pip install '.[otel]'" in done.stdout


def test_the_setting_is_off_by_itself() -> None:
    assert Settings().spans is False
    assert msgspec.structs.asdict(Settings.read({"RECOLLECT_SPANS": "true"}))["spans"] is True
