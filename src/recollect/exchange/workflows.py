"""Workflows that states refer to: read from a document, and given numbers among those that are there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set

import msgspec

from recollect import inputs
from recollect.errors import Invalid, Refused
from recollect.exchange.document import KeptWorkflow
from recollect.exchange.wrong import converted
from recollect.records import Caller
from recollect.storage.database import Database
from recollect.workflows.definition import Action, Move, Step, Workflow
from recollect.workflows.reading import parse, shipped, stored, written
from recollect.workflows.schema import CHECKED

#: Room for further versions above it.
MAX_VERSION = 1 << 30
#: Spelled out, as it is stored, a definition is longer than it may be when it is defined.
MAX_DEFINITION = 2 * inputs.MAX_JSON

#: The number that a version of a workflow has here, by its name and its number in the document.
Versions = Mapping[tuple[str, int], int]

_KNOWN = {field for kind in (Workflow, Step, Move, Action) for field in kind.__struct_fields__} | CHECKED


class Placed(msgspec.Struct, frozen=True):
    """Where versions of a workflow find their place, and which of them are to be written."""

    numbers: dict[int, int]
    fresh: dict[int, Workflow]


def definitions(kept: KeptWorkflow, where: str) -> dict[int, Workflow]:
    """The versions of a workflow, if each is one that could have been defined here."""
    found: dict[int, Workflow] = {}
    before = 0
    for place, one in enumerate(kept.versions):
        here = f"{where}.versions[{place}]"
        if not before < one.version <= MAX_VERSION:
            raise Invalid(f"{here}.version", f"must be above {before} and at most {MAX_VERSION}")
        try:
            found[one.version] = parse(kept.name, one.definition, MAX_DEFINITION)
        except Invalid as error:
            # Its reason may quote a wrong value, and that may be somebody's text in the wrong place.
            raise Invalid(f"{here}.definition{_known_path(error.field)}", "is not right for a workflow") from None
        before = one.version
    return found


def placed(there: Mapping[int, Workflow], came: Mapping[int, Workflow], goes_on: Workflow | None) -> Placed:
    """Under its own number if it is there so; else under that of an equal one; else its own if that is free; else
    a further one. What conversations begin with here (``goes_on``) stays the newest: an import of one user's data
    changes nothing for others.
    """
    numbers: dict[int, int] = {}
    fresh: dict[int, Workflow] = {}
    last = max([0, *there, *came])
    for version, workflow in sorted(came.items()):
        equal = [number for number, one in there.items() if one == workflow]
        if there.get(version) == workflow:
            numbers[version] = version
        elif equal:
            numbers[version] = max(equal)
        elif version not in there:
            numbers[version] = version
            fresh[version] = workflow
        else:
            last += 1
            numbers[version] = last
            fresh[last] = workflow
    everything = {**there, **fresh}
    if fresh and goes_on is not None and everything[max(everything)] != goes_on:
        fresh[last + 1] = goes_on
    return Placed(numbers, fresh)


async def restore_workflows(
    database: Database, caller: Caller, kept: Mapping[str, dict[int, Workflow]]
) -> Versions:
    """Define what is missing; returns the number that each version has here."""
    versions: dict[tuple[str, int], int] = {}
    for name, came in kept.items():
        async with database.transaction(caller.tenant) as transaction:
            await transaction.run("ensure_tenant")
            await transaction.run("lock_workflow", name)
            rows = await transaction.rows("workflow_versions", name)
            there = {row["version"]: stored(row["definition"]) for row in rows}
            # What comes with us goes on too, used or not: an agent may be given it by its name tomorrow.
            found = placed(there, came, there[max(there)] if there else shipped().get(name))
            for number, workflow in found.fresh.items():
                await transaction.run("restore_workflow", name, number, written(workflow), caller.actor)
            if found.fresh:
                await transaction.run("record_audit", caller.actor, "workflow.import", None, name)
        versions |= {(name, version): number for version, number in found.numbers.items()}
    return versions


async def known_workflows(
    database: Database, caller: Caller, kept: Mapping[str, dict[int, Workflow]], followed: Set[tuple[str, int]]
) -> Versions:
    """The same for whoever may define nothing: each version that a state follows must be here as it came."""
    versions: dict[tuple[str, int], int] = {}
    for name, came in kept.items():
        came = {version: workflow for version, workflow in came.items() if (name, version) in followed}
        rows = await database.read(caller.tenant, "workflow_versions", name) if came else ()
        ours = {0: shipped()[name]} if name in shipped() else {}
        found = placed(ours | {row["version"]: stored(row["definition"]) for row in rows}, came, None)
        if found.fresh:
            raise Refused(
                f"a state follows a workflow{f' {name!r}' if inputs.is_word(name) else ''} that is not defined "
                "here as it came; have it defined, or the document brought in, by somebody with the scope admin"
            )
        versions |= {(name, version): number for version, number in found.numbers.items()}
    return versions


def workflows_in(entries: Iterator[tuple[str, int, object]]) -> dict[str, dict[int, Workflow]]:
    """All workflows of a document, by name and version."""
    found: dict[str, dict[int, Workflow]] = {}
    for section, place, value in entries:
        if section == "workflows" and place >= 0:
            where = f"workflows[{place}]"
            kept = converted(value, KeptWorkflow, where)
            if inputs.identifier(f"{where}.name", kept.name) in found:
                raise Invalid(f"{where}.name", "is that of a workflow before")
            found[kept.name] = definitions(kept, where)
    return found


def _known_path(field: str) -> str:
    """The part of a path that is made of our own words."""
    path = ""
    for piece in re.findall(r"\.[^.\[]*|\[\d+\]", field):
        if piece[0] == "." and piece[1:] not in _KNOWN:
            break
        path += piece
    return path
