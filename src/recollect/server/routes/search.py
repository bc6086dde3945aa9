"""Search over what was said, and counts."""

from __future__ import annotations

from typing import Annotated

from litestar import get
from litestar.params import FromQuery, QueryParameter

from recollect.server.rules import rule
from recollect.server.sizes import fitting
from recollect.server.who import Asking
from recollect.server.wire import AnalyticsView, HitView, Identity, hit_view, identity, shown


@get("/api/search", opt=rule("read"))
async def search(
    words: Annotated[str, QueryParameter(name="query")],
    who: Asking,
    user: FromQuery[str | None] = None,
    agent: FromQuery[str | None] = None,
    limit: FromQuery[int] = 20,
) -> list[HitView]:
    """Full-text search over a user's messages, best first."""
    hits = await who.door.search(words, who.user(user), agent, limit=limit)
    return fitting([hit_view(hit) for hit in hits])


@get("/api/analytics", opt=rule("read", all_users="admin"))
async def analytics(
    who: Asking, user: FromQuery[str | None] = None, agent: FromQuery[str | None] = None, days: FromQuery[int] = 30
) -> AnalyticsView:
    """How much there is, and how much came on each day; of the whole tenant, a user or an agent."""
    return shown(AnalyticsView, await who.door.analytics(who.user_if_any(user), agent, days=days))


@get("/api/whoami", opt=rule("read", operators=True))
async def whoami(who: Asking) -> Identity:
    """Whom the credential of this request stands for."""
    return identity(who.holder)


ROUTES = [search, analytics, whoami]
