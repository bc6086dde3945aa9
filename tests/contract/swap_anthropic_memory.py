"""A pytest plugin: the tests of Anthropic's memory tool get ours in the place of the one that keeps files.

Those tests look for the files in a folder. ``base_path`` is where they look, so it writes down there what is stored.
"""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path
from typing import Any, cast

import anthropic.lib.tools._beta_builtin_memory_tool as theirs

from recollect import sync
from recollect.adapters.anthropic_memory import NAMESPACE, AsyncRecollectMemoryTool, RecollectMemoryTool

memory = sync.Recollect.open(os.environ["CONTRACT_DATABASE"], tenant="contract-anthropic")


class Shown:
    """What is stored, as files."""

    def __init__(self, base_path: str = "./memory") -> None:
        self._folder, self._user = Path(base_path), uuid.uuid4().hex
        cast("Any", super()).__init__(memory, self._user, "contract")

    @property
    def base_path(self) -> Path:
        root = self._folder / "memories"
        shutil.rmtree(root, ignore_errors=True)
        for one in memory.documents((NAMESPACE, self._user), limit=1000):
            file = root.joinpath(*one.namespace[3:], one.key)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(one.value["text"], newline="")
        return self._folder


class Tool(Shown, RecollectMemoryTool):
    """Empty at first: each has a user of its own."""


class AsyncTool(Shown, AsyncRecollectMemoryTool):
    """Empty at first: each has a user of its own."""


theirs.BetaLocalFilesystemMemoryTool = Tool  # pyright: ignore[reportAttributeAccessIssue]
theirs.BetaAsyncLocalFilesystemMemoryTool = AsyncTool  # pyright: ignore[reportAttributeAccessIssue]


def pytest_unconfigure() -> None:
    """Give back the connections."""
    memory.close()
