"""A workflow drawn: as Mermaid text and as an SVG picture, with the current step marked."""

from __future__ import annotations

from html import escape

from recollect.workflows.definition import Workflow
from recollect.workflows.layout import HEIGHT, TURN, Arrow, Box, Layout, edges, layout, shortened

#: Colours for a light page, and those that differ on a dark one.
_STYLE = """
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;text-anchor:middle}
.name{font-size:14px;font-weight:600;fill:#1f2933}.status{font-size:11px;fill:#616e7c}
.label{font-size:11px;text-anchor:start;fill:#616e7c}
.step rect{fill:#fff;stroke:#9aa5b1;stroke-width:1.5}.step.next rect{stroke:#0b69a3;stroke-width:2}
.step.here rect{fill:#0b69a3;stroke:#0b69a3}.step.here .name,.step.here .status{fill:#fff}
.step .inner{fill:none;stroke-width:1}.step.here .inner{fill:none;stroke:#fff}
.move{fill:none;stroke:#9aa5b1;stroke-width:1.5}.move.guarded{stroke-dasharray:5 4}
.move.next{stroke:#0b69a3;stroke-width:2}.head{fill:#9aa5b1}.head.next{fill:#0b69a3}.start{fill:#1f2933}
@media (prefers-color-scheme:dark){
.name{fill:#e4e7eb}.status,.label{fill:#9aa5b1}.step rect{fill:#1f2933;stroke:#7b8794}
.step.next rect{stroke:#5ed0fa}.step.here rect{fill:#5ed0fa;stroke:#5ed0fa}
.step.here .name,.step.here .status{fill:#102a43}.step .inner,.step.here .inner{fill:none}
.step.here .inner{stroke:#102a43}
.move{stroke:#7b8794}.move.next{stroke:#5ed0fa}.head{fill:#7b8794}.head.next{fill:#5ed0fa}.start{fill:#e4e7eb}}
""".replace("\n", "")


def mermaid(workflow: Workflow, step: str | None = None) -> str:
    """The workflow as a Mermaid flow chart. A move with a condition has a dotted arrow."""
    ids = {one.name: f"s{number}" for number, one in enumerate(workflow.steps)}
    lines = ["flowchart TD", f"    start(( )) --> {ids[workflow.start]}"]
    for one in workflow.steps:
        around = ('(["', '"])') if not one.moves else ('["', '"]')
        lines.append(f"    {ids[one.name]}{around[0]}{_for_mermaid(one.label)}{around[1]}")
    ways = edges(workflow)
    for way in ways:
        arrow = "-.->" if way.condition else "-->"
        label = f'|"{_for_mermaid(way.label)}"|' if way.label else ""
        lines.append(f"    {ids[way.start]} {arrow}{label} {ids[way.end]}")
    if step in ids:
        onward = [ids[way.end] for way in ways if way.start == step]
        lines += ["    classDef here fill:#0b69a3,stroke:#0b69a3,color:#ffffff", f"    class {ids[step]} here"]
        if onward:
            lines += ["    classDef next stroke:#0b69a3,stroke-width:2px", f"    class {','.join(onward)} next"]
    return "\n".join(lines) + "\n"


def svg(workflow: Workflow, step: str | None = None) -> str:
    """The workflow as a picture; it needs nothing from outside and follows a reader's light or dark page."""
    plan = layout(workflow)
    onward = {arrow.edge.end for arrow in plan.arrows if arrow.edge.start == step}
    title = escape(workflow.title or workflow.name)
    start = next(box for box in plan.boxes if box.name == workflow.start)
    top = start.y - HEIGHT / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{plan.width:.0f}" height="{plan.height:.0f}" '
        f'viewBox="0 0 {plan.width:.0f} {plan.height:.0f}" role="img">',
        f"<title>{title}</title><desc>{escape(_described(workflow, step))}</desc><style>{_STYLE}</style>",
        f'<circle class="start" cx="{start.x:.1f}" cy="{top - 20:.1f}" r="5"/>'
        f'<path class="move" d="M{start.x:.1f} {top - 15:.1f}V{top - 5:.1f}"/>'
        f'<path class="head" d="M{start.x:.1f} {top:.1f}l-4.5 -8h9z"/>',
        # What leads on from the current step is drawn last, over the rest.
        *(
            _arrow(one, one.edge.start == step)
            for one in sorted(plan.arrows, key=lambda one: one.edge.start == step)
        ),
        *(_box(workflow, box, _mark(box, step, onward)) for box in plan.boxes),
        _legend(plan),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _described(workflow: Workflow, step: str | None) -> str:
    names = ", ".join(one.name for one in workflow.steps)
    return f"The steps {names}." + (f" The current step is {step}." if step is not None else "")


