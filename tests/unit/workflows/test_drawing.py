from __future__ import annotations

from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.workflows.definition import Workflow
from recollect.workflows.drawing import mermaid, svg
from recollect.workflows.layout import HEIGHT, edges, layout
from recollect.workflows.reading import parse, shipped

SVG = "{http://www.w3.org/2000/svg}"
AWKWARD = ['a"b', "<script>alert(1)</script>", "x & y", "#35;`|", "]]>", "日本語", "s0", "end"]


@pytest.fixture(params=["rfp", "support_ticket", "awkward"])
def workflow(request: pytest.FixtureRequest) -> Workflow:
    if request.param != "awkward":
        return shipped()[request.param]
    steps = [
        {"name": name, "title": f"{name} {name}", "status": name, "description": name, "moves": others}
        for name in AWKWARD
        if (others := [other for other in AWKWARD if other != name])
    ]
    actions = [{"name": AWKWARD[1], "steps": [AWKWARD[0]], "to": AWKWARD[2]}]
    return parse("awkward", {"title": "<&>", "start": AWKWARD[0], "steps": steps, "actions": actions})


def test_the_picture_has_every_step_and_marks_the_current_one(workflow: Workflow) -> None:
    here = workflow.steps[1]
    root = ElementTree.fromstring(svg(workflow, here.name))
    drawn = {group.get("data-step"): group for group in root.iter(f"{SVG}g")}
    assert set(drawn) == {step.name for step in workflow.steps}
    marks = {name: (group.get("class") or "").removeprefix("step").strip() for name, group in drawn.items()}
    assert [name for name, mark in marks.items() if mark == "here"] == [here.name]
    assert {name for name, mark in marks.items() if mark == "next"} == {move.to for move in here.moves}
    lines = [path.get("class") or "" for path in root.iter(f"{SVG}path")]
    assert len([line for line in lines if line.startswith("move") and "next" in line]) == len(here.moves)
    assert "script" not in {element.tag.removeprefix(SVG) for element in root.iter()}
    unmarked = ElementTree.fromstring(svg(workflow))
    assert {group.get("class") for group in unmarked.iter(f"{SVG}g")} == {"step"}


def test_the_picture_follows_a_dark_page_and_needs_nothing_from_outside(workflow: Workflow) -> None:
    drawn = svg(workflow)
    assert "prefers-color-scheme:dark" in drawn
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")


def test_mermaid_has_every_step_and_every_move(workflow: Workflow) -> None:
    text = mermaid(workflow, workflow.start)
    lines = text.splitlines()
    assert lines[0] == "flowchart TD"
    assert len([line for line in lines if "-->" in line or "-.->" in line]) == 1 + len(edges(workflow))
    assert "    class s0 here" in lines
    for line in lines:
        assert line.count('"') in (0, 2)
        assert not set("<&`\\") & set(line)
    assert "classDef" not in mermaid(workflow)


def test_mermaid_in_full() -> None:
    small = {
        "start": "a",
        "steps": [{"name": "a", "title": 'say "hi"', "moves": ["b"]}, {"name": "b", "moves": []}],
        "actions": [{"name": "go", "steps": ["a"], "to": "b"}],
    }
    assert mermaid(parse("small", small), "a").splitlines() == [
        "flowchart TD",
        "    start(( )) --> s0",
        '    s0["say #quot;hi#quot;"]',
        '    s1(["b"])',
        '    s0 -.->|"go"| s1',
        "    classDef here fill:#0b69a3,stroke:#0b69a3,color:#ffffff",
        "    class s0 here",
        "    classDef next stroke:#0b69a3,stroke-width:2px",
        "    class s1 next",
    ]


@st.composite
def workflows(draw: st.DrawFn) -> Workflow:
    names = [f"step{number}" for number in range(draw(st.integers(1, 9)))]
    steps: list[dict[str, object]] = []
    for number, name in enumerate(names):
        onward = {names[number + 1]} if number + 1 < len(names) else set[str]()
        others = draw(st.sets(st.sampled_from(names)))
        steps.append({"name": name, "moves": sorted((onward | others) - {name})})
    return parse("drawn", {"start": names[0], "steps": draw(st.permutations(steps))})


@settings(max_examples=200)
@given(workflows())
def test_boxes_never_overlap_and_no_line_runs_through_one(workflow: Workflow) -> None:
    plan = layout(workflow)
    assert len(plan.boxes) == len(workflow.steps)
    assert len(plan.arrows) == len(edges(workflow))
    for one, other in combinations(plan.boxes, 2):
        apart = abs(one.x - other.x) >= (one.width + other.width) / 2 or abs(one.y - other.y) >= HEIGHT
        assert apart, (one, other)
    for box in plan.boxes:
        assert box.x - box.width / 2 >= 0
        assert box.x + box.width / 2 <= plan.width
    for arrow in plan.arrows:
        for (x1, y1), (x2, y2) in pairwise(arrow.points):
            assert x1 == x2 or y1 == y2, "lines are upright or level"
            assert 0 <= min(x1, x2) <= max(x1, x2) <= plan.width
            assert 0 <= min(y1, y2) <= max(y1, y2) <= plan.height
            for box in plan.boxes:
                left, right = box.x - box.width / 2, box.x + box.width / 2
                top, bottom = box.y - HEIGHT / 2, box.y + HEIGHT / 2
                beside = max(x1, x2) <= left or min(x1, x2) >= right or max(y1, y2) <= top or min(y1, y2) >= bottom
                assert beside, (arrow, box)
