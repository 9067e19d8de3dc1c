"""Statistics: from records to results, with intervals, verdicts and findings.

    records -> samples (one value a run) -> ratios by block -> verdicts -> findings -> answer

Pure functions of records; `read_study` is the entrance.
"""

from fsgauge.stats.read import read_study
from fsgauge.stats.results import Results

__all__ = ["Results", "read_study"]
