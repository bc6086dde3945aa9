"""The memories: look through, search, filter, add, correct, forget and take it back."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import asyncpg
import pytest
from playwright.async_api import Locator, Page, expect

from browsing import Browse
from recollect import Recollect, Source

MANY = 5000


def rows(page: Page) -> Locator:
    return page.locator("recollect-memories li[data-id]")


def row(page: Page, text: str) -> Locator:
    return rows(page).filter(has=page.get_by_text(text, exact=True))


async def choose(page: Page, text: str, entry: str) -> None:
    await row(page, text).get_by_label(f"Options of: {text}").click()
    await page.get_by_role("menuitem", name=entry).click()


async def texts(door: Recollect, user: str, status: str = "active") -> list[str]:
    found = await door.memories(user, "librarian", status=status)  # type: ignore[arg-type]  # pyright: ignore
    return [one.text for one in found.items]


async def test_a_memory_is_corrected_where_it_stands(browse: Browse, door: Recollect, user: str) -> None:
    talk = await door.new_conversation(user, "librarian", "The move")
    await talk.extend([("user", f"Message {n}") for n in range(3)])
    source = Source(talk.id, 2, 3)
    context = {"sessionId": talk.id, "sessionName": "The move"}
    kept = await door.remember("user lives in Porto", user, "librarian", source=source, context=context)
    page = await browse("memories")
    await expect(rows(page)).to_have_count(1)
    await expect(page.locator("recollect-memories h2.day")).to_have_text("Today")
    # Corrected, with the keyboard.
    await row(page, "user lives in Porto").get_by_label("Edit").click()
    await page.get_by_label("What to remember").fill("user lives in Braga")
    await page.get_by_label("What to remember").press("Enter")
    await expect(row(page, "user lives in Braga")).to_be_visible()
    assert await texts(door, user) == ["user lives in Braga"]
    # Somebody else was quicker: nothing is lost, and who is sure saves again.
    await row(page, "user lives in Braga").get_by_label("Edit").click()
    await door.revise(kept.id, "user lives in Lagos")
    await page.get_by_label("What to remember").fill("user lives in Faro")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("alert")).to_contain_text("user lives in Lagos")
    await expect(page.get_by_label("What to remember")).to_have_value("user lives in Faro")
    await page.get_by_role("button", name="Save").click()
    await expect(row(page, "user lives in Faro")).to_be_visible()
    await choose(page, "user lives in Faro", "Pin")
    await expect(row(page, "user lives in Faro")).to_contain_text("Pinned")
    await choose(page, "user lives in Faro", "Expiry…")
    await page.get_by_label("Expires on").fill("2090-01-31")
    await page.get_by_role("button", name="Save").click()
    await expect(row(page, "user lives in Faro")).to_contain_text("31 Jan 2090")
    # What was set can be taken away again.
    await choose(page, "user lives in Faro", "Expiry…")
    await page.get_by_role("button", name="Never expires").click()
    await expect(row(page, "user lives in Faro")).not_to_contain_text("Expires")
    assert (await door.memories(user, "librarian")).items[0].expires_at is None
    for category in ("place", ""):
        await row(page, "user lives in Faro").get_by_label("Edit").click()
        await rows(page).get_by_label("Category").fill(category)
        await page.get_by_role("button", name="Save").click()
        await expect(row(page, "user lives in Faro").locator(".about")).to_be_visible()
        assert [one.category for one in (await door.memories(user, "librarian")).items] == [category or None]
    # Back to how it was at first.
    await choose(page, "user lives in Faro", "History")
    await page.get_by_role("listitem").filter(has_text="Version 1").get_by_role("button").click()
    await expect(row(page, "user lives in Porto")).to_be_visible()
    # Where it comes from: on hover, and a click leads to the messages.
    link = row(page, "user lives in Porto").get_by_role("button", name="From “The move”")
    assert "The move" in (await link.get_attribute("title") or "")
    await link.click()
    await expect(page.locator("recollect-chat h2").first).to_have_text("The move")
    assert f"conversation={talk.id}" in page.url
    assert "message=2" in page.url


async def test_a_long_memory_can_be_corrected(browse: Browse, door: Recollect, user: str) -> None:
    long = ("user keeps bees " * 63)[:999]
    await door.remember(f"{long}!", user, "librarian", category="c" * 64)
    page = await browse("memories")
    await rows(page).get_by_label("Edit").click()
    box = page.get_by_label("What to remember")
    await box.press("End")
    await box.press("Backspace")
    await box.press_sequentially("?")
    await rows(page).get_by_label("Importance").fill("0.9")
    await page.get_by_role("button", name="Save").click()
    await expect(row(page, f"{long}?")).to_be_visible()
    (kept,) = (await door.memories(user, "librarian")).items
    assert (kept.text, kept.importance, kept.category) == (f"{long}?", 0.9, "c" * 64)


async def test_what_is_forgotten_can_be_taken_back_for_a_while(browse: Browse, door: Recollect, user: str) -> None:
    for n in range(5):
        await door.remember(f"user owns bicycle number {n}", user, "librarian")
    page = await browse("memories")
    await expect(rows(page)).to_have_count(5)
    await choose(page, "user owns bicycle number 0", "Forget")
    await expect(rows(page)).to_have_count(4)
    await page.get_by_role("button", name="Undo").click()
    await expect(rows(page)).to_have_count(5)
    assert len(await texts(door, user)) == 5
    await choose(page, "user owns bicycle number 0", "Forget")
    await expect(rows(page)).to_have_count(4)
    async with page.expect_response(lambda answer: answer.url.endswith(f"/forget?user={user}")):
        await page.get_by_role("button", name="Close").click()
    assert len(await texts(door, user)) == 4
    # Several at once are asked about, and can be taken back too.
    await page.get_by_role("button", name="Select", exact=True).click()
    for n in (1, 2):
        await row(page, f"user owns bicycle number {n}").get_by_role("checkbox").check()
    await expect(page.get_by_text("2 selected")).to_be_visible()
    await page.get_by_role("button", name="Forget selected").click()
    await expect(page.get_by_role("heading", name="Forget 2 memories?")).to_be_visible()
    await page.get_by_role("button", name="Forget", exact=True).click()
    await expect(rows(page)).to_have_count(2)
    # Whoever leaves does not take it back.
    async with page.expect_response(lambda answer: answer.url.endswith(f"/forget?user={user}")):
        await page.get_by_role("link", name="Notes").click()
    assert sorted(await texts(door, user)) == [f"user owns bicycle number {n}" for n in (3, 4)]


async def test_memories_are_found_and_added(browse: Browse, door: Recollect, user: str) -> None:
    page = await browse("memories")
    await expect(page.get_by_text("Nothing is remembered yet")).to_be_visible()
    await page.get_by_role("button", name="Add").first.click()
    await page.get_by_label("Template").select_option("allergy")
    await page.get_by_label("what", exact=True).fill("peanuts")
    await page.locator("recollect-dialogs").get_by_role("button", name="Add").click()
    await expect(row(page, "user is allergic to peanuts")).to_contain_text("health")
    await page.get_by_role("button", name="Add").first.click()
    await page.get_by_label("What to remember").fill("user collects stamps")
    await page.get_by_label("Category").last.fill("hobby")
    await page.locator("recollect-dialogs").get_by_role("button", name="Add").click()
    await expect(rows(page)).to_have_count(2)
    search = page.get_by_label("Search memories")
    await search.press_sequentially("STAMPS")
    await expect(rows(page)).to_have_count(1)
    await search.fill("nowhere")
    await expect(page.get_by_text("No memory fits these filters.")).to_be_visible()
    await page.get_by_role("button", name="Clear the filters").click()
    await expect(rows(page)).to_have_count(2)
    await page.get_by_label("Category").select_option("hobby")
    await expect(rows(page)).to_contain_text(["user collects stamps"])
    await page.get_by_label("Category").select_option("")
    await expect(rows(page)).to_have_count(2)
    await page.get_by_label("Importance").select_option("0.7")
    await expect(rows(page)).to_have_count(1)
    await expect(row(page, "user is allergic to peanuts")).to_be_visible()


async def test_what_waits_for_review_is_accepted_or_rejected(browse: Browse, door: Recollect, user: str) -> None:
    for text in ("user likes spam", "user likes jam"):
        await door.remember(text, user, "librarian", author="tool", trust="untrusted")
    page = await browse("memories")
    await expect(page.get_by_text("2 memories wait for your review.")).to_be_visible()
    await page.get_by_role("button", name="Review").click()
    await row(page, "user likes jam").get_by_role("button", name="Accept").click()
    await expect(rows(page)).to_have_count(1)
    await row(page, "user likes spam").get_by_role("button", name="Reject").click()
    async with page.expect_response(lambda answer: answer.url.endswith(f"/forget?user={user}")):
        await page.get_by_role("button", name="Close").click()
    await page.get_by_label("Status").select_option("active")
    await expect(rows(page)).to_contain_text(["user likes jam"])
    # What is learned meanwhile shows up by itself.
    await door.remember("user likes tea", user, "librarian")
    await expect(row(page, "user likes tea")).to_be_visible()
    # What says the same is merged when somebody asks for it.
    await page.get_by_role("button", name="Merge now").click()
    await expect(page.get_by_text("Nothing to merge")).to_be_visible()


@pytest.mark.slow
async def test_thousands_of_memories_do_not_lag(browse: Browse, door: Recollect, page_dsn: str, user: str) -> None:
    """Only a part is drawn at first; going on adds to it, and a change draws one row."""
    await door.remember("user noticed thing number 0", user, "librarian")
    connection = await asyncpg.connect(page_dsn)
    columns = await connection.fetchval(COLUMNS)
    await connection.execute(MULTIPLY.replace("COLUMNS", columns), user, MANY)
    await connection.close()
    page = await browse("memories")
    await expect(page.get_by_text("shown, more below")).to_be_visible()
    assert 50 <= await rows(page).count() <= 300
    await page.evaluate(COUNT)
    while await rows(page).count() < 600:
        before = await rows(page).count()
        await rows(page).last.scroll_into_view_if_needed()
        await expect(rows(page).nth(before)).to_be_attached()
    # Each row was put in once.
    assert await page.evaluate("window.made") <= await rows(page).count()
    await page.evaluate("window.made = 0")
    first = rows(page).first
    await first.scroll_into_view_if_needed()
    await first.get_by_label("Edit").click()
    await page.get_by_label("What to remember").fill("user noticed everything")
    await page.get_by_role("button", name="Save").click()
    await expect(row(page, "user noticed everything")).to_be_visible()
    assert await page.evaluate("window.made") <= 3


#: The same memory again and again, each a little older than the one before.
MULTIPLY = """
insert into recollect.memories (COLUMNS) select COLUMNS from (
select (jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid(), 'fingerprint', '\\x' || md5(n::text),
  'key_point', 'user noticed thing number ' || n, 'created_at', m.created_at - n * interval '10 minutes'))).*
