"""``recollect demo``: two processes that share nothing but the database."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from recollect.cli.output import out, progress
from recollect.opening import Recollect
from recollect.settings import Settings

SAID = [
    ("user", "Hi! I moved to Porto last week, and I am allergic to peanuts."),
    ("assistant", "Welcome to Porto! I will keep peanuts out of every recipe."),
    ("user", "Thanks. Talk to you tomorrow."),
]


def show(settings: Settings) -> None:
    """Run both parts, each in a process of its own."""
    for part in PARTS:
        command = [sys.executable, "-m", "recollect", "demo", "--data-dir", str(settings.folder), "--part", part]
        if code := subprocess.run(command, check=False).returncode:  # noqa: S603
            raise SystemExit(code)
    out.print("\nNothing was kept in memory between the two. Your own first lines:", style="bold")
    out.print(
        "\n  from recollect.sync import Recollect\n\n"
        "  with Recollect.open() as memory:\n"
        '      chat = memory.conversation(user="ana", agent="librarian")\n'
        '      chat.append("user", "I moved to Porto")\n'
        "      print(chat.window(12))",
        markup=False,
    )


def _open(settings: Settings) -> Any:
    own = msgspec.structs.replace(settings, database=None, tenant="demo")
    return Recollect.open(settings=own, actor="demo", progress=progress)


async def _store(settings: Settings) -> None:
    async with _open(settings) as memory:
        chat = await memory.new_conversation(user="ana", agent="librarian", title="Moving to Porto")
        out.print(f"Process {os.getpid()} stores a conversation", style="bold")
        for message in await chat.extend(SAID):
            out.print(f"  {message.seq}. {message.role}: {message.content}", markup=False)


async def _remember(settings: Settings) -> None:
    async with _open(settings) as memory:
        chat = await memory.conversation(user="ana", agent="librarian")
        out.print(f"\nProcess {os.getpid()} is new, and goes on with the same conversation", style="bold")
        for message in await chat.window(12):
            out.print(f"  {message.seq}. {message.role}: {message.content}", markup=False)
        hits = await memory.search("peanut allergic", user="ana", limit=1)
        out.print(f"\nIt finds what was said about peanuts: message {hits[0].message.seq}", style="bold")
        past = await memory.conversations(user="ana", limit=1000)
        out.print(f"Conversations kept in {settings.folder}: {len(past.items)}", markup=False)


PARTS: dict[str, Callable[[Settings], Coroutine[Any, Any, None]]] = {"store": _store, "remember": _remember}
