"""Examples for the schema, by method and path, where a record alone does not tell enough."""

from __future__ import annotations

from typing import Any

_ACME = {"tenant": "acme", "createdAt": "2026-01-01T00:00:00Z", "keys": 2}

#: Bodies worth showing.
BODIES: dict[str, Any] = {
    "post /v1/chat/completions": {
        "model": "gpt-4o-mini",
        "user": "ana",
        "messages": [{"role": "user", "content": "Where do I live?"}],
        "metadata": {"agent": "librarian"},
    },
    "post /api/tenants": {"tenant": "acme"},
    "post /api/tenants/{tenant}/keys": {"name": "first administrator"},
    "delete /api/tenants/{tenant}": {"confirm": "acme"},
    "put /api/memories/{id}": {"importance": 0.9, "expiresAt": None},
    "put /api/agents/{agent}/memories/{id}": {"importance": 0.9, "expiresAt": None},
    "put /api/agents/{agent}": {"instructions": "You cook.", "window": 12, "model": None},
}
#: Answers worth showing.
ANSWERS: dict[str, Any] = {
    "get /api/tenants": {"items": [_ACME], "cursor": None},
    "post /api/tenants": {**_ACME, "keys": 0},
    "post /api/tenants/{tenant}/keys": {
        "id": "9f2c4d1e8a7b6c50",
        "name": "first administrator",
        "scopes": ["read", "write", "admin"],
        "user": None,
        "createdAt": "2026-01-01T00:00:00Z",
        "expiresAt": None,
        "revokedAt": None,
        "lastUsedAt": None,
        "text": "rk_mfrw2zi_9f2c4d1e8a7b6c50_…",
    },
    "delete /api/tenants/{tenant}": {"tenant": "acme", "users": 2, "counts": {"conversations": 3, "messages": 40}},
    "get /api/whoami": {
        "tenant": "acme",
        "actor": "key:9f2c4d1e8a7b6c50",
        "scopes": ["admin", "read", "write"],
        "user": None,
        "operator": False,
        "api": 1,
    },
}
