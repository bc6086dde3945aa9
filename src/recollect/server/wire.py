"""What goes over the wire, in the words of the seeds: camelCase, a memory's text as ``keyPoint``.

Each view is made from a record of the same fields; ``shown`` does it.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from recollect.access.records import Holder
from recollect.chat.records import Known, Reply
from recollect.live.records import LiveEvent
from recollect.recall.pack import Context
from recollect.records import Conversation, Hit, Memory, Message
from recollect.workflows.records import State

V = TypeVar("V", bound=msgspec.Struct)

#: Grows when a client that was written before would misunderstand.
API = 1

Limit = Annotated[int, msgspec.Meta(ge=1, le=1000)]


class View(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The shape of everything that is sent."""


class MessageView(View, frozen=True, kw_only=True):
    """One entry of a conversation; the order is ``seq``."""

    id: str
    conversation_id: str
    seq: int
    role: Literal["user", "assistant", "system", "tool"]
    content: str
    created_at: datetime
    name: str | None = None
    metadata: dict[str, Any] = {}
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None
    parts: list[Any] | None = None
    answers: int | None = None


class LiveView(View, frozen=True, kw_only=True, omit_defaults=True):
    """One change, as it happens."""

    id: str
    kind: str
    at: datetime
    conversation_id: str | None = None
    agent: str | None = None
    seq: int | None = None
    memory_id: str | None = None
    version: int | None = None
    message: MessageView | None = None


class SourceView(View, frozen=True, kw_only=True):
    """The messages that a memory comes from."""

    conversation: str
    first: int
    last: int


class MemoryView(View, frozen=True, kw_only=True):
    """One short insight about a user."""

    id: str
    bot_id: str
    user_id: str
    key_point: str
    context: dict[str, Any]
    """Free; ``sessionId``, ``sessionName`` and ``messageCount`` where they are known."""
    created_at: datetime
    updated_at: datetime
    pool: str
    category: str | None
    importance: float
    pinned: bool
    status: Literal["active", "quarantined", "retired"]
    valid_from: datetime
    valid_to: datetime | None
    expires_at: datetime | None
    superseded_by: str | None
    author: str
    trust: str
    version: int
    update_count: int
    source: SourceView | None


class ConversationView(View, frozen=True, kw_only=True):
    """One thread of messages of one user and one agent."""

    id: str
    session_id: str
    """The user, as some clients call it."""
    user: str
    agent: str
    title: str | None
    status: str
    message_count: int
    last_seq: int
    created_at: datetime
    updated_at: datetime
    archived_at: datetime | None


class LoadedConversation(ConversationView, frozen=True, kw_only=True):
    """A conversation with its newest messages, and the bot's memories of the user beside them."""

    agent_state: dict[str, Any]
    """As seed 003 writes it: workflowStep, the draft under its name, missingFields, lastAction, metadata. Empty,
    as are the messages and memories, where the conversation alone was asked for with ``messages=0``."""
    messages: list[MessageView]
    memories: list[MemoryView]


class StateView(View, frozen=True, kw_only=True):
    """A conversation's working memory."""

    conversation: str
    workflow: str | None
    workflow_version: int
    step: str | None
    status: str | None
    draft: dict[str, Any]
    missing: list[str]
    moves: list[str]
    actions: list[str]
    last_action: str | None
    metadata: dict[str, Any]
    version: int
    created_at: datetime | None
    updated_at: datetime | None
    summary: str
    draft_name: str
    ids: list[str]
    agent_state: dict[str, Any]
    """The same as seed 003 writes it."""


class CauseView(View, frozen=True, kw_only=True):
    """Why a state changed."""

    kind: str
    ref: str | None


class StateChangeView(View, frozen=True, kw_only=True):
    """One entry of a state's history."""

    version: int
    change: str
    cause: CauseView
    after_message: int
    patch: dict[str, Any] | None
    from_step: str | None
    to_step: str | None
    refused: str | None
    actor: str
    at: datetime


class StateChanges(View, frozen=True, kw_only=True):
    """A page, newest first."""

    items: list[StateChangeView]
    cursor: str | None


class Conversations(View, frozen=True, kw_only=True):
    """A page; ``cursor`` is for the next one, null at the end."""

    items: list[ConversationView]
    cursor: str | None


class Messages(View, frozen=True, kw_only=True):
    """A page, oldest first."""

    items: list[MessageView]
    cursor: str | None = None


class Memories(View, frozen=True, kw_only=True):
    """A page, newest first."""

    items: list[MemoryView]
    cursor: str | None


