"""The page is served from the package, and a browser signs in by a cookie that only its own page can use."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from importlib.resources import files
from pathlib import Path

import httpx
import pytest

from recollect import Recollect
from serving import Served, serving

NewDatabase = Callable[[], Awaitable[str]]
OWN = {"sec-fetch-site": "same-origin"}


@pytest.fixture(scope="module")
def closed(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = {"jwt_secret": "x" * 40, "jwt_audience": "a", "jwt_issuer": "i"}
    with serving(tmp_path_factory.mktemp("page"), "--no-worker", database=dsn, **settings) as running:
        yield running


@pytest.fixture
async def browser(closed: Served) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=closed.url, timeout=60) as client:
        yield client


async def test_the_page_needs_nothing_from_elsewhere_and_is_strict(browser: httpx.AsyncClient) -> None:
    page = await browser.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    policy = page.headers["content-security-policy"]
    for part in (
        "default-src 'none'",
        "script-src 'self'",
        "require-trusted-types-for 'script'",
        "base-uri 'none'",
    ):
        assert part in policy
    assert "unsafe" not in policy
    assert not re.search(r'(src|href)="(?!/|data:)', page.text)
    assert not re.search(r"<script(?![^>]*src=)|<style| style=| on\w+=", page.text)


async def test_every_script_is_served_packed_and_only_once(browser: httpx.AsyncClient) -> None:
    root = Path(str(files("recollect"))) / "web"
    scripts = sorted(root.rglob("*.js"))
    assert len(scripts) > 5
    for script in scripts:
        path = f"/web/{script.relative_to(root).as_posix()}"
        answer = await browser.get(path)
        assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
        assert answer.headers["content-encoding"] == "gzip"
        assert answer.text == script.read_text()
        again = await browser.get(path, headers={"if-none-match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        plain = await browser.get(path, headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers
        # What is loaded is ours: by a path from here, and by no address.
        for imported in re.findall(r"""(?:from|import\()\s*["']([^"']+)""", script.read_text()):
            assert imported.startswith(("./", "../")), (path, imported)


@pytest.mark.parametrize("path", ["/web/../server/app.py", "/web/%2e%2e/opening.py", "/web/nothing.js", "/web/"])
async def test_nothing_else_of_the_package_is_served(browser: httpx.AsyncClient, path: str) -> None:
    answer = await browser.get(path)
    assert answer.status_code == 404
    assert "import" not in answer.text


async def test_a_browser_signs_in_and_out(browser: httpx.AsyncClient, memory: Recollect) -> None:
    key = (await memory.create_key(scopes=["read", "write"], user="ana")).text
    assert (await browser.get("/api/whoami")).status_code == 401
    wrong = await browser.post("/api/sign-in", json={"key": key[:-2] + "zz"}, headers=OWN)
    assert (wrong.status_code, wrong.headers.get("set-cookie")) == (401, None)
    done = await browser.post("/api/sign-in", json={"key": f" {key} "}, headers=OWN)
    assert done.json()["user"] == "ana"
    cookie = done.headers["set-cookie"].lower()
    for part in ("httponly", "samesite=strict", "path=/"):
        assert part in cookie
    assert "secure" not in cookie
    assert "max-age" not in cookie
    assert (await browser.get("/api/whoami", headers=OWN)).json()["user"] == "ana"
    out = await browser.post("/api/sign-out", headers=OWN)
    by_tls = {**OWN, "origin": str(browser.base_url).replace("http://", "https://").rstrip("/")}
    safe = await browser.post("/api/sign-in", json={"key": key}, headers=by_tls)
    assert "; secure" in safe.headers["set-cookie"].lower()
    assert 'recollect_key=""' in out.headers["set-cookie"]
    assert (await browser.get("/api/whoami", headers=OWN)).status_code == 401


async def test_no_other_page_uses_the_cookie(
    browser: httpx.AsyncClient, closed: Served, memory: Recollect
) -> None:
    key = (await memory.create_key(scopes=["read", "write"], user="ana")).text
    browser.cookies.set("recollect_key", key, domain="127.0.0.1")
    assert (await browser.get("/api/whoami", headers=OWN)).status_code == 200
    assert (await browser.post("/api/conversations", json={"agent": "cook"}, headers=OWN)).status_code == 200
    # A link that its user has opened may read.
    assert (await browser.get("/api/whoami", headers={"sec-fetch-site": "none"})).status_code == 200
    for site in ("cross-site", "same-site"):
        assert (await browser.get("/api/whoami", headers={"sec-fetch-site": site})).status_code == 401
    for headers in ({"sec-fetch-site": "none"}, {"sec-fetch-site": "same-site"}, {}):
        refused = await browser.post("/api/conversations", json={"agent": "cook"}, headers=headers)
        assert refused.status_code == 401, headers
    # A browser that does not say where a request comes from names the origin.
    own = await browser.post("/api/conversations", json={"agent": "cook"}, headers={"origin": closed.url})
    assert own.status_code == 200
    foreign = {"origin": "https://evil.example", **OWN}
    assert (await browser.post("/api/conversations", json={"agent": "cook"}, headers=foreign)).status_code == 403
    for path in ("/api/sign-in", "/api/sign-out"):
        answer = await browser.post(path, json={"key": key}, headers={"sec-fetch-site": "cross-site"})
        assert answer.status_code == 403
    # The credential that is sent on purpose wins.
    named = {"authorization": "Bearer rk_nonsense", **OWN}
    assert (await browser.get("/api/whoami", headers=named)).status_code == 401


async def test_the_cookie_of_another_server_does_no_harm_where_none_is_needed(
    tmp_path: Path, new_database: NewDatabase
) -> None:
    dsn = await new_database()
    async with Recollect.open(dsn, migrate=True):
        pass
    with serving(tmp_path, "--no-worker", database=dsn) as served:
        cookie = {"cookie": "recollect_key=rk_old", **OWN}
        async with httpx.AsyncClient(base_url=served.url, timeout=60) as client:
            assert (await client.get("/api/whoami", headers=cookie)).json()["actor"] == "local"
