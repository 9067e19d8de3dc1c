"""Lengths of extents or of free pieces: the share of bytes in pieces of at least some length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fsgauge.report import vega
from fsgauge.report.charts import panels
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.units import format_size

Limits = tuple[int, int]
"""The shortest and the longest length of the axis, in bytes."""
NAMED_SIZES = 5


@dataclass(frozen=True)
class Panel:
    """One panel: `pieces` and `share` name its axes; rows may have an `opacity`."""

    name: str
    rows: list[dict[str, Any]]
    limits: Limits
    pieces: str
    share: str


def lengths_chart(
    name: str, label: str, shown: Sequence[Panel], most: int = 3, note: str = ""
) -> Drawing | None:
    if not shown:
        return None
    rows = [row for panel in shown for row in panel.rows]
    return draw(name, label, *panels.both(shown, _panel, most), rows, note=note)


def limits_of(smallest_bytes: int, found: Sequence[Sequence[tuple[int, float]]]) -> Limits:
    """Room for all lengths, and for sixteen times the smallest one."""
    longest = max(length for each in found for length, _ in each)
    return smallest_bytes, max(2 * longest, 16 * smallest_bytes)


def rows_of(
    system: str, pieces: str, at_least: Sequence[tuple[int, float]], limits: Limits
) -> list[dict[str, Any]]:
    """A point at each power of two: where nothing ends, the share stays."""
    rows, at = [], 1 << (limits[0].bit_length() - 1)
    while at <= limits[1]:
        share = max((share for length, share in at_least if length >= at), default=0.0)
        rows.append(
            {
                "system": system,
                "at_least_bytes": at,
                "percent": 100 * share,
                "line": system,
                "tip": f"{system}: {100 * share:.3g} % of bytes in {pieces} of at least"
                f" {format_size(at)}",
            }
        )
        at *= 2
    return rows


def _panel(panel: Panel, width: int) -> vega.Chart:
    low, high = panel.limits
    powers = [1 << bit for bit in range(low.bit_length() - 1, high.bit_length())]
    sizes = powers[:: max(1, -(-len(powers) // NAMED_SIZES))]
    names = " : ".join(f"datum.value == {at} ? '{format_size(at)}'" for at in sizes)
    x = vega.field(
        "at_least_bytes:Q",
        scale={"type": "log", "base": 2, "domain": [low, high], "nice": False},
        axis={
            "title": f"{panel.pieces} of at least",
            "values": sizes,
            "labelExpr": f"{names} : ''",
        },
    )
    y = vega.field(
        "percent:Q",
        scale={"domain": [0, 100], "nice": False},
        axis={"title": panel.share, "tickCount": 5},
    )
    strength = vega.field("opacity:Q", scale=None) if "opacity" in panel.rows[0] else vega.value(1)
    base = chart_of(panel.rows).encode(x=x, y=y, color=panels.colour())
    layers = [
        base.mark("line", strokeWidth=1.5).encode(detail=vega.field("line:N"), opacity=strength),
        base.mark("point", filled=True, size=24).encode(
            shape=panels.shape(), description=vega.field("tip:N"), opacity=strength
        ),
    ]
    return vega.layer(*layers).properties(
        width=width, height=145, title=panels.heading(panel.name, width)
    )
