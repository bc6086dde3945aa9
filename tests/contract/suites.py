"""The suites of others that our classes are tested with. A new face adds itself here, with its plugin."""

from __future__ import annotations

from upstream import Suite

SUITES = [
    Suite(
        name="LangGraph `BaseStore`",
        package="langgraph-checkpoint",
        tests=("tests/test_store.py",),
        plugin="swap_langgraph_store",
        needs=("pytest_mock",),
    ),
]
