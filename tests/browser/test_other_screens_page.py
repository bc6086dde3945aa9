"""Memories, notes, analytics and administration: hostile text stays text, and everybody can use them."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from browsing import CORPUS, Browse, markup, messages, say, serious
from recollect import Recollect

#: A screen, and what is there once it has been drawn.
SCREENS = {
    "Memories": "recollect-memories li",
    "Notes": "recollect-notes .versions li",
    "Analytics": "recollect-analytics .ranked li",
    "Admin": "recollect-admin table",
}


async def opened(page: Page, screen: str) -> None:
    await page.get_by_role("link", name=screen).click()
    await expect(page.locator(SCREENS[screen]).first).to_be_visible()


async def test_hostile_text_stays_text_everywhere(browse: Browse, door: Recollect, user: str) -> None:
    agent = "<img src=x onerror='window.hacked = 20'>"
    talk = await door.new_conversation(user, agent, CORPUS[1])
    for n, text in enumerate(CORPUS):
        context = {"sessionId": talk.id, "sessionName": text}
        await door.remember(
            f"user wrote {n} {text}".replace("\n", " "), user, agent, category="<b>x</b>", context=context
        )
    await door.edit_notes("overwrite", "\n\n".join(CORPUS), user=user, agent=agent)
    await door.configure_agent(agent, instructions="\n".join(CORPUS))
    page = await browse("memories", agent=agent.replace("'", "%27"))
    await expect(page.locator("recollect-memories li")).to_have_count(len(CORPUS))
    await expect(page.locator("recollect-memories")).to_contain_text("<b>x</b>")
    options = page.locator("recollect-memories li .menu > button").first
    await options.click()
    await page.get_by_role("menuitem", name="History").click()
    await expect(page.locator("recollect-dialogs dialog")).to_contain_text("user wrote")
    assert await markup(page) == []
    await page.keyboard.press("Escape")
    for screen in ("Notes", "Analytics", "Admin"):
        await opened(page, screen)
        assert await markup(page) == []
    await expect(page.get_by_label("Instructions")).to_have_value("\n".join(CORPUS))
    assert await page.evaluate("window.hacked") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_everybody_can_use_the_other_screens(
    browse: Browse, door: Recollect, user: str, axe: str, scheme: str
) -> None:
    await door.remember("user is allergic to peanuts", user, "librarian", category="health", pinned=True)
    await door.remember("user likes jam", user, "librarian", trust="untrusted", author="tool")
    await door.edit_notes("append", "# Food\nNo *meat*.", user=user, agent="librarian")
    page = await browse(color_scheme=scheme)
    await say(page, "Am I allergic to peanuts?")
    await expect(messages(page)).to_have_count(1)
    for screen in SCREENS:
        await opened(page, screen)
        assert await serious(page, axe) == []
    await opened(page, "Memories")
    await page.get_by_label("Edit").click()
    assert await serious(page, axe) == []
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Select", exact=True).click()
    await page.get_by_role("button", name="Select all shown").click()
    assert await serious(page, axe) == []
    await page.get_by_role("button", name="Add").click()
    await expect(page.get_by_label("What to remember")).to_be_visible()
    assert await serious(page, axe) == []


@pytest.mark.parametrize("width", [320, 375, 768, 860])
async def test_no_screen_is_wider_than_the_window(browse: Browse, door: Recollect, user: str, width: int) -> None:
    await door.remember("user " + "x" * 150, user, "librarian", category="y" * 64, pinned=True)
    await door.edit_notes("append", "word" * 100, user=user, agent="librarian")
    phone = width < 760
    page = await browse(viewport={"width": width, "height": 740}, has_touch=phone, is_mobile=phone)
    for screen in SCREENS:
        await opened(page, screen)
        if screen == "Memories":  # what is not in use is cut off at the edge of its row
            await page.get_by_label("Edit").focus()
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        main = "document.querySelector('recollect-app').shadowRoot.querySelector('main')"
        assert await page.evaluate(f"{main}.scrollWidth - {main}.clientWidth") <= 0, screen


@pytest.mark.parametrize("locale", ["en-GB", "es-ES"])
async def test_administration_fits_into_the_smallest_window(browse: Browse, locale: str) -> None:
    page = await browse("admin", locale=locale, viewport={"width": 320, "height": 640})
    await expect(page.locator("recollect-tenants table")).to_be_visible()
    main = page.locator("main")
    assert await main.evaluate("(one) => one.scrollWidth - one.clientWidth") <= 0
