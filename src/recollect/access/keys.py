"""API keys: ``rk_<tenant>_<id>_<secret>``. The tenant in it is only where to look; the secret decides."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime

from recollect import inputs
from recollect.access.records import OPERATOR, SCOPES, Holder, Key, NewKey
from recollect.errors import Forbidden, Invalid, NotFound, Unauthorized
from recollect.records import Caller
from recollect.storage.database import Database, Row

PREFIX = "rk"
_REFUSED = "this key is not valid; it may have been revoked, or have expired"


async def create(
    database: Database,
    caller: Caller,
    name: str,
    scopes: Sequence[str],
    user: str | None,
    expires_at: datetime | None,
) -> NewKey:
    """Make a key; its text is shown here and never again."""
    wanted = tuple(scope for scope in (*SCOPES, OPERATOR) if scope in scopes)
    if not wanted or len(wanted) != len(set(scopes)):
        raise Invalid("scopes", f"must be some of {', '.join((*SCOPES, OPERATOR))}")
    wide = [scope for scope in wanted if scope in ("admin", OPERATOR)]
    if user is not None and wide:
        raise Invalid("scopes", f"a key that is bound to a user cannot have {wide[0]}, which reaches all users")
    _for_operators(caller, wanted)
    name = inputs.text("name", name, inputs.MAX_ID)
    user = None if user is None else inputs.identifier("user", user)
    until = None if expires_at is None else inputs.moment("expires_at", expires_at)
    if until is not None and until <= datetime.now(UTC):
        raise Invalid("expires_at", "is over already")
    id, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
    async with database.transaction(caller.tenant) as transaction:
        await transaction.run("ensure_tenant")
        row = await transaction.row("insert_key", id, _hash(secret), name, list(wanted), user, caller.actor, until)
        await transaction.run("record_audit", caller.actor, "key.create", user, id)
    assert row is not None
    return NewKey(key=_key(row), text=written(caller.tenant, id, secret))


async def listed(database: Database, caller: Caller) -> list[Key]:
    """A tenant's keys, oldest first, revoked ones too."""
    return [_key(row) for row in await database.read(caller.tenant, "keys_of_tenant")]


async def rotate(database: Database, caller: Caller, id: str) -> NewKey:
    """Give a key a new secret; the old one ends at once."""
    id, secret = inputs.identifier("id", id), secrets.token_urlsafe(32)
    async with database.transaction(caller.tenant) as transaction:
        row = await transaction.row("rotate_key", id, _hash(secret))
        if row is None:
            raise NotFound("key", id)
        _for_operators(caller, row["scopes"])
        await transaction.run("record_audit", caller.actor, "key.rotate", row["user_id"], id)
    return NewKey(key=_key(row), text=written(caller.tenant, id, secret))


async def revoke(database: Database, caller: Caller, id: str) -> Key:
    """End a key, at once and for good."""
    id = inputs.identifier("id", id)
    async with database.transaction(caller.tenant) as transaction:
        row = await transaction.row("revoke_key", id)
        if row is None:
            raise NotFound("key", id)
        _for_operators(caller, row["scopes"])
        await transaction.run("record_audit", caller.actor, "key.revoke", row["user_id"], id)
    return _key(row)


def _for_operators(caller: Caller, scopes: Sequence[str]) -> None:
    """Whoever runs a tenant must not be able to make themselves an operator, by a new key or a new secret."""
    if OPERATOR in scopes and not caller.operator:
        raise Forbidden("a key of an operator is only made, rotated and revoked by an operator")


async def holder_of(database: Database, text: str) -> Holder:
    """Whom a key stands for; Unauthorized if it opens nothing."""
    tenant, id, secret = read(text)
    row = await _found(database, tenant, id)
    # The comparison takes as long for an unknown id as for a known one.
    same = hmac.compare_digest(_hash(secret), row["secret_hash"] if row is not None else b"\0" * 32)
    if row is None or not same or row["revoked_at"] is not None or row["expired"]:
        raise Unauthorized(_REFUSED)
    if row["unseen"]:
        async with database.transaction(tenant) as transaction:
            await transaction.run("key_used", id)
    return Holder(tenant=tenant, actor=f"key:{id}", scopes=frozenset(row["scopes"]), user=row["user_id"])


async def _found(database: Database, tenant: str, id: str) -> Row | None:
    """A key as the database has it; a process may keep it until it ends, but never what tells that it was used."""

    async def load() -> tuple[Row | None, float]:
        rows = await database.call("key_by_id", tenant, id)
        row = rows[0] if rows else None
        lasting = row is not None and row["revoked_at"] is None and not row["unseen"]
        return row, row["lasts"] if row is not None and lasting else 0.0

    return (await load())[0] if database.cache is None else await database.cache.kept(tenant, ("key", id), load)


async def exist(database: Database) -> bool:
    """Whether anybody has ever made a key here, in any tenant."""
    return bool((await database.call("keys_exist"))[0][0])


def written(tenant: str, id: str, secret: str) -> str:
    """The text of a key."""
    place = base64.b32encode(tenant.encode()).decode().rstrip("=").lower()
    return f"{PREFIX}_{place}_{id}_{secret}"


def read(text: str) -> tuple[str, str, str]:
    """Tenant, id and secret of a key's text; Unauthorized if it cannot be one."""
    parts = text.split("_", 3)
    if len(parts) == 4 and parts[0] == PREFIX and text.isascii() and len(text) < 2000:
        place = parts[1].upper()
        try:
            tenant = base64.b32decode(place + "=" * (-len(place) % 8)).decode()
            return inputs.identifier("tenant", tenant), inputs.identifier("id", parts[2]), parts[3]
        except (binascii.Error, UnicodeDecodeError, Invalid):
            pass
    raise Unauthorized(_REFUSED)


def _hash(secret: str) -> bytes:
    """The secret has 256 random bits, so that a plain hash cannot be searched."""
    return hashlib.sha256(secret.encode()).digest()


def _key(row: Row) -> Key:
    return Key(
        id=row["id"],
        name=row["name"],
        scopes=tuple(row["scopes"]),
        user=row["user_id"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        revoked_at=row["revoked_at"],
        last_used_at=row["last_used_at"],
    )
