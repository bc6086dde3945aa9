"""Health, metrics, schema, headers, browsers, and the ways to run it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from recollect import Recollect
from recollect.sync import Recollect as Blocking
from scripted_model import Reply, ScriptedModel
from serving import Served, serving


@pytest.fixture(scope="module")
def served(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of their own: one that has met too many tenants counts new ones together."""
    settings = {"cors_origins": "https://app.example", "metrics_token": "watcher", "max_body": "2000000"}
    with serving(tmp_path_factory.mktemp("operation"), "--no-worker", database=dsn, **settings) as running:
        yield running


async def test_alive_ready_and_counted(client: httpx.AsyncClient, chat: str, memory: Recollect) -> None:
    await client.post(f"{chat}/messages", json={"role": "user", "content": "hello"})
    assert (await client.get("/healthz")).json() == {"status": "ok"}
    assert (await client.get("/readyz")).json() == {"status": "ready"}
    assert (await client.get("/metrics")).status_code == 401, "a tenant's key is not the operator's"
    numbers = await client.get("/metrics", headers={"authorization": "Bearer watcher"})
    assert numbers.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = numbers.text.splitlines()
    assert f'recollect_messages_appended_total{{tenant="{memory.tenant}",role="user"}} 1' in lines
    route = 'method="POST",route="/api/conversations/{id}/messages"'
    assert any(line.startswith(f"recollect_http_requests_total{{{route},status=") for line in lines)
    assert any(line.startswith(f"recollect_http_seconds_bucket{{{route}") for line in lines)
    assert any(line.startswith("recollect_tenants_with_due_work ") for line in lines)


async def test_what_is_done_is_counted(client: httpx.AsyncClient, chat: str, memory: Recollect) -> None:
    turn = {"message": "I live in Porto", "agent_id": "cook", "user_id": "ana"}
    assert (await client.post("/api/chat", json=turn)).status_code == 200
    await client.post(f"{chat}/messages/batch", json={"messages": [{"role": "user", "content": "x"}] * 12})
    await client.post(f"{chat}/context", json={"message": "where do I live?"})
    await client.post("/api/admin/digest", json={"everything": True})
    assert (await client.post("/api/admin/reembed-later")).status_code == 202
    assert (await client.get("/api/work")).json()[0]["kind"] == "reembed"
    found: dict[str, float] = {}
    for _ in range(40):  # a database that is busy is not waited for
        for line in (await client.get("/metrics", headers={"authorization": "Bearer watcher"})).text.splitlines():
            if not line.startswith("#"):
                name, _, value = line.rpartition(" ")
                found[name] = float(value)
        # What is shown is kept a while, and work of others may rest.
        if found.get('recollect_work_due{kind="reembed"}', 0) >= 1:
            break
        await asyncio.sleep(0.3)
    of = f'tenant="{memory.tenant}"'
    assert found[f'recollect_messages_appended_total{{{of},role="user"}}'] == 13
    assert found[f'recollect_messages_appended_total{{{of},role="assistant"}}'] == 1
    assert found['recollect_context_tokens_total{section="window"}'] > 0
    assert found['recollect_turn_seconds_count{outcome="done"}'] >= 1
    assert found['recollect_work_seconds_count{kind="extract",outcome="done"}'] >= 1
    assert found["recollect_recall_lag_seconds_count"] >= 1
    assert found['recollect_work_due{kind="reembed"}'] >= 1
    assert found['recollect_work_failed{kind="reembed"}'] >= 0
    assert found['recollect_work_oldest_seconds{kind="reembed"}'] >= 0
    assert found["recollect_live_streams"] == 0
    done = await memory.digest()
    assert done.tried == 1
    assert {one.kind for one in await memory.work()} == {"settle"}, "they have just talked"


