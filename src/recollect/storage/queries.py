"""Named queries, read once from the ``.sql`` files beside this module."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "sql"


@cache
def named_queries() -> dict[str, str]:
    """Every query of ``sql/*.sql`` by the name in its ``-- name:`` line."""
    queries: dict[str, str] = {}
    for file in sorted(FOLDER.glob("*.sql")):
        parts = re.split(r"^-- name: (\w+)$", file.read_text("utf-8"), flags=re.MULTILINE)
        for name, body in zip(parts[1::2], parts[2::2], strict=True):
            if name in queries:
                raise ValueError(f"two queries are called {name}")
            queries[name] = body.strip().rstrip(";")
    return queries
