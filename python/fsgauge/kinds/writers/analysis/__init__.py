"""How a rate grows with the number of writers: efficiency, a scalability law, the peak."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fsgauge.kinds.writers.analysis.answer import (
    in_short,
    one_load,
    rates_at_most,
    writers_answer,
)
from fsgauge.kinds.writers.analysis.findings import writers_findings
from fsgauge.kinds.writers.analysis.lines import (
    Measured,
    between_groups,
    companions_of,
    groups_of,
    limits_of,
    line_of,
)
from fsgauge.kinds.writers.analysis.model import Scaling
from fsgauge.kinds.writers.analysis.samples import collect_beside
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.record.records import REACHED_BY, Plan, RunRecord, TurnRecord
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.evidence import Evidence, Question
from fsgauge.stats.results import Finding
from fsgauge.stats.samples import is_complete
from fsgauge.stats.sentence import WORDS_LIMIT


class WritersAnalysis(Analysis):
    """Scaling: what several writers do, in times of what the fewest do."""

    own = Scaling
    said_better = frozenset({"cache.answered"})
    worker = "writer"
    worker_advice = (
        " A lock or the scheduler favours those that hold it; compare other ranges or own"
        ' descriptors (workload.ranges, workload.descriptors = "own").'
    )
    queue_advice = (
        "The writers could not keep their queues full: read the rates as those of fewer writes"
        " in flight, or use fewer writers, larger blocks (workload.block_sizes), or"
        " workload.verify = false."
    )

    abort_advice = (
        "Two connections that write one file are known to abort smbd 4.17: use --serve ganesha, or"
        " a file for each writer (--set 'workload.ranges=[\"own files\"]')."
    )

    def load_of(self, runs: Sequence[RunRecord]) -> str:
        """ "two writers of one file", where all runs are that."""
        return one_load(runs)

    def read(self, material: Material) -> Scaling:
        """Scaling of every system and group."""
        plan, turns, runs, samples = (
            material.study.plan,
            material.turns,
            material.runs,
            material.samples,
        )
        kinds = {turn.system: turn.facts.kind for turn in turns}
        device = next((system for system in plan.systems if kinds.get(system) == "raw"), None)
        measured = Measured(samples, collect_beside(samples, turns, runs), device)
        groups = groups_of(plan.cells)
        return Scaling(
            block_size_bytes=WritersFactors.of(plan.cells[0]).block_size_bytes,
            writer_counts=sorted({WritersFactors.of(cell).writers for cell in plan.cells}),
            whole_blocks=whole_blocks(plan, runs),
            device=device,
            lines=[
                line_of(measured, group, system, material.limits)
                for group in groups
                for system in plan.systems
            ],
            limits=[point for group in groups for point in limits_of(group, runs, samples)],
            companions=[
                row
                for group in groups
                for system in plan.systems
                for row in companions_of(measured, group, system)
            ],
            between_groups=between_groups(
                measured, groups, plan.systems, material.equivalence_percent
            ),
            cases={turn.system: _case(turn) for turn in turns},
        )

    def findings(self, evidence: Evidence) -> Iterable[Finding]:
        """Rates that no device has."""
        return writers_findings(evidence)

    def answer(self, question: Question) -> str | None:
        """Where the number of writers varies: how many times one writer's writes several do, and
        what each system does with them."""
        scaling = Scaling.of(question)
        if scaling is None or len(scaling.writer_counts) < 2:
            return None
        said = writers_answer(scaling, question.primary, question.margin_percent)
        rates = rates_at_most(scaling, question)
        if len(f"{said} {rates}".split()) > WORDS_LIMIT:
            said = in_short(scaling, question.primary, question.margin_percent) or said
        return f"{said} {rates}".rstrip()


ANALYSIS = WritersAnalysis()
_NFS = re.compile(r"NFS [0-9.]+")


def _case(turn: TurnRecord) -> str:
    """A file system, and by which version of NFS it is reached: "NFS over ext3"; else all words."""
    by = turn.facts.details.get(REACHED_BY, "")
    by = "NFS" if _NFS.fullmatch(by) else by
    return f"{by} over {turn.facts.kind}" if by else turn.facts.kind


def whole_blocks(plan: Plan, runs: Sequence[RunRecord]) -> int:
    """Blocks of which every planned run was made, to its end or to a fault of its own."""
    made = {(run.block, run.turn, run.cell.id) for run in runs if is_complete(run) or run.fault}
    missing = {
        turn.block
        for turn in plan.turns
        for cell in turn.cells
        if (turn.block, turn.turn, cell) not in made
    }
    return len({turn.block for turn in plan.turns} - missing)
