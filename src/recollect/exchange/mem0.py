"""Memories as mem0 gives them out: ``{"results": […]}``, or the bare list. Pure."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from recollect import inputs
from recollect.errors import Invalid
from recollect.exchange.document import KeptMemory, KeptMemoryVersion
from recollect.exchange.names import derived, source_id
from recollect.exchange.wrong import converted
from recollect.remember import insight

AGENT = "mem0"
AUTHOR = "extractor:mem0"
#: What stands beside the results: the relations of a graph, which have no place here, and the page that it is.
BESIDE = ("relations", "count", "next", "previous")


class _Item(msgspec.Struct):
    id: str
    memory: str
    user_id: str | None = None
    agent_id: str | None = None
    metadata: dict[str, Any] | None = None
    categories: list[str] | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    expiration_date: str | None = None


def memory_from(given: object, where: str, agent: str | None, actor: str) -> tuple[str | None, KeptMemory]:
    """One result: whose memory it is, if it says so, and the memory. Whoever imports it vouches for it."""
    one = converted(given, _Item, where)
    try:
        text = insight.key_point(one.memory)
        category = insight.category(one.categories[0]) if one.categories else None
        whose = None if one.user_id is None else inputs.identifier("user_id", one.user_id)
        agent = inputs.identifier("agent_id", agent or one.agent_id or AGENT)
        context = _context(one)
        inputs.json_text("metadata", context)
    except Invalid as error:
        field = "memory" if error.field == "text" else error.field
        raise Invalid(f"{where}.{field}", error.problem) from None
    begun = inputs.moment(f"{where}.created_at", one.created_at or datetime.now(UTC))
    changed = inputs.moment(f"{where}.updated_at", one.updated_at or begun)
    expires = _expires(one.expiration_date, f"{where}.expiration_date")
    first = KeptMemoryVersion(
        version=1,
        text=text,
        category=category,
        importance=0.5,
        pinned=False,
        status="active",
        expires_at=expires,
        valid_from=begun,
        change="remember",
        actor=actor,
        at=begun,
        author=AUTHOR,
        trust="trusted",
    )
    return whose, KeptMemory(
        id=source_id(one.id) or derived("mem0", one.id),
        text=text,
        pool=agent,
        agent=agent,
        category=category,
        importance=0.5,
        pinned=False,
        status="active",
        created_at=begun,
        updated_at=changed,
        valid_from=begun,
        expires_at=expires,
        author=AUTHOR,
        trust="trusted",
        by_person=False,
        version=1,
        versions=[first],
        context=context,
    )


def _context(one: _Item) -> dict[str, Any]:
    """What mem0 knows beside the text."""
    known = {"metadata": one.metadata, "categories": one.categories}
    return {"mem0": {"id": one.id} | {name: value for name, value in known.items() if value}}


def _expires(value: str | None, field: str) -> datetime | None:
    """A date alone, or a point in time."""
    if value is None:
        return None
    try:
        return inputs.moment(field, datetime.fromisoformat(value))
    except ValueError:
        raise Invalid(field, "is not a date") from None
