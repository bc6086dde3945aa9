"""A bar for each figure, as SVG; no library is needed for that."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from recollect.evaluate.run import Report

_COLOURS = ("#2b6cb0", "#c05621", "#2f855a", "#6b46c1", "#b83280", "#4a5568")
_LEFT, _TOP, _HEIGHT, _BAR, _GAP = 46, 40, 220, 22, 26


def svg(reports: Sequence[Report]) -> str:
    """Recall, rank and what fits into a budget, side by side for each data set."""
    figures = [
        ("recall@5", [one.overall.recall_5 for one in reports]),
        ("recall@10", [one.overall.recall_10 for one in reports]),
        ("MRR@10", [one.overall.mrr_10 for one in reports]),
        *(
            (f"recall in {budget:,} tokens", [one.overall.recall_within[budget] for one in reports])
            for budget in (reports[0].overall.recall_within if reports else ())
        ),
    ]
    group = max(_BAR * len(reports), 110) + _GAP
    width, height = _LEFT + group * len(figures) + 10, _TOP + _HEIGHT + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for step in range(0, 11, 2):
        y = _TOP + _HEIGHT * (1 - step / 10)
        parts.append(f'<line x1="{_LEFT}" x2="{width - 10}" y1="{y}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{step / 10:.1f}</text>')
    for place, (label, values) in enumerate(figures):
        left = _LEFT + place * group + _GAP / 2
        for number, value in enumerate(values):
            x, tall = left + number * _BAR, _HEIGHT * value
            colour = _COLOURS[number % len(_COLOURS)]
            parts.append(
                f'<rect x="{x}" y="{_TOP + _HEIGHT - tall:.1f}" width="{_BAR - 3}" height="{tall:.1f}" '
                f'fill="{colour}">'
                f"<title>{value:.3f}</title></rect>"
            )
        parts.append(f'<text x="{left}" y="{_TOP + _HEIGHT + 18}">{escape(label)}</text>')
    for number, one in enumerate(reports):
        x = _LEFT + number * 190
        parts.append(f'<rect x="{x}" y="12" width="12" height="12" fill="{_COLOURS[number % len(_COLOURS)]}"/>')
        parts.append(f'<text x="{x + 18}" y="22">{escape(one.dataset)} ({one.overall.questions} questions)</text>')
    return "\n".join([*parts, "</svg>", ""])
