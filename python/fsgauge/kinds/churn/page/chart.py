"""Damage by fill level: what an aged system keeps of a fresh copy's rate, reads and writes apart.

A panel a side, a line a system; intervals and single blocks at each level. The line at 100 % is the
fresh copy, the band what two equal turns of the baseline differ by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fsgauge.kinds.churn.analysis.model import Churn, Damage, Side
from fsgauge.report import words
from fsgauge.report.charts import panels
from fsgauge.report.charts.panels import ratio_domain, ratio_ticks
from fsgauge.report.charts.row_of_points import row_of_points
from fsgauge.report.charts.whiskers import Along, whiskers
from fsgauge.report.draw import Build, Drawing, chart_of, draw
from fsgauge.report.theme import BAND, GLYPHS, INK
from fsgauge.stats.results import Results

if TYPE_CHECKING:
    import altair as alt

HEADINGS: dict[Side, str] = {
    "read": "reading the whole tree",
    "write": "writing new files next to it",
}
WIDE_PIXELS = 330
NARROW_PIXELS = 280
HEIGHT_PIXELS = 230
FARTHEST = 4.0
"""Single blocks beyond this factor from all estimates do not press these together."""
_ASIDE = 0.022
"""How far apart systems of one level are drawn, as a share of the axis."""


@dataclass(frozen=True)
class _Panel:
    """One side: its rows, its noise, and the scales that all panels share."""

    side: Side
    rows: list[dict[str, Any]]
    noise: tuple[float, float] | None
    fills: list[int]
    levels: tuple[float, float]
    ratios: tuple[float, float]


def damage_chart(results: Results) -> Drawing | None:
    """The drawing; None for other studies, and before any block has aged and fresh."""
    churn = Churn.of(results)
    if churn is None or not churn.damages:
        return None
    shown = _panels(results, churn, panels.drawn_systems(results))
    rows = [row for panel in shown for row in panel.rows]
    label = "Rate of the aged system over that of a fresh copy by fill level, reads and writes."
    return draw("damage", label, *_both(shown), rows, note=panels.left_out(results))


def _both(shown: Sequence[_Panel]) -> tuple[Build, Build]:
    """Side by side where there is room; narrower than other panels, for the first screen."""

    def wide() -> dict[str, Any]:
        width = WIDE_PIXELS if len(shown) > 1 else 2 * WIDE_PIXELS
        drawn = [panels.specification(_draw(panel, width)) for panel in shown]
        return {"hconcat": drawn, "spacing": 24, "padding": panels.PADDING}

    def narrow() -> dict[str, Any]:
        drawn = [panels.specification(_draw(panel, NARROW_PIXELS)) for panel in shown]
        return {"vconcat": drawn, "spacing": 16, "padding": panels.PADDING}

    return wide, narrow


def _panels(results: Results, churn: Churn, systems: Sequence[str]) -> list[_Panel]:
    ratios = _ratio_limits(churn)
    span = max(churn.fills) - min(churn.fills) or 20
    levels = (min(churn.fills) - 0.12 * span, max(churn.fills) + 0.12 * span)
    found = []
    for side in churn.sides:
        damages = [
            damage for damage in churn.damages if damage.side == side and damage.system in systems
        ]
        rows = [_row(damage, _place(results, damage, levels)) for damage in damages]
        noise = churn.noise.get(side)
        band = None
        if noise is not None and words.is_known(noise.low, noise.high, noise.n):
            band = (noise.low or 1.0, noise.high or 1.0)
        if rows:
            styled = panels.styled(results, rows)
            found.append(_Panel(side, styled, band, churn.fills, levels, ratios))
    return found


def _ratio_limits(churn: Churn) -> tuple[float, float]:
    """Room for all estimates, and for what is not far from them."""
    estimates = [damage.ratio for damage in churn.damages]
    near = (min(estimates) / FARTHEST, max(estimates) * FARTHEST)
    others = [value for damage in churn.damages for _, value in damage.blocks]
    others += [
        edge
        for damage in churn.damages
        if words.is_known(damage.low, damage.high, damage.n)
        for edge in (damage.low, damage.high)
        if edge is not None
    ]
    return ratio_domain([*estimates, *(each for each in others if near[0] <= each <= near[1])])


def _place(results: Results, damage: Damage, levels: tuple[float, float]) -> float:
    """The level, a little aside by system so that intervals do not overlap."""
    index, count = results.systems.index(damage.system), len(results.systems)
    return damage.fill_percent + (index - (count - 1) / 2) * _ASIDE * (levels[1] - levels[0])


def _row(damage: Damage, place: float) -> dict[str, Any]:
    known = words.is_known(damage.low, damage.high, damage.n)
    interval = words.interval(damage.low, damage.high, damage.n)
    return {
        "side": damage.side,
        "system": damage.system,
        "fill_percent": damage.fill_percent,
        "place": place,
        "ratio": damage.ratio,
        "low": damage.low if known else None,
        "high": damage.high if known else None,
        "blocks": [value for _, value in damage.blocks],
        "tip": f"{damage.system}, {damage.side}, {damage.fill_percent} % full: aged"
        f" {words.ratio(damage.ratio)} of fresh ({interval}), {damage.n} blocks,"
        f" {GLYPHS[damage.verdict]} {damage.verdict};"
        f" {words.value(damage.aged.value, 'B/s')} and {words.value(damage.fresh.value, 'B/s')}",
    }


def _one_fill(panel: _Panel, width: int) -> alt.TopLevelMixin:
    """One level: a line a system."""
    import altair as alt

    values = ratio_ticks(*panel.ratios, 7)
    title = f"aged over fresh, {panel.fills[0]} % full"
    axis = alt.Axis(values=values, format=".0%", title=title)
    scale = alt.Scale(type="log", domain=list(panel.ratios), nice=False)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    along = Along("x", panel.ratios, x)
    one = chart_of([{"ratio": 1.0}]).mark_rule(color=INK, strokeWidth=1).encode(x=x("ratio"))
    fields, name = ("ratio", "low", "high"), HEADINGS[panel.side]
    under = [one]
    if panel.noise is not None:
        low, high = panel.noise
        edges = {"ratio": max(low, panel.ratios[0]), "above": min(high, panel.ratios[1])}
        band = chart_of([edges]).mark_rect(color=BAND, opacity=0.35)
        under.insert(0, band.encode(x=x("ratio"), x2="above:Q"))
    return row_of_points(panel.rows, fields, along, width, name, under)


def _draw(panel: _Panel, width: int) -> alt.TopLevelMixin:
    import altair as alt

    if len(panel.fills) == 1:
        return _one_fill(panel, width)
    x = alt.X(
        "place:Q",
        scale=alt.Scale(domain=list(panel.levels), nice=False, zero=False),
        axis=alt.Axis(values=panel.fills, labelExpr="datum.value + ' %'", title="full", grid=False),
    )
    scale = alt.Scale(type="log", domain=list(panel.ratios), nice=False)
    axis = alt.Axis(values=ratio_ticks(*panel.ratios, 7), format=".0%", title="aged over fresh")

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=scale, axis=axis)

    along = Along("y", panel.ratios, y)
    return alt.layer(*_levels(panel, y("ratio")), *_marks(panel.rows, x, along)).properties(
        width=width, height=HEIGHT_PIXELS, title=panels.heading(HEADINGS[panel.side], width)
    )


def _levels(panel: _Panel, y: alt.Y) -> list[alt.Chart]:
    """The fresh copy, and the band of the noise."""
    import altair as alt

    one = chart_of([{"ratio": 1.0}]).mark_rule(color=INK, strokeWidth=1).encode(y=y)
    if panel.noise is None:
        return [one]
    low, high = panel.noise
    band = [{"ratio": max(low, panel.ratios[0]), "above": min(high, panel.ratios[1])}]
    noise = chart_of(band).mark_rect(color=BAND, opacity=0.35)
    return [noise.encode(y=y, y2="above:Q", x=alt.value(0), x2=alt.value("width")), one]


def _marks(rows: list[dict[str, Any]], x: alt.X, along: Along) -> list[alt.Chart]:
    y, colour = along.channel("ratio"), panels.colour()
    return [
        panels.dots(rows, "place", "ratio", x, y),
        *whiskers(rows, ("ratio", "low", "high"), along, x=x),
        chart_of(rows)
        .mark_line(strokeWidth=1.5, opacity=0.7)
        .encode(x=x, y=y, color=colour, detail="system:N", strokeDash=panels.dash()),
        panels.points(chart_of(rows), 52, x=x, y=y),
    ]
