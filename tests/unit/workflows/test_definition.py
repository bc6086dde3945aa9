from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from recollect import Invalid
from recollect.workflows.definition import Move, Workflow
from recollect.workflows.reading import parse, shipped, stored, written
from recollect.workflows.schema import paths

GOOD: dict[str, Any] = {
    "start": "a",
    "draft_name": "order",
    "ids": ["orderId"],
    "draft": {"type": "object", "properties": {"size": {"type": "number"}, "to": {"properties": {"city": {}}}}},
    "steps": [
        {"name": "a", "required": ["size", "to.city"], "moves": ["b", {"to": "c", "needs": ["size"]}]},
        {"name": "b", "status": "waiting", "moves": [{"to": "a", "by": ["person"]}]},
        {"name": "c"},
    ],
    "actions": [{"name": "ship", "steps": ["a", "b"], "to": "c", "needs": ["to.city"]}],
}


def changed(path: str, value: object) -> dict[str, Any]:
    """The good one with one place changed."""
    definition = copy.deepcopy(GOOD)
    *before, last = path.split("/")
    target: Any = definition
    for name in before:
        target = target[int(name) if name.isdigit() else name]
    target[int(last) if last.isdigit() else last] = value
    return definition


def test_a_workflow_from_a_mapping_from_json_and_from_toml() -> None:
    workflow = parse("orders", GOOD)
    assert workflow == parse("orders", json.dumps(GOOD)) == stored(written(workflow))
    assert workflow.steps[0].moves == (Move("b"), Move("c", ("size",)))
    assert parse("x", 'start = "a"\n[[steps]]\nname = "a"').draft == {"type": "object"}
    assert GOOD["steps"][0]["moves"][0] == "b", "what was given is not changed"


@pytest.mark.parametrize(
    ("path", "value", "field", "problem"),
    [
        ("steps/1/moves", ["z"], "workflow.steps[1].moves", "no step 'z'; the steps are a, b, c"),
        ("steps/1/moves", ["b"], "workflow.steps[1].moves", "no move to itself"),
        ("steps/1/moves", ["a", "a"], "workflow.steps[1].moves", "already a move to 'a'"),
        ("steps/1/moves", [7], "workflow.steps[1].moves[0]", "expected object"),
        ("steps/1/moves", "a", "workflow.steps[1].moves", "expected array"),
        ("steps/1/moves", [{"to": "a", "needs": ["x"]}], "workflow.steps[1].moves", "the draft has no field 'x'"),
        ("steps/1/moves", [{"to": "a", "by": ["dog"]}], "workflow.steps[1].moves[0].by[0]", "dog"),
        ("steps/0/required", ["size.x"], "workflow.steps[0].required", "no field 'size.x'"),
        ("steps/0/colour", "red", "workflow.steps[0].colour", "misspelt"),
        ("steps/2/name", "a", "workflow.steps[2].name", "already a step 'a'"),
        ("steps/2/name", "", "workflow.steps[2].name", "empty"),
        ("steps/2/title", "a\nb", "workflow.steps[2].title", "line breaks"),
        ("steps/2/status", "x" * 300, "workflow.steps[2].status", "300 characters"),
        ("steps/2", {}, "workflow.steps[2].name", "is missing"),
        ("steps/2", "c", "workflow.steps[2]", "expected object"),
        ("steps", [], "workflow.steps", "1 to 100"),
        ("steps", "a", "workflow.steps", "expected array"),
        ("start", "z", "workflow.start", "no step 'z'"),
        ("start", None, "workflow.start", "expected str"),
        ("name", "other", "workflow.name", "is not 'orders'"),
        ("actions/0/steps", ["z"], "workflow.actions[0].steps", "no step 'z'"),
        ("actions/0/steps", [], "workflow.actions[0].steps", "at least one"),
        ("actions/0/to", "z", "workflow.actions[0].to", "no step 'z'"),
        ("actions/0/needs", ["z"], "workflow.actions[0].needs", "no field 'z'"),
        ("draft/properties/size/pattern", "x", "workflow.draft.properties.size.pattern", "not checked"),
        ("draft/type", "array", "workflow.draft.type", "must be object"),
        ("draft/required", ["size"], "workflow.draft.required", "begins empty"),
        ("draft_name", "metadata", "workflow.draft_name", "already means something"),
        ("ids/0", "order", "workflow.ids[0]", "already means something"),
        ("ids/0", "step", "workflow.ids[0]", "already means something"),
        ("description", "x" * 3000, "workflow.description", "bytes"),
        ("draft/default", float("nan"), "workflow", "nan"),
    ],
)
def test_what_is_wrong_is_named(path: str, value: object, field: str, problem: str) -> None:
    with pytest.raises(Invalid, match=problem.replace(".", r"\.")) as refused:
        parse("orders", changed(path, value))
    assert refused.value.field == field


def test_steps_that_nothing_leads_to() -> None:
    definition = changed("steps/0/moves", ["b"])
    assert parse("orders", definition).steps[2].name == "c", "an action leads there"
    del definition["actions"]
    with pytest.raises(Invalid, match="'c' cannot be reached from 'a'") as refused:
        parse("orders", definition)
    assert refused.value.field == "workflow.steps[2]"


def test_without_a_start() -> None:
    with pytest.raises(Invalid, match=r"workflow\.start: is missing"):
        parse("x", {"steps": [{"name": "a"}]})


@pytest.mark.parametrize("given", ["{", "start = ", "[" * 5000, "{" * 5000, 7, [], None, "x\0"])
def test_what_is_no_definition_at_all(given: Any) -> None:
    with pytest.raises(Invalid, match="workflow"):
        parse("x", given)


def test_what_is_too_much() -> None:
    steps = [{"name": f"s{number}", "moves": [f"s{number + 1}"]} for number in range(100)]
    with pytest.raises(Invalid, match="1 to 100, not 101"):
        parse("x", {"start": "s0", "steps": [*steps, {"name": "s100"}]})
    names = [f"s{number}" for number in range(30)]
    steps = [{"name": name, "moves": [other for other in names if other != name]} for name in names]
    with pytest.raises(Invalid, match="870 moves together; at most 500"):
        parse("x", {"start": "s0", "steps": steps})
    with pytest.raises(Invalid, match="bytes"):
        parse("x", {"start": "a", "steps": [{"name": "a"}], "draft": {"type": "object", "title": "x" * 70_000}})


def rfp() -> Workflow:
    return shipped()["rfp"]


def test_the_workflows_that_come_along() -> None:
    assert sorted(shipped()) == ["rfp", "support_ticket"]
    assert [step.name for step in rfp().steps] == [
        "initial",
        "collecting_requirements",
        "drafting_rfp",
        "reviewing_rfp",
        "selecting_vendors",
        "ready_to_send",
        "sent",
        "waiting_for_proposals",
        "comparing_proposals",
        "closed",
    ]
    assert {step.status for step in rfp().steps} == {
        "drafting_rfp",
        "collecting_requirements",
        "ready_to_send",
        "sent",
        "closed",
    }
    assert set(paths(rfp().draft)) == {
        "title",
        "description",
        "budget",
        "deadline",
        "vendorsSelected",
        "requirements",
        *(
            f"requirements.{name}"
            for name in ("items", "deliveryDays", "paymentTerms", "warranty", "otherRequirements")
        ),
    }
    assert (rfp().draft_name, rfp().ids, rfp().start) == ("rfpDraft", ("rfpId",), "initial")
    assert [(action.name, action.steps, action.to) for action in rfp().actions] == [
        ("send_rfp", ("ready_to_send",), "sent")
    ]
