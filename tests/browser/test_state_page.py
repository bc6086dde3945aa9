"""The state: a request for proposals from the first field to sent, by clicking."""

from __future__ import annotations

import asyncio

from playwright.async_api import Page, Route, expect

from browsing import Browse, messages, say
from recollect import Recollect

FIELDS = {
    "title": "Chairs",
    "description": "Forty chairs for the hall",
    "budget": "4000",
    "deadline": "2030-01-01",
}


async def moved(page: Page, step: str) -> None:
    state = page.locator("recollect-state")
    await state.locator(".steps").get_by_role("button", name=step, exact=True).click()
    await expect(state.locator(".now")).to_have_text(step)


async def test_a_request_for_proposals_is_sent_by_clicking(browse: Browse, door: Recollect, user: str) -> None:
    await door.configure_agent("buyer", workflow="rfp")
    page = await browse(agent="buyer")
    await say(page, "I want to buy chairs")
    await expect(messages(page)).to_have_count(1)
    await page.get_by_role("link", name="State").click()
    state = page.locator("recollect-state")
    await expect(state.locator(".now")).to_have_text("Initial")
    # What is missing says so, and so does what cannot be done yet.
    await expect(state.locator("label", has_text="Budget")).to_contain_text("missing")
    await moved(page, "Drafting RFP")
    await expect(state.get_by_role("button", name="Reviewing RFP", exact=True)).to_be_disabled()
    await expect(state.get_by_text("needs Title", exact=True)).to_be_visible()
    for name, value in FIELDS.items():
        await state.locator(f"[name={name}]").fill(value)
    await state.get_by_role("group", name="Items").get_by_role("button", name="Add").click()
    await state.get_by_label("Items: Name").fill("chair")
    await state.get_by_label("Items: Quantity").fill("40")
    await state.get_by_role("button", name="Save the draft").click()
    await expect(page.get_by_text("Saved")).to_be_visible()
    await expect(state.get_by_text("Nothing is missing")).to_be_visible()
    await moved(page, "Reviewing RFP")
    # By the picture as well, and with the keyboard.
    box = state.locator("[data-step=selecting_vendors]")
    await box.focus()
    await box.press("Enter")
    await expect(state.locator(".now")).to_have_text("Selecting vendors")
    await state.locator("[name=vendorsSelected]").fill("Acme\nGlobex")
    await state.get_by_role("button", name="Save the draft").click()
    await moved(page, "Ready to send")
    await state.get_by_role("button", name="Send RFP").click()
    await page.get_by_role("button", name="Do it").click()
    await expect(state.locator(".now")).to_have_text("Sent")
    await expect(state.locator("svg .here")).to_have_attribute("data-step", "sent")
    await expect(state.locator(".history li").first).to_contain_text("Ready to send → Sent by an action")
    talk = await door.active_conversation(user, "buyer")
    assert talk is not None
    stored = await talk.state()
    assert (stored.step, talk.status, stored.draft["vendorsSelected"]) == ("sent", "sent", ["Acme", "Globex"])
    assert stored.draft["requirements"]["items"] == [{"name": "chair", "quantity": 40}]
    await page.get_by_role("link", name="Chat").click()
    await expect(messages(page, "system")).to_contain_text(["was sent to the selected vendors"])
    await expect(page.locator("recollect-chat .chip").first).to_have_text("Step: Sent")


async def test_what_is_typed_while_the_state_loads_stays(browse: Browse, door: Recollect, user: str) -> None:
    await door.configure_agent("buyer", workflow="rfp")
    talk = await door.conversation(user=user, agent="buyer")
    page = await browse("state", agent="buyer")
    title = page.locator("recollect-state [name=title]")
    await expect(title).to_have_value("")
    asked, answered = asyncio.Event(), asyncio.Event()

    async def held(route: Route) -> None:
        asked.set()
        await answered.wait()
        await route.continue_()

    await page.route("**/state/history*", held)
    await talk.update_state({"rfpDraft": {"title": "The agent's"}}, cause="model")
    await asyncio.wait_for(asked.wait(), 60)
    await title.fill("Mine")
    answered.set()
    await expect(page.get_by_text("changed elsewhere in the meantime")).to_be_visible()
    await expect(title).to_have_value("Mine")
    await expect(page.get_by_role("button", name="Save the draft")).to_be_enabled()
    await page.get_by_role("button", name="Show how it is now").click()
    await expect(title).to_have_value("The agent's")


async def test_a_move_takes_along_what_is_typed_but_not_saved(browse: Browse, door: Recollect, user: str) -> None:
    await door.configure_agent("buyer", workflow="rfp")
    talk = await door.conversation(user=user, agent="buyer")
    page = await browse("state", agent="buyer")
    state = page.locator("recollect-state")
    await state.locator("[name=title]").fill("Chairs")
    await moved(page, "Drafting RFP")
    await expect(state.locator("[name=title]")).to_have_value("Chairs")
    stored = await talk.state()
    assert (stored.step, stored.draft["title"]) == ("drafting_rfp", "Chairs")
    # What cannot be stored stops the move, and stays in its field.
    await state.locator("[name=title]").fill("Mine")
    await talk.update_state({"rfpDraft": {"title": "The agent's"}}, cause="model")
    await expect(state.get_by_text("changed elsewhere in the meantime")).to_be_visible()
    await state.locator(".steps").get_by_role("button", name="Reviewing RFP", exact=True).click()
    await expect(state.locator("[name=title]")).to_have_value("Mine")
    stored = await talk.state()
    assert (stored.step, stored.draft["title"]) == ("drafting_rfp", "The agent's")
    # Going back asks before it drops what is typed.
    await state.get_by_role("button", name="Undo the last change").click()
    await expect(page.get_by_text("What is typed and not saved is lost.")).to_be_visible()
    await page.get_by_role("button", name="Cancel").click()
    await expect(state.locator("[name=title]")).to_have_value("Mine")


