"""The names of entries. What is in braces decides the slot of a Cluster: one conversation's keys share one."""

from __future__ import annotations

from urllib.parse import quote

MESSAGES, MESSAGE, MEMORY = "messages", "message", "memory"
KINDS = (MESSAGES, MESSAGE, MEMORY)


def key(tenant: str, conversation: str, kind: str) -> str:
    """``{acme:0197…}:messages``. A tenant's name is quoted, so that no two pairs give one key."""
    return f"{{{quote(tenant, safe='')}:{conversation}}}:{kind}"


def claim(entry: str) -> str:
    """Where whoever is about to fill an entry says so."""
    return f"{entry}:claim"


def all_of(tenant: str, conversation: str) -> list[str]:
    """Everything that there may be of a conversation."""
    names = [key(tenant, conversation, kind) for kind in KINDS]
    return names + [claim(name) for name in names]
