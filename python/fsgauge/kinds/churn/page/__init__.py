"""What the report shows of a study of churn, and of no other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fsgauge.kinds.churn.analysis.model import Churn, Damage, Tree
from fsgauge.kinds.churn.factors import Side
from fsgauge.report import vega, words
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.draw import Drawing, draw
from fsgauge.report.kind_page import Assurance, KindPage
from fsgauge.report.table_parts import (
    NOTHING,
    Rows,
    Table,
    TableCell,
    judged_cell,
    known,
    number_cell,
    value_cell,
)
from fsgauge.report.theme import GLYPHS
from fsgauge.stats.evidence import count
from fsgauge.stats.kept import NOUNS
from fsgauge.stats.results import Results
from fsgauge.stats.verdict import OPEN
from fsgauge.stats.wording import loss_shown
from fsgauge.units import exact_percent, format_size

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

    def pictures(self, results: Results) -> list[Drawing | None]:
        return [damage_chart(results)]

    def left_out(self, drawings: Mapping[str, Drawing], results: Results) -> set[str]:  # noqa: ARG002
        return OF_SYSTEMS if "damage" in drawings else set()

    def lead(self, drawings: Mapping[str, Drawing]) -> str:
        return "churn/lead.html.j2" if "damage" in drawings else ""

    def summary_tables(self, results: Results) -> list[Table]:
        return damage_table(results, Churn.within(results))

    def values(self, results: Results) -> dict[str, Any]:
        churn = Churn.within(results)
        parts = {
            "damage": self.summary_tables(results),
            "layouts": layout_table(churn),
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


def damage_table(results: Results, churn: Churn) -> list[Table]:
    base, several = results.baseline, len(results.systems) > 1
    note = (
        "Bytes per second of the same work on the aged system over those on the fresh copy, inside"
        " a block. Worse: ageing made it slower. "
    )
    note += f"Over {base}'s ratio: above 1 a system suffers less. " if several else ""
    return Rows(churn.damages).tables(
        "damage",
        "Damage by fill",
        note + _noise_words(churn),
        [
            ("test", "", lambda d: NOUNS[d.side]),
            ("full", "", lambda d: f"{d.fill_percent} %"),
            ("system", "", lambda d: d.system),
            ("aged over fresh", "damage", _damage_cell),
            ("verdict", "", _verdict),
            (f"over {base}'s ratio", "damage", lambda d: _against(d, base)) if several else None,
            ("aged", "bandwidth", lambda d: value_cell(d.aged, "B/s")),
            ("fresh copy", "bandwidth", lambda d: value_cell(d.fresh, "B/s")),
        ],
    )


def layout_table(churn: Churn) -> list[Table]:
    note = (
        "Where the tree lay, and what was free around it, before it was read; new files were"
        " written afterwards. In use: what a scan reports for the whole file system, including the"
        " file system's own structures."
    )
    return Rows(churn.layouts).tables(
        "churn-layouts",
        "Layouts, aged and fresh",
        note,
        [
            ("full", "", lambda each: f"{each.fill_percent} %"),
            ("system", "", lambda each: each.system),
            ("tree", "", lambda each: each.wear),
            ("extents per file", "extents_per_file", lambda e: number_cell(e.extents_per_file)),
            ("files in several", "fragmented", lambda e: words.share_text(e.fragmented_share)),
            ("layout score", "layout_score", lambda e: known(e.layout_score, "{:.4f}".format)),
            (
                "extents per new file",
                "extents_per_file",
                lambda e: number_cell(e.new_extents_per_file),
            ),
            ("free pieces", "free_space", lambda e: known(e.free_extents, "{:,.0f}".format)),
            ("largest", "free_space", lambda e: known(e.largest_free_bytes, format_size)),
            (
                "free in 1 MiB or more",
                "free_at_least",
                lambda e: words.share_text(e.free_at_least_1_mib_share),
            ),
            ("in use", "free_space", lambda each: words.share_text(each.used_share)),
        ],
    )


def tree_table(churn: Churn) -> list[Table]:
    return Rows(churn.trees).tables(
        "trees",
        "How the trees were made",
        "Means over turns. A fresh copy holds the files that the ageing left, each written once.",
        [
            ("full", "", lambda each: f"{each.fill_percent} %"),
            ("system", "", lambda each: each.system),
            ("tree", "", lambda each: each.wear),
            ("files", "extents", lambda each: f"{each.live_files:,.0f}"),
            ("live", "storage_age", lambda each: format_size(each.live_bytes)),
            ("of what was free", "damage", lambda each: words.share_text(each.live_share)),
            ("written", "storage_age", lambda each: format_size(each.written_bytes)),
            ("storage age", "storage_age", lambda e: known(e.storage_age, "{:.2f}".format)),
            ("operations", "storage_age", lambda e: TableCell(f"{e.operations:,.0f}", _failed(e))),
        ],
        folded_from=0,
    )


def _damage_cell(damage: Damage) -> TableCell:
    return TableCell(words.ratio(damage.ratio, damage.low, damage.high), words.interval_of(damage))


def _verdict(damage: Damage) -> str:
    text: str = damage.verdict
    if damage.verdict == "equivalent":
        text = f"equivalent (within {exact_percent(damage.margin_percent)})"
    elif damage.verdict in OPEN and damage.detectable_loss_percent is not None:
        text = f"{text} ({loss_shown({damage.system: damage.detectable_loss_percent})})"
    return f"{GLYPHS[damage.verdict]} {text}"


def _against(damage: Damage, base: str) -> TableCell:
    against = damage.against_baseline
    if damage.system == base or against is None:
        return TableCell("baseline") if damage.system == base else NOTHING
    return TableCell(judged_cell(against).text, words.interval_of(against))


def _noise_words(churn: Churn) -> str:
    parts = [
        f"{NOUNS[side]} {words.interval_of(noise)}"
        for side, noise in churn.noise.items()
        if words.ends(noise) != (None, None)
    ]
    return f"Two equal turns of the baseline differ by: {', '.join(parts)}." if parts else ""


def _failed(tree: Tree) -> str:
    parts = [f"{tree.failed:,} failed"] if tree.failed else []
    parts += [each.replace("_", " ") for each in tree.ended if each != "complete"]
    return ", ".join(parts)
