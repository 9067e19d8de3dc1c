"""The levels at which intervals are drawn and differences are told: alone, of several at once, of
looks at a race, of a study that may stop.

Corrections are Bonferroni's but for verdicts, which Benjamini and Hochberg's step decides
(stats/verdict.py).
"""

from __future__ import annotations

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


def shown_from(runs: int) -> float:
    """The share of runs from which on something comes in one of so many, in 95 of 100 studies."""
    return 1 - float(ALPHA ** (1 / max(1, runs)))


def of_look(looks: int, rivals: int) -> float:
    """The two-sided level at whose upper end one of so many rivals is held against the leader of a
    race, so that all of its looks, over all rivals, err together in 5 of 100 races. Every look has
    the same share: with more for the early ones, 60 systems took 2 to 8 % more runs."""
    return 1 - 2 * ALPHA / (max(1, looks) * max(1, rivals))
