"""Promise 9: without keys it serves this machine only, and says so."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest

from recollect import Recollect
from serving import serving

NewDatabase = Callable[[], Awaitable[str]]


@pytest.fixture
async def empty(new_database: NewDatabase) -> str:
    """A database that has never had a key."""
    dsn = await new_database()
    async with Recollect.open(dsn, migrate=True):
        return dsn


def serve(folder: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "recollect", "serve", "--port", "0", *arguments],
        cwd=folder,
        env=os.environ | {f"RECOLLECT_{name.upper()}": value for name, value in settings.items()},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.invalid"])
async def test_it_does_not_start_where_others_could_come_in(empty: str, tmp_path: Path, host: str) -> None:
    done = serve(tmp_path, "--host", host, database=empty)
    assert done.returncode == 1
    assert "there are no keys" in done.stderr
    assert "recollect keys create" in done.stderr
    for variable in ("RECOLLECT_JWT_AUDIENCE", "RECOLLECT_JWT_ISSUER", "RECOLLECT_JWT_SECRET"):
        assert variable in done.stderr
    assert "http://" not in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"jwt_secret": "x" * 40}, "jwt_audience"),
        ({"jwt_secret": "x" * 40, "jwt_audience": "a"}, "jwt_issuer"),
        ({"jwt_secret": "short", "jwt_audience": "a", "jwt_issuer": "b"}, "jwt_secret"),
        ({"jwt_jwks": "http://example.com/keys", "jwt_audience": "a", "jwt_issuer": "b"}, "jwt_jwks"),
    ],
)
async def test_it_does_not_start_with_tokens_that_prove_nothing(
    empty: str, tmp_path: Path, settings: dict[str, str], field: str
) -> None:
    done = serve(tmp_path, database=empty, **settings)
    assert done.returncode == 1
    assert f"error: {field}:" in done.stderr


async def test_it_does_not_start_open_to_every_page(empty: str, tmp_path: Path) -> None:
    done = serve(tmp_path, database=empty, cors_origins="https://app.example, *")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: cors_origins: must name the origins")


async def test_without_keys_this_machine_needs_none_until_there_is_one(empty: str, tmp_path: Path) -> None:
    with serving(tmp_path, "--no-worker", database=empty) as served:
        async with httpx.AsyncClient(base_url=served.url, timeout=60) as client:
            answer = await client.get("/api/whoami")
            assert (answer.status_code, answer.json()["tenant"], answer.json()["actor"]) == (
                200,
                "default",
                "local",
            )
            made = await client.post("/api/conversations", json={"agent": "cook"})
            assert made.json()["user"] == "local"
            named = await client.post("/api/conversations", json={"agent": "cook", "sessionId": "session_1_x"})
            assert named.json()["user"] == "session_1_x"
            # Nobody from elsewhere: not by a proxy, not by a name that points here, not from a page in a browser.
            assert (await client.get("/api/whoami", headers={"x-forwarded-for": "10.0.0.1"})).status_code == 401
            for header in ({"host": "evil.example"}, {"host": ""}, {"origin": "https://evil.example"}):
                assert (await client.get("/api/whoami", headers=header)).status_code == 403, header
            assert (await client.get("/api/whoami", headers={"origin": "null"})).status_code == 403
            assert (await client.get("/api/whoami", headers={"origin": served.url})).status_code == 200
            # Clients that always send a key may send any; nothing else in that header, and not through a proxy.
            anything = {"authorization": "Bearer any"}
            for path in ("/api/whoami", "/v1/models", "/metrics"):
                assert (await client.get(path, headers=anything)).status_code == 200, path
            by_proxy = anything | {"x-forwarded-for": "10.0.0.1"}
            assert (await client.get("/api/whoami", headers=by_proxy)).status_code == 401
            assert (await client.get("/api/whoami", headers={"authorization": "Basic x"})).status_code == 401
            # The first key closes it, at once, and revoking that key does not open it again.
            key = (await client.post("/api/admin/keys", json={"scopes": ["read", "admin"]})).json()
            assert (await client.get("/api/whoami")).status_code == 401
            for path in ("/api/whoami", "/v1/models", "/metrics"):
                assert (await client.get(path, headers=anything)).status_code == 401, path
            mine = {"authorization": f"Bearer {key['text']}"}
            assert (await client.get("/api/whoami", headers=mine)).status_code == 200
            assert (await client.delete(f"/api/admin/keys/{key['id']}", headers=mine)).status_code == 200
            for headers in (mine, anything, {}):
                assert (await client.get("/api/whoami", headers=headers)).status_code == 401, headers
    assert "no keys: it serves this machine only" in served.printed[0]
    with serving(tmp_path, "--no-worker", database=empty) as served:
        async with httpx.AsyncClient(base_url=served.url, timeout=60) as client:
            for headers in (mine, anything, {}):
                assert (await client.get("/api/whoami", headers=headers)).status_code == 401, headers
    assert served.printed == [""]


async def test_where_tokens_are_taken_a_wrong_one_is_not(empty: str, tmp_path: Path) -> None:
    settings = {"jwt_secret": "x" * 40, "jwt_audience": "a", "jwt_issuer": "b"}
    with serving(tmp_path, "--no-worker", database=empty, **settings) as served:
        async with httpx.AsyncClient(base_url=served.url, timeout=60) as client:
            for headers in ({"authorization": "Bearer any"}, {}):
                assert (await client.get("/api/whoami", headers=headers)).status_code == 401


async def test_with_a_key_it_may_be_reached_by_others(empty: str, tmp_path: Path) -> None:
    async with Recollect.open(empty) as memory:
        key = (await memory.create_key(scopes=["read"])).text
    with serving(tmp_path, "--no-worker", "--host", "0.0.0.0", database=empty) as served:
        async with httpx.AsyncClient(base_url=served.url.replace("0.0.0.0", "127.0.0.1"), timeout=60) as client:
            assert (await client.get("/api/whoami")).status_code == 401
            assert (await client.get("/metrics")).status_code == 401
            known = await client.get("/api/whoami", headers={"authorization": f"Bearer {key}"})
            assert known.status_code == 200
            assert (await client.get("/healthz")).json() == {"status": "ok"}
