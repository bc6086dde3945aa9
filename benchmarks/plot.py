"""A line plot on two logarithmic axes, as SVG, readable on light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

COLOURS = ["#2563eb", "#8b8b8b", "#d97706", "#059669", "#db2777"]
WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 200, 50, 50


def line_plot(
    file: Path, title: str, x_label: str, y_label: str, lines: Mapping[str, Sequence[tuple[float, float]]]
) -> None:
    """Write the plot; each line is a list of (x, y), both above zero."""
    xs = [x for points in lines.values() for x, _ in points]
    ys = [y for points in lines.values() for _, y in points]
    x_range = (math.log10(min(xs)), math.log10(max(xs)))
    y_range = (math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys))))

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - x_range[0]) / (x_range[1] - x_range[0])
        up = (math.log10(y) - y_range[0]) / (y_range[1] - y_range[0])
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="system-ui, sans-serif" font-size="13">',
        f"<title>{title}</title>",
        "<style>text{fill:#374151}.grid{stroke:#9ca3af55}@media(prefers-color-scheme:dark){text{fill:#d1d5db}}</style>",
        f'<text x="{LEFT}" y="24" font-size="15" font-weight="600">{title}</text>',
        f'<text x="{LEFT}" y="{HEIGHT - 10}">{x_label}</text>',
        f'<text x="{LEFT}" y="42" font-size="12">{y_label}</text>',
    ]
    for power in range(y_range[0], y_range[1] + 1):
        _, y = place(10 ** x_range[0], 10**power)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{_number(10**power)}</text>')
    for x in sorted(set(xs)):
        across, _ = place(x, 10 ** y_range[0])
        parts.append(f'<text x="{across:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{_number(x)}</text>')
    label_places: list[float] = []
    for colour, (name, points) in zip(COLOURS, lines.items(), strict=False):
        dots = [place(*point) for point in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in dots)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in dots]
        x, y = dots[-1]
        while any(abs(y - other) < 16 for other in label_places):
            y += 4
        label_places.append(y)
        parts.append(
            f'<text x="{x + 10:.1f}" y="{y + 4:.1f}" style="fill:{colour}" font-weight="600">{name}</text>'
        )
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join([*parts, "</svg>"]) + "\n")


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"
