"""How a rate grows with the number of writers: efficiency, a scalability law, the peak."""

from __future__ import annotations

from collections.abc import Iterable

from fsgauge.kinds.writers.analysis.answer import writers_answer
from fsgauge.kinds.writers.analysis.findings import writers_findings
from fsgauge.kinds.writers.analysis.model import Scaling
from fsgauge.kinds.writers.analysis.read import read_scaling
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.answer import Question
from fsgauge.stats.evidence import Evidence
from fsgauge.stats.results import Finding


class WritersAnalysis(Analysis):
    """Scaling: what several writers do, in times of what the fewest do."""

    own = Scaling
    said_better = frozenset({"run.unfair", "cache.answered"})
    queue_advice = (
        "The writers could not keep their queues full: read the rates as those of fewer writes"
        " in flight, or use fewer writers, larger blocks (workload.block_sizes), or"
        " workload.verify = false."
    )

    def read(self, material: Material) -> Scaling:
        """Scaling of every system and group."""
        return read_scaling(material.study.plan, material.turns, material.runs, material.samples)

    def findings(self, evidence: Evidence) -> Iterable[Finding]:
        """Rates that no device has, and unfair shares."""
        return writers_findings(evidence)

    def answer(self, question: Question) -> str | None:
        """Where the number of writers varies: how many times one writer's writes several do."""
        scaling = Scaling.of(question)
        if scaling is None or len(scaling.writer_counts) < 2:
            return None
        return writers_answer(scaling, question.primary, question.margin_percent)


ANALYSIS = WritersAnalysis()
