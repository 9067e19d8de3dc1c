"""The tables of all numbers, a line per cell and system; those of layouts; systems in order.

How long it takes to make writes durable has one of its own: of the load's own syncs, of log writers
that work alongside it, and of writes that are durable when they return (O_DSYNC).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fsgauge.engine.wire import DsyncSync, LoadJob
from fsgauge.record.records import Cell as RecordCell
from fsgauge.record.records import RunRecord
from fsgauge.report import table_parts, words
from fsgauge.report.table_parts import NEVER_VARIED, never_varies, short_words
from fsgauge.report.theme import GLYPHS
from fsgauge.scan.numbers import QUANTITIES, Quantity
from fsgauge.scan.words import number
from fsgauge.stats.layouts import SHOWN
from fsgauge.stats.metrics import COMPANIONS, SYNC
from fsgauge.stats.ranking import Ranked, ranking
from fsgauge.stats.results import (
    Comparison,
    DidNothing,
    LayoutNumber,
    LayoutRatio,
    Measurement,
    MetricInfo,
    Results,
)
from fsgauge.stats.robust import differs
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT
from fsgauge.stats.wording import blocks_in_words, ratio_range


@dataclass(frozen=True)
class ComparisonRow:
    """One system in one cell, in words; `verdict` and what follows are empty for the baseline.
    `robust` is the second line of a ratio, empty where it says what the first does."""

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
    lines: list[ComparisonRow]


def number_tables(results: Results) -> list[NumberTable]:
    lines_of = _Lines(results)
    tables = []
    for metric in results.metrics:
        lines = [
            line
            for cell in results.cells
            for system in results.systems
            if (line := lines_of.line(metric, cell.id, system)) is not None
        ]
        label = metric.label
        if metric.name.startswith(("read.", "write.")):
            label = label.replace("latency", results.latency_words)
        tables.append(NumberTable(metric.name, label, metric.better, metric.page, lines))
    return tables


def primary_lines(results: Results) -> list[ComparisonRow]:
    """A line a primary cell and system, by the cell's primary metric."""
    metrics = {metric.name: metric for metric in results.metrics}
    lines_of = _Lines(results)
    return [
        line
        for cell in results.primary_cells
        if (name := results.primary_metrics[cell]) in metrics
        for system in results.systems
        if (line := lines_of.line(metrics[name], cell, system)) is not None
    ]


