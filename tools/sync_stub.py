"""Write src/recollect/sync.pyi from the signatures of the asynchronous door."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

from recollect import handle, opening
from recollect.sync import INSIDE, PLAIN

STUB = Path(__file__).parent.parent / "src" / "recollect" / "sync.pyi"

HEAD = """\
# Written by tools/sync_stub.py from recollect.handle and recollect.opening; do not edit.
from collections.abc import Callable, Generator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Self
from uuid import UUID

from recollect.access.records import Key, NewKey
from recollect.analytics import Analytics
from recollect.chat.desk import Handler
from recollect.chat.records import Delivery, Event, Reply, Turn
from recollect.conversations.caching import Verified
from recollect.conversations.document import Document
from recollect.exchange.records import Imported
from recollect.forget.records import Minutes, Receipt, Retention, Tidied
from recollect.notes.records import Notes, NoteVersion
from recollect.recall.pack import Context
from recollect.records import (
    Agent, Conversation, Digested, Hit, Memory, MemoryVersion, Message, Page, Refusal, Source, Summary, Template,
    Work,
)
from recollect.settings import Settings
from recollect.workflows.definition import Workflow
from recollect.workflows.records import Cause, State, StateChange

Progress = Callable[[str], None]
INSIDE: set[str]
PLAIN: set[str]
"""


def stub() -> str:
    """The text of the stub."""
    return (
        "\n\n".join([HEAD, _class("Chat", handle.Chat, []), _class("Recollect", opening.Recollect, _ENDS)]) + "\n"
    )


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
            lines.append(f"    def {attribute}{_plain(str(inspect.signature(member)))}: ...")
    return "\n".join(lines + more)


def _plain(signature: str) -> str:
    """Signatures of postponed annotations come quoted."""
    out: list[str] = []
    for place, piece in enumerate(signature.split("'")):
        default = place % 2 == 1 and out and out[-1].endswith("= ")
        out.append(f'"{piece}"' if default else piece)
    return "".join(out)


if __name__ == "__main__":
    STUB.write_text(stub())
    sys.stdout.write(f"wrote {STUB.name}\n")
