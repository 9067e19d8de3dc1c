"""What a kind of study says of its records beside the ratios that every study has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from fsgauge import kinds
from fsgauge.errors import InputError
from fsgauge.record import records
from fsgauge.record.factors import factors_of
from fsgauge.stats.evidence import Evidence, Question
from fsgauge.stats.results import Comparison, Finding, OwnResults
from fsgauge.stats.rig_limits import Place, RigLimit
from fsgauge.stats.samples import Samples


@dataclass(frozen=True)
class Material:
    """What an analysis reads. `whole_plan` has the turns over paths beside a server too, whose
    runs are `path_runs`; the study's own plan and `runs` do not."""

    study: records.StudyRecord
    whole_plan: records.Plan
    turns: Sequence[records.TurnRecord]
    runs: Sequence[records.RunRecord]
    path_runs: Sequence[records.RunRecord]
    scans: Sequence[records.ScanRecord]
    steps: Sequence[records.StepRecord]
    environment: records.EnvironmentRecord
    samples: Samples
    equivalence_percent: float
    limits: Mapping[Place, RigLimit]
    """What limited each system in each cell of the study's own plan."""


@dataclass(frozen=True)
class Interval:
    """A ratio that a study is about, with its 95 % interval."""

    ratio: float
    low: float | None
    high: float | None


class Analysis:
    """The kind's own part of the results. What is here is that of a kind that has none."""

    own: ClassVar[type[OwnResults]] = OwnResults
    """The model of its own results."""
    said_better: ClassVar[frozenset[str]] = frozenset()
    """Codes of general findings that one of its own says better."""
    worker: ClassVar[str] = "job"
    """What those are called that work at once in a load, and what to do where one does little."""
    worker_advice: ClassVar[str] = " Compare single jobs in the records."
    queue_advice: ClassVar[str] = ""
    """What to do about a queue that was not full, where the general advice would mislead."""

    compares_systems: ClassVar[bool] = True
    """Whether its sentence is about systems against the baseline."""
    abort_advice: ClassVar[str] = ""
    """What else to measure where a private server's process aborts under this load."""

    def load_of(self, runs: Sequence[records.RunRecord]) -> str:  # noqa: ARG002
        """What made a server abort, in words that follow "with"; "" where nothing stands out."""
        return ""

    def primary_metric(self, cell: records.Cell, *, paced: bool) -> str:
        """What a cell is judged by: its rate; under a pace, which sets that, the p99 latency."""
        return factors_of(cell).judged_at_pace if paced else "iops"

    def primary_ratios(
        self,
        comparisons: Sequence[Comparison],
        metrics: dict[str, str],
        samples: Samples,  # noqa: ARG002 - of kinds whose ratios are not between systems
        equivalence_percent: float,  # noqa: ARG002
    ) -> list[Interval]:
        """The ratios whose width says whether the study knows enough. Each by itself: the width of
        corrected intervals depends on what the verdicts are, and stopping on those would inflate
        errors."""
        return [
            Interval(each.ratio, each.alone_low, each.alone_high)
            for each in comparisons
            if each.primary and each.metric == metrics[each.cell]
        ]

    def read(self, material: Material) -> OwnResults | None:  # noqa: ARG002
        """What only this kind has; the plan has at least one cell."""
        return None

    def findings(self, evidence: Evidence) -> Iterable[Finding]:  # noqa: ARG002
        return ()

    def answer(self, question: Question) -> str | None:  # noqa: ARG002
        """The sentence that heads the report; None where the general one says it."""
        return None

    def with_disk(self, study: records.StudyRecord, changes: Sequence[str]) -> records.StudyRecord:  # noqa: ARG002
        """The study with another disk to predict rates for; InputError where it predicts none."""
        raise InputError(
            f"--set changes nothing: {study.plan.study} is a study of kind {kind_of(study)}, which"
            " predicts no disk's rates",
            next="fsgauge report without --set; fsgauge run with --set, which measures again",
        )


def kind_of(study: records.StudyRecord) -> str:
    return str(study.study.get("workload", {}).get("kind", kinds.DEFAULT))
