"""Pictures of every screen for the docs, light and dark: `SCREENSHOTS=1 pytest tests/browser/test_screens.py`."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from playwright.async_api import Page, expect

from browsing import Browse, messages, say
from recollect import Recollect
from rfp import DRAFT
from scripted_model import Reply, ScriptedModel

FOLDER = "docs/screens"
REPLY = """You told me in March that you are **allergic to peanuts**, so I left satay out. Three dinners for this week:

1. *Caldo verde* with chouriço, twenty minutes
2. Roast aubergine with tahini and mint
3. Lemon risotto; you liked it last time

| dish | minutes | shopping |
|---|---|---|
| Caldo verde | 20 | kale, potatoes |
| Risotto | 35 | lemons |
"""


async def shoot(page: Page, name: str) -> None:
    await page.wait_for_timeout(400)
    await page.screenshot(path=f"{FOLDER}/{name}.png", animations="disabled")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_screens(browse: Browse, door: Recollect, model: ScriptedModel, scheme: str) -> None:
    user = "ana" if scheme == "light" else f"ana-{uuid.uuid4().hex[:4]}"
    await seed(door, user)
    model.play(Reply(REPLY))
    page = await browse(who=user, color_scheme=scheme)
    await say(page, "What dinners could I cook this week, with my peanut allergy?")
    await expect(messages(page)).to_have_count(2)
    await shoot(page, f"chat-{scheme}")
    await page.get_by_text("What I knew").last.click()
    await expect(page.locator("recollect-context")).to_contain_text("peanuts")
    await page.locator("recollect-context").scroll_into_view_if_needed()
    await shoot(page, f"context-{scheme}")
    await page.goto(f"{page.url.split('#')[0]}#/state?user={user}&agent=buyer")
    await expect(page.locator("recollect-state .now")).to_be_visible()
    await shoot(page, f"state-{scheme}")
    phone = await browse(who=user, color_scheme=scheme, viewport={"width": 390, "height": 800}, is_mobile=True)
    await expect(messages(phone)).to_have_count(2)
    await shoot(phone, f"phone-{scheme}")
    new = await browse(who=f"{user}-new", color_scheme=scheme)
    await expect(new.get_by_text("What is on your mind?")).to_be_visible()
    await shoot(new, f"empty-{scheme}")


async def seed(door: Recollect, user: str) -> None:
    now = datetime.now(UTC)
    for title in (
        "Books for the summer",
        "Trip to Lisbon",
        "A birthday present for Marta, who has everything already",
    ):
        old = await door.new_conversation(user, "librarian", title)
        await old.append("user", title, at=now - timedelta(days=3))
    await door.remember("user is allergic to peanuts", user, "librarian", category="health")
    await door.remember(
        "user likes to cook quick dinners during the week", user, "librarian", category="preference"
    )
    await door.edit_notes(
        "append", "Prefers *short* answers, with a list of what to buy.", user=user, agent="librarian"
    )
    talk = await door.new_conversation(user, "librarian", "Dinners for the week")
    await talk.append("user", "I moved to Porto last month. The kitchen is tiny!")
    await talk.append("assistant", "Noted: Porto, and a tiny kitchen. I will keep recipes to one pot.")
    await door.configure_agent("buyer", workflow="rfp")
    buying = await door.new_conversation(user, "buyer", "Forty chairs")
    await buying.append("user", "We need forty chairs for the hall")
    await buying.update_state(
        {"rfpDraft": {name: DRAFT[name] for name in ("title", "description", "budget")}}, cause="message:1"
    )
    for step in ("collecting_requirements", "drafting_rfp", "reviewing_rfp"):
        await buying.move(step, cause="model")