async def test_every_answer_has_safe_headers_and_an_id(client: httpx.AsyncClient) -> None:
    for path in ("/schema", "/api/whoami", "/nowhere", "/healthz"):
        answer = await client.get(path, headers={"x-request-id": "mine-1"})
        assert answer.headers["x-request-id"] == "mine-1"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"
    odd = await client.get("/healthz", headers={"x-request-id": 'a"b c'})
    assert odd.headers["x-request-id"].isalnum()
    assert (await client.get("/nowhere")).headers["content-type"] == "application/problem+json"
    wrong = await client.delete("/api/whoami")
    assert (wrong.status_code, "GET" in wrong.headers["allow"]) == (405, True)


async def test_browsers_of_named_origins_may_call(client: httpx.AsyncClient) -> None:
    asked = {"origin": "https://app.example", "access-control-request-method": "POST"}
    answer = await client.options("/api/conversations", headers=asked)
    assert answer.headers["access-control-allow-origin"] == "https://app.example"
    real = await client.get("/api/whoami", headers={"origin": "https://app.example"})
    assert real.headers["access-control-allow-origin"] == "https://app.example"
    other = await client.get("/api/whoami", headers={"origin": "https://other.example"})
    assert other.status_code == 403
    assert "access-control-allow-origin" not in other.headers


async def test_the_schema_describes_every_route_and_the_page_needs_nothing_from_elsewhere(
    client: httpx.AsyncClient,
) -> None:
    schema = (await client.get("/schema/openapi.json")).json()
    assert schema["openapi"].startswith("3.1")
    operations = [one for path in schema["paths"].values() for one in path.values()]
    assert len(operations) > 70
    for operation in operations:
        assert operation.get("description"), operation["operationId"]
        assert {"422", "503"} <= set(operation["responses"])
    body = schema["components"]["schemas"]["NewMessage"]
    assert body["additionalProperties"] is False
    assert body["required"] == ["role"]
    page = (await client.get("/schema")).text
    assert page.count("<tr>") == len(operations) + 1
    assert 'src="http' not in page
    assert 'href="http' not in page


def test_the_log_is_json_and_has_no_addresses(served: Served) -> None:
    lines = [json.loads(line) for line in served.said.splitlines()]
    requests = [line for line in lines if line.get("event") == "http.request"]
    assert requests
    assert {"method", "route", "status", "ms", "request"} <= set(requests[0])
    assert "?" not in "".join(line["route"] for line in requests)


@pytest.mark.slow
def test_several_processes_serve_and_one_that_dies_comes_back(dsn: str, tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "2", database=dsn) as served:
        parent = psutil.Process(served.process.pid)
        assert httpx.get(f"{served.url}/readyz", timeout=30).status_code == 200
        children = [one for one in parent.children() if "spawn_main" in " ".join(one.cmdline())]
        assert len(children) == 2
        children[0].kill()
        until = time.monotonic() + 60
        while '"event":"server.restarted"' not in served.said:
            assert httpx.get(f"{served.url}/readyz", timeout=30).status_code == 200
            assert time.monotonic() < until
    assert served.process.returncode == 0
    assert not any(one.is_running() for one in children)


