"""What tests of the page do again and again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from playwright.async_api import Locator, Page, expect

#: Opens the page: each call is another browser.
Browse = Callable[..., Awaitable[Page]]


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