async def test_what_the_agent_changed_meanwhile_is_not_overwritten(
    browse: Browse, door: Recollect, user: str
) -> None:
    await door.configure_agent("buyer", workflow="rfp")
    talk = await door.conversation(user=user, agent="buyer")
    page = await browse("state", agent="buyer")
    state = page.locator("recollect-state")
    await state.locator("[name=title]").fill("Mine")
    await talk.update_state({"rfpDraft": {"title": "The agent's"}}, cause="model")
    await state.get_by_role("button", name="Save the draft").click()
    await expect(state.get_by_text("changed elsewhere in the meantime")).to_be_visible()
    assert (await talk.state()).draft["title"] == "The agent's"
    await state.get_by_role("button", name="Show how it is now").click()
    await expect(state.locator("[name=title]")).to_have_value("The agent's")
    await state.get_by_role("button", name="Undo the last change").click()
    await expect(state.locator("[name=title]")).to_have_value("")


async def test_a_state_without_a_workflow_is_edited_as_json(browse: Browse, door: Recollect, user: str) -> None:
    talk = await door.conversation(user=user, agent="librarian")
    await talk.update_state({"draft": {"shelf": 3}})
    page = await browse("state")
    state = page.locator("recollect-state")
    box = state.get_by_label("As JSON")
    await expect(box).to_have_value('{\n  "shelf": 3\n}')
    await box.fill('{"shelf": ')
    await state.get_by_role("button", name="Save the draft").click()
    await expect(state.get_by_text("this is not JSON")).to_be_visible()
    await box.fill('{"row": "b"}')
    await state.get_by_role("button", name="Save the draft").click()
    await expect(page.get_by_text("Saved")).to_be_visible()
    assert (await talk.state()).draft == {"row": "b"}


async def test_what_is_not_touched_stays_as_it_is(browse: Browse, door: Recollect, user: str) -> None:
    await door.configure_agent("buyer", workflow="rfp")
    talk = await door.conversation(user=user, agent="buyer")
    items = [{"name": "chair", "quantity": 40, "specifications": "oak\nno arms"}, {"name": " desk "}]
    draft = {
        "title": "Chairs\nand desks",
        "deadline": "in May\r\nor June",
        "vendorsSelected": ["Acme"],
        "requirements": {"items": items, "otherRequirements": ["no plastic\nat all", "soon"]},
    }
    await talk.update_state({"rfpDraft": draft})
    page = await browse("state", agent="buyer")
    state = page.locator("recollect-state")
    save = state.get_by_role("button", name="Save the draft")
    await state.locator("[name=budget]").fill("4000")
    await save.click()
    await expect(state.locator("header")).to_contain_text("version 2")
    assert (await talk.state()).draft == {**draft, "budget": 4000}
    # What is touched is as it was typed, and the others beside it are as they were.
    await expect(state.locator("[name=title]")).to_have_value("Chairs\nand desks")
    await state.locator("[name=title]").fill("Chairs\nand tables")
    await state.get_by_label("Items: Quantity").first.fill("41")
    await state.get_by_label("Other requirements").fill('["no plastic\\nat all", "later"]')
    await save.click()
    await expect(state.locator("header")).to_contain_text("version 3")
    stored = (await talk.state()).draft
    assert (stored["title"], stored["deadline"]) == ("Chairs\nand tables", draft["deadline"])
    assert stored["requirements"] == {
        "items": [{**items[0], "quantity": 41}, items[1]],
        "otherRequirements": ["no plastic\nat all", "later"],
    }


TYPED = """
start = "open"
[draft]
type = "object"
[draft.properties]
title = { type = "string" }
[draft.properties.guests]
type = "array"
items = { type = "object", properties = { name = { type = "string" }, age = { type = "integer" }, vegan = { type = "boolean" } } }
[draft.properties.tables]
type = "array"
items = { type = "object", properties = { seats = { type = "array", items = { type = "integer" } } } }
[[steps]]
name = "open"
"""


async def test_lists_of_other_things_than_texts(browse: Browse, door: Recollect, user: str) -> None:
    await door.define_workflow("party", TYPED)
    await door.configure_agent("host", workflow="party")
    talk = await door.conversation(user=user, agent="host")
    draft = {"guests": [{"name": "Ana", "age": 40, "vegan": False}], "tables": [{"seats": [1, 2]}]}
    await talk.update_state({"draft": draft})
    page = await browse("state", agent="host")
    state = page.locator("recollect-state")
    save = state.get_by_role("button", name="Save the draft")
    await state.locator("[name=title]").fill("Birthday")
    await state.get_by_label("Guests: Age").fill("41")
    await state.get_by_label("Guests: Vegan").select_option("Yes")
    await save.click()
    await expect(state.locator("header")).to_contain_text("version 2")
    guests = [{"name": "Ana", "age": 41, "vegan": True}]
    assert (await talk.state()).draft == {**draft, "title": "Birthday", "guests": guests}
    # What has more than the fields say is edited as JSON, with all of it.
    await talk.update_state({"draft": {"guests": [{**guests[0], "seat": 3}]}})
    await expect(state.get_by_label("Guests: Age")).to_have_count(0)
    await state.get_by_label("Tables").fill('[{"seats": [4]}]')
    await save.click()
    await expect(state.locator("header")).to_contain_text("version 4")
    stored = (await talk.state()).draft
    assert (stored["guests"], stored["tables"]) == ([{**guests[0], "seat": 3}], [{"seats": [4]}])