class _Lines:
    """What a table says of one metric, cell and system."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._comparisons = {(e.cell, e.system, e.metric): e for e in results.comparisons}
        self._measured = results.measured
        self._nothing = {(n.cell, n.system, n.metric): n for n in results.nothing}

    def line(self, metric: MetricInfo, cell: str, system: str) -> ComparisonRow | None:
        place = (cell, system, metric.name)
        if (nothing := self._nothing.get(place)) is not None:
            return _idle_line(self._results, nothing)
        measured = self._measured.get(place)
        if measured is None:
            return None
        return _line(self._results, metric, measured, self._comparisons.get(place))


def _idle_line(results: Results, nothing: DidNothing) -> ComparisonRow:
    cell = results.cell(nothing.cell).name
    return ComparisonRow(cell, nothing.system, "nothing", nothing.where, 0, "", "", "", "", "", "")


def _line(
    results: Results, metric: MetricInfo, measured: Measurement, entry: Comparison | None
) -> ComparisonRow:
    low, high = measured.low, measured.high
    unit = results.unit_in(measured.cell, metric.unit)
    enough = measured.n >= BLOCKS_FOR_A_VERDICT  # of fewer, the section's hint says it once
    interval = words.unknown(measured.n) if enough and low is not None else short_words(measured)
    if low is not None and high is not None and words.is_known(low, high, measured.n):
        interval = words.value_range(low, high, unit)
    return ComparisonRow(
        cell=results.cell(measured.cell).name,
        system=measured.system,
        value=words.value(measured.value, unit),
        interval=interval,
        blocks=measured.n,
        ratio=words.ratio(entry.ratio, entry.low, entry.high) if entry else "",
        ratio_interval=_ratio_interval(entry)
        if entry
        else "baseline"
        if measured.system == results.baseline
        else "",
        glyph=GLYPHS[entry.verdict] if entry and entry.is_claimed else "",
        verdict=words.verdict(entry) if entry else "",
        robust=_robust(entry) if entry else "",
        left_out=", ".join(f"block {block + 1}" for block in entry.left_out) if entry else "",
    )


def _ratio_interval(entry: Comparison) -> str:
    if entry.n < BLOCKS_FOR_A_VERDICT:
        return ""
    return words.interval(entry.low, entry.high, entry.n)


def _robust(entry: Comparison) -> str:
    """The second line, where it is another one than the first."""
    if not differs(entry):
        return ""
    interval = words.interval(entry.robust_low, entry.robust_high, entry.n)
    blocks = blocks_in_words(entry.robust_light)
    return f"{words.ratio(entry.robust_ratio)} ({interval}) if {blocks} counted little"


_QUANTITIES = {quantity.name: quantity for quantity in QUANTITIES}


@dataclass(frozen=True)
class LayoutLine:
    """One number of one system; only extents per file have a ratio."""

    system: str
    label: str
    page: str
    before: str
    before_interval: str
    after: str
    after_interval: str
    blocks: int
    ratio: str


def layout_lines(results: Results) -> list[LayoutLine]:
    """A line a system and number, number by number; empty without scans."""
    if results.layouts is None:
        return []
    found = {(each.system, each.name, each.when): each for each in results.layouts.numbers}
    ratios = {each.system: each for each in results.layouts.ratios}
    lines = []
    for name in SHOWN:
        quantity = _QUANTITIES[name]
        for system in results.systems:
            before = found.get((system, name, "before"))
            after = found.get((system, name, "after"))
            if before is None and after is None:
                continue
            ratio = ratios.get(system) if name == SHOWN[0] else None
            lines.append(
                LayoutLine(
                    system=system,
                    label=quantity.label,
                    page=quantity.page,
                    before=_value(before, quantity),
                    before_interval=_interval(before, quantity),
                    after=_value(after, quantity),
                    after_interval=_interval(after, quantity),
                    blocks=max(each.n for each in (before, after) if each is not None),
                    ratio=ratio_words(ratio) if ratio else "",
                )
            )
    return lines


def ratio_words(entry: LayoutRatio) -> str:
    """Ratio, interval and verdict: "1.52 (1.41 to 1.63) ▼ worse"."""
    interval = ratio_range(entry.low, entry.high)
    if never_varies(entry.low, entry.high):
        interval = NEVER_VARIED
    ratio = words.ratio(entry.ratio, entry.low, entry.high)
    return f"{ratio} ({interval}) {GLYPHS[entry.verdict]} {entry.verdict}"


def _value(entry: LayoutNumber | None, quantity: Quantity) -> str:
    return "" if entry is None else number(float(entry.value), quantity.unit)


def _interval(entry: LayoutNumber | None, quantity: Quantity) -> str:
    if entry is None:
        return ""
    if entry.low is None or entry.high is None:
        return "one block"
    if never_varies(entry.low, entry.high):
        return NEVER_VARIED
    high = min(entry.high, 100.0) if quantity.unit == "%" else entry.high
    low = max(entry.low, 0.0)
    return f"{number(float(low), quantity.unit)} to {number(float(high), quantity.unit)}"


FEWEST_RANKED = 3
"""Systems from which an order says more than their comparison with the baseline."""


@dataclass(frozen=True)
class RankLine:
    """One system in words; `rank` is "2 to 3" where it cannot be told from all others."""

    rank: str
    system: str
    value: str
    ratio: str
    interval: str
    verdict: str


@dataclass(frozen=True)
class RankTable:
    """The order in one cell by its primary metric."""

    cell: str
    label: str
    better: str
    lines: list[RankLine]


def rank_tables(results: Results, level: float) -> list[RankTable]:
    """One table a primary cell; [] of fewer than three systems. `level` is that at which the
    study's intervals are drawn (stats.planned.level_of)."""
    if len(results.systems) < FEWEST_RANKED:
        return []
    tables = []
    for cell in results.primary_cells:
        found = ranking(results, cell, level=level)
        name = results.primary_metrics[cell]
        if not found or len(found) + len(_idle_in(results, cell, name)) < FEWEST_RANKED:
            continue
        metric = next(each for each in results.metrics if each.name == name)
        lines = [_rank_line(results, cell, metric, each) for each in found]
        lines += _idle_ranks(results, cell, name, len(found))
        tables.append(RankTable(results.cell(cell).name, metric.label, metric.better, lines))
    return tables


