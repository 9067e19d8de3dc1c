"""All systems of a cell in an order, best first, each with the ranks that it may have.

Takes results. A system comes after those that are told to be better, and before those that are told
to be worse: what is called better than another never has the ranks of it, and what cannot be told
apart has some rank in common. Two systems are told apart by the ratio of their blocks, in which the
baseline cancels; p values are corrected for all pairs of the cell (Benjamini and Hochberg), as
those of comparisons are, and scatter as least as A/A does. Of a system and the baseline the
comparison's own verdict decides, so that no page says both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from fsgauge.plan.levels import LEVEL
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.ratio import Ratio, ratio_of_blocks
from fsgauge.stats.results import Comparison, Results
from fsgauge.stats.verdict import benjamini_hochberg, is_too_wide, judge, log_margin

Pair = frozenset[str]
OF_A_PAIR = math.sqrt(2 / 1.5)
"""Deviation of the log ratio of two systems over that of one to the baseline's mean of two runs."""


@dataclass(frozen=True)
class Ranked:
    """A system with its ranks: `first` to `last` are one where it is told from all others. `entry`
    is its comparison, None for the baseline."""

    system: str
    first: int
    last: int
    entry: Comparison | None


def ranking(results: Results, cell: str, *, level: float = LEVEL) -> list[Ranked]:
    """All that were measured in the cell, by its primary metric; [] where nothing is compared.
    `level` is that at which the study's intervals are drawn (stats.planned.level_of)."""
    entries = _entries(results, cell)
    order = _order(results, cell, entries)
    ranks = _ranks(order, pairs_told_apart(entries, results.baseline, level))
    return [Ranked(name, *ranks[name], entries.get(name)) for name in order]


def _ranks(order: Sequence[str], told: set[Pair]) -> dict[str, tuple[int, int]]:
    """The first and the last rank of each; what is better than a better one is better too."""
    above: dict[str, set[str]] = {}
    for place, name in enumerate(order):
        better = [other for other in order[:place] if Pair((name, other)) in told]
        above[name] = set(better).union(*(above[other] for other in better))
    lasts = {
        name: len(order) - sum(name in above[other] for other in order[place + 1 :])
        for place, name in enumerate(order)
    }
    ranks = {}
    for place, name in enumerate(order):
        open_to = [other for other in order[:place] if Pair((name, other)) not in told]
        # One of theirs may be its.
        ranks[name] = (min([1 + len(above[name]), *map(lasts.__getitem__, open_to)]), lasts[name])
    return ranks


def best_first(results: Results) -> list[str]:
    """Systems by their order in the first primary cell, then those that were not measured in it."""
    cell = results.primary_cells[0]
    found = _order(results, cell, _entries(results, cell))
    return found + [system for system in results.systems if system not in found]


def _entries(results: Results, cell: str) -> dict[str, Comparison]:
    metric = results.primary_metrics[cell]
    return {
        entry.system: entry
        for entry in results.comparisons
        if (entry.cell, entry.metric) == (cell, metric) and entry.is_claimed
    }


def _order(results: Results, cell: str, entries: Mapping[str, Comparison]) -> list[str]:
    if not entries:
        return []
    ratios = {
        name: entries[name].ratio if name in entries else 1.0
        for name in results.systems
        if name in entries or name == results.baseline
    }
    up = METRICS[results.primary_metrics[cell]].higher_is_better
    return sorted(ratios, key=lambda name: ratios[name], reverse=up)


def pairs_told_apart(entries: Mapping[str, Comparison], baseline: str, level: float) -> set[Pair]:
    """The pairs that differ, and by more than what does not matter."""
    ratios = {
        Pair((one, other)): ratio
        for one, other in combinations(entries, 2)
        if (ratio := ratio_of_pair(entries[one], entries[other], level)) is not None
    }
    adjusted = benjamini_hochberg([ratio.p for ratio in ratios.values()]) if ratios else []
    margins = [log_margin(entry.margin_percent) for entry in entries.values()]
    found = {
        pair
        for (pair, ratio), p in zip(ratios.items(), adjusted, strict=True)
        if not is_too_wide(ratio.low, ratio.high)
        and judge(ratio, log_margin=margins[0], p_adjusted=p, higher_is_better=True)
        in ("better", "worse")
    }
    return found | {
        Pair((name, baseline))
        for name, entry in entries.items()
        if entry.verdict in ("better", "worse")
    }


def ratio_of_pair(one: Comparison, other: Comparison, level: float = LEVEL) -> Ratio | None:
    """One system over the other in the blocks that have both; None where none has."""
    least = OF_A_PAIR * one.rig_deviation
    return ratio_of_blocks(one.logs_over(other), level=level, least=least)
