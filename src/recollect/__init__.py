"""The memory of an AI agent: durable conversations, and the context that the next prompt needs."""

from recollect.door import Chat
from recollect.errors import (
    Conflict,
    Invalid,
    KeyReused,
    NotFound,
    Overloaded,
    RecollectError,
    Refused,
    Unauthorized,
    Unavailable,
)
from recollect.opening import Recollect
from recollect.records import Conversation, Hit, Message, Page
from recollect.settings import Settings

__version__ = "0.1.0"

__all__ = [
    "Chat",
    "Conflict",
    "Conversation",
    "Hit",
    "Invalid",
    "KeyReused",
    "Message",
    "NotFound",
    "Overloaded",
    "Page",
    "Recollect",
    "RecollectError",
    "Refused",
    "Settings",
    "Unauthorized",
    "Unavailable",
]
