"""The notes: written, looked at, compared, taken back; and what happens when the agent writes too."""

from __future__ import annotations

from playwright.async_api import Page, expect

from browsing import Browse
from recollect import Recollect

FIRST = "# Food\nNo *meat*."


async def write(page: Page, text: str) -> None:
    await page.get_by_label("Notes in markdown").fill(text)


async def stored(door: Recollect, user: str) -> str:
    return (await door.notes(user, "librarian")).text


async def test_notes_are_written_compared_and_taken_back(browse: Browse, door: Recollect, user: str) -> None:
    page = await browse("notes")
    notes = page.locator("recollect-notes")
    await expect(notes.get_by_text("Nothing is written down yet.")).to_be_visible()
    await expect(page.get_by_role("button", name="Save")).to_be_disabled()
    await write(page, FIRST)
    await expect(notes.locator(".preview em")).to_have_text("meat")
    await expect(notes.get_by_text("Not saved yet")).to_be_visible()
    await page.get_by_label("Notes in markdown").press("Control+s")
    await expect(notes.locator(".versions li")).to_have_count(1)
    assert await stored(door, user) == FIRST
    await write(page, FIRST.replace("No *meat*.", "No fish.\n-- and no eggs"))
    await page.get_by_role("button", name="Save").click()
    await expect(notes.locator(".versions li")).to_have_count(2)
    # What changed is coloured, marked, and said.
    await expect(notes.locator(".diff del")).to_have_text(["removed: − No *meat*."])
    await expect(notes.locator(".diff ins")).to_have_text(["added: + No fish.", "added: + -- and no eggs"])
    await notes.get_by_label("From").select_option("0")
    await expect(notes.locator(".diff ins")).to_have_count(3)
    await page.get_by_role("button", name="Undo the last change").click()
    await expect(page.get_by_label("Notes in markdown")).to_have_value(FIRST)
    await page.get_by_role("button", name="Go back to this: Version 2").click()
    await page.get_by_role("button", name="Go back to this", exact=True).click()
    await expect(notes.locator(".versions li")).to_have_count(4)
    assert await stored(door, user) == "# Food\nNo fish.\n-- and no eggs"


async def test_what_the_agent_wrote_meanwhile_is_not_written_over(
    browse: Browse, door: Recollect, user: str
) -> None:
    await door.edit_notes("overwrite", FIRST, user=user, agent="librarian")
    page = await browse("notes")
    await expect(page.get_by_label("Notes in markdown")).to_have_value(FIRST)
    # Nobody is writing here: it simply shows up.
    await door.edit_notes("append", "Likes soup.", user=user, agent="librarian")
    await expect(page.locator("recollect-notes .preview")).to_contain_text("Likes soup.")
    await write(page, "Mine")
    await door.edit_notes("append", "Likes tea.", user=user, agent="librarian")
    await page.get_by_label("Notes in markdown").press("Control+s")
    conflict = page.locator("recollect-notes .conflict")
    await expect(conflict).to_contain_text("Likes tea.")
    await expect(page.get_by_label("Notes in markdown")).to_have_value("Mine")
    assert "Mine" not in await stored(door, user)
    await conflict.get_by_role("button", name="Put both into the editor").click()
    await expect(conflict).to_have_count(0)
    await page.get_by_label("Notes in markdown").press("Control+s")
    await expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    kept = await stored(door, user)
    assert "Likes tea." in kept
    assert kept.endswith("Mine")
    # Or theirs is given up, knowingly.
    await write(page, "Only mine")
    await door.edit_notes("append", "Likes cake.", user=user, agent="librarian")
    await page.get_by_label("Notes in markdown").press("Control+s")
    await conflict.get_by_role("button", name="Save yours instead").click()
    await expect(conflict).to_have_count(0)
    assert await stored(door, user) == "Only mine"
