"""Rates over time: a panel a primary cell and system, a line a run, the worst stall marked. All
systems of a cell have the same scale. The warm-up, which does not count, is shaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fsgauge.record.records import RunRecord
from fsgauge.record.series import Integers, Intervals
from fsgauge.report import vega, words
from fsgauge.report.charts import axes, panels
from fsgauge.report.draw import Drawing, chart_of, draw
from fsgauge.report.labels import MANY
from fsgauge.report.theme import BAND, INK
from fsgauge.stats.results import Results

PANELS_LIMIT = 24
POINTS_LIMIT = 6000
PER_LINE = 4
FEWEST_POINTS = 2
STALLED = 0.5
"""An interval below this share of its run's median is marked, the lowest one of a panel."""
AIR = 1.08


@dataclass(frozen=True)
class RatesPanel:
    """Rates of runs over time; `top` ends their axis. `shades` reach from `from` to `to`, `stalls`
    are marked with their words."""

    name: str
    below: str
    rows: list[dict[str, Any]]
    shades: list[dict[str, Any]]
    stalls: list[dict[str, Any]]
    top: float


def time_series(results: Results, runs: Sequence[RunRecord]) -> Drawing | None:
    systems = panels.drawn_systems(results)
    most = PANELS_LIMIT if len(results.systems) <= MANY else PANELS_LIMIT // 2
    cells = results.primary_cells[: max(1, most // len(systems))]
    of_cells = {
        cell: [
            run
            for run in runs
            if run.cell.id == cell and run.system in systems and run.result is not None
        ]
        for cell in cells
    }
    points = sum(len(run.result.intervals) for of in of_cells.values() for run in of if run.result)
    limit = POINTS_LIMIT if len(results.systems) <= MANY else POINTS_LIMIT // 2
    step = max(1, -(-points // limit))
    shown = [panel for cell, of in of_cells.items() for panel in _panels(results, cell, of, step)]
    if not shown:
        return None
    label = "Operations per second over time, every run; the warm-up is shaded."
    rows = [row for panel in shown for row in panel.rows]
    most = min(PER_LINE, len({row["system"] for row in rows}))
    return draw(
        "series",
        label,
        *panels.both(shown, rates_panel, most),
        rows,
        [stall["tip"] for panel in shown for stall in panel.stalls],
        note=_note(results, cells),
    )


def _note(results: Results, cells: Sequence[str]) -> str:
    left = len(results.primary_cells) - len(cells)
    cells_left = f"{left} more primary cells have no picture." if left else ""
    return " ".join(filter(None, (cells_left, panels.left_out(results))))


def _panels(results: Results, cell: str, runs: Sequence[RunRecord], step: int) -> list[RatesPanel]:
    rows = panels.styled(results, [row for run in runs for row in points_of(run, step)])
    if not rows:
        return []
    top = rates_top(rows)
    warm_up_s = min(run.result.warm_up_ns for run in runs if run.result) / 1e9
    warm_up = [{"from": 0, "to": warm_up_s, "tip": "warm-up"}] if warm_up_s > 0 else []
    found = []
    for system in results.systems:
        own = [row for row in rows if row["system"] == system]
        if own:
            name = results.cell(cell).name
            stall = _worst_stall([run for run in runs if run.system == system])
            found.append(RatesPanel(own[0]["label"], name, own, warm_up, stall, top))
    return found


def _rates(run: RunRecord) -> tuple[Integers, Integers, Integers]:
    """Starts and lengths of a run's intervals in ns, and the operations done in each."""
    intervals = Intervals.of(run.result.intervals if run.result is not None else [])
    return intervals.column("start_ns"), intervals.column("elapsed_ns"), intervals.done


def points_of(run: RunRecord, step: int) -> list[dict[str, Any]]:
    """One point an interval, or one for `step` intervals where there are very many; none of a run
    that ended within one, which has no line."""
    start_ns, elapsed_ns, done = _rates(run)
    if len(done) < FEWEST_POINTS:
        return []
    firsts = np.arange(0, len(done), step)
    lasts = np.append(firsts[1:], len(done)) - 1
    seconds = (start_ns[firsts] + start_ns[lasts] + elapsed_ns[lasts]) / 2e9
    spans_ns = np.maximum(np.add.reduceat(elapsed_ns, firsts), 1)
    rates = np.add.reduceat(done, firsts) * 1e9 / spans_ns
    return [
        {"cell": run.cell.id, "system": run.system, "run": _name(run), "seconds": at, "rate": rate}
        for at, rate in zip(seconds.tolist(), rates.tolist(), strict=True)
    ]


def _name(run: RunRecord) -> str:
    return f"block {run.block + 1}, turn {run.turn + 1}"


def _worst_stall(runs: Sequence[RunRecord]) -> list[dict[str, Any]]:
    """The interval that is the smallest share of its run's median, if any is below STALLED. The
    warm-up does not count, nor does the last interval, which may be cut short."""
    worst: dict[str, Any] | None = None
    for run in runs:
        start_ns, elapsed_ns, done = _rates(run)
        counted = np.flatnonzero(start_ns >= (run.result.warm_up_ns if run.result else 0))[:-1]
        if len(counted) < 3:
            continue
        rates = done[counted] * 1e9 / np.maximum(elapsed_ns[counted], 1)
        middle = float(np.median(rates))
        lowest = int(np.argmin(rates))
        share = float(rates[lowest]) / middle if middle > 0 else 1.0
        if share < STALLED and (worst is None or share < worst["share"]):
            at = counted[lowest]
            seconds = float(start_ns[at] + elapsed_ns[at] / 2) / 1e9
            worst = {
                "share": share,
                "seconds": seconds,
                "rate": float(rates[lowest]),
                "words": f"{100 * share:.0f} %",
                "tip": f"{run.system}, {_name(run)}, {seconds:.1f} s: worst stall,"
                f" {words.value(float(rates[lowest]), 'IOPS')}, {100 * share:.0f} % of the run's"
                " median",
            }
    return [worst] if worst is not None else []


SECONDS = {"title": "seconds", "grid": False, "tickCount": 5}
"""The axis of time."""


def rates_top(rows: Sequence[dict[str, Any]]) -> float:
    return AIR * float(max(1e-9, *(row["rate"] for row in rows)))


def rates_panel(panel: RatesPanel, width: int) -> vega.Chart:
    """A line a run, what is shaded behind it, and the worst stall."""
    x = vega.field("seconds:Q", axis=SECONDS)
    y = vega.field(
        "rate:Q",
        scale={"domain": [0, panel.top], "nice": False},
        axis={"title": "operations/s", "labelExpr": axes.amount(), "tickCount": 4},
    )
    layers: list[vega.Chart] = []
    if panel.shades:
        shades = chart_of(panel.shades).mark("rect", color=BAND, opacity=0.4)
        begins, ends = vega.field("from:Q", axis=SECONDS), vega.field("to:Q")
        layers.append(shades.encode(x=begins, x2=ends, description=vega.field("tip:N")))
    layers.append(
        chart_of(panel.rows)
        .mark("line", strokeWidth=1, opacity=0.6)
        .encode(x=x, y=y, color=panels.colour(), detail=vega.field("run:N"))
    )
    if panel.stalls:
        late = panel.stalls[0]["seconds"] > 0.8 * max(row["seconds"] for row in panel.rows)
        stall = chart_of(panel.stalls)
        layers += [
            stall.mark(
                "point", size=70, filled=False, color=INK, strokeWidth=1.6, opacity=1
            ).encode(x=x, y=y, description=vega.field("tip:N")),
            stall.mark(
                "text",
                align="right" if late else "left",
                dx=-9 if late else 9,
                fontSize=11,
                color=INK,
            ).encode(x=x, y=y, text=vega.field("words:N")),
        ]
    return vega.layer(*layers).properties(
        width=width, height=110, title=panels.heading(panel.name, width, panel.below)
    )
