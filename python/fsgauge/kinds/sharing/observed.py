"""Numbers of sharing that published claims are held against: ratios alone, which every kind has."""

from __future__ import annotations

from collections.abc import Callable

from fsgauge.published.observe import Observation
from fsgauge.published.trial import Observable
from fsgauge.stats.results import Results

OBSERVED: dict[str, Callable[[Observable, Results], list[Observation]]] = {}
