"""The figures of learning, on small files made by hand in the public formats."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from recollect import Invalid
from recollect.evaluate.command import evaluate_command
from recollect.evaluate.extraction import MOST, Matched, evaluate_extraction, load_dialogues, matches


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.csv"
    rows = [
        {
            "user 1 personas": "I live in Ghent.\nI keep bees.",
            "user 2 personas": "I am a baker.",
            "Best Generated Conversation": "User 1: Hi! I live in Ghent.\nUser 2: Nice, I am a baker.\nUser 1: I own a canoe.",
        }
    ]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.json"
    sample = {
        "conversation": {
            "speaker_a": "Ines",
            "speaker_b": "Omar",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ines", "dia_id": "D1:1", "text": "I planted a fig tree yesterday."},
                {"speaker": "Omar", "dia_id": "D1:2", "text": "Nice"},
            ],
        },
        "observation": {"session_1_observation": {"Ines": [["Ines planted a fig tree.", "D1:1"]], "Omar": []}},
    }
    path.write_text(json.dumps([sample]))
    return path


def test_persona_chat(chat: Path) -> None:
    (dialogue,) = load_dialogues(chat)
    assert [one.name for one in dialogue.messages] == ["User 1", "User 2", "User 1"]
    seen: list[tuple[str, int, int]] = []
    report = evaluate_extraction(chat, lambda *step: seen.append(step))
    assert (report.dialogues, report.memories, report.per_dialogue) == (1, 3, 3)
    assert (report.precision, report.recall, report.support) == (0.6667, 0.6667, 1)
    assert report.told == Matched(0.6667, 0.6667)
    assert seen == [("chat: extract", 1, 1)]


def test_as_stored_the_person_counts_and_as_told_it_does_not(tmp_path: Path) -> None:
    path = tmp_path / "chat.csv"
    columns = ("user 1 personas", "user 2 personas", "Best Generated Conversation")
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        rows.writerow(
            ("My dog is my best friend.", "I am tall.", "User 1: Hi! My dog is my guard and my hunting friend.")
        )
    report = evaluate_extraction(path)
    assert report.memories == 1
    assert report.told.precision >= report.precision >= report.named.precision
    assert evaluate_extraction(path) == report


def test_an_answer_is_told_by_the_one_who_gives_it(tmp_path: Path) -> None:
    path = tmp_path / "chat.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("user 1 personas", "user 2 personas", "Best Generated Conversation"))
        rows.writerow(("I am tall.", "I live in Ghent.", "User 1: Where do you live?\nUser 2: In Ghent."))
    report = evaluate_extraction(path)
    assert (report.memories, report.told, report.support) == (1, Matched(1, 0.5), 1)


def test_the_baseline_keeps_sentences_as_they_stand(chat: Path) -> None:
    assert evaluate_extraction(chat, baseline=True).memories == 3
    assert evaluate_extraction(chat, limit_rows=0).memories == 0


def test_who_has_more_dialogues_is_told_how_many_were_measured(chat: Path) -> None:
    header, *row = chat.read_text().splitlines(keepends=True)
    chat.write_text(header + "".join(row) * (MOST + 1))
    app = typer.Typer()
    app.command()(evaluate_command)
    result = CliRunner().invoke(app, ["--extraction", str(chat)])
    assert f"chat: the first {MOST} of {MOST + 1} dialogues were measured" in result.output
    chat.write_text(header + "".join(row))
    assert "were measured" not in CliRunner().invoke(app, ["--extraction", str(chat)]).output
    shown = " ".join(CliRunner().invoke(app, ["--help"], env={"COLUMNS": "300"}).output.split())
    assert f"the first {MOST} dialogues" in shown


def test_locomo_observations(talk: Path) -> None:
    report = evaluate_extraction(talk)
    assert (report.memories, report.precision, report.recall, report.support) == (1, 1, 1, 1)


def test_a_match_is_near_or_shares_its_words() -> None:
    by_memory, by_line = matches(["I keep bees", "I fly kites"], ["I keep many bees.", "I am a dentist."])
    assert (by_memory, by_line) == ([True, False], [True, False])
    assert matches([], ["a"]) == ([], [False])


@pytest.mark.parametrize(("name", "content"), [("x.csv", "a,b\n1,2\n"), ("x.json", "{}}"), ("x.json", "[1]")])
def test_other_files_are_refused(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(Invalid, match=name):
        load_dialogues(tmp_path / name)


def test_the_command_shows_and_writes_the_figures(chat: Path, talk: Path, tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(evaluate_command)
    figures = tmp_path / "figures.json"
    arguments = ["--extraction", str(chat), "--extraction", str(talk), "--json", str(figures)]
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    assert "Learning from dialogues" in result.output
    assert [one["dataset"] for one in json.loads(figures.read_text())] == ["chat", "talk"]
    assert CliRunner().invoke(app, []).exit_code == 2
