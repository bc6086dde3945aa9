"""The administration: an agent's settings, keys, how long messages are kept, erasing and exporting a user."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from browsing import Browse, serious
from recollect import Recollect
from serving import Served, serving


@pytest.fixture(scope="module")
def locked(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that needs keys."""
    with serving(tmp_path_factory.mktemp("locked"), "--no-worker", database=dsn) as running:
        yield running


@pytest.fixture
async def admin_page(browse: Browse, memory: Recollect, locked: Served) -> Page:
    """Signed in with a key that may administer."""
    made = await memory.create_key("root", scopes=["read", "write", "admin"])
    page = await browse()
    await signed_in(page, locked, made.text)
    await expect(page.get_by_role("heading", name="Agent cook")).to_be_visible()
    return page


async def signed_in(page: Page, locked: Served, key: str) -> None:
    await page.goto(f"{locked.url}/#/admin?user=ana&agent=cook")
    await page.get_by_label("Key").fill(key)
    await page.get_by_role("button", name="Sign in").click()


async def test_an_agent_is_set_up(admin_page: Page, memory: Recollect) -> None:
    page = admin_page
    await page.get_by_label("Instructions").fill("You are a cook.")
    await page.get_by_label("Messages in the prompt").fill("20")
    await page.get_by_label("Workflow").select_option("rfp")
    await page.get_by_label("Language model").fill("gpt-4o-mini")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("alert")).to_contain_text("must be openai:<model>")
    await page.get_by_label("Language model").fill("openai:gpt-4o-mini")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Version 1")).to_be_visible()
    agent = await memory.agent("cook")
    assert (agent.instructions, agent.window, agent.workflow) == ("You are a cook.", 20, "rfp")
    assert agent.model == "openai:gpt-4o-mini"
    # Somebody else was quicker.
    await memory.configure_agent("cook", window=5)
    await page.get_by_label("Workflow").select_option("")
    await page.get_by_label("Language model").fill("")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("alert")).to_contain_text("changed it in the meantime")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Version 3")).to_be_visible()
    agent = await memory.agent("cook")
    assert (agent.window, agent.workflow, agent.model) == (20, None, None)
    # How long its messages are kept.
    await page.locator("[name=whom]").select_option("cook")
    await page.get_by_label("Days").fill("30")
    await page.get_by_role("button", name="Set", exact=True).click()
    await expect(page.get_by_role("cell", name="30 days")).to_be_visible()
    assert (await memory.retention()).agents == {"cook": 30 * 1440}


async def test_keys_are_made_renewed_and_revoked(admin_page: Page, memory: Recollect) -> None:
    page = admin_page
    await page.get_by_role("button", name="New key").click()
    await page.get_by_label("Name").fill("kiosk")
    await page.get_by_label("write").uncheck()
    await page.get_by_label("Only for the user").fill("ana")
    await page.get_by_role("button", name="Make the key").click()
    text = await page.get_by_role("textbox", name="The new key").input_value()
    assert text.startswith("rk_")
    await page.get_by_role("button", name="Close").click()
    # It is nowhere on the page any more.
    row = page.locator("recollect-admin tr", has_text="kiosk")
    await expect(row).to_contain_text("ana")
    assert text not in await page.locator("recollect-admin").inner_text()
    made = next(key for key in await memory.keys() if key.name == "kiosk")
    assert (list(made.scopes), made.user) == (["read"], "ana")
    await page.get_by_role("button", name="Renew: kiosk").click()
    await page.get_by_role("button", name="Renew", exact=True).click()
    renewed = await page.get_by_role("textbox", name="The new key").input_value()
    assert renewed.startswith("rk_")
    assert renewed != text
    await page.get_by_role("button", name="Close").click()
    await page.get_by_role("button", name="Revoke: kiosk").click()
    await page.get_by_role("button", name="Revoke", exact=True).click()
    await expect(row).to_have_count(0)
    await page.get_by_role("button", name="Show 1 revoked key").click()
    await expect(row).to_contain_text("revoked")
    assert next(key for key in await memory.keys() if key.name == "kiosk").revoked_at is not None


