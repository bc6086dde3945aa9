"""What becomes of a candidate, given the memories near it: add, refresh, replace or ignore. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from recollect.remember.compare import BY_FIGURES, Reading, Relation, compare, is_list, read
from recollect.remember.learning import Candidate, Decision, Neighbour

#: A change that is told later than what it contradicts may have happened so long before that was said.
NEWS = timedelta(days=62)
#: Reads a text; whoever decides about several candidates reads what stands beside them once.
Reader = Callable[[str], Reading]


def reconcile(candidate: Candidate, neighbours: Sequence[Neighbour], reader: Reader = read) -> Decision:
    """Decide; only active memories count, and what a person said stays as it is.

    A candidate that nobody vouches for changes nothing: it is added, for the caller to quarantine.
    """
    active = [one for one in neighbours if one.memory.status == "active" and one.memory.valid_to is None]
    if candidate.trust != "trusted":
        waiting = [one for one in neighbours if one.memory.status == "quarantined"]
        known = any(_relation(candidate, one, reader)[0] == "same" for one in [*active, *waiting])
        return Decision(verb="ignore", why="known") if known else Decision(verb="add", why="new")
    judged = [(one, *_relation(candidate, one, reader)) for one in active]
    same = [one for one, relation, _ in judged if relation == "same"]
    against = _without_lists([(one, why) for one, relation, why in judged if relation == "update"], reader)
    if against and not any(is_protected(one) for one in same):
        return _contradicted(candidate, same, against)
    if same:
        best = max(same, key=lambda one: (is_protected(one), one.memory.valid_from, one.cosine, one.memory.id))
        return Decision(verb="refresh", why="known", memories=(best.memory.id,))
    return Decision(verb="add", why="new")


def _contradicted(
    candidate: Candidate, same: Sequence[Neighbour], against: Sequence[tuple[Neighbour, str]]
) -> Decision:
    """The newest word wins, unless the other is a person's own."""
    if any(is_protected(one) for one, _ in against):
        return Decision(verb="ignore", why="a person said otherwise")
    if any(_is_older(candidate, one) for one, _ in against):
        return Decision(verb="ignore", why="older")
    # What was known already goes too: the candidate says it again, later than what it contradicts.
    gone = sorted({one.memory.id: one for one in [*(one for one, _ in against), *same]}.values(), key=_nearest)
    return Decision(verb="replace", why=against[0][1], memories=tuple(one.memory.id for one in gone))


def _without_lists(against: Sequence[tuple[Neighbour, str]], reader: Reader) -> list[tuple[Neighbour, str]]:
    """Where several stand that differ only in a figure, the candidate is one more of them."""
    listed = is_list(reader(one.memory.text) for one, why in against if why in BY_FIGURES)
    return [(one, why) for one, why in against if not (listed and why in BY_FIGURES)]


def is_protected(neighbour: Neighbour) -> bool:
    """Whether a person wrote or corrected it."""
    return neighbour.by_person or neighbour.memory.author.partition(":")[0] == "user"


def _relation(candidate: Candidate, neighbour: Neighbour, reader: Reader) -> tuple[Relation, str]:
    """An older candidate is compared as the older text."""
    old, new = neighbour.memory.text, candidate.text
    if _is_older(candidate, neighbour):
        old, new = new, old
    found = compare(old, new, neighbour.cosine, reader)
    return found.relation, found.why


def _is_older(candidate: Candidate, neighbour: Neighbour) -> bool:
    """Whether it was said before, or tells of long before. Who says that they moved last month, a week after
    saying where they live, tells news; who says that they moved in 2015 does not."""
    began, since = neighbour.memory.valid_from, candidate.valid_from
    if since is None:
        return False
    said, other = candidate.said_at or since, neighbour.said_at or began
    if said == other:
        return since < began
    return since < began - NEWS if said > other else began >= since - NEWS


def _nearest(neighbour: Neighbour) -> tuple[float, str]:
    return -neighbour.cosine, neighbour.memory.id
