"""The memory of an AI agent: durable conversations, and the context that the next prompt needs."""

from typing import TYPE_CHECKING, Any

from recollect.chat.records import (
    Asking,
    Delivery,
    Done,
    Event,
    Known,
    Piece,
    Reply,
    Started,
    ToolAnswered,
    ToolCalled,
    Turn,
)
from recollect.documents.records import (
    DeleteDocument,
    Document,
    DocumentHit,
    DocumentVersion,
    PutDocument,
    Vectors,
)
from recollect.errors import (
    Busy,
    Conflict,
    Forbidden,
    Invalid,
    KeyReused,
    NotFound,
    Overloaded,
    RecollectError,
    Refused,
    Unauthorized,
    Unavailable,
)
from recollect.exchange.records import Imported
from recollect.forget.records import Receipt, Retention, Tidied
from recollect.live.records import LiveEvent
from recollect.notes.records import Notes, NoteVersion
from recollect.records import (
    Agent,
    Conversation,
    Digested,
    Hit,
    Memory,
    MemoryDocument,
    MemoryVersion,
    Message,
    Page,
    Refusal,
    Source,
    Summary,
    Template,
    Verified,
    Work,
)
from recollect.settings import Settings
from recollect.workflows.definition import Workflow
from recollect.workflows.records import Cause, State, StateChange

if TYPE_CHECKING:
    from recollect.conversation_memory import ConversationMemoryManager
    from recollect.handle import Chat
    from recollect.opening import Recollect

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "Asking",
    "Busy",
    "Cause",
    "Chat",
    "Conflict",
    "Conversation",
    "ConversationMemoryManager",
    "DeleteDocument",
    "Delivery",
    "Digested",
    "Document",
    "DocumentHit",
    "DocumentVersion",
    "Done",
    "Event",
    "Forbidden",
    "Hit",
    "Imported",
    "Invalid",
    "KeyReused",
    "Known",
    "LiveEvent",
    "Memory",
    "MemoryDocument",
    "MemoryVersion",
    "Message",
    "NotFound",
    "NoteVersion",
    "Notes",
    "Overloaded",
    "Page",
    "Piece",
    "PutDocument",
    "Receipt",
    "Recollect",
    "RecollectError",
    "Refusal",
    "Refused",
    "Reply",
    "Retention",
    "Settings",
    "Source",
    "Started",
    "State",
    "StateChange",
    "Summary",
    "Template",
    "Tidied",
    "ToolAnswered",
    "ToolCalled",
    "Turn",
    "Unauthorized",
    "Unavailable",
    "Vectors",
    "Verified",
    "Work",
    "Workflow",
]


def __getattr__(name: str) -> Any:
    """The door and its conversations, which bring the driver of the database along: a client has no need of it."""
    if name == "Recollect":
        from recollect.opening import Recollect

        return Recollect
    if name == "ConversationMemoryManager":
        from recollect.conversation_memory import ConversationMemoryManager

        return ConversationMemoryManager
    if name == "Chat":
        from recollect.handle import Chat

        return Chat
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
