from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from recollect.errors import Invalid
from recollect.evaluate.command import evaluate_command
from recollect.evaluate.merging import Pair, evaluate_merging, figures, load_pairs

LINES = """one,other,similarity
A cat sleeps on the mat.,The cat is sleeping on the mat.,5.0
A cat sleeps on the mat.,A kitten naps.,4.6
"Two cats, asleep.","Three cats, asleep.",2.5
A cat sleeps.,A cat sleeps.,1.0
A cat sleeps.,A cat runs.,3.6
"""


def test_pairs_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text(LINES)
    report = evaluate_merging(file)
    assert (report.duplicates, report.different, report.merged, report.merged_wrongly) == (2, 2, 2, 1)
    assert (report.precision, report.recall) == (0.5, 0.5)
    assert report.dataset == "own"


def test_nothing_merged_is_nothing_merged_wrongly() -> None:
    report = figures([Pair("a", "b", 5.0)], [False], dataset="x", model="y")
    assert (report.precision, report.recall) == (1.0, 0.0)


def test_a_file_that_is_no_list_of_pairs_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    for text in ("", "one,other,similarity\n", "a,b,5\nc,d\n", "a,b,5\nc,d,nan\n"):
        file.write_text(text)
        with pytest.raises(Invalid, match=r"own\.csv"):
            load_pairs(file)
    with pytest.raises(Invalid, match=r"missing\.csv"):
        load_pairs(tmp_path / "missing.csv")


def test_the_command_shows_a_table_and_writes_figures(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(evaluate_command)
    file, out = tmp_path / "own.csv", tmp_path / "figures.json"
    file.write_text(LINES)
    result = CliRunner().invoke(app, ["--merging", str(file), "--json", str(out)])
    assert result.exit_code == 0, result.output
    assert "Merging of duplicates" in result.output
    assert json.loads(out.read_text())[0]["merged_wrongly"] == 1


def test_the_command_wants_something_to_do(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(evaluate_command)
    assert CliRunner().invoke(app, []).exit_code == 2
    assert CliRunner().invoke(app, ["--merging", str(tmp_path / "missing.csv")]).exit_code == 1
