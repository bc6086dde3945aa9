"""Where the boxes and arrows of a workflow's picture go. Pure geometry, in pixels.

Steps stand in rows from the start downwards. A move to the next row is an arrow straight down; one that skips rows
runs along the right side, and one that goes back along the left, each in a lane of its own.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

import msgspec

from recollect.workflows.definition import Workflow

ROW = 100
HEIGHT = 46
GAP = 44
LANE = 18
MARGIN = 28
LEAST_WIDTH = 120
MOST_LETTERS = 34
TURN = 8


Point = tuple[float, float]


class Edge(msgspec.Struct, frozen=True):
    """A way from one step to another, before it has a place."""

    start: str
    end: str
    condition: str | None = None
    """What must be so before it can be gone."""
    label: str | None = None


class Box(msgspec.Struct, frozen=True):
    """One step: the middle of its box, and how wide it is."""

    name: str
    label: str
    x: float
    y: float
    width: float
    row: int


class Arrow(msgspec.Struct, frozen=True):
    """One move, or an action that leads to another step: the corners of its line."""

    edge: Edge
    points: tuple[Point, ...]
    label_at: Point


class Layout(msgspec.Struct, frozen=True):
    """The whole picture."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def edges(workflow: Workflow) -> list[Edge]:
    """Every move, and what actions lead to; where both go the same way, one edge carries the action's name."""
    found: dict[tuple[str, str], Edge] = {}
    for step in workflow.steps:
        for move in step.moves:
            found[step.name, move.to] = Edge(step.name, move.to, _condition(move.needs, move.by))
    for action in workflow.actions:
        for name in action.steps:
            if action.to is not None and action.to != name:
                condition = _condition(action.needs, ()) or "by this action"
                found[name, action.to] = Edge(name, action.to, condition, action.name)
    return list(found.values())


def layout(workflow: Workflow) -> Layout:
    """Places for all steps and moves."""
    ways = edges(workflow)
    rows = _rows(workflow, ways)
    boxes = _boxes(workflow, rows)
    arrows = _arrows(boxes, ways)
    return _framed(boxes, arrows)


def _condition(needs: Iterable[str], by: Iterable[str]) -> str | None:
    parts = [f"needs {', '.join(needs)}" if needs else "", f"only by {' or '.join(by)}" if by else ""]
    return "; ".join(filter(None, parts)) or None


def shortened(text: str) -> str:
    """A label that fits into a box."""
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1].rstrip() + "…"


def width_of(text: str, size: float) -> float:
    """About how wide a text is, in a font of this size; letters of some scripts are twice as wide."""
    return sum(size if unicodedata.east_asian_width(letter) in "WF" else size * 0.58 for letter in text)


def _rows(workflow: Workflow, ways: list[Edge]) -> list[list[str]]:
    """Each step one row below the lowest one that leads to it. The order of the definition says which moves go on
    and which go back, so there is no circle to break.
    """
    place = {step.name: number for number, step in enumerate(workflow.steps)}
    row = dict.fromkeys(place, 0)
    for name in place:
        for way in ways:
            if way.start == name and place[way.end] > place[name]:
                row[way.end] = max(row[way.end], row[name] + 1)
    rows: list[list[str]] = [[] for _ in range(max(row.values()) + 1)]
    for name in place:
        rows[row[name]].append(name)
    for above, below in pairwise(rows):
        # Under the middle of what leads to it, so that few arrows cross.
        middle = {
            name: _mean(above.index(way.start) for way in ways if way.end == name and way.start in above)
            for name in below
        }
        below.sort(key=middle.__getitem__)
    return rows


def _boxes(workflow: Workflow, rows: list[list[str]]) -> dict[str, Box]:
    labels = {step.name: shortened(step.label) for step in workflow.steps}
    notes = {step.name: shortened(step.status or "") for step in workflow.steps}
    widths = {
        name: max(LEAST_WIDTH, width_of(label, 14) + 36, width_of(notes[name], 11) + 36)
        for name, label in labels.items()
    }
    boxes: dict[str, Box] = {}
    for number, row in enumerate(rows):
        left = -(sum(widths[name] for name in row) + GAP * (len(row) - 1)) / 2
        for name in row:
            boxes[name] = Box(name, labels[name], left + widths[name] / 2, number * ROW, widths[name], number)
            left += widths[name] + GAP
    return boxes


def _arrows(boxes: dict[str, Box], ways: list[Edge]) -> list[Arrow]:
    down = [way for way in ways if boxes[way.end].row == boxes[way.start].row + 1]
    skip = [way for way in ways if boxes[way.end].row > boxes[way.start].row + 1]
    back = [way for way in ways if boxes[way.end].row <= boxes[way.start].row]
    gaps = Counter[tuple[str, int]]()
    return [
        *_straight(boxes, down),
        *_around(boxes, skip, 1, gaps),
        *_around(boxes, back, -1, gaps),
    ]


