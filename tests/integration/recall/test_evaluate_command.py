"""`recollect evaluate` from a file to its figures, in a database of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from recollect.evaluate.command import evaluate_command

STORE = {
    "user": "ana",
    "sessions": [
        [
            {"id": "1", "role": "user", "text": "I keep my skis in the cellar", "at": "2024-01-01T10:00:00Z"},
            {"id": "2", "role": "assistant", "text": "Mind the damp.", "at": "2024-01-01T10:01:00Z"},
        ],
        [{"id": "3", "role": "user", "text": "I keep my skis in the attic now", "at": "2024-03-01T10:00:00Z"}],
    ],
    "cases": [
        {
            "question": "Where do I keep my skis?",
            "gold": ["1", "3"],
            "newest": ["3"],
            "answer": "the attic",
            "kind": "[/changed]",
        }
    ],
}


@pytest.mark.slow
def test_a_file_becomes_a_table_a_plot_and_figures(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(evaluate_command)
    file, figures, plot = tmp_path / "[own].json", tmp_path / "figures.json", tmp_path / "plot.svg"
    file.write_text(json.dumps([STORE]))
    result = CliRunner().invoke(
        app, [str(file), "--kinds", "--json", str(figures), "--plot", str(plot)], env={"COLUMNS": "200"}
    )
    assert result.exit_code == 0, result.output
    assert "[own] " in result.output
    assert "[/changed]" in result.output
    (report,) = json.loads(figures.read_text())
    assert report["messages"] == 3
    assert report["overall"]["recall_5"] == 1
    assert report["overall"]["newest_first"] == 1
    assert report["overall"]["answer_contained"] == 1
    assert list(report["kinds"]) == ["[/changed]"]
    assert plot.read_text().startswith("<svg")


@pytest.mark.slow
def test_files_are_kept_apart_and_away_from_the_database_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_DATABASE", "postgresql://nobody@127.0.0.1:1/nothing")
    monkeypatch.setenv("RECOLLECT_CACHE", "redis://127.0.0.1:1")
    app = typer.Typer()
    app.command()(evaluate_command)
    question = {"question": "Where do I keep my skis?", "gold": ["1", "nowhere", "elsewhere"]}
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "own.json").write_text(json.dumps([{**STORE, "cases": [question]}] * 2))
    files, figures = [str(tmp_path / folder / "own.json") for folder in ("a", "b")], tmp_path / "figures.json"
    result = CliRunner().invoke(app, [*files, "--json", str(figures), "--threshold", "0"])
    assert result.exit_code == 0, result.output
    first, second = json.loads(figures.read_text())
    assert (first["unknown_evidence"], first["overall"]["recall_10"]) == (4, 0.3333)
    for report in (first, second):
        assert report["overall"]["precision"] == 0.3333, "two of three messages that are found are no evidence"
    told = "own: 4 of the ids of evidence belong to no message, and count as not found"
    assert result.output.splitlines().count(told) == 2


@pytest.mark.slow
def test_each_file_is_asked_what_only_the_others_can_answer(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(evaluate_command)
    said = {"id": "1", "role": "user", "text": "The attic of the museum has a leak", "at": "2024-01-01T10:00:00Z"}
    other = {"user": "ben", "sessions": [[said]], "cases": [{"question": "Who repairs the leak?", "gold": ["1"]}]}
    files, figures = [tmp_path / "skis.json", tmp_path / "leaks.json"], tmp_path / "figures.json"
    for file, store in zip(files, (STORE, other), strict=True):
        file.write_text(json.dumps([store]))
    cases = [*STORE["cases"], {"question": "What is in the attic?", "gold": ["3"]}]
    files[0].write_text(json.dumps([{**STORE, "cases": cases}]))
    result = CliRunner().invoke(app, [*map(str, files), "--json", str(figures)])
    assert result.exit_code == 0, result.output
    skis, leaks = json.loads(figures.read_text())
    assert (skis["strange"], skis["strange_found"]) == (1, 0)
    assert (leaks["strange"], leaks["strange_found"]) == (2, 1)
    assert "leaks: of 2 questions that only the other files can answer, 1 find something" in result.output


@pytest.mark.slow
def test_facts_are_asked_for_as_memories(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(evaluate_command)
    at = "2024-01-01T10:00:00Z"
    facts = [
        {"text": "Ana keeps her skis in the cellar", "at": at, "evidence": ["1"]},
        {"text": "Ana keeps her skis in the attic", "at": "2024-03-01T10:00:00Z", "evidence": ["3"]},
        {"text": "Ana plays the oboe", "at": at, "evidence": ["2"]},
        # Without a space to be cut at: each is one of its own all the same.
        {"text": "安娜住在波尔图" * 50, "at": at, "evidence": ["2"]},
        {"text": "安娜喜欢喝绿茶" * 50, "at": at, "evidence": ["2"]},
    ]
    cases = [*STORE["cases"], {"question": "What did nobody write down?", "gold": ["7"]}]
    file, figures = tmp_path / "own.json", tmp_path / "figures.json"
    file.write_text(json.dumps([{**STORE, "cases": cases, "facts": facts}]))
    result = CliRunner().invoke(app, [str(file), "--over", "memories", "--json", str(figures)])
    assert result.exit_code == 0, result.output
    assert "Recall over memories" in result.output
    (report,) = json.loads(figures.read_text())
    assert (report["over"], report["messages"], report["overall"]["questions"]) == ("memories", 5, 1)
    assert (report["overall"]["recall_5"], report["overall"]["newest_first"]) == (1, 1)
    assert report["overall"]["precision"] == 1, "the oboe is not among it"


@pytest.mark.slow
def test_who_is_terminated_leaves_no_database_behind(tmp_path: Path) -> None:
    file, folder = tmp_path / "own.json", tmp_path / "temporary"
    file.write_text(json.dumps([{**STORE, "cases": STORE["cases"] * 20_000}]))
    folder.mkdir(mode=0o755)
    with subprocess.Popen(
        [sys.executable, "-m", "recollect", "evaluate", str(file)], env={**os.environ, "TMPDIR": str(folder)}
    ) as process:
        while process.poll() is None and not any(folder.glob("recollect-evaluate-*/data/status.json")):
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 128 + signal.SIGTERM
    assert not list(folder.glob("recollect-evaluate-*"))


def test_a_file_without_facts_has_no_memories(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(evaluate_command)
    file = tmp_path / "own.json"
    file.write_text(json.dumps([STORE]))
    result = CliRunner().invoke(app, [str(file), "--over", "memories"])
    assert result.exit_code == 1
    assert "own.json has no facts" in result.output


def test_a_file_that_cannot_be_read_is_told_plainly(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(evaluate_command)
    result = CliRunner().invoke(app, [str(tmp_path / "missing.json")])
    assert result.exit_code == 1
    assert "missing.json" in result.output
