"""The ranked table: all systems of a primary cell, best first, with ties under one rank."""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.report import words
from fsgauge.report.theme import GLYPHS
from fsgauge.stats.ranking import Ranked, ranking
from fsgauge.stats.results import MetricInfo, Results

FEWEST = 3
"""Systems from which an order says more than their comparison with the baseline."""


@dataclass(frozen=True)
class RankLine:
    """One system in words; `rank` is "" behind the first of those that share it."""

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
    """One table a primary cell; [] of fewer than three systems.

    `level` is that at which the study's intervals are drawn (stats.planned.level_of).
    """
    if len(results.systems) < FEWEST:
        return []
    tables = []
    for cell in results.primary_cells:
        found = ranking(results, cell, level=level)
        if len(found) < FEWEST:
            continue
        name = results.primary_metrics[cell]
        metric = next(each for each in results.metrics if each.name == name)
        better = "higher is better" if metric.higher_is_better else "lower is better"
        lines = [_line(results, cell, metric, each, place) for place, each in enumerate(found, 1)]
        tables.append(RankTable(results.cell(cell).name, metric.label, better, lines))
    return tables


def _line(results: Results, cell: str, metric: MetricInfo, each: Ranked, place: int) -> RankLine:
    entry = each.entry
    rank = f"{each.first}" if each.first == each.last else f"{each.first} to {each.last}"
    measured = next(
        (
            m
            for m in results.measurements
            if (m.cell, m.system, m.metric) == (cell, each.system, metric.name)
        ),
        None,
    )
    return RankLine(
        rank=rank if place == each.first else "",
        system=each.system,
        value=words.value(measured.value, metric.unit) if measured else "",
        ratio=words.ratio(entry.ratio) if entry else "1",
        interval=words.interval(entry.low, entry.high, entry.n) if entry else "baseline",
        verdict=f"{GLYPHS[entry.verdict]} {words.verdict(entry)}" if entry else "",
    )
