"""Pictures of every screen for the docs, light and dark: `SCREENSHOTS=1 pytest tests/browser/test_screens.py`."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from browsing import Browse, messages, say
from recollect import Recollect, Source
from rfp import DRAFT
from scripted_model import Reply, ScriptedModel

FOLDER = "docs/screens"
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 800}, "is_mobile": True, "has_touch": True}
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
async def test_screens(browse: Browse, door: Recollect, page_dsn: str, model: ScriptedModel, scheme: str) -> None:
    async with Recollect.open(page_dsn, operator=True) as operating:
        there = {one.tenant for one in (await operating.tenants()).items}
        for name in {"acme", "globex", "initech"} - there:
            await operating.create_tenant(name)
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
    for screen, drawn in (
        ("memories", "li"),
        ("notes", ".diff"),
        ("analytics", ".ranked li"),
        ("admin", "table"),
    ):
        await page.goto(f"{page.url.split('#')[0]}#/{screen}?user={user}&agent=librarian")
        await expect(page.locator(f"recollect-{screen} {drawn}").first).to_be_visible()
        await page.set_viewport_size({"width": 1280, "height": 1350 if screen in ("analytics", "admin") else 800})
        await shoot(page, f"{screen}-{scheme}")
    await page.locator("recollect-tenants table").scroll_into_view_if_needed()
    await page.set_viewport_size({"width": 1280, "height": 800})
    await page.locator("recollect-tenants").scroll_into_view_if_needed()
    await shoot(page, f"tenants-{scheme}")
    phone = await browse(who=user, color_scheme=scheme, **PHONE)
    await expect(messages(phone)).to_have_count(2)
    await shoot(phone, f"phone-{scheme}")
    await phone.get_by_role("button", name="Conversations").click()
    await expect(phone.locator("recollect-conversations li").first).to_be_visible()
    await shoot(phone, f"phone-list-{scheme}")
    new = await browse(who=f"{user}-new", color_scheme=scheme)
    await expect(new.get_by_text("What is on your mind?")).to_be_visible()
    await shoot(new, f"empty-{scheme}")
    await new.goto(f"{new.url.split('#')[0]}#/memories?user={user}-new&agent=librarian")
    await expect(new.get_by_text("Nothing is remembered yet")).to_be_visible()
    await shoot(new, f"memories-empty-{scheme}")
    phone_memories = f"{phone.url.split('#')[0]}#/memories?user={user}&agent=librarian"
    await phone.goto(phone_memories)
    await expect(phone.locator("recollect-memories li").first).to_be_visible()
    await shoot(phone, f"memories-phone-{scheme}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_signing_in(browse: Browse, scheme: str) -> None:
    async def closed(route: Route) -> None:
        await route.fulfill(status=401, json={"type": "urn:recollect:problem:unauthorized", "status": 401})

    for name, options in (("", {}), ("phone-", PHONE)):
        page = await browse(color_scheme=scheme, **options)
        await page.route("**/api/whoami", closed)
        await page.reload()
        await expect(page.get_by_label("Key")).to_be_visible()
        await shoot(page, f"sign-in-{name}{scheme}")


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
    talk = await door.new_conversation(user, "librarian", "Planning the garden, the balcony and the long wall")
    await talk.append("user", "I want tomatoes")
    for text, category, importance, more in (
        ("user's sister is called Marta", "relation", 0.6, {}),
        ("user wants to grow tomatoes on the balcony this spring", "goal", 0.6, {"pinned": True}),
        (
            "user works as a nurse at the Hospital de São João, mostly on night shifts, and sleeps until noon",
            "fact",
            0.7,
            {},
        ),
        ("user has a concert in Braga on Friday", "event", 0.4, {"expires_at": now + timedelta(days=5)}),
    ):
        await door.remember(
            text,
            user,
            "librarian",
            category=category,
            importance=importance,
            source=Source(talk.id, 1, 1),
            context={"sessionId": talk.id, "sessionName": "Planning the garden, the balcony and the long wall"},
            **more,  # type: ignore[arg-type]  # pyright: ignore
        )
    await door.remember("user trusts every e-mail", user, "librarian", author="tool", trust="untrusted")
    await door.edit_notes("append", "# Answers", user=user, agent="librarian")
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