class MemoryVersionView(View, frozen=True, kw_only=True):
    """What a memory was at one of its versions."""

    version: int
    text: str
    category: str | None
    importance: float
    pinned: bool
    status: str
    expires_at: datetime | None
    change: str
    actor: str
    at: datetime


class HitView(View, frozen=True, kw_only=True):
    """Something found, a memory or a message, with how well it fits and why."""

    text: str
    score: float
    why: str
    at: datetime
    memory: MemoryView | None
    message: MessageView | None


class DroppedView(View, frozen=True, kw_only=True):
    """What did not fit."""

    section: str
    what: str
    tokens: int
    why: str


class ContextView(View, frozen=True, kw_only=True):
    """What the next prompt gets."""

    messages: list[dict[str, Any]]
    tokens: dict[str, int]
    dropped: list[DroppedView]
    memories: list[HitView]


class SummaryView(View, frozen=True, kw_only=True):
    """What a conversation comes to so far."""

    text: str | None
    upto: int
    by: str | None
    sentiment: float | None
    mood: str | None


class AgentView(View, frozen=True, kw_only=True):
    """How an agent is set up."""

    agent: str
    instructions: str
    window: int
    budget: int
    pool: str
    learn_every: int
    workflow: str | None
    model: str | None
    version: int


class NotesView(View, frozen=True, kw_only=True):
    """What an agent has written down about a user."""

    text: str
    version: int
    updated_at: datetime | None
    user: str
    agent: str


class NoteVersionView(View, frozen=True, kw_only=True):
    """One version of some notes, without its text."""

    version: int
    operation: str
    actor: str
    created_at: datetime
    size: int


class NoteVersions(View, frozen=True, kw_only=True):
    """A page, newest first."""

    items: list[NoteVersionView]
    cursor: str | None


class DocumentView(View, frozen=True, kw_only=True):
    """A JSON value under a key of a namespace."""

    namespace: list[str]
    key: str
    value: dict[str, Any]
    version: int
    user: str | None
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None


class DocumentVersionView(View, frozen=True, kw_only=True):
    """What a document was at one of its versions, and who made it so."""

    version: int
    value: dict[str, Any]
    actor: str
    created_at: datetime


class DocumentHitView(View, frozen=True, kw_only=True):
    """A document that was found; ``score`` is null where there was nothing to compare."""

    document: DocumentView
    score: float | None


class RefusalView(View, frozen=True, kw_only=True):
    """Something that was not learned, and why."""

    source: SourceView
    reason: str
    at: datetime


class TemplateView(View, frozen=True, kw_only=True):
    """A named pattern for a common kind of memory."""

    name: str
    pattern: str
    category: str | None
    importance: float
    fields: list[str]


class WorkView(View, frozen=True, kw_only=True):
    """Something that has fallen due, or failed."""

    kind: str
    subject: str
    user: str | None
    marks: int
    attempts: int
    due_at: datetime
    leased_until: datetime | None
    failed_at: datetime | None
    error: str | None


class DigestedView(View, frozen=True, kw_only=True):
    """What became of due work."""

    done: int
    failed: int
    given_up: int
    lost: int
    messages: int
    added: int
    refreshed: int
    replaced: int
    ignored: int
    refused: int
    merged: int
    retired: int
    summarised: int
    tidied: int
    delivered: int


class ReceiptView(View, frozen=True, kw_only=True):
    """That a user was erased, and how much it was."""

    id: str
    at: datetime
    actor: str
    user: str
    counts: dict[str, int]


class RetentionView(View, frozen=True, kw_only=True):
    """How many minutes messages are kept; 0 is for ever, null that there is no rule."""

    installation: int | None
    tenant: int | None
    agents: dict[str, int]


class TidiedView(View, frozen=True, kw_only=True):
    """What a clean-up removed."""

    messages: int
    memories: int
    keys: int
    documents: int


class ImportedView(View, frozen=True, kw_only=True):
    """What an import added."""

    conversations: int
    messages: int
    memories: int
    notes: int
    documents: int
    known: int


class KeyView(View, frozen=True, kw_only=True):
    """An API key, without its secret."""

    id: str
    name: str
    scopes: list[str]
    user: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class NewKeyView(KeyView, frozen=True, kw_only=True):
    """A key as it is made."""

    text: str
    """Shown here and never again."""


class TenantView(View, frozen=True, kw_only=True):
    """A customer of this installation."""

    tenant: str
    created_at: datetime
    keys: int
    """How many of its keys open something."""


class Tenants(View, frozen=True, kw_only=True):
    """A page, by name."""

    items: list[TenantView]
    cursor: str | None


class DeletedTenantView(View, frozen=True, kw_only=True):
    """That a tenant is gone, and how much it was."""

    tenant: str
    users: int
    counts: dict[str, int]


