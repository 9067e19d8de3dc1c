"""What a report shows of an aged file system: rates by free space, layouts, predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fsgauge.engine.wire import ScanMap
from fsgauge.kinds.aging.analysis.model import Aging
from fsgauge.kinds.aging.factors import AgingFactors
from fsgauge.kinds.aging.page.against_free import (
    kept_chart,
    level_words,
    predicted_chart,
    rates_chart,
)
from fsgauge.kinds.aging.page.claims import claims_table, source_of_claims
from fsgauge.kinds.aging.page.tables import (
    disk_table,
    layout_tables,
    levels_tables,
    predicted_table,
    summary_table,
)
from fsgauge.record.records import Cell, ScanRecord
from fsgauge.report.charts import panels
from fsgauge.report.charts.lengths import Limits, Panel, lengths_chart, limits_of, rows_of
from fsgauge.report.draw import Drawing
from fsgauge.report.kind_page import KindPage
from fsgauge.report.scan.map import COLOURS, coloured_png, places, shares_of
from fsgauge.report.scan.strip import group_bars
from fsgauge.report.table_parts import Table
from fsgauge.stats.results import Results
from fsgauge.store import StoredStudy
from fsgauge.units import count, format_size

KINDS = {
    "data": "the streams' files",
    "metadata": "the file system's own",
    "other": "aged files and ballast",
    "free": "free",
}


@dataclass(frozen=True)
class Step:
    """What a scan shows, a map or free space in the file system's groups by their numbers, and the
    words above and below it."""

    step: str
    picture: str
    words: str


@dataclass(frozen=True)
class MapRow:
    """One system's maps, in the order of its turn; its groups at the first and at the last."""

    system: str
    cell: str
    maps: list[Step]
    groups: list[Step]


def _map_rows(results: Results, scans: Sequence[ScanRecord]) -> list[MapRow]:
    shown: list[int | None] = [None, *steps_of(Aging.within(results).levels)]
    by_id = {cell.id: cell for cell in results.cells}
    rows = []
    for system in results.systems:
        turn = _first_turn(system, scans)
        of_turn = [scan for scan in scans if (scan.block, scan.turn) == turn]
        steps = [
            (by_id[scan.cell], scan)
            for level in shown
            for scan in of_turn
            if scan.cell in by_id and AgingFactors.of(by_id[scan.cell]).free_percent == level
        ]
        found = [each for step in steps if (each := _small(*step)) is not None]
        if found:
            ends = [steps[0], *steps[1:][-1:]]
            groups = [bars for step in ends if (bars := _by_group(*step)) is not None]
            sizes = [scan.result.map for scan in of_turn if scan.result and scan.result.map]
            rows.append(MapRow(system, format_size(sizes[0].cell_bytes), found, groups))
    return rows


def _first_turn(system: str, scans: Sequence[ScanRecord]) -> tuple[int, int] | None:
    turns = [
        (scan.block, scan.turn)
        for scan in scans
        if scan.system == system and scan.result is not None and scan.result.map is not None
    ]
    return min(turns, default=None)


def _small(cell: Cell, scan: ScanRecord) -> Step | None:
    result = scan.result
    if result is None or result.map is None:
        return None
    words = f"files in {count(result.counts.extents, 'piece')}"
    level = AgingFactors.of(cell).free_percent
    return Step(level_words(level), blended_picture(result.map), words)


def _by_group(cell: Cell, scan: ScanRecord) -> Step | None:
    """As the kernel numbers them, so that a range of groups is found again."""
    groups = list(scan.result.groups) if scan.result is not None else []
    if not groups:
        return None
    end_bytes = max(group.offset_bytes + group.size_bytes for group in groups)
    words = f"groups 0 to {len(groups) - 1}, each of {format_size(groups[0].size_bytes)}"
    level = AgingFactors.of(cell).free_percent
    return Step(level_words(level), group_bars(groups, end_bytes), words)


STRENGTHS = {"data": 1.0, "metadata": 1.0, "other": 0.8, "free": 0.24, "unallocated": 0.24}
_LOUDER = 0.5
"""The power of the share of the streams' files: a quarter of a cell counts as a half."""


def blended_picture(area: ScanMap) -> str:
    """The map along the Hilbert curve, as `data:image/png;base64,...`."""
    import numpy as np

    shares = {kind: share / 255 for kind, share in shares_of(area).items()}
    shares["data"] = shares["data"] ** _LOUDER
    rest = sum(share for kind, share in shares.items() if kind != "data")
    room = np.where(rest > 0, (1 - shares["data"]) / np.where(rest > 0, rest, 1), 0)
    weights = {kind: s if kind == "data" else s * room for kind, s in shares.items()}
    colours = np.zeros((len(area.data), 4))
    for kind, weight in weights.items():
        strength = weight * STRENGTHS[kind]
        colours[:, :3] += strength[:, None] * np.array(COLOURS[kind])
        colours[:, 3] += strength
    colours[:, :3] /= np.maximum(colours[:, 3:], 1e-9)
    colours[:, 3] = np.minimum(colours[:, 3], 1) * 255
    side = 1 << area.order
    pixels = np.zeros((side, side, 4), dtype=np.uint8)
    x, y = places(area.order)
    pixels[y, x] = np.round(colours).astype(np.uint8)
    return coloured_png(pixels)


