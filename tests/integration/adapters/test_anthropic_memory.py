"""Claude's memory tool over the store."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from anthropic.lib.tools import ToolError

from recollect import Recollect
from recollect.adapters.anthropic_memory import AsyncRecollectMemoryTool


async def _create(tool: AsyncRecollectMemoryTool, path: str, text: str) -> Any:
    return await tool.call({"command": "create", "path": path, "file_text": text})


async def _view(tool: AsyncRecollectMemoryTool, path: str) -> str:
    return str(await tool.call({"command": "view", "path": path}))


async def test_each_user_and_agent_have_files_of_their_own(memory: Recollect) -> None:
    ana, ben = (AsyncRecollectMemoryTool(memory, user, "cook") for user in ("ana", "ben"))
    other = AsyncRecollectMemoryTool(memory, "ana", "guide")
    await _create(ana, "/memories/tastes/sweet.md", "Ana adores marzipan")
    for tool in (ben, other):
        assert "sweet" not in await _view(tool, "/memories")
        with pytest.raises(ToolError, match="does not exist"):
            await _view(tool, "/memories/tastes/sweet.md")
    hits = await memory.search_documents("marzipan", ("anthropic-memory",), user="ana")
    assert [hit.document.key for hit in hits] == ["sweet.md"]
    await memory.erase(user="ana")
    assert "sweet" not in await _view(ana, "/memories")


async def test_a_folder_moves_as_a_whole_and_a_file_is_no_folder(memory: Recollect) -> None:
    tool = AsyncRecollectMemoryTool(memory, "ana", "cook")
    await _create(tool, "/memories/a/one.md", "1")
    await _create(tool, "/memories/a/b/two.md", "2")
    for path in ("/memories/a", "/memories/a/one.md"):
        with pytest.raises(ToolError, match="already exists"):
            await _create(tool, path, "x")
    with pytest.raises(ToolError, match=r"/memories/a/one\.md is not a directory"):
        await _create(tool, "/memories/a/one.md/x", "x")
    with pytest.raises(ToolError, match="into itself"):
        await tool.call({"command": "rename", "old_path": "/memories/a", "new_path": "/memories/a/c"})
    await tool.call({"command": "rename", "old_path": "/memories/a", "new_path": "/memories/z"})
    assert (await _view(tool, "/memories")).splitlines()[2:] == [
        "2B\t/memories/z/",
        "1B\t/memories/z/b/",
        "1B\t/memories/z/one.md",
    ]
    assert (await _view(tool, "/memories/z/b/two.md")).endswith("     1\t2")
    await tool.call({"command": "delete", "path": "/memories/z/b"})
    assert "/b" not in await _view(tool, "/memories")


async def test_all_edits_at_once_get_in(memory: Recollect) -> None:
    tool = AsyncRecollectMemoryTool(memory, "ana", "cook")
    await _create(tool, "/memories/list.md", "first\n")
    edit = {"command": "insert", "path": "/memories/list.md", "insert_line": 1}
    await asyncio.gather(*(tool.call({**edit, "insert_text": f"line {number}"}) for number in range(4)))
    text = await _view(tool, "/memories/list.md")
    assert all(f"line {number}" in text for number in range(4))
    history = await memory.document_history(("anthropic-memory", "ana", "cook"), "list.md")
    assert [version.version for version in history] == [1, 2, 3, 4, 5]


async def test_what_is_not_allowed_is_told_to_the_model(memory: Recollect) -> None:
    tool = AsyncRecollectMemoryTool(memory, "ana", "cook")
    for path, text in (("/memories/new\nline", "x"), ("/memories/big", "x" * (1 << 21)), ("/memories/nul", "\0")):
        with pytest.raises(ToolError, match="Not allowed"):
            await _create(tool, path, text)
    assert len((await _view(tool, "/memories")).splitlines()) == 2
