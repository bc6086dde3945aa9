"""docs/observing.md lists every metric, with the labels that it has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
MAKERS = {"counter", "histogram", "Counter", "Histogram", "gauge", "gauges"}


def made() -> Iterator[tuple[str, list[str] | None]]:
    """Every metric in the code with its labels; None where they are not written where it is made."""
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
                continue
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            name = node.args[0].value
            if called in MAKERS and isinstance(name, str) and name.startswith("recollect_"):
                given = node.args[2] if len(node.args) > 2 and called != "gauge" else None
                yield name, ast.literal_eval(given) if isinstance(given, ast.Tuple) else None if given else []


def documented() -> dict[str, list[str]]:
    rows = re.findall(
        r"^\| (`recollect_.*?) \| (.*?) ?\| ", (ROOT / "docs" / "observing.md").read_text(), re.MULTILINE
    )
    return {
        name: [label for label in re.split(r", ", labels) if label]
        for names, labels in rows
        for name in re.findall(r"`(\w+)`", names)
    }


def test_every_metric_is_documented_with_its_labels() -> None:
    told, found = documented(), dict(made())
    assert set(told) == set(found)
    for name, labels in found.items():
        if labels is not None:
            assert told[name] == list(labels), name