class AgingPage(KindPage):
    sections = ("aging/sections.html.j2",)
    facts = "aging/facts.html.j2"
    workers = "streams"

    def pictures(self, results: Results) -> list[Drawing | None]:
        return [
            kept_chart(results),
            rates_chart(results),
            predicted_chart(results) if results.simulation is None else None,
            written_lengths(results),
            free_lengths(results),
        ]

    def lead(self, drawings: Mapping[str, Drawing]) -> str:
        return "aging/lead.html.j2" if "kept" in drawings else ""

    def summary_tables(self, results: Results) -> list[Table]:
        return summary_table(results, Aging.within(results))

    def of_records(self, results: Results, stored: StoredStudy) -> dict[str, Any]:
        return {"aging_maps": _map_rows(results, stored.scans)}

    def values(self, results: Results) -> dict[str, Any]:
        aging = Aging.within(results)
        # The runs of a simulation were timed by a model already.
        is_measured = results.simulation is None
        predicted = predicted_table(results, aging, steps_of(aging.levels)) if is_measured else []
        parts = {
            "rates": [*summary_table(results, aging), *levels_tables(results, aging)],
            "predicted": [*predicted, *disk_table(aging)] if predicted else [],
            "layouts": layout_tables(results, aging),
            "claims": claims_table(results, aging),
            "source": source_of_claims(),
            "legend": [
                (name, f"rgb{COLOURS[kind]}", STRENGTHS[kind]) for kind, name in KINDS.items()
            ],
            "only_splitting": aging.seeks == "no",
        }
        return {"aging": parts}


PAGE = AgingPage()


STEPS = (0, 25, 50, 75, 100)
PER_LINE = 4
SMALLEST_BYTES = 64 << 10
FAINTEST = 0.3
PIECES = "pieces"


def steps_of(levels: Sequence[int]) -> list[int]:
    """At most five levels to show, from the least free to the most."""
    if not levels:
        return []
    found = [min(levels, key=lambda level: abs(level - step)) for step in STEPS]
    return list(dict.fromkeys(found))


def written_lengths(results: Results) -> Drawing | None:
    """Extents of the files that were written, a panel a level, a line a system; None without
    scans."""
    aging, shown = Aging.within(results), []
    if not aging.layouts:
        return None
    drawn = panels.drawn_systems(results)
    limits = _limits([each.lengths.at_least for each in aging.layouts])
    for level in [None, *steps_of(aging.levels)]:
        rows = [
            {**row, "free_percent": level}
            for each in aging.layouts
            if each.free_percent == level and each.system in drawn
            for row in rows_of(each.system, PIECES, each.lengths.at_least, limits)
        ]
        if rows:
            styled = panels.styled(results, rows)
            shown.append(Panel(level_words(level), styled, limits, PIECES, "% of bytes written"))
    label = "Share of written bytes in extents of at least some length, by level and system."
    return lengths_chart("lengths", label, shown, PER_LINE, panels.left_out(results))


def free_lengths(results: Results) -> Drawing | None:
    """Pieces of free space, a panel a system, a line a level; None where they are unknown."""
    aging = Aging.within(results)
    known = [each.free.at_least for each in aging.layouts if each.free and each.free.at_least]
    if not known:
        return None
    limits = _limits(known)
    shown = [
        Panel(system, rows, limits, PIECES, "% of free bytes")
        for system in panels.drawn_systems(results)
        if (rows := _free_rows(aging, system, limits))
    ]
    label = "Share of free bytes in pieces of at least some length, by system and level."
    return lengths_chart("free", label, shown, PER_LINE, panels.left_out(results))


def _limits(found: Sequence[Sequence[tuple[int, float]]]) -> Limits:
    smallest = min([SMALLEST_BYTES, *(length for each in found for length, _ in each)])
    return smallest, limits_of(SMALLEST_BYTES, found)[1]


def _free_rows(aging: Aging, system: str, limits: Limits) -> list[dict[str, Any]]:
    """Lines of one system from little free (faint) to all free (strong)."""
    rows = []
    steps = steps_of(aging.levels)
    for place, level in enumerate(steps):
        layout = aging.layout(system, level)
        if layout is None or layout.free is None or not layout.free.at_least:
            continue
        rows += [
            {
                **row,
                "free_percent": level,
                "line": f"{level} %",
                "colour": "var(--accent, #0072b2)",
                "shape": "circle",
                "opacity": 1 - (1 - FAINTEST) * (len(steps) - 1 - place) / max(len(steps) - 1, 1),
                "tip": f"{level} % free, " + row["tip"],
            }
            for row in rows_of(system, PIECES, layout.free.at_least, limits)
        ]
    return rows