from recollect.memories m, generate_series(1, $2::int - 1) n where m.user_id = $1) more
"""
COLUMNS = """
select string_agg(quote_ident(attname), ', ') from pg_attribute
where attrelid = 'recollect.memories'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
"""

#: Counts the rows that are put into the list.
COUNT = """() => {
  window.made = 0;
  const list = document.querySelector('recollect-app').shadowRoot.querySelector('recollect-memories').shadowRoot;
  new MutationObserver((changes) => {
    for (const change of changes) for (const node of change.addedNodes) if (node.localName === 'li') window.made += 1;
  }).observe(list, {childList: true, subtree: true});
}"""


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Pacific/Auckland"])
async def test_a_day_is_one_of_the_reader(browse: Browse, door: Recollect, user: str, zone: str) -> None:
    await door.remember("user has a concert", user, "librarian")
    page = await browse("memories", timezone_id=zone)
    await choose(page, "user has a concert", "Expiry…")
    await page.get_by_label("Expires on").fill("2090-01-31")
    await page.get_by_role("button", name="Save").click()
    await expect(row(page, "user has a concert")).to_contain_text("Expires 31 Jan 2090")
    (kept,) = (await door.memories(user, "librarian")).items
    assert kept.expires_at == datetime(2090, 1, 31, tzinfo=ZoneInfo(zone))
    await choose(page, "user has a concert", "Expiry…")
    await expect(page.get_by_label("Expires on")).to_have_value("2090-01-31")
