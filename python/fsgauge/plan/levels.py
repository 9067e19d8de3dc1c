"""The levels at which intervals are drawn and differences are told: alone, of several at once, of
looks at a race, of a study that may stop.

Corrections are Bonferroni's but for verdicts, which Benjamini and Hochberg's step decides
(stats/verdict.py).
"""

from __future__ import annotations

from collections.abc import Sequence

ALPHA = 0.05
LEVEL = 1 - ALPHA
STOPPING_LEVEL = 0.97
"""Level of the intervals of a study that may stop on their width. It stops sooner where blocks
happen to lie close together, so its 95 % intervals hold the truth in 92.8 to 94.6 of 100 studies
only; those of 97 % in 95.3 to 96.7 (tests/known/test_stopping.py)."""


def corrected(comparisons: int) -> float:
    """The level of one interval among so many that all hold the truth in 95 of 100 studies; at it
    one effect among so many comparisons is judged, and the largest of them is named."""
    return 1 - ALPHA / max(1, comparisons)


def of_look(block: int, looks: Sequence[int], rivals: int) -> float:
    """The two-sided level at whose upper end one of so many rivals is held against the leader of a
    race after a block.

    What the looks err together, over all rivals, is `ALPHA`. Each has a share in proportion to one
    over its block: early ones decide most, as the most systems still run.
    """
    share = (1 / block) / sum(1 / each for each in looks)
    return 1 - 2 * ALPHA * share / max(1, rivals)