def _mark(box: Box, step: str | None, onward: set[str]) -> str:
    return "here" if box.name == step else "next" if box.name in onward else ""


def _legend(plan: Layout) -> str:
    if not any(arrow.edge.condition for arrow in plan.arrows):
        return ""
    y = plan.height - 10
    text = f'<text class="label" x="42" y="{y + 4:.1f}">on a condition</text>'
    return f'<path class="move guarded" d="M8 {y:.1f}h28"/>{text}'


def _box(workflow: Workflow, box: Box, mark: str) -> str:
    step = workflow.step(box.name)
    assert step is not None
    left, top = box.x - box.width / 2, box.y - HEIGHT / 2
    status = shortened(step.status or "")
    name_y = box.y - 3 if status else box.y + 5
    line = f'<text class="status" x="{box.x:.1f}" y="{box.y + 14:.1f}">{escape(status)}</text>' if status else ""
    ends = "" if step.moves else _inner(box)
    hint = f"{step.name}: {step.description}" if step.description else step.name
    return (
        f'<g class="{f"step {mark}".strip()}" data-step="{escape(box.name)}"><title>{escape(hint)}</title>'
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{HEIGHT}" rx="8"/>{ends}'
        f'<text class="name" x="{box.x:.1f}" y="{name_y:.1f}">{escape(box.label)}</text>'
        f"{line}</g>"
    )


def _inner(box: Box) -> str:
    """A second line inside the box of a last step."""
    left, top = box.x - box.width / 2 + 3, box.y - HEIGHT / 2 + 3
    size = f'width="{box.width - 6:.1f}" height="{HEIGHT - 6}"'
    return f'<rect class="inner" x="{left:.1f}" y="{top:.1f}" {size} rx="6"/>'


def _arrow(arrow: Arrow, next_: bool) -> str:
    edge = arrow.edge
    kind = ("move guarded" if edge.condition else "move") + (" next" if next_ else "")
    (x1, _), (x, y) = arrow.points[-2:]
    label = ""
    if edge.label:
        at_x, at_y = arrow.label_at
        label = f'<text class="label" x="{at_x:.1f}" y="{at_y:.1f}">{escape(shortened(edge.label))}</text>'
    hint = f"{edge.start} → {edge.end}" + (f": {edge.condition}" if edge.condition else "")
    head = f"M{x:.1f} {y:.1f}" + ("l-4.5 -8h9z" if x1 == x else f"l{8 if x1 > x else -8} -4.5v9z")
    line = f'<path class="{kind}" d="{_line(arrow)}"><title>{escape(hint)}</title></path>'
    return f'{line}<path class="head{" next" if next_ else ""}" d="{head}"/>{label}'


def _line(arrow: Arrow) -> str:
    """Through the corners, each one rounded; it ends inside the arrow's head."""
    points = list(arrow.points)
    (x1, _), (x2, y2) = points[-2:]
    points[-1] = (x2, y2 - 5) if x1 == x2 else (x2 + (5 if x1 > x2 else -5), y2)
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        a, b = _towards(corner, before), _towards(corner, after)
        path += f"L{a[0]:.1f} {a[1]:.1f}Q{corner[0]:.1f} {corner[1]:.1f} {b[0]:.1f} {b[1]:.1f}"
    return path + f"L{points[-1][0]:.1f} {points[-1][1]:.1f}"


def _towards(corner: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """A point on the way from a corner to another point, at most halfway."""
    dx, dy = other[0] - corner[0], other[1] - corner[1]
    length = max(abs(dx), abs(dy)) or 1.0
    part = min(TURN, length / 2) / length
    return corner[0] + dx * part, corner[1] + dy * part


def _for_mermaid(text: str) -> str:
    """Text inside quotes, where Mermaid would see a mark of its own."""
    codes = {'"': "#quot;", "#": "#35;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "`": "#96;", "\\": "#92;"}
    return "".join(codes.get(letter, letter) for letter in text)
