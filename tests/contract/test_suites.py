"""The suites of others, run against our classes: what fails is known, explained and in the table of the docs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from suites import SUITES
from upstream import ROOT, Suite, Unreachable, row, run

TABLE = ROOT / "docs" / "faces.md"


@pytest.mark.slow
@pytest.mark.timeout(1000)
@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.package)
async def test_a_suite_of_others(suite: Suite, dsn: str, tmp_path: Path) -> None:
    try:
        outcome = await asyncio.to_thread(run, suite, tmp_path, dsn)
    except Unreachable as error:
        pytest.skip(str(error))
    assert set(outcome.failed) == set(suite.failures), outcome.output[-5000:]
    assert row(suite, outcome) in TABLE.read_text().splitlines(), (
        "the table is not of this version: run `make faces`"
    )
