"""What concerns a whole tenant: keys, due work, how long messages are kept, receipts of erasures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

import msgspec
from litestar import delete, get, post, put
from litestar.params import FromPath, FromQuery, JSONBody

from recollect.access.records import NewKey
from recollect.errors import Invalid
from recollect.server.rules import rule
from recollect.server.who import Asking
from recollect.server.wire.admin import DigestedView, KeyView, NewKeyView, RetentionView, TidiedView, WorkView
from recollect.server.wire.users import ReceiptView
from recollect.server.wire.view import shown
from recollect.work.queue import LEASE

#: Seconds that a lease may have.
LEASES = (1, 3600)


class KeyOrder(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A key to make."""

    name: str = ""
    scopes: list[Literal["read", "write", "admin", "operator"]] | None = None
    """By default read and write. Only an operator gives operator."""
    user: str | None = None
    expires_at: datetime | None = None


class RetentionRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many minutes messages are kept; null takes the rule away."""

    minutes: int | Literal["forever"] | None
    agent: str | None = None


class Retry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which failed work to try again; all of it by default."""

    kind: str | None = None
    subject: str | None = None


class Retried(msgspec.Struct, frozen=True, kw_only=True):
    """How many pieces will be tried again."""

    retried: int


class Reembedded(msgspec.Struct, frozen=True, kw_only=True):
    """How many memories have new vectors."""

    memories: int


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """The kind of work that a worker will do; GET /api/work shows whether it has."""

    due: str


class Now(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Work to do now."""

    everything: bool = False
    most: int | None = None
    lease: float | None = None
    """Seconds after which a piece of work is taken from whoever hangs."""


def new_key_view(made: NewKey) -> NewKeyView:
    """A key as it is made."""
    fields: dict[str, Any] = msgspec.structs.asdict(made.key)
    fields["scopes"] = _listed(made.key.scopes)
    return NewKeyView(**fields, text=made.text)


def _listed(scopes: Sequence[str]) -> list[str]:
    return list(scopes)


@get("/api/admin/keys", opt=rule("admin"))
async def keys(who: Asking) -> list[KeyView]:
    """This tenant's keys, oldest first, revoked ones too."""
    return [shown(KeyView, key) for key in await who.door.keys()]


@post("/api/admin/keys", opt=rule("admin"))
async def create_key(data: JSONBody[KeyOrder], who: Asking) -> NewKeyView:
    """Make a key. Its text is shown here and never again; so there is no Idempotency-Key, which would keep it."""
    made = await who.door.create_key(data.name, scopes=data.scopes, user=data.user, expires_at=data.expires_at)
    return new_key_view(made)


@post("/api/admin/keys/{id:str}/rotate", status_code=200, opt=rule("admin"))
async def rotate_key(id: FromPath[str], who: Asking) -> NewKeyView:
    """Give a key a new secret; the old one ends at once."""
    return new_key_view(await who.door.rotate_key(id))


@delete("/api/admin/keys/{id:str}", status_code=200, opt=rule("admin"))
async def revoke_key(id: FromPath[str], who: Asking) -> KeyView:
    """End a key, at once and for good."""
    return shown(KeyView, await who.door.revoke_key(id))


@get("/api/work", opt=rule("admin"))
async def work(who: Asking, failed: FromQuery[bool] = False, limit: FromQuery[int] = 50) -> list[WorkView]:
    """What is due, under way or waits for its time, or what has failed too often."""
    return [shown(WorkView, one) for one in await who.door.work(failed=failed, limit=limit)]


@post("/api/admin/retry-work", status_code=200, opt=rule("admin"))
async def retry(data: JSONBody[Retry], who: Asking) -> Retried:
    """Let failed work be tried again."""
    return Retried(retried=await who.door.retry_work(data.kind, data.subject))


@post("/api/admin/digest", status_code=200, opt=rule("admin"))
async def digest(data: JSONBody[Now], who: Asking) -> DigestedView:
    """Do the work that is due now."""
    lease = LEASE if data.lease is None else data.lease
    if not LEASES[0] <= lease <= LEASES[1]:
        raise Invalid("lease", f"must be between {LEASES[0]} and {LEASES[1]} seconds, not {lease:g}")
    return shown(DigestedView, await who.door.digest(everything=data.everything, most=data.most, lease=lease))


@post("/api/admin/reembed", status_code=200, opt=rule("admin"))
async def reembed(who: Asking) -> Reembedded:
    """After a change of the embedding model: make new vectors. What is done stays done: send it again."""
    return Reembedded(memories=await who.door.reembed())


@post("/api/admin/reembed-later", status_code=202, opt=rule("admin"))
async def reembed_later(who: Asking) -> Due:
    """Make new vectors in the background, after the embedding model was changed; the old ones serve until then."""
    await who.door.reembed_later()
    return Due(due="reembed")


@post("/api/admin/tidy", status_code=200, opt=rule("admin"))
async def tidy(who: Asking) -> TidiedView:
    """Remove what is kept no longer."""
    return shown(TidiedView, await who.door.tidy())


@get("/api/retention", opt=rule("admin"))
async def retention(who: Asking) -> RetentionView:
    """How many minutes messages are kept."""
    return shown(RetentionView, await who.door.retention())


@put("/api/retention", opt=rule("admin"))
async def set_retention(data: JSONBody[RetentionRule], who: Asking) -> RetentionView:
    """Keep messages for so many minutes, or for ever."""
    return shown(RetentionView, await who.door.set_retention(data.minutes, data.agent))


@get("/api/receipts", opt=rule("admin"))
async def receipts(
    who: Asking,
    user: FromQuery[str | None] = None,
    limit: FromQuery[int] = 1000,
    cursor: FromQuery[str | None] = None,
) -> list[ReceiptView]:
    """The receipts of erasures, newest first. The id of the last one as the cursor gives those that follow."""
    return [shown(ReceiptView, one) for one in await who.door.receipts(user, limit=limit, cursor=cursor)]


ROUTES = [
    keys,
    create_key,
    rotate_key,
    revoke_key,
    work,
    retry,
    digest,
    reembed,
    reembed_later,
    tidy,
    retention,
    set_retention,
    receipts,
]