@pytest.mark.slow
def test_it_starts_without_any_setting_and_stops_when_told(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        chat = httpx.post(f"{served.url}/api/conversations", json={"agent": "cook"}, timeout=60).json()
        said = {"messages": [{"role": "user", "content": f"I moved to Porto in {n}."} for n in range(2001, 2011)]}
        url = f"{served.url}/api/conversations/{chat['id']}"
        assert httpx.post(f"{url}/messages/batch", json=said, timeout=60).status_code == 201
        for _ in range(100):  # the worker is in it
            if httpx.get(url, timeout=60).json()["memories"]:
                break
            httpx.get(f"{served.url}/readyz", timeout=60)
            time.sleep(0.1)
        assert "Porto" in httpx.get(url, timeout=60).json()["memories"][0]["keyPoint"]
        served.process.send_signal(signal.SIGINT)
        assert served.process.wait(30) == 0
    assert not (tmp_path / ".recollect" / "postgres" / "postmaster.pid").exists()


@pytest.fixture
def hangup() -> Iterator[Callable[[signal.Handlers], object]]:
    """Says how SIGHUP is taken; who is started from here inherits whether it is ignored."""
    before = signal.getsignal(signal.SIGHUP)
    yield lambda how: signal.signal(signal.SIGHUP, how)
    signal.signal(signal.SIGHUP, before)


@pytest.mark.slow
def test_it_stops_as_well_when_its_terminal_is_closed(
    tmp_path: Path, hangup: Callable[[signal.Handlers], object]
) -> None:
    hangup(signal.SIG_DFL)
    with serving(tmp_path) as served:
        assert httpx.get(f"{served.url}/readyz", timeout=60).status_code == 200
        served.process.send_signal(signal.SIGHUP)
        assert served.process.wait(30) == 0
    hangup(signal.SIG_IGN)  # as nohup does
    with serving(tmp_path) as served:
        served.process.send_signal(signal.SIGHUP)
        assert httpx.get(f"{served.url}/readyz", timeout=60).status_code == 200
        assert served.process.poll() is None


@pytest.mark.slow
def test_work_under_way_comes_to_its_end_when_it_is_told_to_stop(tmp_path: Path) -> None:
    asked, go = threading.Event(), threading.Event()

    def respond(_: object) -> Reply:
        asked.set()
        go.wait(60)
        return Reply("nothing")

    with ScriptedModel() as model:
        model.respond = respond
        settings = {"model": "openai:scripted", "openai_base_url": model.url, "openai_api_key": "none"}
        with serving(tmp_path, **settings) as served:
            chat = httpx.post(f"{served.url}/api/conversations", json={"agent": "cook"}, timeout=60).json()
            said = {"messages": [{"role": "user", "content": f"I moved to Porto in {n}."} for n in range(10)]}
            httpx.post(f"{served.url}/api/conversations/{chat['id']}/messages/batch", json=said, timeout=60)
            assert asked.wait(60), "the worker is in it"
            served.process.terminate()
            while "Finished server process" not in served.said and served.process.poll() is None:
                time.sleep(0.05)
            go.set()
            assert served.process.wait(60) == 0
    with Blocking.open(data_dir=tmp_path / ".recollect") as memory:
        assert not [one for one in memory.work() if one.leased_until is not None]
        assert memory.memories("local", "cook").items


def _recollect(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "recollect", *arguments]
    done = subprocess.run(command, cwd=folder, env=os.environ, capture_output=True, text=True, check=True)
    return done.stdout


def test_keys_and_tenants_on_the_command_line(dsn: str, tenant: str, tmp_path: Path) -> None:
    where = ("--database", dsn, "--tenant", tenant)
    text = _recollect(tmp_path, "keys", "create", "--name", "app", "--user", "ana", "--days", "1", *where).strip()
    assert text.startswith("rk_")
    id = text.split("_")[2]
    listed = _recollect(tmp_path, "keys", "list", *where)
    assert id in listed
    assert "ana" in listed
    assert text not in listed
    assert _recollect(tmp_path, "keys", "rotate", id, *where).strip() != text
    assert "revoked" in _recollect(tmp_path, "keys", "revoke", id, *where)
    assert "revoked" in _recollect(tmp_path, "keys", "list", *where)
    assert "is there" in _recollect(tmp_path, "tenants", "create", f"{tenant}-2", "--database", dsn)
    tenants = _recollect(tmp_path, "tenants", "list", "--database", dsn)
    assert f"{tenant} " in tenants
    assert f"{tenant}-2 " in tenants
    operator = _recollect(tmp_path, "keys", "create", "--scopes", "operator", *where)
    assert operator.startswith("rk_")
    gone = _recollect(tmp_path, "tenants", "delete", f"{tenant}-2", "--yes", "--database", dsn)
    assert "is gone" in gone
