"""The table of all numbers: one a metric, one line a cell and system, with units and intervals."""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.report import words
from fsgauge.report.theme import GLYPHS
from fsgauge.stats.results import Comparison, Measurement, MetricInfo, Results


@dataclass(frozen=True)
class Line:
    """One system in one cell, in words; `verdict` and what follows are empty for the baseline."""

    cell: str
    system: str
    value: str
    interval: str
    blocks: int
    ratio: str
    ratio_interval: str
    glyph: str
    verdict: str
    robust: str
    left_out: str


@dataclass(frozen=True)
class NumberTable:
    """All lines of one metric."""

    name: str
    label: str
    better: str
    page: str
    lines: list[Line]


def number_tables(results: Results) -> list[NumberTable]:
    """One table a metric that was measured."""
    comparisons = {(e.metric, e.cell, e.system): e for e in results.comparisons}
    measurements = {(m.metric, m.cell, m.system): m for m in results.measurements}
    tables = []
    for metric in results.metrics:
        lines = [
            _line(results, metric, measured, comparisons.get((metric.name, cell.id, system)))
            for cell in results.cells
            for system in results.systems
            if (measured := measurements.get((metric.name, cell.id, system))) is not None
        ]
        label = metric.label
        if metric.name.startswith(("read.", "write.")):
            kind = "response latency" if results.latency_kind == "response" else "service time"
            label = label.replace("latency", kind)
        better = "higher is better" if metric.higher_is_better else "lower is better"
        tables.append(NumberTable(metric.name, label, better, metric.page, lines))
    return tables


def _line(
    results: Results, metric: MetricInfo, measured: Measurement, entry: Comparison | None
) -> Line:
    low, high = measured.low, measured.high
    told = measured.n >= words.FEWEST_BLOCKS  # of fewer, the section's hint tells it once
    interval = words.unknown(measured.n) if told and low is not None else ""
    if low is not None and high is not None and words.is_known(low, high, measured.n):
        interval = f"{words.value(low, metric.unit)} to {words.value(high, metric.unit)}"
    return Line(
        cell=results.cell(measured.cell).name,
        system=measured.system,
        value=words.value(measured.value, metric.unit),
        interval=interval,
        blocks=measured.n,
        ratio=words.ratio(entry.ratio) if entry else "",
        ratio_interval=_ratio_interval(entry) if entry else "baseline",
        glyph=GLYPHS[entry.verdict] if entry else "",
        verdict=words.verdict(entry) if entry else "",
        robust=_robust(entry) if entry else "",
        left_out=", ".join(f"block {block + 1}" for block in entry.left_out) if entry else "",
    )


def _ratio_interval(entry: Comparison) -> str:
    if entry.n < words.FEWEST_BLOCKS:
        return ""
    return words.interval(entry.low, entry.high, entry.n)


def _robust(entry: Comparison) -> str:
    text = words.ratio(entry.robust_ratio)
    if entry.robust_low is None:
        return text
    return f"{text} ({words.interval(entry.robust_low, entry.robust_high, entry.n)})"
