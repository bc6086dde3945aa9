from __future__ import annotations

import difflib
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.notes.differences import MOST_PAIRS, unified

UNENDED = "\\ No newline at end of file"

DIET = "# Diet\nvegetarian\n\n# Home\nPorto\n\n# Work\nnone\n\n# Pets\na cat\n\n# Travel\nLisbon\nby train\n"
LONG = "".join(f"## Day {day}\n\nWent for a walk of {day * 7} minutes.\nSlept well.\n\n" for day in range(120))


def _difference(old: str, new: str, most: int = MOST_PAIRS) -> list[str]:
    difference = unified(old, new, "old", "new", most)
    return difference.split("\n") if difference else []


def _applied(old: str, difference: list[str]) -> str:
    """What the hunks make of a text, checked line by line, as ``patch`` does it."""
    before = old.split("\n")
    ended = before.pop() == ""
    if not ended:
        before.append(old.split("\n")[-1])
    after: list[str] = []
    new_ended, at, left_old, left_new = ended, 0, 0, 0
    for place, line in enumerate(difference[2:], start=2):
        if line == UNENDED:
            continue
        if not left_old and not left_new:
            head = re.fullmatch(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line)
            assert head
            left_old, left_new = int(head[2] or 1), int(head[4] or 1)
            start = int(head[1]) - (left_old > 0)
            after += before[at:start]
            at = start
            assert len(after) == int(head[3]) - (left_new > 0)
            continue
        kind, text = line[0], line[1:]
        unended = difference[place + 1 : place + 2] == [UNENDED]
        if kind in " -":
            assert before[at] == text
            at, left_old = at + 1, left_old - 1
            assert unended == (at == len(before) and not ended)
        if kind in " +":
            after.append(text)
            left_new, new_ended = left_new - 1, not unended
    assert not left_old
    assert not left_new
    if at < len(before):
        new_ended = ended
    after += before[at:]
    return "\n".join([*after, ""] if new_ended and after else after)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", "a\n"),
        ("a\n", ""),
        ("a\n", "a"),
        ("a\nb", "a\nb\nc"),
        (DIET, DIET.replace("vegetarian", "vegan")),
        (DIET, DIET.replace("vegetarian", "vegan").replace("train", "bus")),
        (DIET, DIET + "\n# Music\nfado\n"),
        (DIET, "About Ana.\n\n" + DIET),
        (DIET, DIET.replace("# Home\nPorto\n", "")),
        (DIET, DIET.replace("Porto\n", "Porto\nnear the river\n").replace("# Pets\na cat\n", "")),
        (LONG, LONG.replace("of 77 minutes", "of an hour").replace("of 770 minutes", "of two hours")),
        (LONG, LONG.replace("## Day 50\n", "## Day fifty\n").replace("## Day 90\n\n", "## Day 90\n")),
    ],
)
def test_ordinary_edits_are_told_as_difflib_tells_them(old: str, new: str) -> None:
    told = difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), "old", "new")
    lines = [line.removesuffix("\n") if line.endswith("\n") else f"{line}\n{UNENDED}" for line in told]
    assert unified(old, new, "old", "new") == "\n".join(lines)


@pytest.mark.parametrize("section", ["# Home\nPorto\n\n", "# Work\nnone\n\n"])
def test_a_section_that_goes_or_comes_is_told_as_a_whole(section: str) -> None:
    # A blank line stands before it, too, and could be told in its place.
    without = DIET.replace(section, "")
    lines = section.split("\n")[:-1]
    assert [line for line in _difference(DIET, without)[2:] if line[0] in "+-"] == [f"-{line}" for line in lines]
    assert [line for line in _difference(without, DIET)[2:] if line[0] in "+-"] == [f"+{line}" for line in lines]


# Few kinds of lines, so that most of them recur; a carriage return ends no line of a diff.
_LINES = st.lists(st.sampled_from(["a", "b", "c", "", "-", "+x", "\\ y", "@@ -1 +1 @@", "d\r", "e\u2028f"]))
_TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, _LINES, st.sampled_from(["", "\n"]))


@given(_TEXTS, _TEXTS, st.sampled_from([0, 3, 20, 100, MOST_PAIRS]))
def test_the_hunks_make_the_new_text_of_the_old_one(old: str, new: str, most: int) -> None:
    difference = _difference(old, new, most)
    assert _applied(old, difference) == new
    assert (difference == []) == (old == new)


@given(_LINES, _LINES, _LINES)
def test_equal_lines_at_both_ends_cost_nothing(head: list[str], old: list[str], tail: list[str]) -> None:
    before, after = "\n".join([*head, *old, *tail, ""]), "\n".join([*head, *tail, ""])
    removed = [line for line in _difference(before, after, most=0)[2:] if line[0] == "-"]
    assert len(removed) == len(old)


def test_what_cannot_be_paid_for_is_told_as_replaced() -> None:
    old, new = "x\na\nb\nc\ny\n", "x\n1\nb\n2\ny\n"
    assert _difference(old, new)[3:] == [" x", "-a", "+1", " b", "-c", "+2", " y"]
    assert _difference(old, new, most=3)[3:] == [" x", "-a", "-b", "-c", "+1", "+b", "+2", " y"]


def test_recurring_lines_do_not_cost_the_cube_of_their_number() -> None:
    def seconds(lines: int) -> float:
        old = "".join(f"{number % 110}\n" for number in range(lines))
        new = "".join(f"{number * 7 % 110}\n" for number in range(lines))
        started = time.thread_time()
        assert unified(old, new, "old", "new")
        return time.thread_time() - started

    # Twice the lines took eight times as long.
    assert seconds(12_000) < 4 * seconds(6_000)
