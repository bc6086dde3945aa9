"""The names of entries. What is in braces decides the slot of a Cluster: one conversation's keys share one."""

from __future__ import annotations

import hashlib
from urllib.parse import quote

MESSAGES, MESSAGE, MEMORY, CONTEXT = "messages", "message", "memory", "context"
KINDS = (MESSAGES, MESSAGE, MEMORY, CONTEXT)


def key(tenant: str, conversation: str, kind: str) -> str:
    """``{acme:0197…}:messages``. A tenant's name is quoted, so that no two pairs give one key."""
    return f"{{{quote(tenant, safe='')}:{conversation}}}:{kind}"


def claim(entry: str) -> str:
    """Where whoever is about to fill an entry says so."""
    return f"{entry}:claim"


def mark(tenant: str, user: str) -> str:
    """Where the mark of a user is. It may lie there for longer than the user is known, so it does not name one."""
    digest = hashlib.blake2b(user.encode(), digest_size=16, key=tenant.encode()[:64]).hexdigest()
    return f"{{{quote(tenant, safe='')}:{digest}}}:mark"


def contexts_of(tenant: str, conversation: str) -> list[str]:
    """The contexts of a conversation, and the right to fill them."""
    name = key(tenant, conversation, CONTEXT)
    return [name, claim(name)]


def all_of(tenant: str, conversation: str) -> list[str]:
    """Everything that there may be of a conversation."""
    names = [key(tenant, conversation, kind) for kind in KINDS]
    return names + [claim(name) for name in names]
