"""What the report shows of a study of churn, and of no other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fsgauge.kinds.churn.analysis.model import Churn, Damage
from fsgauge.kinds.churn.factors import Side
from fsgauge.kinds.churn.page.tables import damage_table, layout_table, tree_table
from fsgauge.report import vega, words
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.draw import Drawing, draw
from fsgauge.report.kind_page import Assurance, KindPage
from fsgauge.report.table_parts import Table, all_said_once
from fsgauge.report.theme import GLYPHS
from fsgauge.stats.evidence import count
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy

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
FIELDS = ("ratio", "low", "high")


OF_SYSTEMS = {"forest", "depth", "latency", "cpu", "series"}
"""Pictures of systems side by side, which the picture of the damage replaces."""


class ChurnPage(KindPage):
    sections = ("churn/sections.html.j2",)
    ranked = False
    workers = "clients"

    def pictures(self, results: Results, stored: StoredStudy) -> list[Drawing | None]:  # noqa: ARG002
        return [damage_chart(results)]

    def left_out(self, drawings: Mapping[str, Drawing], results: Results) -> set[str]:  # noqa: ARG002
        return OF_SYSTEMS if "damage" in drawings else set()

    def lead(self, drawings: Mapping[str, Drawing]) -> str:
        return "churn/lead.html.j2" if "damage" in drawings else ""

    def summary_tables(self, results: Results) -> list[Table]:
        return all_said_once(damage_table(results, Churn.within(results)))

    def values(self, results: Results, stored: StoredStudy) -> dict[str, Any]:  # noqa: ARG002
        churn = Churn.within(results)
        parts = {
            "damage": self.summary_tables(results),
            "layouts": all_said_once(layout_table(churn)),
            "trees": tree_table(churn),
        }
        return {"churn": parts}

    def comparisons(self, results: Results) -> Assurance | None:
        damages = Churn.within(results).damages
        text = f"{count(len(damages), 'ratio')} of aged over fresh, corrected for"
        return Assurance("Comparisons", text, True, "damage")


PAGE = ChurnPage()


@dataclass(frozen=True)
class _Panel:
    """One side: its rows, its noise, and the scales that all panels share."""

    side: Side
    rows: list[dict[str, Any]]
    noise: list[dict[str, float]]
    fills: list[int]
    levels: tuple[float, float]
    ratios: tuple[float, float]


def damage_chart(results: Results) -> Drawing | None:
    churn = Churn.within(results)
    if not churn.damages:
        return None
    shown = _panels(results, churn)
    rows = [row for panel in shown for row in panel.rows]
    label = "Rate of the aged system over that of a fresh copy by fill level, reads and writes."
    width = WIDE_PIXELS if len(shown) > 1 else 2 * WIDE_PIXELS
    drawn = panels.in_widths(shown, _draw, width, NARROW_PIXELS)
    return draw("damage", label, *drawn, rows, note=panels.left_out(results))


def _panels(results: Results, churn: Churn) -> list[_Panel]:
    ratios = _ratio_limits(churn)
    span = max(churn.fills) - min(churn.fills) or 20
    levels = (min(churn.fills) - 0.12 * span, max(churn.fills) + 0.12 * span)
    apart = _ASIDE * (levels[1] - levels[0])
    found = []
    for side in churn.sides:
        damages = [each for each in churn.damages if each.side == side]
        rows = panels.drawn(results, [_row(results, each, apart) for each in damages])
        low, high = words.ends(churn.noise[side]) if side in churn.noise else (None, None)
        noise = [] if low is None else [{"from": low or 1.0, "to": high or 1.0}]
        if rows:
            found.append(_Panel(side, rows, noise, churn.fills, levels, ratios))
    return found


def _ratio_limits(churn: Churn) -> tuple[float, float]:
    """Room for all estimates, and for what is not far from them."""
    estimates = [damage.ratio for damage in churn.damages]
    near = (min(estimates) / FARTHEST, max(estimates) * FARTHEST)
    others = [value for damage in churn.damages for _, value in damage.blocks]
    others += [edge for damage in churn.damages for edge in words.ends(damage) if edge is not None]
    return axes.ratio_domain([*estimates, *(each for each in others if near[0] <= each <= near[1])])


def _row(results: Results, damage: Damage, apart: float) -> dict[str, Any]:
    """At its level, a little aside by system so that intervals do not overlap."""
    aside = results.systems.index(damage.system) - (len(results.systems) - 1) / 2
    return {
        "side": damage.side,
        "system": damage.system,
        "fill_percent": damage.fill_percent,
        "place": damage.fill_percent + aside * apart,
        "ratio": damage.ratio,
        **marks.ends(damage),
        "blocks": [value for _, value in damage.blocks],
        "tip": f"{damage.system}, {damage.side}, {damage.fill_percent} % full: aged"
        f" {words.ratio(damage.ratio, damage.low, damage.high)} of fresh"
        f" ({words.interval_of(damage)}), {damage.n} blocks,"
        f" {GLYPHS[damage.verdict]} {damage.verdict};"
        f" {words.value(damage.aged.value, 'B/s')} and {words.value(damage.fresh.value, 'B/s')}",
    }


def _draw(panel: _Panel, width: int) -> vega.Chart:
    """A line a system from level to level; of one level, a line each."""
    name = HEADINGS[panel.side]
    if len(panel.fills) == 1:
        title = f"aged over fresh, {panel.fills[0]} % full"
        along = axes.ratios("x", panel.ratios, 7, format=".0%", title=title)
        under = [*marks.bands(panel.noise, along, 0.35), marks.level(1, along, strokeWidth=1)]
        return marks.row_of_points(panel.rows, FIELDS, along, width, name, under)
    x = axes.along(
        "x",
        panel.levels,
        log=False,
        values=panel.fills,
        labelExpr="datum.value + ' %'",
        title="full",
        grid=False,
    ).channel("place")
    along = axes.ratios("y", panel.ratios, 7, format=".0%", title="aged over fresh")
    line = {"strokeWidth": 1.5, "opacity": 0.7}
    return vega.layer(
        *marks.bands(panel.noise, along, 0.35, x=vega.value(0), x2=vega.value("width")),
        marks.level(1, along, strokeWidth=1),
        *marks.measured(panel.rows, FIELDS, along, 52, at="place", line=line, x=x),
    ).properties(width=width, height=HEIGHT_PIXELS, title=panels.heading(name, width))
