"""What statistics say of a study of kind overhead beside ratios: how much its rates fluctuate."""

from __future__ import annotations

from fsgauge.kinds.overhead.analysis.fluctuation import fluctuations
from fsgauge.kinds.overhead.analysis.model import Overhead
from fsgauge.stats.analysis import Analysis, Material


class OverheadAnalysis(Analysis):
    """Fluctuation over time, held against the baseline's."""

    own = Overhead

    def read(self, material: Material) -> Overhead | None:
        """None where no run was long enough for it."""
        found = fluctuations(material.samples, material.runs, material.equivalence_percent)
        return Overhead(fluctuations=found) if found else None


ANALYSIS = OverheadAnalysis()
