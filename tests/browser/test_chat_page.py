"""The chat, in a real browser."""

from __future__ import annotations

import threading
import uuid

from playwright.async_api import Page, Route, expect

from browsing import Browse, kept_session, messages, say
from recollect import Recollect
from scripted_model import Paused, ScriptedModel


async def test_a_conversation_goes_on_after_a_reload_and_in_another_browser(
    browse: Browse, door: Recollect, user: str
) -> None:
    page = await browse()
    await say(page, "I moved to Porto")
    await expect(messages(page)).to_have_text(["librarian" + await clock(page) + "I have noted that.What I knew"])
    await expect(messages(page).locator("strong")).to_have_text("noted")
    session = await kept_session(page, user, "librarian")
    active = await door.active_conversation(user, "librarian")
    assert active is not None
    assert session == active.id
    assert uuid.UUID(session).version == 4
    # It is stored as it was said, and the conversation is called after it.
    assert [(one.role, one.content) for one in await active.window()] == [
        ("user", "I moved to Porto"),
        ("assistant", "I have **noted** that."),
    ]
    await expect(page.locator("recollect-chat h2").first).to_have_text("I moved to Porto")
    await page.reload()
    await expect(messages(page, "user")).to_contain_text(["I moved to Porto"])
    assert await kept_session(page, user, "librarian") == session
    # Another browser knows nothing, and takes the server's active session.
    other = await browse()
    await expect(messages(other, "user")).to_contain_text(["I moved to Porto"])
    assert await kept_session(other, user, "librarian") == session
    # Another user of the same agent sees none of it.
    stranger = await browse(who=f"{user}-other")
    await expect(stranger.get_by_text("What is on your mind?")).to_be_visible()
    assert await kept_session(stranger, f"{user}-other", "librarian") != session


async def clock(page: Page) -> str:
    return await messages(page).locator("time").first.inner_text()


async def test_a_session_that_is_not_the_active_one_is_given_up(
    browse: Browse, door: Recollect, user: str
) -> None:
    page = await browse()
    await expect(page.get_by_text("What is on your mind?")).to_be_visible()
    first = await kept_session(page, user, "librarian")
    newer = await door.new_conversation(user, "librarian", "Newer")
    await page.reload()
    await expect(page.locator("recollect-chat h2").first).to_have_text("Newer")
    assert await kept_session(page, user, "librarian") == newer.id != first


async def test_two_agents_have_two_sessions(browse: Browse, user: str) -> None:
    page = await browse()
    await say(page, "Books about the sea")
    await expect(messages(page)).to_have_count(1)
    await page.get_by_label("User and agent").click()
    await page.locator("recollect-dialogs input[name=agent]").fill("cook")
    await page.get_by_role("button", name="Change").click()
    await expect(page.get_by_text("cook remembers what you say")).to_be_visible()
    mine = [await kept_session(page, user, agent) for agent in ("librarian", "cook")]
    assert None not in mine
    assert mine[0] != mine[1]


async def test_switching_beginning_renaming_archiving_deleting(browse: Browse, door: Recollect, user: str) -> None:
    page = await browse()
    sidebar = page.locator("recollect-conversations")
    await say(page, "First things first")
    await expect(sidebar.get_by_role("button", name="First things first", exact=False).first).to_be_visible()
    await sidebar.get_by_label("New conversation").click()
    await expect(page.get_by_text("What is on your mind?")).to_be_visible()
    await say(page, "Second thoughts")
    await expect(messages(page)).to_have_count(1)
    await sidebar.locator("li > button", has_text="First things first").click()
    await expect(messages(page, "user")).to_contain_text(["First things first"])
    # The one that is open is the active one from now on, everywhere.
    active = await door.active_conversation(user, "librarian")
    assert active is not None
    assert active.id == await kept_session(page, user, "librarian")
    assert (await active.window())[0].content == "First things first"
    await page.reload()
    await expect(messages(page, "user")).to_contain_text(["First things first"])

    entry = sidebar.locator("li", has_text="First things first")
    await entry.get_by_label("Options of").click()
    await entry.get_by_role("menuitem", name="Rename").click()
    await page.get_by_label("Title").fill("Priorities")
    await page.get_by_role("button", name="Rename").click()
    await expect(sidebar.locator("li > button", has_text="Priorities")).to_be_visible()

    other = sidebar.locator("li", has_text="Second thoughts")
    await other.get_by_label("Options of").click()
    await other.get_by_role("menuitem", name="Archive").click()
    await expect(other).to_have_count(0)
    await page.get_by_role("button", name="Undo").click()
    await expect(other).to_have_count(1)
    await other.get_by_label("Options of").click()
    await other.get_by_role("menuitem", name="Delete").click()
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(other).to_have_count(0)
    assert [one.title for one in (await door.conversations(user, "librarian")).items] == ["Priorities"]