def _idle_in(results: Results, cell: str, metric: str) -> list[DidNothing]:
    return [each for each in results.nothing if (each.cell, each.metric) == (cell, metric)]


def _idle_ranks(results: Results, cell: str, metric: str, ranked: int) -> list[RankLine]:
    """Who did nothing comes last."""
    idle = _idle_in(results, cell, metric) if ranked else []
    last = ranked + len(idle)
    rank = f"{last}" if len(idle) == 1 else f"{ranked + 1} to {last}"
    return [RankLine(rank, each.system, "nothing", "", each.where, "") for each in idle]


def _rank_line(results: Results, cell: str, metric: MetricInfo, each: Ranked) -> RankLine:
    entry = each.entry
    rank = f"{each.first}" if each.first == each.last else f"{each.first} to {each.last}"
    measured = results.measured.get((cell, each.system, metric.name))
    unit = results.unit_in(cell, metric.unit)
    return RankLine(
        rank=rank,
        system=each.system,
        value=words.value(measured.value, unit) if measured else "",
        ratio=words.ratio(entry.ratio, entry.low, entry.high) if entry else "1",
        interval=words.interval(entry.low, entry.high, entry.n) if entry else "baseline",
        verdict=f"{GLYPHS[entry.verdict]} {words.verdict(entry)}" if entry else "",
    )


LEADING = ("p99", "mean")
"""What the ratio is of: the first that is compared."""
_CALLED = {
    SYNC: "sync",
    "log": f"{COMPANIONS['log']}, synced",
    "write": "write, durable when it returns",
}
Timed = tuple[str, RecordCell, str]
"""An operation of a system in a cell."""


def sync_tables(results: Results, runs: Sequence[RunRecord]) -> list[table_parts.Table]:
    measured = results.measured

    def cell(
        part: str, text: Callable[[Measurement | None], table_parts.TableCell]
    ) -> table_parts.Cell[Timed]:
        return lambda each: text(measured.get((each[1].id, each[2], f"{each[0]}.{part}")))

    def ratio(each: Timed) -> table_parts.TableCell | str:
        operation, cell, system = each
        if system == results.baseline:
            return "baseline"
        found = (results.comparison(cell.id, system, f"{operation}.{part}") for part in LEADING)
        return table_parts.judged_cell(next((each for each in found if each is not None), None))

    return table_parts.Rows(
        (operation, cell, system)
        for operation in _operations(runs)
        for cell in results.cells
        for system in results.systems
        if (cell.id, system, f"{operation}.mean") in measured
    ).tables(
        "sync",
        "How long writes take to be durable",
        "From the call to its return. The ratio is that of the p99, or of the mean where a run of"
        " any system has too few calls for it; less is better. A percentile of a system with such"
        " runs is that of all its calls together.",
        [
            ("call", "", lambda each: _CALLED[each[0]]),
            ("cell", "", lambda each: each[1].name),
            ("system", "", lambda each: each[2]),
            ("mean", "mean", cell("mean", lambda number: table_parts.value_cell(number, "ns"))),
            ("p50", "p50", cell("p50", table_parts.quantile_cell)),
            ("p99", "p99", cell("p99", table_parts.quantile_cell)),
            ("p99.9", "p999", cell("p999", table_parts.quantile_cell)),
            (f"ratio to {results.baseline}", "ratio", ratio),
        ],
    )


def _operations(runs: Sequence[RunRecord]) -> list[str]:
    """What is durable when it returns: O_DSYNC makes that of writes."""
    jobs = [run.job for run in runs if isinstance(run.job, LoadJob)]
    writes = [job for job in jobs if job.read_percent < 100]
    durable = bool(writes) and all(isinstance(job.sync, DsyncSync) for job in writes)
    return [*(["write"] if durable else []), SYNC, "log"]
