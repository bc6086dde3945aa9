"""The analytics: figures of what was really said, cost and recalled, as pictures and as tables."""

from __future__ import annotations

import re

from playwright.async_api import Route, expect

from browsing import Browse, messages, say
from recollect import Recollect


async def test_figures_are_those_of_what_happened(browse: Browse, door: Recollect, user: str) -> None:
    page = await browse("analytics")
    await expect(page.get_by_text("Nothing to count yet")).to_be_visible()
    await door.remember("user is allergic to peanuts", user, "librarian", category="health")
    await door.remember("user keeps bees on the roof", user, "librarian", category="hobby")
    await page.get_by_role("link", name="Chat").click()
    await say(page, "Which dish suits my peanuts allergy?")
    await expect(messages(page)).to_have_count(1)
    await page.get_by_role("link", name="Analytics").click()
    shown = page.locator("recollect-analytics")
    await expect(shown.locator(".figures .card", has_text="Messages")).to_contain_text("2")
    await expect(shown.locator(".figures .card", has_text="Memories in use")).to_contain_text("2")
    # One reply, with memories under the 200 tokens.
    tokens = shown.get_by_role("figure", name="Memory tokens in each reply’s prompt")
    await expect(tokens.locator("svg circle")).to_have_count(1)
    await expect(tokens.locator("svg .limit")).to_have_count(1)
    await tokens.get_by_text("As a table").click()
    cost = int(await tokens.locator("tbody td.number").inner_text())
    assert 0 < cost < 200
    await expect(shown.get_by_role("figure", name="Memories by category")).to_contain_text("health")
    await expect(shown.get_by_role("figure", name="Messages by role")).to_contain_text("Assistant")
    days = shown.get_by_role("figure", name="Messages by day")
    await expect(days.locator("svg title")).to_have_text([re.compile("Assistant 1")])
    recalled = shown.get_by_role("region", name="Most recalled")
    await expect(recalled.get_by_role("listitem").filter(has_text="peanuts")).to_contain_text("in 1 reply")
    never = shown.get_by_role("region", name="Never recalled")
    counted = await recalled.get_by_role("listitem").count() + await never.get_by_role("listitem").count()
    assert counted == 2
    await expect(shown.get_by_role("region", name="Work")).to_contain_text("Due:")
    # Of everybody, and over a year.
    await shown.get_by_label("Period").select_option("366")
    await expect(days.locator("svg g")).to_have_count(1)
    await shown.get_by_label("Of").first.select_option("all")
    await expect(recalled).to_have_count(0)
    await expect(shown.locator(".figures")).to_be_visible()


async def test_nobody_is_told_that_memories_were_used_which_are_not_there(
    browse: Browse, door: Recollect, user: str
) -> None:
    talk = await door.conversation(user, "librarian")
    await talk.append("user", "Hello")
    page = await browse("analytics")
    never = page.locator("recollect-analytics").get_by_role("region", name="Never recalled")
    await expect(never).to_contain_text("Nothing to count yet")


async def test_what_waits_for_its_time_is_not_counted_as_due(browse: Browse) -> None:
    page = await browse("notes")

    async def work(route: Route) -> None:
        given = [("extract", "2020-01-01T00:00:00Z"), ("settle", "2090-01-01T00:00:00Z")]
        listed = [{"kind": kind, "user": "ana", "attempts": 0, "dueAt": due} for kind, due in given]
        await route.fulfill(json=[] if "failed=true" in route.request.url else listed)

    await page.route("**/api/work?*", work)
    await page.get_by_role("link", name="Analytics").click()
    card = page.locator("recollect-analytics").get_by_role("region", name="Work")
    await expect(card).to_contain_text("Due: 1")
    await expect(card.locator("tbody tr")).to_contain_text(["extract", "settle"])


METRICS = """
# TYPE recollect_http_seconds histogram
recollect_http_seconds_bucket{method="POST",route="/api/agents/{agent:str}/recall",le="0.01"} 6
recollect_http_seconds_bucket{method="POST",route="/api/agents/{agent:str}/recall",le="0.05"} 9
recollect_http_seconds_bucket{method="POST",route="/api/agents/{agent:str}/recall",le="0.25"} 10
recollect_http_seconds_bucket{method="POST",route="/api/agents/{agent:str}/recall",le="+Inf"} 10
recollect_http_seconds_bucket{method="GET",route="/healthz",le="0.01"} 1000
recollect_cache_reads_total{tenant="default",type="window",result="hit"} 30
recollect_cache_reads_total{tenant="default",type="window",result="miss"} 10
recollect_cache_reads_total{tenant="default",type="window",result="passed"} 7
"""
READ = """async (text) => {
  const { measured } = await import('/web/elements/analytics.js');
  const found = measured(text);
  return [found.times(/\\/recall$/), found.times(/\\/context$/), found.cache, measured('').cache];
}"""


async def test_what_the_server_counts_is_read_and_nothing_is_made_up(browse: Browse) -> None:
    page = await browse("analytics")
    recall, context, cache, none = await page.evaluate(READ, METRICS)
    assert recall == {"half": 0.01, "most": 0.25}
    assert context is None
    assert cache == {"hits": 30, "reads": 40}
    assert none == {"hits": 0, "reads": 0}