async def test_what_was_said_is_found(browse: Browse, door: Recollect, user: str) -> None:
    old = await door.new_conversation(user, "librarian", "Kitchen")
    await old.append("user", "I am allergic to peanuts")
    await door.new_conversation(user, "librarian", "Garden")
    page = await browse()
    sidebar = page.locator("recollect-conversations")
    await expect(sidebar.locator("li")).to_have_count(2)
    await sidebar.get_by_label("Search what was said").fill("peanuts")
    await sidebar.get_by_text("I am allergic to peanuts").click()
    await expect(page.locator("recollect-chat h2").first).to_have_text("Kitchen")
    await expect(page.locator("recollect-chat .target")).to_contain_text("I am allergic to peanuts")
    await sidebar.get_by_label("Search what was said").fill("nothing like this")
    await expect(sidebar.get_by_text("Nothing found")).to_be_visible()


async def test_the_archive_is_shown_to_whoever_was_searching(browse: Browse, door: Recollect, user: str) -> None:
    old = await door.new_conversation(user, "librarian", "Kitchen")
    await old.append("user", "I am allergic to peanuts")
    await old.archive()
    page = await browse()
    sidebar = page.locator("recollect-conversations")
    search = sidebar.get_by_label("Search what was said")
    await search.fill("peanuts")
    await expect(sidebar.get_by_text("I am allergic to peanuts")).to_be_visible()
    await sidebar.get_by_label("Archived", exact=True).click()
    await expect(sidebar.locator("li")).to_contain_text(["Kitchen"])
    await expect(search).to_have_value("")


async def test_a_slow_answer_does_not_take_the_place_of_another_list(
    browse: Browse, door: Recollect, user: str
) -> None:
    await (await door.new_conversation(user, "librarian", "Kitchen")).archive()
    await door.new_conversation(user, "librarian", "Garden")
    page = await browse()
    sidebar = page.locator("recollect-conversations")
    await expect(sidebar.locator("li")).to_contain_text(["Garden"])
    held: list[Route] = []
    await page.route("**/api/conversations?*archived=true*", lambda route: held.append(route))
    button = sidebar.get_by_label("Archived", exact=True)
    async with page.expect_request("**/api/conversations?*archived=true*"):
        await button.click()
    await button.click()
    await expect(sidebar.locator("li")).to_contain_text(["Garden"])
    async with page.expect_event("requestfinished", lambda request: "archived=true" in request.url):
        await held[0].continue_()
    # What is asked for later is answered later: by then it has been read.
    await page.evaluate("fetch('/api/whoami').then((answer) => answer.text())")
    assert await sidebar.locator("li .cut:not(.small)").all_inner_texts() == ["Garden"]


async def test_a_title_is_cut_between_characters(browse: Browse, user: str) -> None:
    page = await browse()
    await say(page, "x" * 58 + "\N{SNAIL}" * 10)
    await expect(messages(page)).to_have_count(1)
    await expect(page.locator("recollect-chat h2").first).to_have_text("x" * 58 + "\N{SNAIL}…")


async def test_a_reply_is_shown_while_it_comes(browse: Browse, model: ScriptedModel, user: str) -> None:
    go = threading.Event()
    model.play(Paused(["Once upon ", "a time."], go))
    page = await browse()
    await say(page, "Tell me a story")
    reply = page.locator("recollect-chat .message.assistant")
    await expect(reply).to_contain_text("Once upon")
    await expect(reply).not_to_contain_text("a time.")
    # What was said is there at once, and nothing else can be sent meanwhile.
    await expect(messages(page, "user").or_(page.locator(".message.user"))).to_contain_text(["Tell me a story"])
    await expect(page.get_by_label("Send")).to_be_disabled()
    go.set()
    await expect(messages(page)).to_contain_text(["Once upon a time."])
    await expect(page.get_by_label("Send")).to_be_enabled()


