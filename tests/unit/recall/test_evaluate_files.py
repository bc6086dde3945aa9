"""Files of an evaluation that are not what they should be: one line that names the file and quotes nothing of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from recollect import Invalid
from recollect.evaluate.command import evaluate_command
from recollect.evaluate.extraction import load_dialogues
from recollect.evaluate.files import check_writable, write
from recollect.evaluate.loaders import KNOWN, load
from recollect.evaluate.merging import load_pairs

TURN = {"speaker": "Ines", "dia_id": "D1:1", "text": "secret"}
TALK = {"speaker_a": "Ines", "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": [TURN]}
ASKED = {"question": "secret?", "answer": "secret", "evidence": ["D1:1"], "category": 1}
LONG = {
    "question_id": "q",
    "question_type": "secret",
    "question": "secret?",
    "answer": "secret",
    "question_date": "2023/06/28 (Wed) 20:07",
    "haystack_dates": ["2023/05/01 (Mon) 10:00"],
    "haystack_session_ids": ["s"],
    "haystack_sessions": [[{"role": "user", "content": "secret", "has_answer": True}]],
}
SAID = {"id": "1", "role": "user", "text": "secret", "at": "2024-01-01T10:00:00Z"}
REMINDER = {"dialogue": ["<BOD>", "secret"], "test-turn": [2], "relevant-id": [7]}


def pair(*, qa: Any = (ASKED,), **changed: Any) -> Any:
    return [{"conversation": {**TALK, **changed}, "qa": qa}]


def store(*turns: Any, cases: Any = ()) -> Any:
    return [{"user": "secret", "sessions": [turns], "cases": cases}]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            pair(session_1=[TURN, {"speaker": "Ines", "dia_id": "D1:2"}]),
            "`text` at $[0].conversation.session_1[1]",
        ),
        (pair(session_1=[{**TURN, "text": 5}]), "got `int` at $[0].conversation.session_1[0].text"),
        (pair(session_1=[{**TURN, "dia_id": ["secret"]}]), "got `array` at $[0].conversation.session_1[0].dia_id"),
        (pair(session_1="secret"), "got `str` at $[0].conversation.session_1"),
        (pair(session_1_date_time="secret"), "Not a date of this format at $[0].conversation.session_1_date_time"),
        (pair(session_1_date_time=None), "got `null` at $[0].conversation.session_1_date_time"),
        (pair(speaker_a=None), "got `null` at $[0].conversation.speaker_a"),
        ([{"conversation": None, "qa": [ASKED]}], "got `null` at $[0].conversation"),
        ([*pair(), 5], "got `int` at $[1]"),
        (pair(qa=None), "got `null` at $[0].qa"),
        (pair(qa=["secret"]), "got `str` at $[0].qa[0]"),
        (pair(qa=[ASKED, {"question": "secret", "category": 1}]), "`evidence` at $[0].qa[1]"),
        (pair(qa=[{**ASKED, "question": " "}]), "store 1, question 1: must not be empty"),
        (pair(session_1=[{**TURN, "text": "secret\0"}]), "session 1, message 1.content: contains a NUL character"),
        ([{"question": "secret", "haystack_sessions": []}], "`question_id` at $[0]"),
        ([{**LONG, "haystack_dates": []}], "differ in number at $[0]"),
        ([LONG, {**LONG, "haystack_dates": ["secret"]}], "Not a date of this format at $[1].haystack_dates[0]"),
        ([{**LONG, "question_date": "secret"}], "Not a date of this format at $[0].question_date"),
        ([{**LONG, "haystack_sessions": [["secret"]]}], "got `str` at $[0].haystack_sessions[0][0]"),
        (store({**SAID, "at": "secret"}), "datetime at $[0].sessions[0][0].at"),
        (store({**SAID, "at": "\ud800secret"}), "has a lone surrogate in it, below $"),
        (pair(session_1=[{**TURN, "\ud800": 5}]), "has a lone surrogate in it, below $[0].conversation.session_1"),
        (store({**SAID, "role": "secret"}), "message 1: its role is none of user, assistant, system, tool"),
        (store(SAID, {**SAID, "text": "secret\ud800"}), "message 2.content: contains a lone surrogate"),
        (store(SAID, cases=[{"question": "secret"}]), "`gold` at $[0].cases[0]"),
        ("[{", "the file is not JSON"),
        ("[" * 100_000, "the file is not JSON"),
        ('{\n"secret": 1}', "the first line is not JSON"),
        ('[{"secret": 1}]', f"is in none of the known formats: {KNOWN}"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path: Path, content: Any, problem: str) -> None:
    path = tmp_path / "own.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    refused = _refused(path)
    assert refused.startswith("file: own.json: ")
    assert problem in refused


@pytest.mark.parametrize(
    ("memories", "problem"),
    [
        ("[1, 2]", "Expected `object`, got `array` at line 1: $"),
        ('{"7": {"time": "2023-12-25", "event": "a"}}\n\n{secret', "line 3 is not JSON"),
        ('{"7": {"time": "2023-12-25"}}', "`event` at line 1: $[...]"),
        ('{"7": {"time": "secret", "event": "a"}}', "Not a date of this format at line 1: $[...].time"),
    ],
)
def test_what_is_wrong_with_a_file_of_memories(tmp_path: Path, memories: str, problem: str) -> None:
    path, other = tmp_path / "own.json", tmp_path / "other.json"
    path.write_text(json.dumps(REMINDER))
    other.write_text(memories)
    refused = _refused(path, other)
    assert refused.startswith("memories: other.json: ")
    assert problem in refused
    assert _refused(path, tmp_path / "none.json") == "memories: none.json: there is no such file"


def test_what_is_wrong_with_dialogues_is_told_by_line(tmp_path: Path) -> None:
    path, memories = tmp_path / "own.json", tmp_path / "other.json"
    memories.write_text('{"7": {"time": "2023-12-25", "event": "a"}}')
    path.write_text(f"{json.dumps(REMINDER)}\n{json.dumps({**REMINDER, 'test-turn': []})}")
    assert "length >= 1 at line 2: $.test-turn" in _refused(path, memories)


def test_a_separator_inside_of_a_line_does_not_end_it(tmp_path: Path) -> None:
    path, memories = tmp_path / "own.json", tmp_path / "other.json"
    path.write_text(json.dumps(REMINDER), encoding="utf-8")
    memories.write_text('{"7": {"time": "2023-12-25", "event": "a\u2028b"}}', encoding="utf-8")
    assert load(path, memories).stores[0].sessions[0][0].text == "a\u2028b"


def test_who_takes_csv_is_told(tmp_path: Path) -> None:
    path = tmp_path / "own.CSV"
    path.write_text("secret,b,3\n")
    told = "is CSV: dialogues to learn from are for --extraction, pairs of sentences for --merging"
    assert _refused(path) == f"file: own.CSV: {told}"
    path.write_text(json.dumps(store(SAID)))
    assert load(path).stores


def test_a_file_is_not_compared_with_itself(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps(store(SAID, cases=[{"question": "a", "gold": ["1"]}])))
    (tmp_path / "link.json").symlink_to("own.json")
    result = CliRunner().invoke(_app(), [str(path), str(tmp_path / "link.json")])
    assert result.exit_code == 1
    assert "error: file: link.json: is given twice" in result.output


def test_a_question_without_evidence_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(
        json.dumps(store(SAID, cases=[{"question": "a", "gold": []}, {"question": "b", "gold": ["1"]}]))
    )
    assert [case.question for case in load(path).stores[0].cases] == ["b"]


@pytest.mark.parametrize("read", [load, load_dialogues, load_pairs])
def test_what_is_no_file_of_text(tmp_path: Path, read: Any) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "blank").write_bytes(b"\xef\xbb\xbf \n\n")
    (tmp_path / "odd").write_bytes(b"\xff\xfe\0")
    (tmp_path / "folder").mkdir()
    for name, problem in (
        ("missing", "there is no such file"),
        ("folder", "this is a folder, not a file"),
        ("odd", "is not text in UTF-8"),
        ("odd/in", "cannot be read: Not a directory"),
        ("empty", "is empty"),
        ("blank", "is empty"),
    ):
        with pytest.raises(Invalid) as refused:
            read(tmp_path / name)
        assert str(refused.value).endswith(f": {Path(name).name}: {problem}")


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("x.csv", "a,b\n1,2\n", "there is no column 'user 1 personas'"),
        ("x.csv", "user 1 personas,user 2 personas,Best Generated Conversation\nsecret\n", "row 1 is too short"),
        ("x.json", json.dumps([{"conversation": TALK, "observation": None}]), "got `null` at $[0].observation"),
        (
            "x.json",
            json.dumps([{"conversation": TALK, "observation": {"secret": {}}}]),
            "there is no session for one of the observations at $[0].observation",
        ),
        (
            "x.json",
            json.dumps([{"conversation": TALK, "observation": {"session_1_observation": {"Ines": [[5]]}}}]),
            "got `int` at $[0].observation[...][0]",
        ),
        ("x.json", "[" * 100_000, "the file is not JSON"),
        ("x.json", "[]", "there are no dialogues in it"),
        ("x.csv", "user 1 personas,user 2 personas,Best Generated Conversation\n", "there are no dialogues in it"),
    ],
)
def test_what_is_wrong_with_a_file_to_learn_from(tmp_path: Path, name: str, content: str, problem: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(Invalid) as refused:
        load_dialogues(tmp_path / name)
    assert str(refused.value).startswith(f"extraction: {name}: ")
    assert problem in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_place_that_cannot_be_written_is_refused_and_a_good_one_left_alone(tmp_path: Path) -> None:
    for place, problem in ((tmp_path / "none" / "x.json", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(Invalid, match=f"json: .* cannot be written: {problem}"):
            check_writable("json", place)
        with pytest.raises(Invalid, match=f"json: .* cannot be written: {problem}"):
            write("json", place, b"x")
    check_writable("json", tmp_path / "new.json")
    assert not list(tmp_path.iterdir())
    (tmp_path / "old.json").write_text("old")
    check_writable("json", tmp_path / "old.json")
    assert (tmp_path / "old.json").read_text() == "old"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--json", "/nonexistent/x.json"], "json: /nonexistent/x.json cannot be written"),
        (["--plot", "/nonexistent/x.svg"], "plot: /nonexistent/x.svg cannot be written"),
        (["--threshold", "5"], "threshold: must be a number between 0 and 1"),
        (["--threshold", "nan"], "threshold: must be a number between 0 and 1"),
    ],
)
def test_options_are_refused_before_any_file_is_read(arguments: list[str], problem: str) -> None:
    result = CliRunner().invoke(_app(), ["missing.json", *arguments])
    assert result.exit_code == 1
    assert problem in result.output
    assert "missing.json" not in result.output


def test_nothing_that_is_read_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("dialogue.json", "memory.json", "learn.csv", "pairs.csv"):
        (tmp_path / name).write_text("kept")
    (tmp_path / "link.json").symlink_to("dialogue.json")
    (tmp_path / "twin.json").hardlink_to("dialogue.json")
    (tmp_path / "folder").mkdir()
    reading = ["dialogue.json", "--extraction", "learn.csv", "--merging", "pairs.csv"]
    for place, field in (
        ("dialogue.json", "file"),
        ("link.json", "file"),
        ("twin.json", "file"),
        ("folder/../dialogue.json", "file"),
        (str(tmp_path / "dialogue.json"), "file"),
        ("memory.json", "memories"),
        ("learn.csv", "extraction"),
        ("pairs.csv", "merging"),
    ):
        for option in ("json", "plot"):
            result = CliRunner().invoke(_app(), [*reading, f"--{option}", place])
            assert result.exit_code == 1
            assert f"error: {option}: {Path(place).name}: is given as {field} too" in result.output
    result = CliRunner().invoke(_app(), [*reading, "--memories", "m.json", "--json", "m.json"])
    assert "error: json: m.json: is given as memories too" in result.output
    for name in ("dialogue.json", "memory.json", "learn.csv", "pairs.csv"):
        assert (tmp_path / name).read_text() == "kept"


def test_figures_and_plot_are_not_written_to_one_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("out")
    for one, other in (("out", "out"), ("out", "link")):
        result = CliRunner().invoke(
            _app(), ["x.json", "--json", str(tmp_path / one), "--plot", str(tmp_path / other)]
        )
        assert result.exit_code == 1
        assert f"error: plot: {other}: is given as json too" in result.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("option", "value"),
    [("plot", ["o.svg"]), ("memories", ["x"]), ("threshold", ["0"]), ("over", ["memories"]), ("kinds", [])],
)
def test_what_would_be_ignored_without_a_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, value: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.csv").write_text("a dog,a cat,1\n")
    result = CliRunner().invoke(_app(), ["--merging", "pairs.csv", f"--{option}", *value])
    assert result.exit_code == 1
    assert f"error: {option}: is for recall only: name a file" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.csv"]


def test_figures_go_to_the_standard_output_and_tables_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.csv").write_text("a dog,a cat,1\n")
    result = CliRunner().invoke(_app(), ["--merging", "pairs.csv", "--json", "-"])
    assert result.exit_code == 0, result.output
    assert [one["dataset"] for one in json.loads(result.stdout)] == ["pairs"]
    assert "Merging of duplicates" in result.stderr
    assert not (tmp_path / "-").exists()
    both = CliRunner().invoke(_app(), ["pairs.csv", "--json", "-", "--plot", "-"])
    assert "error: plot: -: is given as json too" in both.output


def test_a_file_whose_name_is_no_text_has_figures_too(tmp_path: Path) -> None:
    pairs = tmp_path / os.fsdecode(b"pairs\xff.csv")
    try:
        pairs.write_text("a dog,a cat,1\n")
    except OSError:
        pytest.skip("names of files are text here")
    result = CliRunner().invoke(_app(), ["--merging", str(pairs), "--json", str(tmp_path / "figures.json")])
    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "figures.json").read_text())[0]["dataset"] == "pairs\ufffd"
    assert "pairs\ufffd" in result.stdout


def test_an_error_is_one_line_whatever_the_file_is_called(tmp_path: Path) -> None:
    name = f"[red]{'x' * 150}.json"
    result = CliRunner().invoke(_app(), [str(tmp_path / name)])
    assert f"error: file: {name}: there is no such file" in result.output.splitlines()


def test_the_help_names_every_format() -> None:
    shown = " ".join(CliRunner().invoke(_app(), ["--help"], env={"COLUMNS": "300"}).output.split())
    assert KNOWN in shown


def _app() -> typer.Typer:
    app = typer.Typer()
    app.command()(evaluate_command)
    return app


def _refused(path: Path, memories: Path | None = None) -> str:
    with pytest.raises(Invalid) as refused:
        load(path, memories)
    assert "secret" not in str(refused.value)
    return str(refused.value)