class DayOfMessages(View, frozen=True, kw_only=True):
    """Messages of a role on a day."""

    day: date
    role: str
    count: int


class DayOfMemories(View, frozen=True, kw_only=True):
    """Memories of a category and status, made on a day."""

    day: date
    category: str | None
    status: str
    count: int


class DayOfTokens(View, frozen=True, kw_only=True):
    """What language models used on a day."""

    day: date
    calls: int
    tokens_sent: int
    tokens_received: int


class TurnCostView(View, frozen=True, kw_only=True):
    """What the prompt of a turn cost in tokens, of which memories, and how long the turn took."""

    at: datetime
    memories: int
    total: int
    seconds: float | None


class RecalledView(View, frozen=True, kw_only=True):
    """In how many prompts a memory was."""

    id: str
    text: str
    count: int


class AnalyticsView(View, frozen=True, kw_only=True):
    """Counts in all, and of the last days."""

    days: int
    conversations: int
    messages: int
    memories: int
    messages_by_day: list[DayOfMessages]
    memories_by_day: list[DayOfMemories]
    tokens_by_day: list[DayOfTokens]
    turns: list[TurnCostView]
    """The newest ones, newest first."""
    recalled: list[RecalledView]
    """The memories that were in most prompts; empty unless one user was asked for."""
    never_recalled: list[RecalledView]
    """Memories that were in none, oldest first; empty unless one user was asked for."""
    never_recalled_count: int


class ChatReply(msgspec.Struct, frozen=True, kw_only=True):
    """The agent's reply, with the session that it belongs to."""

    session_id: str
    response: str
    messages: list[MessageView]
    state_update: dict[str, Any] | None
    tokens: dict[str, int]
    model: str
    problems: list[str]
    turn: str
    asked: int
    state: StateView | None
    context: ContextView | None
    """What the model was sent, where ``context=true`` asked for it."""


class Said(View, frozen=True, kw_only=True):
    """What came of a turn, as seed 003 writes it."""

    conversation: LoadedConversation
    message: str
    state_update: dict[str, Any] | None
    messages: list[MessageView]
    """What the agent said and its tools answered in this turn."""
    tokens: dict[str, int]
    model: str
    problems: list[str]
    turn: str
    asked: int
    """The number of the user's message."""
    state: StateView | None
    """The state after the turn; null where there is neither a workflow nor a state."""
    context: ContextView | None
    """What the model was sent, where ``context=true`` asked for it."""


class TurnView(View, frozen=True, kw_only=True):
    """The record of a turn, without its text."""

    id: str
    conversation: str
    key: str | None
    status: str
    tries: int
    asked: int
    first: int | None
    last: int | None
    model: str | None
    tokens: dict[str, int]
    problems: list[str]
    seconds: float | None
    started_at: datetime
    ended_at: datetime | None


class KnownMemoryView(View, frozen=True, kw_only=True):
    """A memory that was in a prompt, and why; null where it was forgotten since."""

    id: str
    score: float
    why: str
    memory: MemoryView | None


class KnownView(View, frozen=True, kw_only=True):
    """What an agent knew when it answered."""

    turn: TurnView
    memories: list[KnownMemoryView]
    notes: str
    state: str
    first: int | None
    last: int
    dropped: list[DroppedView]


class DeliveryView(View, frozen=True, kw_only=True):
    """An action that was decided, and is to happen outside."""

    id: str
    action: str
    conversation: str
    user: str
    agent: str
    payload: dict[str, Any]
    created_at: datetime
    attempts: int
    delivered_at: datetime | None
    delivered_by: str | None


class ActiveSession(msgspec.Struct, frozen=True, kw_only=True):
    """The session that a user and an agent go on with, as seed 000 writes it."""

    user_id: str
    agent_name: str
    active_session_id: str
    created_at: datetime
    last_active_at: datetime


class Identity(View, frozen=True, kw_only=True):
    """Whom the credential of this request stands for."""

    tenant: str
    actor: str
    scopes: list[str]
    user: str | None
    operator: bool
    """Whether they run the installation: /api/tenants is for them."""
    api: int = API
    """The number of this API; a client for another one should not go on."""


def identity(holder: Holder) -> Identity:
    """Whom a credential stands for."""
    return Identity(
        tenant=holder.tenant,
        actor=holder.actor,
        scopes=sorted(holder.scopes),
        user=holder.user,
        operator=holder.operator,
    )


def shown(view: type[V], record: object) -> V:
    """A record as a view of the same fields."""
    return msgspec.convert(record, view, from_attributes=True)


