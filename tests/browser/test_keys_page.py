"""A server that needs keys: signing in on its page, and its elements in somebody else's page."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.async_api import Page, expect

from browsing import Browse, kept_session, messages, say
from recollect import Recollect
from serving import Served, serving

HOST_PAGE = """<!doctype html><html lang="en"><title>Elsewhere</title>
<style>recollect-chat { --recollect-accent: rgb(102, 51, 153); height: 500px }</style>
<script type="module" src="SERVER/web/elements/chat.js"></script>
<script type="module" src="SERVER/web/elements/conversations.js"></script>
<recollect-chat base="SERVER" user="ana" agent="cook"></recollect-chat>
<recollect-conversations base="SERVER" user="ana" agent="cook"></recollect-conversations>
<script>
  window.heard = [];
  addEventListener('recollect-reply', (event) => window.heard.push(event.detail.text));
</script></html>"""


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[ThreadingHTTPServer]:
    """A page of another origin."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = HOST_PAGE.replace("SERVER", self.headers.get("x-server", "")).encode()
            self.send_response(200 if self.path == "/" else 404)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def closed(dsn: str, elsewhere: ThreadingHTTPServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = {"jwt_secret": "x" * 40, "jwt_audience": "a", "jwt_issuer": "i"}
    origin = f"http://127.0.0.1:{elsewhere.server_port}"
    with serving(
        tmp_path_factory.mktemp("closed"), "--no-worker", database=dsn, cors_origins=origin, **settings
    ) as running:
        yield running


async def test_who_needs_a_key_signs_in(browse: Browse, memory: Recollect, closed: Served) -> None:
    made = await memory.create_key(scopes=["read", "write"], user="ana")
    page = await browse()
    await page.goto(f"{closed.url}/#/chat?agent=cook")
    await page.get_by_label("Key").fill("rk_nonsense")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("alert")).to_be_visible()
    await page.get_by_label("Key").fill(made.text)
    await page.get_by_role("button", name="Sign in").click()
    await say(page, "I am in")
    await expect(messages(page)).to_have_count(1)
    assert await kept_session(page, "ana", "cook")
    # The user is the key's, whatever the address says, and there is nothing to administer with it.
    await expect(page.locator(".identity b")).to_have_text("ana")
    await expect(page.get_by_role("link", name="Admin")).to_have_count(0)
    # No script can read the key, and it is kept nowhere else.
    everything = await page.evaluate("document.cookie + JSON.stringify({...localStorage, ...sessionStorage})")
    assert "chatSession_ana_cook" in everything
    assert "rk_" not in everything
    await page.reload()
    await expect(messages(page)).to_have_count(1)
    await page.get_by_label("Write a message").fill("half a thought")
    assert "half a thought" in await page.evaluate("JSON.stringify({...sessionStorage})")
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_label("Key")).to_be_visible()
    # Whoever comes next does not find what was not sent.
    assert await page.evaluate("Object.keys(sessionStorage)") == []
    await page.reload()
    await page.get_by_label("Key").fill(made.text)
    await page.get_by_role("button", name="Sign in").click()
    await expect(messages(page)).to_have_count(1)
    # A key that ends is asked for again, at the next thing that is done.
    await memory.revoke_key(made.key.id)
    await say(page, "Am I still in?")
    await expect(page.get_by_label("Key")).to_be_visible()


async def signed_in(page: Page, closed: Served, key: str) -> None:
    await page.goto(f"{closed.url}/#/chat?agent=cook")
    await page.get_by_label("Key").fill(key)
    await page.get_by_role("button", name="Sign in").click()


async def test_who_may_only_read_reads_every_conversation(
    browse: Browse, memory: Recollect, closed: Served
) -> None:
    made = await memory.create_key(scopes=["read"], user="ana")
    for title in ("Kitchen", "Garden"):
        talk = await memory.new_conversation("ana", "cook", title)
        await talk.append("assistant", f"About the {title}")
    page = await browse()
    await signed_in(page, closed, made.text)
    await expect(messages(page)).to_contain_text(["About the Garden"])
    await page.locator("recollect-conversations li > button", has_text="Kitchen").click()
    await expect(messages(page)).to_contain_text(["About the Kitchen"])
    active = await memory.active_conversation("ana", "cook")
    assert active is not None
    assert active.title == "Garden"


async def test_who_could_not_be_signed_out_is_told(browse: Browse, memory: Recollect, closed: Served) -> None:
    made = await memory.create_key(scopes=["read", "write"], user="ana")
    page = await browse()
    await signed_in(page, closed, made.text)
    await page.route("**/api/sign-out", lambda route: route.abort())
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_text("The server cannot be reached.")).to_be_visible()
    await expect(page.get_by_role("button", name="Sign out")).to_be_visible()


async def test_elements_work_in_a_page_of_somebody_else(
    browse: Browse, memory: Recollect, closed: Served, elsewhere: ThreadingHTTPServer
) -> None:
    made = await memory.create_key(scopes=["read", "write"], user="ana")
    page = await browse(extra_http_headers={"x-server": closed.url})
    # Only the other page's server is told where ours is; ours would refuse a header that it does not know.
    await page.route(f"{closed.url}/**", lambda route: route.continue_(headers=without(route.request.headers)))
    await page.goto(f"http://127.0.0.1:{elsewhere.server_port}/")
    await page.evaluate(
        "(key) => { for (const one of document.querySelectorAll('recollect-chat, recollect-conversations')) one.token = key }",
        made.text,
    )
    await say(page, "Hello from elsewhere")
    await expect(messages(page)).to_have_count(1)
    await expect(page.locator("recollect-conversations li")).to_contain_text(["Hello from elsewhere"])
    assert len(await page.evaluate("window.heard")) == 1
    button = page.get_by_label("Send")
    assert await button.evaluate("(one) => getComputedStyle(one).backgroundColor") == "rgb(102, 51, 153)"


def without(headers: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name != "x-server"}