async def test_a_user_is_exported_and_erased(admin_page: Page, memory: Recollect, tmp_path: Path) -> None:
    page = admin_page
    await memory.remember("user likes figs", "ana", "cook")
    async with page.expect_download() as waiting:
        await page.get_by_role("button", name="Export").click()
    download = await waiting.value
    assert download.suggested_filename == "ana.json"
    await download.save_as(tmp_path / "ana.json")
    assert json.loads((tmp_path / "ana.json").read_text())["memories"][0]["text"] == "user likes figs"
    await page.get_by_role("button", name="Erase…").click()
    await page.get_by_label("The user’s name").fill("bob")
    await page.get_by_role("button", name="Erase", exact=True).click()
    await expect(page.get_by_role("alert")).to_contain_text("not the name")
    assert (await memory.memories("ana", "cook")).items
    await page.get_by_label("The user’s name").fill("ana")
    await page.get_by_role("button", name="Erase", exact=True).click()
    await expect(page.get_by_role("region", name="Receipts of erasures").first).to_contain_text("memories 1")
    assert not (await memory.memories("ana", "cook")).items
    assert len(await memory.receipts()) == 1
    # Other tenants are no business of theirs.
    await expect(page.locator("recollect-tenants")).to_have_count(0)


async def _reached(tenants: Locator, name: str) -> Locator:
    """The row of a tenant. The list comes in pages, by name, and other tests have tenants too."""
    rows, row = tenants.locator("[data-tenant]"), tenants.locator(f"[data-tenant='{name}']")
    await expect(rows.first).to_be_visible()
    while not await row.count():
        shown = await rows.count()
        await tenants.get_by_role("button", name="Show more").click()
        await expect(rows).not_to_have_count(shown)
    return row


async def test_tenants_are_made_given_a_key_and_deleted_by_operators(
    browse: Browse, memory: Recollect, dsn: str, locked: Served, axe: str
) -> None:
    mine, name = memory.tenant, f"acme-{uuid.uuid4().hex[:8]}"
    async with Recollect.open(dsn, tenant=mine, operator=True) as operating:
        made = await operating.create_key("operator", scopes=["operator"])
    page = await browse()
    await signed_in(page, locked, made.text)
    # An operator who is nothing else sees nothing of what is in the tenants.
    await expect(page.get_by_role("heading", name="Tenants")).to_be_visible()
    await expect(page.get_by_role("heading", name="Agent cook")).to_have_count(0)
    await expect(page.get_by_role("link", name="Chat", exact=True)).to_have_count(0)
    tenants = page.locator("recollect-tenants")
    own = await _reached(tenants, mine)
    await expect(own).to_contain_text("this one")
    await expect(tenants.get_by_label(f"Delete {mine}")).to_have_count(0)
    await page.get_by_role("button", name="New tenant").click()
    await page.get_by_label("Name").fill(name)
    await page.get_by_role("button", name="Make the tenant").click()
    # It is of no use without a key, which is shown once.
    await expect(page.get_by_role("heading", name=f"A key for {name}")).to_be_visible()
    await expect(page.get_by_label("administer")).to_be_checked()
    await page.get_by_role("button", name="Make the key").click()
    key = await page.get_by_role("textbox", name="The new key").input_value()
    assert await serious(page, axe) == []
    await page.get_by_role("button", name="Close").click()
    row = tenants.locator(f"[data-tenant='{name}']")
    await expect(row.locator("td.number")).to_have_text("1")
    assert key not in await tenants.inner_text()
    other = await browse()
    await signed_in(other, locked, key)
    await expect(other.get_by_role("heading", name="Agent cook")).to_be_visible()
    # The same name cannot be given twice, and says so.
    await page.get_by_role("button", name="New tenant").click()
    await page.get_by_label("Name").fill(name)
    await page.get_by_role("button", name="Make the tenant").click()
    await expect(page.get_by_role("alert")).to_contain_text("is there already")
    await page.keyboard.press("Escape")
    # Gone only for whoever types its name.
    await row.get_by_label(f"Delete {name}").click()
    await page.get_by_label("The tenant’s name").fill(mine)
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(page.get_by_role("alert")).to_contain_text("not the name of the tenant")
    await page.get_by_label("The tenant’s name").fill(name)
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(row).to_have_count(0)
    await other.reload()
    await expect(other.get_by_label("Key")).to_be_visible()
