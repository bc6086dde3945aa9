"""What holds for every screen: sizes, safety, languages, access, phones."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from browsing import CORPUS, Browse, markup, messages, say, serious
from recollect import Recollect
from serving import Served

#: The first load: everything until the conversation can be gone on with.
MOST_BYTES, MOST_REQUESTS = 100_000, 15


@pytest.mark.parametrize("known", [True, False], ids=["a known user", "a new one"])
async def test_the_first_load_is_small_and_nothing_jumps(
    browse: Browse, door: Recollect, user: str, served: Served, known: bool
) -> None:
    if known:
        talk = await door.conversation(user=user, agent="librarian")
        await talk.extend(
            [("user", f"Message {n} " * 20) if n % 2 else ("assistant", f"Answer {n}") for n in range(40)]
        )
    page = await browse(who="somebody")
    await page.goto("about:blank")
    session = await page.context.new_cdp_session(page)
    await session.send("Network.enable")
    await session.send("Network.clearBrowserCache")
    received: dict[str, float] = {}
    asked: list[tuple[str, float]] = []
    session.on(
        "Network.requestWillBeSent", lambda event: asked.append((event["request"]["url"], event["wallTime"]))
    )
    session.on(
        "Network.loadingFinished", lambda event: received.update({event["requestId"]: event["encodedDataLength"]})
    )
    # The page's own clock says when: what is asked for later, such as what other devices change, is not the first load.
    await page.add_init_script(
        "addEventListener('recollect-conversation', () => (window.ready ??= Date.now() / 1000), { capture: true });"
    )
    await page.goto(f"{served.url}/#/chat?user={user}&agent=librarian")
    await expect(messages(page)).to_have_count(20 if known else 0)
    await expect(page.locator("recollect-conversations li")).to_have_count(1)
    await expect(page.get_by_label("Write a message")).to_be_enabled()
    ready = await page.evaluate("window.ready")
    ours = [url for url, when in asked if url.startswith("http") and when <= ready]
    assert 8 < len(ours) <= MOST_REQUESTS, "\n".join(ours)
    assert 25_000 < sum(received.values()) <= MOST_BYTES
    assert await page.evaluate("window.shifts") < 0.01


async def test_whatever_is_written_is_shown_as_text(browse: Browse, door: Recollect, user: str) -> None:
    """In what people say, in titles, in drafts, in notes and memories that a reply knew."""
    await door.configure_agent("buyer", workflow="rfp")
    hostile = CORPUS[1]
    await door.remember(f"user wrote {hostile}", user, "buyer")
    await door.edit_notes("append", "\n\n".join(CORPUS), user=user, agent="buyer")
    talk = await door.new_conversation(user, "buyer", hostile)
    for text in CORPUS:
        await talk.append("user", text)
        await talk.append("assistant", text, name=hostile)
        await talk.append("tool", text, name=hostile, tool_call_id="1")
    await talk.update_state({"rfpDraft": {"title": hostile, "requirements": {"items": [{"name": hostile}]}}})
    page = await browse(agent="buyer")
    await expect(messages(page)).to_have_count(len(CORPUS))
    for text in CORPUS[:3]:
        await expect(messages(page, "user").filter(has_text=text)).to_have_count(1)
    await expect(page.locator("recollect-chat h2").first).to_have_text(hostile)
    await say(page, f"What did I write? {hostile}")
    await expect(messages(page)).to_have_count(len(CORPUS) + 1)
    await page.get_by_text("What I knew").last.click()
    await expect(page.locator("recollect-context")).to_contain_text(hostile)
    assert await markup(page) == []
    await page.get_by_role("link", name="State").click()
    await expect(page.locator("recollect-state [name=title]")).to_have_value(hostile)
    await page.get_by_label("User and agent").click()
    await page.locator("recollect-dialogs input[name=user]").fill(hostile)
    await page.get_by_role("button", name="Change", exact=True).click()
    await expect(page.locator(".identity b")).to_have_text(hostile)
    assert await markup(page) == []
    assert await page.evaluate("window.hacked") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_everybody_can_use_it(browse: Browse, door: Recollect, user: str, axe: str, scheme: str) -> None:
    await door.configure_agent("buyer", workflow="rfp")
    await door.remember("user is allergic to peanuts", user, "buyer")
    page = await browse(agent="buyer", color_scheme=scheme)
    assert await serious(page, axe) == []
    await say(page, "Am I allergic to peanuts?\n\n```\ncode\n```")
    await page.get_by_text("What I knew").click()
    await expect(page.locator("recollect-context")).to_contain_text("peanuts")
    assert await serious(page, axe) == []
    await page.get_by_label("Options of this conversation").click()
    await page.get_by_role("menuitem", name="Rename").click()
    await expect(page.get_by_label("Title")).to_be_focused()
    assert await serious(page, axe) == []
    await page.keyboard.press("Escape")
    await page.get_by_role("link", name="State").click()
    await expect(page.locator("recollect-state .now")).to_be_visible()
    assert await serious(page, axe) == []


async def test_it_speaks_spanish_and_remembers_it(browse: Browse, user: str) -> None:
    page = await browse()
    await page.get_by_label("Write a message").fill("half a thought")
    await page.get_by_role("button", name="Language: Español").click()
    await expect(page.get_by_role("link", name="Recuerdos")).to_be_visible()
    await page.get_by_label("Escribe un mensaje").fill("Me mudé a Oporto")
    await page.get_by_label("Enviar").click()
    await expect(page.get_by_text("Lo que sabía")).to_be_visible()
    await expect(page.locator(".day")).to_have_text("Hoy")
    await page.reload()
    await expect(page.get_by_role("link", name="Recuerdos")).to_be_visible()
    assert await page.evaluate("document.documentElement.lang") == "es"


DAYS = """async () => {
  const { day, speak, number } = await import('/web/words.js');
  const now = new Date(2024, 0, 20, 1, 0);
  const at = (days, hour) => new Date(2024, 0, 20 - days, hour);
  const said = () => [day(at(0, 0), now), day(at(1, 23), now), day(at(2, 0), now), day(at(6, 3), now), day(at(7, 3), now), day(new Date(2024, 0, 15), new Date(2026, 0, 1))];
  speak('en');
  const english = said();
  const sum = number(1234.5);
  speak('es');
  return [english, said(), sum, number(12345.5)];
}"""


async def test_days_are_told_as_people_say_them(browse: Browse) -> None:
    page = await browse(locale="en-US")
    english, spanish, sum_en, sum_es = await page.evaluate(DAYS)
    assert english == ["Today", "Yesterday", "2 days ago", "6 days ago", "Jan 13, 2024", "Jan 15, 2024"]
    assert spanish == ["Hoy", "Ayer", "Hace 2 días", "Hace 6 días", "13 ene 2024", "15 ene 2024"]
    assert (sum_en, sum_es) == ("1,234.5", "12.345,5")


async def test_a_phone_has_the_list_and_the_chat_one_after_the_other(browse: Browse, user: str) -> None:
    page = await browse(viewport={"width": 375, "height": 740}, has_touch=True, is_mobile=True)
    await say(page, "From a small screen " * 10)
    await expect(messages(page)).to_have_count(1)
    await expect(page.locator("recollect-conversations")).to_be_hidden()
    await page.get_by_role("button", name="Conversations").click()
    await page.locator("recollect-conversations li > button").click()
    await expect(messages(page)).to_have_count(1)
    wide = "document.documentElement.scrollWidth"
    for screen in ("State", "Chat"):
        await page.get_by_role("link", name=screen).click()
        assert await page.evaluate(wide) <= 375


async def test_the_theme_can_be_chosen(browse: Browse) -> None:
    page = await browse(color_scheme="light")
    await page.get_by_label("Light or dark").click()
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = await page.evaluate(paper)
    await page.reload()
    await expect(page.get_by_label("Write a message")).to_be_enabled()
    assert await page.evaluate(paper) == dark == "rgb(19, 24, 22)"
