"""What pyproject.toml accepts can work, and is what we test with or newer."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

HERE = Path(__file__).parents[2]


def test_the_extra_mcp_asks_for_a_version_that_our_server_can_be_built_with() -> None:
    extras = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    (mcp,) = (Requirement(one) for one in extras["mcp"])
    pinned = next(line for line in (HERE / "constraints.txt").read_text().splitlines() if line.startswith("mcp=="))
    assert mcp.specifier.contains(pinned.removeprefix("mcp=="))
    for older in ("1.30.0", "2.0.0", "2.2.0"):  # their Server does not know get_tool_input_schema
        assert not mcp.specifier.contains(older)