async def test_what_could_not_be_sent_says_so_and_is_sent_once(browse: Browse, door: Recollect, user: str) -> None:
    page = await browse()
    await expect(page.get_by_text("What is on your mind?")).to_be_visible()
    keys: list[str | None] = []

    async def broken(route: Route) -> None:
        keys.append(route.request.headers.get("idempotency-key"))
        await route.abort()

    await page.route("**/stream", broken)
    await say(page, "Is anybody there?")
    failed = page.locator("recollect-chat .message.failed")
    await expect(failed).to_contain_text("Not sent. The server cannot be reached.")
    await expect(failed).to_contain_text("Is anybody there?")
    await page.unroute("**/stream")

    async def lost(route: Route) -> None:
        # It arrives and is answered, but the answer gets lost.
        keys.append(route.request.headers.get("idempotency-key"))
        await route.fetch()
        await route.abort()

    await page.route("**/stream", lost)
    await failed.get_by_role("button", name="Try again").click()
    await expect(failed).to_contain_text("Not sent.")
    await page.unroute("**/stream")
    async with page.expect_request("**/stream") as again:
        await failed.get_by_role("button", name="Try again").click()
    keys.append((await again.value).headers["idempotency-key"])
    await expect(messages(page)).to_contain_text(["I have noted that."])
    await expect(page.locator(".failed")).to_have_count(0)
    assert len(keys) == 3
    assert len(set(keys)) == 1
    active = await door.active_conversation(user, "librarian")
    assert active is not None
    assert [one.role for one in await active.window()] == ["user", "assistant"]


async def test_what_is_said_elsewhere_appears(browse: Browse, door: Recollect, user: str) -> None:
    here = await browse()
    await say(here, "Hello from here")
    await expect(messages(here)).to_have_count(1)
    there = await browse()
    await expect(messages(there, "user")).to_have_count(1)
    await say(there, "Hello from there")
    await expect(messages(there)).to_have_count(2)
    await expect(messages(here, "user")).to_contain_text(["Hello from here", "Hello from there"])
    active = await door.active_conversation(user, "librarian")
    assert active is not None
    await active.append("system", "Somebody else was here")
    for page in (here, there):
        await expect(messages(page, "system")).to_contain_text(["Somebody else was here"])


async def test_a_reply_says_what_it_knew(browse: Browse, door: Recollect, user: str) -> None:
    await door.remember("user is allergic to peanuts", user, "librarian")
    await door.edit_notes("append", "Prefers *short* answers.", user=user, agent="librarian")
    page = await browse()
    await say(page, "Am I allergic to peanuts?")
    await page.get_by_text("What I knew").click()
    known = page.locator("recollect-context")
    await expect(known).to_contain_text("user is allergic to peanuts")
    await expect(known).to_contain_text("close in meaning")
    await expect(known.locator("em")).to_have_text("short")
    await expect(known).to_contain_text("Answered by scripted")
    await expect(known).to_contain_text("of 200 tokens for memories")


async def test_a_conversation_is_saved_as_a_file(browse: Browse, user: str) -> None:
    page = await browse()
    await say(page, "Keep this")
    await expect(messages(page)).to_have_count(1)
    for name, ending, content in (("JSON", "json", b'"Keep this"'), ("Markdown", "md", b"Keep this")):
        await page.get_by_label("Options of this conversation").click()
        async with page.expect_download() as saving:
            await page.get_by_role("menuitem", name=f"Save as {name}").click()
        saved = await saving.value
        assert saved.suggested_filename == f"Keep this.{ending}"
        assert content in (await saved.path()).read_bytes()


async def test_what_was_written_is_there_after_a_reload(browse: Browse, door: Recollect, user: str) -> None:
    other = await door.new_conversation(user, "librarian", "Another one")
    await other.append("user", "Said before")
    await door.new_conversation(user, "librarian", "This one")
    page = await browse()
    box = page.get_by_label("Write a message")
    title = page.locator("recollect-chat h2").first
    await expect(title).to_have_text("This one")
    await expect(box).to_be_enabled()
    await box.fill("half a thought")
    await page.reload()
    await expect(box).to_have_value("half a thought")
    # Each conversation has its own, in each tab and for each user.
    sidebar = page.locator("recollect-conversations")
    await sidebar.locator("li > button", has_text="Another one").click()
    await expect(messages(page, "user")).to_have_count(1)
    await expect(box).to_have_value("")
    await sidebar.locator("li > button", has_text="This one").click()
    await expect(title).to_have_text("This one")
    await expect(box).to_have_value("half a thought")
    tab = await browse(beside=page)
    await expect(tab.locator("recollect-chat h2").first).to_have_text("This one")
    await expect(tab.get_by_label("Write a message")).to_have_value("")
    # What was sent is no draft any more.
    await box.press("Enter")
    await expect(messages(page)).to_have_count(1)
    await page.reload()
    await expect(messages(page)).to_have_count(1)
    await expect(box).to_have_value("")
    assert "half a thought" not in await page.evaluate("JSON.stringify({...sessionStorage, ...localStorage})")