def live_view(one: LiveEvent) -> LiveView:
    """A change."""
    return LiveView(
        id=one.id,
        kind=one.kind,
        at=one.at,
        conversation_id=one.conversation,
        agent=one.agent,
        seq=one.seq,
        memory_id=one.memory,
        version=one.version,
        message=None if one.message is None else message_view(one.message),
    )


def message_view(one: Message) -> MessageView:
    """A message; the hottest view, so it is written out."""
    return MessageView(
        id=one.id,
        conversation_id=one.conversation,
        seq=one.seq,
        role=one.role,
        content=one.content,
        created_at=one.created_at,
        name=one.name,
        metadata=one.metadata,
        tool_calls=one.tool_calls,
        tool_call_id=one.tool_call_id,
        parts=one.parts,
        answers=one.answers,
    )


def memory_view(one: Memory) -> MemoryView:
    """A memory."""
    return MemoryView(
        id=one.id,
        bot_id=one.agent,
        user_id=one.user,
        key_point=one.text,
        context=one.context,
        created_at=one.created_at,
        updated_at=one.updated_at,
        pool=one.pool,
        category=one.category,
        importance=one.importance,
        pinned=one.pinned,
        status=one.status,
        valid_from=one.valid_from,
        valid_to=one.valid_to,
        expires_at=one.expires_at,
        superseded_by=one.superseded_by,
        author=one.author,
        trust=one.trust,
        version=one.version,
        update_count=one.update_count,
        source=None if one.source is None else shown(SourceView, one.source),
    )


def conversation_view(one: Conversation) -> ConversationView:
    """A conversation."""
    return ConversationView(**_conversation(one))


def state_view(one: State) -> StateView:
    """A state."""
    own = [name for name in StateView.__struct_fields__ if name not in ("agent_state", "ids")]
    fields = {name: getattr(one, name) for name in own}
    return StateView(**fields, ids=list(one.ids), agent_state=one.to_seed())


def alone(one: Conversation) -> LoadedConversation:
    """A conversation with nothing beside it."""
    return LoadedConversation(**_conversation(one), agent_state={}, messages=[], memories=[])


def loaded(one: Conversation, state: State, messages: list[Message], memories: list[Memory]) -> LoadedConversation:
    """A conversation with what belongs beside it."""
    return LoadedConversation(
        **_conversation(one),
        agent_state=state.to_seed(),
        messages=[message_view(message) for message in messages],
        memories=[memory_view(memory) for memory in memories],
    )


def _conversation(one: Conversation) -> dict[str, Any]:
    return {**msgspec.structs.asdict(one), "session_id": one.user}


def hit_view(one: Hit) -> HitView:
    """A hit."""
    return HitView(
        text=one.text,
        score=one.score,
        why=one.why,
        at=one.at,
        memory=None if one.memory is None else memory_view(one.memory),
        message=None if one.message is None else message_view(one.message),
    )


def context_view(one: Context) -> ContextView:
    """A context."""
    return ContextView(
        messages=one.messages,
        tokens=one.tokens,
        dropped=[shown(DroppedView, dropped) for dropped in one.dropped],
        memories=[hit_view(hit) for hit in one.memories],
    )


def known_view(one: Known) -> KnownView:
    """What an agent knew."""
    return KnownView(
        turn=shown(TurnView, one.turn),
        memories=[
            KnownMemoryView(
                id=hit.id,
                score=hit.score,
                why=hit.why,
                memory=None if hit.memory is None else memory_view(hit.memory),
            )
            for hit in one.memories
        ],
        notes=one.notes,
        state=one.state,
        first=one.first,
        last=one.last,
        dropped=[shown(DroppedView, dropped) for dropped in one.dropped],
    )


def chat_reply(session: str, one: Reply, context: bool = False) -> ChatReply:
    """A reply, in the words of seed 000; with its context, if wanted."""
    return ChatReply(session_id=session, response=one.text, **_turn(one, context))


def said_view(
    conversation: Conversation, state: State, messages: list[Message], one: Reply, context: bool = False
) -> Said:
    """A reply, in the words of seed 003; with its context, if wanted."""
    return Said(conversation=loaded(conversation, state, messages, []), message=one.text, **_turn(one, context))


def _turn(one: Reply, context: bool) -> dict[str, Any]:
    return {
        "messages": [message_view(message) for message in one.messages],
        "state_update": one.state_update,
        "tokens": one.tokens,
        "model": one.model,
        "problems": one.problems,
        "turn": one.turn,
        "asked": one.asked,
        "state": None if one.state is None else state_view(one.state),
        "context": context_view(one.context) if context and one.context is not None else None,
    }
