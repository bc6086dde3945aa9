"""Loaders and metrics, on small files made by hand in the public formats."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from recollect import Invalid
from recollect.evaluate.cases import Case
from recollect.evaluate.command import table
from recollect.evaluate.loaders import load
from recollect.evaluate.metrics import Outcome, fitting, summary
from recollect.evaluate.plot import svg
from recollect.evaluate.run import Report
from recollect.models.tokens import default_counter
from recollect.recall.pack import FRAME


def written(path: Path, content: Any, *, lines: bool = False) -> Path:
    path.write_text("\n".join(map(json.dumps, content)) if lines else json.dumps(content))
    return path


def test_locomo(tmp_path: Path) -> None:
    talk = {
        "speaker_a": "Ines",
        "speaker_b": "Omar",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ines", "dia_id": "D1:1", "text": "I grow beans"},
            {"speaker": "Omar", "dia_id": "D1:2", "text": "Nice"},
        ],
    }
    questions = [
        {"question": "What does Ines grow?", "answer": "beans", "evidence": ["D1:01; D1:2"], "category": 4},
        {"question": "Unanswerable", "evidence": ["D1:1"], "category": 5},
        {"question": "No evidence", "answer": 3, "evidence": ["D9:9"], "category": 1},
    ]
    (store,) = load(written(tmp_path / "pairs.json", [{"conversation": talk, "qa": questions}])).stores
    first = store.sessions[0][0]
    assert (first.id, first.name, first.role, first.at) == (
        "D1:1",
        "Ines",
        "user",
        datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
    )
    assert [(case.question, case.gold) for case in store.cases] == [("What does Ines grow?", ["D1:1", "D1:2"])]


def test_longmemeval_is_one_pool(tmp_path: Path) -> None:
    def sample(number: int, kind: str, id: str) -> dict[str, Any]:
        return {
            "question_id": id,
            "question_type": kind,
            "question": "Where is it?",
            "answer": 5,
            "question_date": "2023/06/28 (Wed) 20:07",
            "haystack_dates": ["2023/05/01 (Mon) 10:00", "2023/06/01 (Thu) 10:00"],
            "haystack_session_ids": [f"s{number}a", f"s{number}b"],
            "haystack_sessions": [
                [
                    {"role": "user", "content": "in the box", "has_answer": True},
                    {"role": "assistant", "content": "ok"},
                ],
                [{"role": "user", "content": "in the bag", "has_answer": True}],
            ],
        }

    samples = [
        sample(1, "knowledge-update", "q1"),
        sample(2, "multi-session", "q2"),
        sample(3, "multi-session", "q3_abs"),
    ]
    (store,) = load(written(tmp_path / "pool.json", samples)).stores
    assert len(store.sessions) == 6
    changed, plain = store.cases
    assert (changed.gold, changed.newest) == (["s1a:0", "s1b:0"], ["s1b:0"])
    assert plain.newest == []
    assert changed.asked_at == datetime(2023, 6, 28, 20, 7, tzinfo=UTC)


def test_madial_has_two_files(tmp_path: Path) -> None:
    dialogue = {
        "dialogue": ["<BOD>\n", '<Ines>: "I am hungry"\n', '<Assistant>: "Remember the soup?"\n'],
        "test-turn": [2],
        "relevant-id": [7],
    }
    path = written(tmp_path / "x_dialogue.json", [dialogue], lines=True)
    with pytest.raises(Invalid, match="memories"):
        load(path)
    memory = {"7": {"time": "2023-12-25", "event": "Ines liked the soup"}}
    written(tmp_path / "x_memory.json", [memory], lines=True)
    (store,) = load(path).stores
    assert [(case.question, case.gold) for case in store.cases] == [("Ines: I am hungry", ["7"])]
    assert store.sessions[0][0].text == "Ines liked the soup"


@pytest.mark.parametrize(
    "content", ["", "no json", "[]", "[1]", '[{"other": 1}]', '[{"user": "a", "sessions": 1, "cases": []}]']
)
def test_other_files_are_refused_by_name(tmp_path: Path, content: str) -> None:
    (tmp_path / "odd.json").write_text(content)
    with pytest.raises(Invalid):
        load(tmp_path / "odd.json")
    with pytest.raises(Invalid, match=r"missing\.json"):
        load(tmp_path / "missing.json")


class Letters:
    """Every letter is a token: simple enough to check by hand."""

    def count(self, text: str) -> int:
        return len(text)


def outcome(
    found: list[str], gold: list[str], newest: list[str] | None = None, texts: list[str] | None = None
) -> Outcome:
    case = Case(question="q", gold=gold, newest=newest or [], answer="a red kite")
    return Outcome(case=case, found=found, texts=texts or ["x"] * len(found), seconds=0.001)


def test_recall_rank_and_precision() -> None:
    one = summary([outcome(["x", "a", "y", "z", "w", "b"], ["a", "b"]), outcome([], ["a"])], Letters())
    assert (one.recall_5, one.recall_10, one.mrr_10) == (0.25, 0.5, 0.25)
    assert (one.precision, one.empty, one.questions) == (0.3333, 0.5, 2)
    assert one.newest_first is None


def test_the_newest_statement_must_come_first() -> None:
    cases = [
        outcome(found, ["old", "new"], ["new"]) for found in (["new", "old"], ["old", "new"], ["x", "new"], [])
    ]
    assert summary(cases, Letters()).newest_first == 0.5


def test_answers_and_budgets() -> None:
    one = summary([outcome(["a", "b"], ["b"], texts=["y" * 300, "A kite, red!"])], Letters())
    assert one.answer_contained == 1
    assert one.recall_within == {200: 0, 500: 1, 1500: 1}
    assert one.answer_within == {200: 0, 500: 1, 1500: 1}
    assert fitting(["x" * 96] * 10, Letters()) == {200: 2, 500: 5, 1500: 10}
    words = "What a wonderful afternoon we spent by the lake! " * 40
    counted = fitting([words] * 5, default_counter())
    assert counted == {
        200: 0,
        500: 500 // (default_counter().count(words) + FRAME),
        1500: 1500 // (default_counter().count(words) + FRAME),
    }


def test_without_answers_there_is_no_figure_of_them() -> None:
    case = Case(question="q", gold=["a"])
    one = summary([Outcome(case=case, found=["a"], texts=["x"], seconds=0.001)], Letters())
    assert (one.answer_contained, one.answer_within) == (None, {})
    shown = table([Report(dataset="d", model="m", messages=1, overall=one, kinds={})], kinds=False)
    cells = {str(column.header): list(column.cells) for column in shown.columns}
    assert (cells["precision"], cells["answer"], cells["in 200"]) == (["1.000"], [""], ["1.000"])


def test_the_plot_is_an_image() -> None:
    figures = summary([outcome(["a"], ["a"])], Letters())
    report = Report(dataset="a < b", model="m", messages=1, overall=figures, kinds={})
    assert ElementTree.fromstring(svg([report, report])).tag.endswith("svg")
    assert svg([])