async def test_what_could_not_be_sent_outlives_a_reload_and_is_sent_once(
    browse: Browse, door: Recollect, user: str
) -> None:
    page = await browse()
    keys: list[str | None] = []

    async def lost(route: Route) -> None:
        # It arrives and is answered, but the answer gets lost.
        keys.append(route.request.headers.get("idempotency-key"))
        await route.fetch()
        await route.abort()

    await page.route("**/stream", lost)
    await say(page, "Is anybody there?")
    failed = page.locator("recollect-chat .message.failed")
    await expect(failed).to_contain_text("Not sent.")
    await page.unroute("**/stream")
    await page.reload()
    await expect(failed).to_contain_text("Is anybody there?")
    async with page.expect_request("**/stream") as again:
        await failed.get_by_role("button", name="Try again").click()
    keys.append((await again.value).headers["idempotency-key"])
    await expect(page.get_by_label("Send")).to_be_enabled()
    await expect(page.locator(".failed")).to_have_count(0)
    await expect(messages(page)).to_have_count(1)
    assert len(keys) == 2
    assert len(set(keys)) == 1
    active = await door.active_conversation(user, "librarian")
    assert active is not None
    assert [one.role for one in await active.window()] == ["user", "assistant"]
    await page.reload()
    await expect(messages(page)).to_have_count(1)
    await expect(failed).to_have_count(0)


#: Where a message stands on the screen, to the pixel.
PLACE = "(one) => Math.round(one.getBoundingClientRect().top)"
LONG = 3000


async def test_a_long_conversation_is_shown_from_its_end(browse: Browse, door: Recollect, user: str) -> None:
    talk = await door.conversation(user=user, agent="librarian")
    for start in range(1, LONG, 1000):
        await talk.extend([("user", f"This is number {n}. " * (1 + n % 7)) for n in range(start, start + 1000)])
    page = await browse()
    said = messages(page, "user")
    await expect(said).to_have_count(50)
    await expect(said.last).to_be_in_viewport()
    # Earlier ones come on top, and what is being read stays where it is.
    earlier = page.get_by_role("button", name="Show earlier messages")
    first = page.locator("recollect-chat [data-seq='2951']")
    await earlier.scroll_into_view_if_needed()
    before = await first.evaluate(PLACE)
    await earlier.click()
    await expect(said).to_have_count(250)
    await expect(page.get_by_text("200 earlier messages are shown")).to_be_attached()
    await expect(earlier).to_be_enabled()
    assert abs(await first.evaluate(PLACE) - before) <= 2
    await expect(said.nth(200)).to_contain_text("This is number 2951.")
    # A message that somebody points at is shown, with all that was said since.
    where = f"{page.url.split('?')[0]}?user={user}&agent=librarian&conversation={talk.id}"
    await page.goto(f"{where}&message=12")
    await expect(page.locator("recollect-chat .target")).to_contain_text("This is number 12.")
    await expect(page.locator("recollect-chat .target")).to_be_in_viewport()
    # Up to the first of all, beyond which there is nothing to ask for; and it can be gone on with.
    await earlier.click()
    await expect(said).to_have_count(LONG)
    await expect(earlier).to_be_hidden()
    await say(page, "And this is the last one")
    await expect(messages(page)).to_have_count(1)
    await expect(said.last).to_be_in_viewport()
    await expect(said).to_have_count(LONG + 1)


async def test_more_than_a_page_said_elsewhere_leaves_no_gap(browse: Browse, door: Recollect, user: str) -> None:
    talk = await door.conversation(user=user, agent="librarian")
    await talk.extend([("user", f"This is number {n}") for n in range(1, 4)])
    page = await browse()
    said = messages(page, "user")
    await expect(said).to_have_count(3)
    await talk.extend([("user", f"This is number {n}") for n in range(4, 101)])
    await expect(said.last).to_contain_text("This is number 100")
    await page.get_by_role("button", name="Show earlier messages").click()
    await expect(said).to_have_count(100)
    assert await said.evaluate_all("(all) => all.map((one) => Number(one.dataset.seq))") == list(range(1, 101))
