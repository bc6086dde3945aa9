"""JSON Web Tokens: the operator sets who signs them, algorithms are fixed, and aud, iss and exp are needed.

Supabase's tokens work as they are: ``sub`` is the user, ``role`` says how far it reaches, and the tenant is in
``app_metadata``, which users cannot change. ``user_metadata``, which they can, is never looked at.
"""

from __future__ import annotations

import asyncio
import time
import urllib.request
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import jwt
import msgspec

from recollect import inputs
from recollect.access.records import Holder
from recollect.errors import Invalid, Unauthorized, Unavailable
from recollect.settings import Settings

#: For keys from a JWKS; a secret is for HS256 only, or a public key could be taken for a secret.
PUBLIC = ("RS256", "PS256", "ES256", "ES384", "EdDSA")
LEEWAY = 10
#: Seconds between two looks at a JWKS, however many unknown keys are asked for.
LOOK_AGAIN = 60.0
#: Seconds after a look that failed, while there is no key at all.
TRY_AGAIN = 5.0
MOST_JWKS = 1 << 20
_REFUSED = "this token is not valid; it may have expired, or not be meant for this server"


class Tokens:
    """Checks tokens as the settings say."""

    def __init__(self, settings: Settings) -> None:
        if lacks := lacking(settings):
            raise Invalid(next(iter(lacks)), "; ".join(lacks.values()))
        self._settings = settings
        self._ring = None if settings.jwt_jwks is None else Ring(settings.jwt_jwks)

    async def holder_of(self, text: str) -> Holder:
        """Whom a token stands for; Unauthorized if it is not valid."""
        settings = self._settings
        try:
            head = jwt.get_unverified_header(text)
            key, algorithms = await self._key(head)
            claims = jwt.decode(
                text,
                key,
                algorithms=algorithms,
                audience=settings.jwt_audience,
                issuer=settings.jwt_issuer,
                leeway=LEEWAY,
                options={"require": ["exp", "aud", "iss", "sub"]},
            )
        except (jwt.PyJWTError, ValueError, TypeError):
            raise Unauthorized(_REFUSED) from None
        try:
            return holder_from(claims, settings.jwt_tenant_claim, settings.jwt_tenant)
        except Invalid:
            raise Unauthorized(_REFUSED) from None

    async def _key(self, head: dict[str, Any]) -> tuple[Any, list[str]]:
        algorithm = head.get("alg")
        if algorithm == "HS256" and self._settings.jwt_secret is not None:
            return self._settings.jwt_secret, ["HS256"]
        if algorithm in PUBLIC and self._ring is not None:
            key = await self._ring.key(head.get("kid"))
            if key is not None and key.algorithm_name == algorithm:
                return key, [algorithm]
        raise Unauthorized(_REFUSED)


def lacking(settings: Settings) -> dict[str, str]:
    """Which settings tokens need and do not have, all at once, by the names of their variables."""
    needed = {
        "jwt_audience": "RECOLLECT_JWT_AUDIENCE is needed, the aud of tokens that are meant for this server",
        "jwt_issuer": "RECOLLECT_JWT_ISSUER is needed, the iss of whoever signs them",
    }
    lacks = {name: why for name, why in needed.items() if not getattr(settings, name)}
    if settings.jwt_secret is not None and len(settings.jwt_secret.encode()) < 32:
        lacks |= {"jwt_secret": "RECOLLECT_JWT_SECRET must have at least 32 bytes"}
    return lacks


def holder_from(claims: dict[str, Any], tenant_claim: str, usual: str | None) -> Holder:
    """Whom checked claims stand for."""
    named: Any = claims
    for level in tenant_claim.split("."):
        named = cast("dict[str, Any]", named).get(level) if isinstance(named, dict) else None
    tenant = inputs.identifier("tenant", usual if named is None else named)
    subject = inputs.identifier("sub", claims["sub"])
    role = claims.get("role", "authenticated")
    if role == "service_role":
        return Holder(tenant=tenant, actor=f"service:{subject}", scopes=frozenset({"read", "write", "admin"}))
    if role != "authenticated":
        raise Unauthorized("only signed-in users may use this")
    asked = claims.get("scope")
    usual_scopes = frozenset({"read", "write"})
    scopes = usual_scopes & frozenset(asked.split()) if isinstance(asked, str) else usual_scopes
    return Holder(tenant=tenant, actor=f"user:{subject}"[:255], scopes=scopes, user=subject)


class Ring:
    """The public keys of a JWKS, read again now and then, and when a token names a key that is not there."""

    def __init__(self, source: str) -> None:
        parts = urlsplit(source)
        local = parts.scheme == "http" and parts.hostname in ("127.0.0.1", "::1", "localhost")
        if parts.scheme not in ("", "https") and not local and "://" in source:
            raise Invalid("jwt_jwks", "must be a file or an https address")
        self._source = source
        self._keys: dict[str | None, jwt.PyJWK] = {}
        self._looked = -LOOK_AGAIN
        self._lock = asyncio.Lock()

    async def key(self, id: str | None) -> jwt.PyJWK | None:
        """The key of this id; None if there is none. Unavailable while none could be read: whoever has waited for
        a look that failed is told so, and begins no other."""
        if self._is_due(LOOK_AGAIN * (1 if id not in self._keys else 10)):
            async with self._lock:
                if self._is_due(LOOK_AGAIN):
                    await self._look()
        if not self._keys:
            raise Unavailable("JWKS", "the public keys cannot be read; check jwt_jwks")
        return self._keys.get(id)

    def _is_due(self, after: float) -> bool:
        return time.monotonic() - self._looked >= (after if self._keys else TRY_AGAIN)

    async def _look(self) -> None:
        """Read the keys; if that fails, those that were read last serve on."""
        with suppress(OSError, HTTPException, ValueError, TypeError, jwt.PyJWTError):
            text = await asyncio.to_thread(self._read)
            found = jwt.PyJWKSet.from_dict(msgspec.json.decode(text, type=dict[str, Any]))
            self._keys = {key.key_id: key for key in found.keys}
        self._looked = time.monotonic()

    def _read(self) -> bytes:
        if "://" not in self._source:
            return Path(self._source).read_bytes()
        with urllib.request.urlopen(self._source, timeout=5) as answer:  # noqa: S310  (the operator's, checked)
            return answer.read(MOST_JWKS)
