"""CPU time per I/O by primary cell: the load threads above, the whole machine below. Each has its
own scale: what the kernel does elsewhere can be many times what the threads need."""

from __future__ import annotations

from typing import Any

from fsgauge.report import vega, words
from fsgauge.report.charts import axes, marks, panels
from fsgauge.report.draw import Drawing, draw
from fsgauge.stats.results import Results

PANELS_LIMIT = 9
ROWS_LIMIT = 60
AIR = 1.08
KINDS = {"cpu": "load threads", "machine_cpu": "whole machine"}
Panel = tuple[str, list[dict[str, Any]]]


def processor_time(results: Results) -> Drawing | None:
    shown: list[Panel] = []
    most = min(PANELS_LIMIT, max(1, ROWS_LIMIT // len(results.systems)))
    for cell_id in results.primary_cells[:most]:
        rows = panels.styled(results, _rows(results, cell_id))
        if rows:
            shown.append((results.cell(cell_id).name, rows))
    if not shown:
        return None
    label = "CPU time per operation, of the load threads and of the whole machine."
    rows = [row for _, panel in shown for row in panel]
    left = len(results.primary_cells) - len(shown)
    note = f"{left} more primary cells are in the tables." if left > 0 else ""
    return draw("cpu", label, *panels.both(shown, _panel), rows, note=note)


def _rows(results: Results, cell_id: str) -> list[dict[str, Any]]:
    return [
        {
            "cell": cell_id,
            "system": entry.system,
            "kind": KINDS[entry.metric],
            "us": entry.value / 1e3,
            **marks.ends(entry, divisor=1e3),
            "tip": f"{entry.system}, {KINDS[entry.metric]}: {words.estimate(entry, 'ns')} per I/O",
        }
        for system in results.systems
        for entry in results.measurements
        if (entry.cell, entry.system) == (cell_id, system) and entry.metric in KINDS
    ]


def _panel(panel: Panel, width: int) -> vega.Chart:
    name, rows = panel
    parts = [[row for row in rows if row["kind"] == kind] for kind in KINDS.values()]
    drawn = [_part(part, width) for part in parts if part]
    drawn[0] = drawn[0].properties(title=panels.heading(name, width))
    return vega.vconcat(*drawn, spacing=6)


def _part(rows: list[dict[str, Any]], width: int) -> vega.Chart:
    """One kind of CPU time on its own scale, from 0 on."""
    top = AIR * max([*(row["us"] for row in rows), *marks.edges_of(rows, "low", "high")])
    title = f"{rows[0]['kind']}, us per operation"
    along = axes.along("x", (0.0, top), log=False, title=title, tickCount=5)
    return marks.row_of_points(rows, ("us", "low", "high"), along, width)
