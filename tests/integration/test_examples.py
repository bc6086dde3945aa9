"""Every example runs, offline, and says what it should."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples"

#: What each example is known by.
SAYS = {
    "langchain_history.py": ("I have seen 3 messages.", "['user is allergic to peanuts']", "no peanuts"),
    "langchain_agent.py": ("allergic to peanuts", "assistant - Yes."),
    "postgres_history.py": (
        "['I moved to Porto', 'How nice!', 'Yes, by the river']",
        "('assistant', 'How nice!')",
    ),
    "langgraph_store.py": (
        "[('food', 'She enjoys Italian food')]",
        "['home']",
        "[('memories',)]",
        "2 documents",
        "None",
    ),
    "mcp_tools.py": ("get_context", "['user is allergic to peanuts']", "True ask the user first"),
    "anthropic_memory_tool.py": ("Likes coffee", "would escape", "['Likes tea', 'Likes coffee']"),
    "supabase_views.py": ("ana sees 1", "ben sees 0", "Recollect: ['I moved to Porto']"),
    "openai_agents_session.py": ("'output': 'left Porto'", "('tool', 'left Porto')"),
}


def test_every_example_is_known_here() -> None:
    assert {file.name for file in FOLDER.glob("*.py")} == set(SAYS)


async def test_an_example_that_needs_an_address_says_so() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(FOLDER / "postgres_history.py")), stderr=asyncio.subprocess.PIPE
    )
    _, complaints = await process.communicate()
    assert process.returncode == 1
    assert complaints.decode().startswith("usage: python examples/postgres_history.py postgresql://")


@pytest.mark.parametrize("name", SAYS)
async def test_an_example(name: str, dsn: str) -> None:
    env = {key: value for key, value in os.environ.items() if not key.startswith(("RECOLLECT_", "OPENAI_"))}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(FOLDER / name), dsn),
        env=env | {"PYTHONPATH": str(ROOT / "src")},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, complaints = await process.communicate()
    assert process.returncode == 0, complaints.decode()[-2000:]
    for expected in SAYS[name]:
        assert expected in said.decode(), said.decode()
