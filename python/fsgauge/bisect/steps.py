"""The steps of a bisection: a kernel each, measured again with more blocks while undecided."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fsgauge.bisect.log import Log, Step
from fsgauge.bisect.search import next_kernel

BLOCKS = (1, 2, 4)
"""How many times the study's blocks a kernel is given, one after the other, until it is decided."""

Measure = Callable[[str, int], Step]
"""Measures a kernel in so many times the study's blocks."""


def steps(log: Log, measure: Measure) -> Iterator[Log]:
    """The log after each measurement, until nothing is left to try."""
    while (kernel := next_kernel(log.kernels, log.tried)) is not None:
        for times in BLOCKS:
            step = measure(kernel, times)
            log = log.with_step(step)
            yield log
            if step.outcome != "undecided":
                break
