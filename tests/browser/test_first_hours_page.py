"""What somebody meets who is new: nothing is remembered yet, nothing has a title, and the screen is narrow."""

from __future__ import annotations

import pytest
from playwright.async_api import Route, expect

from browsing import Browse
from recollect import Recollect, Source


@pytest.mark.parametrize(
    ("locale", "learn", "learned", "nothing"),
    [
        ("en-GB", "Learn now", "1 memory learned", "There was nothing to learn from what was said"),
        ("es-ES", "Aprender ahora", "1 recuerdo aprendido", "No había nada que aprender de lo dicho"),
    ],
)
async def test_who_does_not_want_to_wait_lets_it_learn_now(
    browse: Browse, door: Recollect, user: str, locale: str, learn: str, learned: str, nothing: str
) -> None:
    await door.digest(everything=True)  # what other tests have left, which takes its time
    page = await browse("memories", locale=locale)
    button = page.get_by_role("button", name=learn)
    await button.click()
    await expect(page.get_by_text(nothing)).to_be_visible()
    talk = await door.conversation(user, "librarian")
    await talk.append("user", "I live in Porto.")
    await button.click()
    await expect(page.get_by_text(learned)).to_be_visible()
    await expect(page.locator("recollect-memories li[data-id]")).to_have_count(1)
    await expect(button).to_have_count(0)


async def test_who_has_gone_on_is_not_told_what_was_not_looked_for(
    browse: Browse, door: Recollect, user: str
) -> None:
    await door.digest(everything=True)  # what other tests have left, which takes its time
    talk = await door.conversation(user, "librarian")
    await talk.append("user", "I live in Porto.")
    page = await browse("memories")
    held: list[Route] = []
    await page.route("**/api/admin/digest", lambda route: held.append(route))
    async with page.expect_request("**/api/admin/digest"):
        await page.get_by_role("button", name="Learn now").click()
    await page.get_by_role("link", name="Notes").click()
    await expect(page.get_by_label("Notes in markdown")).to_be_visible()
    async with page.expect_event("requestfinished", lambda request: request.url.endswith("/digest")):
        await held[0].continue_()
    await page.get_by_role("link", name="Memories").click()
    await expect(page.locator("recollect-memories li[data-id]")).to_have_count(1)
    assert await page.locator("recollect-dialogs .toast").count() == 0


async def test_who_may_not_is_not_offered_it(browse: Browse) -> None:
    page = await browse("memories")
    await page.route(
        "**/api/whoami",
        lambda route: route.fulfill(json={"tenant": "default", "actor": "x", "scopes": ["read", "write"]}),
    )
    await page.reload()
    await expect(page.get_by_text("Nothing is remembered yet")).to_be_visible()
    await expect(page.get_by_role("button", name="Learn now")).to_be_hidden()


@pytest.mark.parametrize("locale", ["en-GB", "es-ES"])
@pytest.mark.parametrize("width", [320, 375])
async def test_all_buttons_are_on_a_narrow_screen(browse: Browse, width: int, locale: str) -> None:
    page = await browse("memories", viewport={"width": width, "height": 640}, locale=locale)
    tools = page.locator("recollect-memories .tools button")
    await expect(tools).to_have_count(3)
    for place in range(3):
        box = await tools.nth(place).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


async def test_a_conversation_without_a_title_has_one_name(browse: Browse, door: Recollect, user: str) -> None:
    page = await browse("chat")
    header = page.locator("recollect-chat h2").first
    listed = page.locator("recollect-conversations li").first
    await expect(header).to_have_text("New conversation")
    await expect(listed).to_contain_text("New conversation")
    talk = await door.conversation(user, "librarian")
    (said,) = await talk.extend([("user", "I live in Porto.")])
    await expect(header).to_have_text("Untitled conversation")
    await expect(listed).to_contain_text("Untitled conversation")
    await door.remember("user lives in Porto", user, "librarian", source=Source(talk.id, said.seq, said.seq))
    page = await browse("memories", beside=page)
    await expect(page.get_by_role("button", name="From “Untitled conversation”")).to_be_visible()
