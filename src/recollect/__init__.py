"""The memory of an AI agent: durable conversations, and the context that the next prompt needs."""

from recollect.chat.records import (
    Asking,
    Delivery,
    Done,
    Event,
    Piece,
    Reply,
    Started,
    ToolAnswered,
    ToolCalled,
    Turn,
)
from recollect.conversation_memory import ConversationMemoryManager
from recollect.conversations.caching import Verified
from recollect.conversations.document import Document
from recollect.errors import (
    Busy,
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
from recollect.exchange.records import Imported
from recollect.forget.records import Receipt, Retention, Tidied
from recollect.handle import Chat
from recollect.notes.records import Notes, NoteVersion
from recollect.opening import Recollect
from recollect.records import (
    Agent,
    Conversation,
    Digested,
    Hit,
    Memory,
    MemoryVersion,
    Message,
    Page,
    Refusal,
    Source,
    Summary,
    Template,
    Work,
)
from recollect.settings import Settings
from recollect.workflows.definition import Workflow
from recollect.workflows.records import Cause, State, StateChange

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
    "Delivery",
    "Digested",
    "Document",
    "Done",
    "Event",
    "Hit",
    "Imported",
    "Invalid",
    "KeyReused",
    "Memory",
    "MemoryVersion",
    "Message",
    "NotFound",
    "NoteVersion",
    "Notes",
    "Overloaded",
    "Page",
    "Piece",
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
    "Verified",
    "Work",
    "Workflow",
]
