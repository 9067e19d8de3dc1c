"""From a log ratio to the ratio, without an end that no float can hold."""

from __future__ import annotations

import math

MOST_LOG = 300.0
"""A factor of 1e130: an interval that reaches so far says that nothing is known."""


def ratio_of_log(log: float) -> float:
    """exp(log), and at most a factor of 1e130 away from 1."""
    return math.exp(max(-MOST_LOG, min(MOST_LOG, log)))
