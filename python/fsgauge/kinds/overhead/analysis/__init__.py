"""What statistics say of a study of kind overhead beside ratios: how much its rates fluctuate, and
what it costs several hosts to use the same files."""

from __future__ import annotations

from fsgauge.kinds.overhead.analysis.fluctuation import fluctuations
from fsgauge.kinds.overhead.analysis.host_files import files_answer, files_ratios
from fsgauge.kinds.overhead.analysis.model import Overhead
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.answer import Question


class OverheadAnalysis(Analysis):
    """Fluctuation over time, held against the baseline's; the same files and separate ones."""

    own = Overhead

    def read(self, material: Material) -> Overhead | None:
        """None where no run was long enough for it."""
        found = fluctuations(material.samples, material.runs, material.equivalence_percent)
        plan = material.study.plan
        files = files_ratios(
            plan.cells, material.samples, plan.systems, material.equivalence_percent
        )
        return Overhead(fluctuations=found, host_files=files) if found or files else None

    def answer(self, question: Question) -> str | None:
        """Of one system on several hosts' files; of several, the general answer compares them."""
        found = Overhead.of(question)
        if found is None or question.others:
            return None
        return files_answer(found.host_files, question.primary)


ANALYSIS = OverheadAnalysis()
