"""Statistics: from records to results, with intervals, verdicts and findings.

    records -> samples (one value a run) -> ratios by block -> verdicts -> findings -> answer

Pure functions of records; `read_study` is the entrance. It is imported when it is asked for: most
commands need a word or two of this package, and not numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fsgauge.stats.read import read_study
    from fsgauge.stats.results import Results

__all__ = ["Results", "read_study"]


def __getattr__(name: str) -> object:
    if name == "read_study":
        from fsgauge.stats.read import read_study

        return read_study
    if name == "Results":
        from fsgauge.stats.results import Results

        return Results
    raise AttributeError(name)
