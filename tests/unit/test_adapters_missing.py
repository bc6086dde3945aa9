"""A face whose framework is not installed says which extra brings it."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "missing", "extra"),
    [
        ("langchain", "langchain_core", "langchain"),
        ("langchain", "langgraph", "langchain"),
        ("langgraph", "langgraph", "langgraph"),
        ("openai_agents", "agents", "agents"),
    ],
)
def test_a_missing_framework_is_named(module: str, missing: str, extra: str) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from recollect import Unavailable\n"
        f"try:\n    import recollect.adapters.{module}\n"
        "except Unavailable as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert f"recollect[{extra}]" in done.stdout, done.stderr