def _straight(boxes: dict[str, Box], ways: list[Edge]) -> list[Arrow]:
    """From the lower edge of a box to the upper edge of one in the next row."""
    arrows: list[Arrow] = []
    for way in ways:
        start, end = boxes[way.start], boxes[way.end]
        x1 = start.x + _port(start, [boxes[one.end] for one in ways if one.start == way.start], end)
        x2 = end.x + _port(end, [boxes[one.start] for one in ways if one.end == way.end], start)
        top, bottom = start.y + HEIGHT / 2, end.y - HEIGHT / 2
        # Each box of a row bends its arrows at a height of its own, or lines of two boxes would run into one.
        starts = sorted({one.start for one in ways if boxes[one.start].row == start.row})
        half = (top + bottom) / 2 + (starts.index(way.start) - (len(starts) - 1) / 2) * min(6, 10 / len(starts))
        points = (
            ((x1, top), (x1, half), (x2, half), (x2, bottom)) if abs(x1 - x2) > 1 else ((x1, top), (x1, bottom))
        )
        arrows.append(Arrow(way, points, (max(x1, x2) + 8, half + 4)))
    return arrows


def _port(box: Box, others: list[Box], other: Box) -> float:
    """How far from the middle of its edge an arrow touches a box: several stand side by side, in order."""
    ordered = sorted(others, key=lambda one: one.x)
    spread = min(40, (box.width - 40) / max(1, len(ordered)))
    return (ordered.index(other) - (len(ordered) - 1) / 2) * spread


def _around(boxes: dict[str, Box], ways: list[Edge], side: int, gaps: Counter[tuple[str, int]]) -> list[Arrow]:
    """Along one side, in lanes: short ways inside, and no two in one lane where they would overlap."""
    lanes: list[list[tuple[int, int]]] = []
    placed: list[tuple[Edge, int]] = []
    for way in sorted(ways, key=lambda one: abs(boxes[one.start].row - boxes[one.end].row)):
        low, high = sorted((boxes[way.start].row, boxes[way.end].row))
        free = (number for number, taken in enumerate(lanes) if all(high < a or low > b for a, b in taken))
        lane = next(free, len(lanes))
        if lane == len(lanes):
            lanes.append([])
        lanes[lane].append((low, high))
        placed.append((way, lane))
    rim = max(side * box.x + box.width / 2 for box in boxes.values()) + 24
    arrows: list[Arrow] = []
    for way, lane in placed:
        start, end = boxes[way.start], boxes[way.end]
        x = side * (rim + lane * LANE)
        there = _to_lane(boxes, start, _height(boxes, start, placed, way), x, side, gaps)
        back = _to_lane(boxes, end, _height(boxes, end, placed, way), x, side, gaps, above=True)
        arrows.append(Arrow(way, (*there, *reversed(back)), (x + 6, (start.y + end.y) / 2)))
    return arrows


def _height(boxes: dict[str, Box], box: Box, placed: list[tuple[Edge, int]], way: Edge) -> float:
    """The height at which an arrow touches the side of a box. Those from above stand above, the nearest first;
    those from below stand below, the nearest last: so they do not cross on the way to their lanes.
    """

    def order(one: tuple[Edge, int]) -> tuple[bool, int, int]:
        edge, lane = one
        other = boxes[edge.end if edge.start == box.name else edge.start].row
        return other > box.row, -other, -lane if other > box.row else lane

    ordered = sorted((one for one in placed if box.name in (one[0].start, one[0].end)), key=order)
    touching = [edge for edge, _ in ordered]
    spread = min(12, (HEIGHT - 12) / max(1, len(touching)))
    return box.y + (touching.index(way) - (len(touching) - 1) / 2) * spread


def _to_lane(
    boxes: dict[str, Box],
    box: Box,
    y: float,
    x: float,
    side: int,
    gaps: Counter[tuple[str, int]],
    *,
    above: bool = False,
) -> tuple[Point, ...]:
    """From a box to a lane. With another box in between, the way leads through the gap between two rows, where
    ``gaps`` counts who runs there already.
    """
    between = [one for one in boxes.values() if one.row == box.row and side * (one.x - box.x) > 0]
    if not between:
        return ((box.x + side * box.width / 2, y), (x, y))
    up = -1 if above else 1
    edge = box.y + up * HEIGHT / 2
    level = edge + up * (8 + 3 * min(gaps["gap", up * (box.row + 1)], 4))
    port = box.x + side * (box.width / 2 - 12 - 9 * min(gaps[box.name, up * side], 3))
    gaps.update([("gap", up * (box.row + 1)), (box.name, up * side)])
    return ((port, edge), (port, level), (x, level))


def _framed(boxes: dict[str, Box], arrows: list[Arrow]) -> Layout:
    """Everything moved so that it begins at the margin."""
    points = [point for arrow in arrows for point in arrow.points]
    left = min([box.x - box.width / 2 for box in boxes.values()] + [x for x, _ in points]) - MARGIN
    labels = [arrow.label_at[0] + width_of(shortened(arrow.edge.label or ""), 11) for arrow in arrows]
    right = max([box.x + box.width / 2 for box in boxes.values()] + [x for x, _ in points] + labels) + MARGIN
    top = -HEIGHT / 2 - MARGIN
    rows = max(box.row for box in boxes.values())
    shift = msgspec.structs.replace
    return Layout(
        width=right - left,
        height=rows * ROW + HEIGHT + 2 * MARGIN,
        boxes=tuple(shift(box, x=box.x - left, y=box.y - top) for box in boxes.values()),
        arrows=tuple(
            shift(
                arrow,
                points=tuple((x - left, y - top) for x, y in arrow.points),
                label_at=(arrow.label_at[0] - left, arrow.label_at[1] - top),
            )
            for arrow in arrows
        ),
    )


def _mean(numbers: Iterable[float]) -> float:
    listed = list(numbers)
    return sum(listed) / len(listed) if listed else 0.0
