"""What statistics say of a study of kind overhead beside ratios: how much its rates fluctuate, and
what it costs several hosts to use the same files."""

from __future__ import annotations

from fsgauge.kinds.overhead.analysis.fluctuation import fluctuations
from fsgauge.kinds.overhead.analysis.host_files import files_answer, files_ratios
from fsgauge.kinds.overhead.analysis.model import Overhead
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.answer import plain_answer
from fsgauge.stats.evidence import Question
from fsgauge.stats.sentence import DECIDED, comparisons_in


class OverheadAnalysis(Analysis):
    """Fluctuation over time, held against the baseline's; the same files and separate ones."""

    own = Overhead

    def read(self, material: Material) -> Overhead | None:
        """None where no run was long enough for it."""
        found = fluctuations(material.samples, material.runs, material.equivalence_percent)
        plan = material.study.plan
        files = files_ratios(
            plan.cells,
            material.samples,
            plan.systems,
            material.equivalence_percent,
            material.limits,
        )
        return Overhead(fluctuations=found, host_files=files) if found or files else None

    def answer(self, question: Question) -> str | None:
        """What the same files cost several hosts, and what those do over one, come first where the
        study has both; then how systems compare, as far as that is known."""
        found = Overhead.of(question)
        said = files_answer(found.host_files, question.primary) if found is not None else None
        if said is None:
            return None
        judged = [each for cell in question.primary for each in comparisons_in(question, cell)]
        is_known = any(each.verdict in DECIDED for each in judged)
        compared = plain_answer(question) if question.others and is_known else ""
        return " ".join(filter(None, (said, question.over_hosts, compared)))


ANALYSIS = OverheadAnalysis()
