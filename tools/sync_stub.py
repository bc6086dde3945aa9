"""Write the stubs of the blocking doors, sync.pyi and client/sync.pyi, from the signatures of the asynchronous."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import get_overloads

from recollect import client, handle, opening
from recollect.blocking import INSIDE, PLAIN

HERE = Path(__file__).parent.parent / "src" / "recollect"
#: Each stub, and the classes that it is written from.
STUBS: dict[Path, tuple[type, type]] = {
    HERE / "sync.pyi": (handle.Chat, opening.Recollect),
    HERE / "client" / "sync.pyi": (client.Chat, client.Recollect),
}

HEAD = """\
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
    DeleteDocument, Document, DocumentHit, DocumentVersion, PutDocument, Vectors,
)
from recollect.exchange.records import Imported
from recollect.forget.records import Minutes, Receipt, Retention, Tidied
from recollect.live.records import LiveEvent
from recollect.notes.records import Notes, NoteVersion
from recollect.recall.pack import Context
from recollect.records import (
    Agent, Analytics, AsBytes, AsText, Conversation, Digested, Hit, Memory, MemoryDocument, MemoryVersion, Message,
    Page, Refusal, Source, Summary, Template, Verified, Work,
)
from recollect.settings import Settings
from recollect.workflows.definition import Workflow
from recollect.workflows.records import Cause, State, StateChange

Progress = Callable[[str], None]
"""


def stub(chat: type, door: type) -> str:
    """The text of a stub."""
    return "\n\n".join([HEAD, _class("Chat", chat, []), _class("Recollect", door, _ENDS)]) + "\n"


_ENDS = ["    def __enter__(self) -> Self: ...", "    def __exit__(self, *_: object) -> None: ..."]


def _class(name: str, source: type, more: list[str]) -> str:
    lines = [f"class {name}:"]
    for attribute, member in inspect.getmembers(source):
        if attribute.startswith("_") or attribute in INSIDE:
            continue
        if isinstance(member, property):
            assert member.fget is not None
            lines += [
                "    @property",
                f"    def {attribute}{inspect.signature(member.fget)}: ...".replace("'", ""),
            ]
        elif attribute == "open":
            signature = str(inspect.signature(source.__dict__["open"].__func__)).replace("Opening", "Self")
            lines += ["    @classmethod", f"    def open{_plain(signature)}: ..."]
        elif inspect.isasyncgenfunction(member):
            signature = _plain(str(inspect.signature(member))).replace("AsyncGenerator", "Generator")
            lines.append(f"    def {attribute}{signature}: ...")
        elif inspect.iscoroutinefunction(member) or attribute in PLAIN:
            ways = get_overloads(member)
            for way in ways or [member]:
                lines += ["    @overload"] if ways else []
                lines.append(f"    def {attribute}{_plain(str(inspect.signature(way)))}: ...")
    return "\n".join(lines + more)


def _plain(signature: str) -> str:
    """Signatures of postponed annotations come quoted."""
    out: list[str] = []
    for place, piece in enumerate(signature.split("'")):
        default = place % 2 == 1 and out and out[-1].endswith("= ")
        out.append(f'"{piece}"' if default else piece)
    return "".join(out)


if __name__ == "__main__":
    for file, sources in STUBS.items():
        file.write_text(stub(*sources), "utf-8")
        sys.stdout.write(f"wrote {file.relative_to(HERE)}\n")
