"""What tests of the page do again and again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from playwright.async_api import Locator, Page, expect

#: Opens the page: each call is another browser.
Browse = Callable[..., Awaitable[Page]]

#: What must stay text.
CORPUS = [
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 2'>",
    "<svg/onload=window.hacked=3>",
    "[x](javascript:window.hacked=4)",
    "[x](  JaVaScRiPt:window.hacked=5)",
    "[x](data:text/html,<script>window.hacked=6</script>)",
    '![x](x" onerror="window.hacked=7)',
    "`<b onmouseover=window.hacked=8>`",
    "</textarea><script>window.hacked=9</script>",
    "{{constructor.constructor('window.hacked=10')()}}",
    "<a href='javascript:window.hacked=11'>x</a>",
    "| <img src=x onerror=window.hacked=12> | b |\n|---|---|\n| <script>1</script> | c |",
]


async def say(page: Page, text: str) -> None:
    box = page.get_by_label("Write a message")
    await expect(box).to_be_enabled()
    await box.fill(text)
    await box.press("Enter")


def messages(page: Page, role: str = "assistant") -> Locator:
    """Those that are stored."""
    return page.locator(f"recollect-chat .message.{role}[data-seq]")


async def kept_session(page: Page, user: str, agent: str) -> str | None:
    return await page.evaluate("(name) => localStorage.getItem(name)", f"chatSession_{user}_{agent}")


async def markup(page: Page) -> list[str]:
    """Elements that no screen has by itself, wherever they are."""
    return await page.evaluate(
        """() => {
          const found = [];
          const look = (root) => {
            for (const one of root.querySelectorAll('*')) {
              if (['script', 'img', 'iframe', 'object'].includes(one.localName) && !root.head) found.push(one.outerHTML);
              if (one.localName === 'a' && !/^(https?:|mailto:|#|\\/schema)/.test(one.getAttribute('href') ?? '')) found.push(one.outerHTML);
              if ([...one.attributes].some((attribute) => attribute.name.startsWith('on'))) found.push(one.outerHTML);
              if (one.shadowRoot) look(one.shadowRoot);
            }
          };
          look(document);
          return found;
        }"""
    )


async def serious(page: Page, axe: str) -> list[Any]:
    await page.evaluate(axe)
    found = await page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (one["id"], [node["target"] for node in one["nodes"]][:3], one["nodes"][0].get("failureSummary"))
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]
