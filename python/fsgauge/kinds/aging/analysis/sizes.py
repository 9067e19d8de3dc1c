"""Which allocation size keeps most of its clean rate, where a study varies it.

Two sizes are told apart by the ratio of what each keeps in a block, at the level that the answer is
about. All pairs are one family of comparisons (Benjamini and Hochberg).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from fsgauge.kinds.aging.analysis.model import ToldApart
from fsgauge.kinds.aging.analysis.rates import RATE, cells_of_side
from fsgauge.kinds.aging.factors import AgingFactors
from fsgauge.record.records import Cell
from fsgauge.stats.contrast import Contrast, Value, in_blocks
from fsgauge.stats.kept import Kept
from fsgauge.stats.samples import Samples
from fsgauge.stats.sentence import DECIDED
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT
from fsgauge.stats.wording import named_systems, percent, percent_range


def sizes_told_apart(
    samples: Samples, chunks: Mapping[str, int | None], equivalence_percent: float
) -> ToldApart | None:
    """Of the first primary cell after ageing; None where sizes are not what differs."""
    plan, sizes = samples.plan, set(chunks.values())
    by_id = {cell.id: cell for cell in plan.cells}
    primary = [by_id[each] for each in plan.primary if each in by_id]
    cell = next((each for each in primary if _free(each) is not None), None)
    if cell is None or None in sizes or len(sizes) == 1:
        return None
    clean = cells_of_side(plan, AgingFactors.of(cell).side).get(None)
    if clean is None:
        return None
    kept = {
        system: Contrast(Value(RATE, cell.id, system), Value(RATE, clean.id, system))
        for system in plan.systems
    }
    pairs = {(one, other): Contrast(kept[one], kept[other]) for one, other in combinations(kept, 2)}
    return ToldApart(
        cell=cell.id,
        pairs=[
            pair if found.verdict == "better" else pair[::-1]
            for pair, found in in_blocks(pairs, samples, equivalence_percent).items()
            if found.verdict in DECIDED
        ],
    )


def best_size(told: ToldApart | None, cell: Cell, kept: Sequence[Kept]) -> str:
    """ "8 MiB keeps its write rate best at 5 % free: 93 % (90 to 96). ", with a space behind it;
    "" of a study that does not vary sizes, or has too few blocks."""
    blocks = max(each.n for each in kept)
    if told is None or told.cell != cell.id or len(kept) == 1 or blocks < BLOCKS_FOR_A_VERDICT:
        return ""
    side, less = AgingFactors.of(cell).side, {less for _, less in told.pairs}
    best = [each for each in kept if each.system not in less]
    if len(best) == len(kept) and all(each.is_open for each in kept):
        return ""  # too noisy to tell anything, which is said
    if len(best) == len(kept):
        return f"No size is proven to keep its {side} rate better than another. "
    if len(best) > 1:
        names = named_systems([each.system for each in best])
        return f"{names} keep their {side} rate best, and are not told from one another. "
    return "".join(
        f"{each.system} keeps its {side} rate best at {_free(cell)} % free:"
        f" {percent(each.ratio, each.edges)} ({percent_range(*each.edges)}). "
        for each in best
    )


def _free(cell: Cell) -> int | None:
    return AgingFactors.of(cell).free_percent
