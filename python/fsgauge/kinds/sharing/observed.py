"""Numbers of sharing that published claims are held against: ratios alone, which every kind has."""

from __future__ import annotations

from collections.abc import Callable

from fsgauge.published.ledger import Trial
from fsgauge.published.observe import Observation
from fsgauge.stats.results import Results

OBSERVED: dict[str, Callable[[Trial, Results], list[Observation]]] = {}
