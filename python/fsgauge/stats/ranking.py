"""All systems of a cell in an order, best first; those that cannot be told apart share a rank.

Takes results. Two systems are told apart by the ratio of their blocks, in which the baseline
cancels: its interval holds for all pairs of the cell at once (Bonferroni). Of a system and the
baseline the comparison's own verdict decides, so that no page says both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fsgauge.stats.metrics import METRICS
from fsgauge.stats.ratio import LEVEL, ratio_of_blocks
from fsgauge.stats.results import Comparison, Results
from fsgauge.stats.verdict import judge, log_margin


@dataclass(frozen=True)
class Ranked:
    """A system with its ranks: `first` to `last` are one where it is told from all others.

    `entry` is its comparison, None for the baseline.
    """

    system: str
    first: int
    last: int
    entry: Comparison | None


def ranking(results: Results, cell: str, *, level: float = LEVEL) -> list[Ranked]:
    """All that were measured in the cell, by its primary metric; [] where nothing is compared.

    `level` is that at which the study's intervals are drawn (stats.planned.level_of). A group
    begins with its best system; those after it that cannot be told from that one belong to it.
    """
    metric = results.primary_metrics[cell]
    entries = {
        entry.system: entry
        for entry in results.comparisons
        if (entry.cell, entry.metric) == (cell, metric) and not entry.in_memory
    }
    if not entries:
        return []
    measured = [name for name in results.systems if name in entries or name == results.baseline]
    up = METRICS[metric].higher_is_better
    ratios = {name: entries[name].ratio if name in entries else 1.0 for name in measured}
    order = sorted(measured, key=lambda name: ratios[name], reverse=up)
    pairs = len(order) * (len(order) - 1) // 2
    each = 1 - (1 - level) / pairs
    groups: list[list[str]] = []
    for name in order:
        if groups and not _told_apart(entries.get(groups[-1][0]), entries.get(name), each):
            groups[-1].append(name)
        else:
            groups.append([name])
    return _numbered(groups, entries)


def best_first(results: Results) -> list[str]:
    """Systems by their order in the first primary cell, then those that were not measured in it."""
    found = [each.system for each in ranking(results, results.primary_cells[0])]
    return found + [system for system in results.systems if system not in found]


def _numbered(groups: Sequence[Sequence[str]], entries: dict[str, Comparison]) -> list[Ranked]:
    found: list[Ranked] = []
    for group in groups:
        first = len(found) + 1
        last = len(found) + len(group)
        found += [Ranked(name, first, last, entries.get(name)) for name in group]
    return found


def _told_apart(one: Comparison | None, other: Comparison | None, level: float) -> bool:
    """Whether two systems differ by more than what does not matter; None is the baseline."""
    if one is None or other is None:
        entry = one or other
        return entry is not None and entry.verdict in ("better", "worse")
    blocks = dict(other.blocks)
    logs = [math.log(ratio / blocks[block]) for block, ratio in one.blocks if block in blocks]
    ratio = ratio_of_blocks(logs, level=level)
    if ratio is None:
        return False
    margin = log_margin(one.margin_percent)
    verdict = judge(ratio, log_margin=margin, p_adjusted=ratio.p, higher_is_better=True)
    return verdict in ("better", "worse")
