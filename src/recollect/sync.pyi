# Written by tools/sync_stub.py from recollect.door and recollect.opening; do not edit.
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Self
from uuid import UUID

from recollect.records import Conversation, Hit, Message, Page
from recollect.settings import Settings

Progress = Callable[[str], None]

class Chat:
    def activate(self) -> None: ...
    @property
    def agent(self) -> str: ...
    def append(
        self,
        role: str,
        content: str | Sequence[Any] | None = None,
        *,
        key: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        name: str | None = None,
        at: datetime | None = None,
        tool_calls: Sequence[Any] | None = None,
        tool_call_id: str | None = None,
    ) -> Message: ...
    def archive(self, archived: bool = True) -> None: ...
    def clear(self) -> None: ...
    def delete(self) -> None: ...
    def export(self, format: str = "json") -> str: ...
    def extend(
        self, messages: Sequence[Message | tuple[str, str] | Mapping[str, Any]], *, key: str | None = None
    ) -> list[Message]: ...
    @property
    def id(self) -> str: ...
    def messages(self, limit: int = 50, cursor: str | None = None) -> Page[Message]: ...
    @property
    def record(self) -> Conversation: ...
    def rename(self, title: str | None) -> None: ...
    @property
    def status(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def user(self) -> str: ...
    def window(self, limit: int | None = None, *, since: datetime | None = None) -> list[Message]: ...

class Recollect:
    def close(self) -> None: ...
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
    def new_conversation(
        self, user: str, agent: str, title: str | None = None, id: str | UUID | None = None
    ) -> Chat: ...
    @classmethod
    def open(
        cls,
        database: str | None = None,
        *,
        tenant: str | None = None,
        data_dir: str | Path | None = None,
        pool_size: int | None = None,
        migrate: bool = False,
        actor: str = "library",
        settings: Settings | None = None,
        progress: Progress | None = None,
    ) -> Self: ...
    def search(self, query: str, user: str, agent: str | None = None, *, limit: int = 20) -> list[Hit]: ...
    @property
    def tenant(self) -> str: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
