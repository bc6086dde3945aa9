"""What is not installed is named, with the extra that brings it: from a clone, for PyPI has another project."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("module", "missing", "extra"),
    [
        ("adapters.langchain", "langchain_core", "langchain"),
        ("adapters.langchain", "langgraph", "langchain"),
        ("adapters.langgraph", "langgraph", "langgraph"),
        ("adapters.openai_agents", "agents", "agents"),
        ("adapters.anthropic_memory", "anthropic", "anthropic"),
        ("adapters.supabase", "supabase", "supabase"),
        ("cache.lines", "redis", "redis"),
        ("client", "httpx", "client"),
        ("client.sync", "httpx", "client"),
    ],
)
def test_a_missing_framework_is_named(module: str, missing: str, extra: str) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from recollect import RecollectError\n"
        f"try:\n    import recollect.{module}\n"
        "except RecollectError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert f"pip install '.[{extra}]'" in done.stdout, done.stderr


@pytest.mark.parametrize(("command", "missing", "named"), [("mcp", "mcp_types", "mcp"), ("mcp", "mcp", "mcp")])
def test_a_command_names_the_package_and_its_extra(command: str, missing: str, named: str, tmp_path: Path) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; sys.argv = ['recollect', {command!r}]\n"
    code += "from recollect.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert f"the package {named} is not installed; run `pip install '.[{named}]'`" in done.stderr


def test_no_hint_names_the_project_of_somebody_else() -> None:
    root = Path(__file__).parent.parent.parent
    files = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("examples/*"), *root.glob("src/**/*.py")]
    hint = re.compile(r"pip install (-U |--upgrade )?'?recollect")
    named = [file.name for file in files if file.name != "CHANGELOG.md" and hint.search(file.read_text())]
    assert not named
