# Written by tools/sync_stub.py; do not edit.
# pyright: reportUnusedImport=false
from collections.abc import Callable, Generator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Self, overload
from uuid import UUID

import httpx
from msgspec import UNSET, UnsetType

from recollect.access.records import DeletedTenant, Key, NewKey, Tenant
from recollect.chat.desk import Handler
from recollect.chat.records import Delivery, Ended, Event, Kept, Known, Reply, Turn
from recollect.documents.records import (
    DeleteDocument,
    Document,
    DocumentHit,
    DocumentVersion,
    PutDocument,
    Vectors,
)
from recollect.exchange.records import Imported
from recollect.forget.records import Minutes, Receipt, Retention, Tidied
from recollect.live.records import LiveEvent
from recollect.notes.records import Notes, NoteVersion
from recollect.recall.pack import Context
from recollect.records import (
    Agent,
    Analytics,
    AsBytes,
    AsText,
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

Progress = Callable[[str], None]

class Chat:
    def act(
        self,
        action: str,
        *,
        version: int | None = None,
        cause: Cause | str | None = None,
        key: str | None = None,
        **arguments: Any,
    ) -> State: ...
    def activate(self) -> None: ...
    @property
    def agent(self) -> str: ...
    def append(
        self,
        role: str,
        content: str | list[Any] | None = None,
        *,
        key: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        name: str | None = None,
        at: datetime | None = None,
        tool_calls: list[Any] | None = None,
        tool_call_id: str | None = None,
    ) -> Message: ...
    def archive(self, archived: bool = True) -> None: ...
    def clear(self) -> None: ...
    def context(self, message: str, *, budget: int | None = None, window: int | None = None) -> Context: ...
    def delete(self) -> None: ...
    def enrich(self, messages: Sequence[Mapping[str, Any]], *, retried: bool = False) -> Context: ...
    @overload
    def export(self, format: AsText = "json") -> str: ...
    @overload
    def export(self, format: AsBytes) -> bytes: ...
    def extend(
        self, messages: Sequence[Message | tuple[str, str] | Mapping[str, Any]], *, key: str | None = None
    ) -> list[Message]: ...
    @property
    def id(self) -> str: ...
    def keep(
        self,
        messages: Sequence[Mapping[str, Any]],
        reply: Mapping[str, Any] | None = None,
        *,
        before: Kept | None = None,
        ended: Ended | None = None,
        retried: bool = False,
    ) -> Kept: ...
    def known(self, reply: int) -> Known: ...
    def live(self, after: str | None = None, *, beats: bool = False) -> Generator[LiveEvent]: ...
    def memory_document(self) -> MemoryDocument: ...
    def message(self, id: str) -> Message: ...
    def messages(
        self, limit: int = 50, cursor: str | None = None, *, before: int | None = None
    ) -> Page[Message]: ...
    def move(self, step: str, *, version: int | None = None, cause: Cause | str | None = None) -> State: ...
    def pop(self) -> Message | None: ...
    @property
    def record(self) -> Conversation: ...
    def rename(self, title: str | None) -> None: ...
    def save_memory_document(self, value: Mapping[str, Any], *, version: int | None = None) -> MemoryDocument: ...
    def say(self, message: str, *, key: str | None = None) -> Reply: ...
    def state(self, at: int | None = None) -> State: ...
    def state_history(self, limit: int = 50, cursor: str | None = None) -> Page[StateChange]: ...
    @property
    def status(self) -> str: ...
    def stream(self, message: str, *, key: str | None = None) -> Generator[Event]: ...
    def summary(self) -> Summary: ...
    @property
    def title(self) -> str | None: ...
    def turns(self, limit: int = 20) -> list[Turn]: ...
    def undo_state(
        self, to: int | None = None, *, version: int | None = None, cause: Cause | str | None = None
    ) -> State: ...
    def update_state(
        self, patch: Mapping[str, Any], *, version: int | None = None, cause: Cause | str | None = None
    ) -> State: ...
    @property
    def user(self) -> str: ...
    def window(self, limit: int | None = None, *, since: datetime | None = None) -> list[Message]: ...

class Recollect:
    def active_conversation(self, user: str, agent: str) -> Chat | None: ...
    def agent(self, agent: str) -> Agent: ...
    def agents(self, user: str | None = None, *, limit: int = 200) -> list[str]: ...
    def analytics(self, user: str | None = None, agent: str | None = None, *, days: int = 30) -> Analytics: ...
    def cache_stats(self) -> dict[str, Any]: ...
    def change_documents(self, changes: Sequence[PutDocument | DeleteDocument]) -> list[Document | None]: ...
    def close(self) -> None: ...
    def configure_agent(
        self,
        agent: str,
        *,
        instructions: str | None = None,
        window: int | None = None,
        budget: int | None = None,
        pool: str | None = None,
        learn_every: int | None = None,
        workflow: str | None = None,
        model: str | None = None,
        version: int | None = None,
    ) -> Agent: ...
    def consolidate(self, user: str, agent: str) -> Digested: ...
    def conversation(
        self, user: str | None = None, agent: str | None = None, *, id: str | UUID | None = None
    ) -> Chat: ...
    def conversations(
        self,
        user: str,
        agent: str | None = None,
        *,
        archived: bool = False,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Conversation]: ...
    def create_key(
        self,
        name: str = "",
        *,
        scopes: Sequence[str] | None = None,
        user: str | None = None,
        expires_at: datetime | None = None,
    ) -> NewKey: ...
    def create_tenant(self, tenant: str) -> Tenant: ...
    def create_tenant_key(
        self,
        tenant: str,
        name: str = "",
        *,
        scopes: Sequence[str] | None = None,
        user: str | None = None,
        expires_at: datetime | None = None,
    ) -> NewKey: ...
    def define_template(
        self, name: str, pattern: str, *, category: str | None = None, importance: float = 0.5
    ) -> Template: ...
    def define_workflow(self, name: str, definition: Mapping[str, Any] | str) -> Workflow: ...
    def delete_document(
        self, namespace: Sequence[str], key: str, *, user: str | None = None, version: int | None = None
    ) -> bool: ...
    def delete_tenant(self, tenant: str, *, confirm: str) -> DeletedTenant: ...
    def diff_notes(self, user: str, agent: str, old: int, new: int) -> str: ...
    def digest(self, *, everything: bool = False, most: int | None = None, lease: float = 60.0) -> Digested: ...
    def document(
        self, namespace: Sequence[str], key: str, *, user: str | None = None, refresh: bool = False
    ) -> Document: ...
    def document_history(
        self, namespace: Sequence[str], key: str, *, user: str | None = None, limit: int = 100
    ) -> list[DocumentVersion]: ...
    def document_namespaces(
        self,
        prefix: Sequence[str] = (),
        suffix: Sequence[str] = (),
        *,
        user: str | None = None,
        max_depth: int | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[tuple[str, ...]]: ...
    def documents(
        self,
        namespace: Sequence[str] = (),
        *,
        user: str | None = None,
        filter: Mapping[str, Any] | None = None,
        limit: int = 50,
        offset: int = 0,
        refresh: bool = False,
    ) -> list[Document]: ...
    def documents_at(
        self, places: Sequence[tuple[Sequence[str], str]], *, user: str | None = None, refresh: bool = False
    ) -> list[Document | None]: ...
    def edit_notes(
        self,
        operation: str,
        content: str | None = None,
        *,
        user: str,
        agent: str,
        section_header: str | None = None,
        version: int | None = None,
    ) -> Notes: ...
    def erase(self, user: str) -> Receipt: ...
    def export(self, user: str) -> dict[str, Any]: ...
    def export_to(
        self, write: Callable[[bytes], object], user: str, progress: Callable[[int, int], None] | None = None
    ) -> int: ...
    def forget(self, id: str | UUID, *, version: int | None = None) -> None: ...
    def forget_all(self, user: str, agent: str) -> int: ...
    def history(self, id: str | UUID) -> list[MemoryVersion]: ...
    def import_from(
        self,
        format: str,
        source: Mapping[str, Any] | list[Any] | str | Path,
        *,
        user: str | None = None,
        agent: str | None = None,
        table: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Imported: ...
    def import_own(
        self, format: str, source: Mapping[str, Any] | list[Any], user: str, agent: str | None = None
    ) -> Imported: ...
    def import_user(
        self,
        data: Mapping[str, Any] | str | Path,
        user: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Imported: ...
    def keys(self) -> list[Key]: ...
    def live(self, user: str, after: str | None = None, *, beats: bool = False) -> Generator[LiveEvent]: ...
    def memories(
        self,
        user: str,
        agent: str,
        *,
        category: str | None = None,
        text: str | None = None,
        status: str = "active",
        as_of: datetime | None = None,
        min_importance: float | None = None,
        limit: int = 50,
        cursor: str | None = None,
        offset: int = 0,
    ) -> Page[Memory]: ...
    def memory(self, id: str | UUID) -> Memory: ...
    @property
    def model(self) -> str: ...
    def new_conversation(
        self, user: str, agent: str, title: str | None = None, id: str | UUID | None = None
    ) -> Chat: ...
    def notes(self, user: str, agent: str, *, version: int | None = None) -> Notes: ...
    def notes_history(
        self, user: str, agent: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[NoteVersion]: ...
    @classmethod
    def open(
        cls,
        database: str | None = None,
        *,
        tenant: str | None = None,
        data_dir: str | Path | None = None,
        pool_size: int | None = None,
        cache: str | None = None,
        model: Any = None,
        tools: Sequence[Callable[..., Any]] = (),
        handlers: Mapping[str, Handler] | None = None,
        migrate: bool = False,
        actor: str = "library",
        operator: bool = False,
        settings: Settings | None = None,
        progress: Progress | None = None,
    ) -> Self: ...
    def outbox(self, *, waiting: bool = False, limit: int = 50) -> list[Delivery]: ...
    def put_document(
        self,
        namespace: Sequence[str],
        key: str,
        value: Mapping[str, Any],
        *,
        user: str | None = None,
        version: int | None = None,
        ttl: float | None = None,
        expires_at: datetime | None = None,
        texts: Sequence[str] | None = None,
    ) -> Document: ...
    def rebuild_cache(
        self, conversation: str | UUID | None = None, progress: Callable[[int, int], None] | None = None
    ) -> int: ...
    def recall(
        self,
        query: str,
        user: str,
        agent: str,
        *,
        limit: int = 5,
        threshold: float | None = None,
        as_of: datetime | None = None,
        over: str = "memories",
    ) -> list[Hit]: ...
    def receipts(
        self, user: str | None = None, *, limit: int = 1000, cursor: str | UUID | None = None
    ) -> list[Receipt]: ...
    def reembed(self, progress: Callable[[int, int], None] | None = None) -> int: ...
    def reembed_later(self) -> None: ...
    def refusals(self, user: str, agent: str, *, limit: int = 50) -> list[Refusal]: ...
    def release(self, id: str | UUID) -> Memory: ...
    def remember(
        self,
        text: str,
        user: str,
        agent: str,
        *,
        category: str | None = None,
        importance: float | None = None,
        pinned: bool | None = None,
        expires_at: datetime | None = None,
        valid_from: datetime | None = None,
        source: Source | None = None,
        author: str | None = None,
        trust: str | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> Memory: ...
    def remember_as(
        self,
        template: str,
        fields: Mapping[str, str],
        user: str,
        agent: str,
        *,
        expires_at: datetime | None = None,
        source: Source | None = None,
    ) -> Memory: ...
    def retention(self) -> Retention: ...
    def retry_work(self, kind: str | None = None, subject: str | None = None) -> int: ...
    def revise(
        self,
        id: str | UUID,
        text: str | None = None,
        *,
        version: int | None = None,
        category: str | UnsetType | None = UNSET,
        importance: float | None = None,
        pinned: bool | None = None,
        expires_at: datetime | UnsetType | None = UNSET,
    ) -> Memory: ...
    def revoke_key(self, id: str) -> Key: ...
    def rotate_key(self, id: str) -> NewKey: ...
    def search(self, query: str, user: str, agent: str | None = None, *, limit: int = 20) -> list[Hit]: ...
    def search_documents(
        self,
        query: str,
        namespace: Sequence[str] = (),
        *,
        user: str | None = None,
        filter: Mapping[str, Any] | None = None,
        limit: int = 10,
        offset: int = 0,
        threshold: float | None = None,
        vectors: Vectors | None = None,
        refresh: bool = False,
    ) -> list[DocumentHit]: ...
    def set_retention(self, minutes: Minutes, agent: str | None = None) -> Retention: ...
    def templates(self) -> list[Template]: ...
    @property
    def tenant(self) -> str: ...
    def tenants(self, *, limit: int = 50, cursor: str | None = None) -> Page[Tenant]: ...
    def tidy(self) -> Tidied: ...
    def tool(
        self,
        function: Callable[..., Any] | None = None,
        *,
        name: str | None = None,
        description: str | None = None,
        schema: Mapping[str, Any] | None = None,
    ) -> Any: ...
    def undo(self, id: str | UUID, to: int | None = None) -> Memory: ...
    def undo_notes(
        self, user: str, agent: str, version: int | None = None, *, current: int | None = None
    ) -> Notes: ...
    def verify_cache(self, sample: int = 1000) -> Verified: ...
    def windows(self, conversations: Sequence[str], limit: int = 12) -> dict[str, list[Message]]: ...
    def work(self, *, failed: bool = False, limit: int = 50) -> list[Work]: ...
    def workflow(self, name: str, version: int | None = None) -> Workflow: ...
    def workflows(self) -> list[Workflow]: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
