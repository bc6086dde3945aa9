"""Which number a workflow from a document gets among those that are there."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from recollect.exchange.document import KeptWorkflow, KeptWorkflowVersion
from recollect.exchange.workflows import definitions, placed
from recollect.inputs import MAX_JSON
from recollect.workflows.reading import parse, written


def _named(step: str) -> dict[str, object]:
    return {"start": step, "steps": [{"name": step}]}


A, B, C = (parse("w", _named(step)) for step in "abc")
versions = st.dictionaries(st.integers(1, 5), st.sampled_from([A, B, C]), max_size=4)


def test_one_that_could_just_be_defined_is_longer_when_it_is_kept() -> None:
    names = [f"s{place}" for place in range(100)]
    steps = [
        {"name": name, "moves": names[place + 1 : place + 6], "description": "x" * 560}
        for place, name in enumerate(names)
    ]
    workflow = parse("w", {"start": "s0", "steps": steps})
    kept = written(workflow)
    assert len(kept) > MAX_JSON
    one = KeptWorkflowVersion(version=1, definition=msgspec.json.decode(kept))
    assert definitions(KeptWorkflow(name="w", versions=[one]), "workflows[0]") == {1: workflow}


def test_where_there_is_none_all_keep_their_numbers() -> None:
    found = placed({}, {2: B, 5: A}, None)
    assert (found.numbers, found.fresh) == ({2: 2, 5: 5}, {2: B, 5: A})


def test_what_is_there_is_found() -> None:
    assert placed({1: A, 2: B, 3: A}, {1: A, 3: A}, A).numbers == {1: 1, 3: 3}
    found = placed({1: A, 2: B}, {1: B, 3: A}, B)
    assert (found.numbers, found.fresh) == ({1: 2, 3: 1}, {})


def test_a_number_that_is_taken_becomes_a_further_one_below_what_goes_on() -> None:
    found = placed({1: A}, {1: B, 2: C}, A)
    assert (found.numbers, found.fresh) == ({1: 3, 2: 2}, {2: C, 3: B, 4: A})


def test_one_that_is_older_than_what_is_there_needs_no_more() -> None:
    assert placed({3: A}, {1: B}, A).fresh == {1: B}


@given(there=versions, came=versions)
def test_each_finds_its_own_definition_and_a_second_time_adds_nothing(
    there: dict[int, object], came: dict[int, object]
) -> None:
    goes_on = there[max(there)] if there else None
    found = placed(there, came, goes_on)  # pyright: ignore[reportArgumentType]
    assert not set(found.fresh) & set(there)
    after = {**there, **found.fresh}
    assert {version: after[number] for version, number in found.numbers.items()} == came
    if there:
        assert after[max(after)] == goes_on
    again = placed(after, came, after[max(after)] if after else None)  # pyright: ignore[reportArgumentType]
    assert again.fresh == {}
    assert {version: after[number] for version, number in again.numbers.items()} == came
