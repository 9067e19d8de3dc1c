"""How a rate grows with the number of writers: efficiency, a scalability law, the peak."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from fsgauge.kinds.writers.analysis import lines
from fsgauge.kinds.writers.analysis.answer import one_load, rates_at_most, writers_answer
from fsgauge.kinds.writers.analysis.model import Scaling, ScalingPoint
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.plan.levels import ALPHA
from fsgauge.record.records import REACHED_BY, Plan, RunRecord, TurnRecord
from fsgauge.stats import ratio
from fsgauge.stats.advice import cache_advice
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.evidence import Evidence, Question, finding
from fsgauge.stats.results import Finding
from fsgauge.stats.samples import is_complete, whole_blocks
from fsgauge.stats.served import SERVER_ADVICE, places_served, places_unstable
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, benjamini_hochberg


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
        plan, samples = material.study.plan, material.samples
        turns, runs = material.turns, material.runs
        kinds = {turn.system: turn.facts.kind for turn in turns}
        device = next((system for system in plan.systems if kinds.get(system) == "raw"), None)
        measured = lines.Measured(samples, lines.collect_beside(samples, turns, runs), device)
        groups = lines.groups_of(plan.cells)
        return Scaling(
            block_size_bytes=WritersFactors.of(plan.cells[0]).block_size_bytes,
            writer_counts=sorted({WritersFactors.of(cell).writers for cell in plan.cells}),
            whole_blocks=made_blocks(plan, runs),
            device=device,
            lines=[
                lines.line_of(measured, group, system, material.limits)
                for group in groups
                for system in plan.systems
            ],
            limits=[point for group in groups for point in lines.limits_of(group, runs, samples)],
            companions=[
                row
                for group in groups
                for system in plan.systems
                for row in lines.companions_of(measured, group, system)
            ],
            between_groups=lines.between_groups(
                measured, groups, plan.systems, material.equivalence_percent
            ),
            cases={turn.system: _case(turn) for turn in turns},
        )

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        """Rates above what the raw device did in the same blocks, corrected for their number."""
        scaling = Scaling.within(evidence)
        if scaling.device is None:
            return
        names = {cell.id: cell.name for cell in evidence.study.plan.cells}
        judged = [
            (line.system, point, share)
            for line in scaling.lines
            for point in line.points
            if (share := point.of_device) is not None and share.n >= BLOCKS_FOR_A_VERDICT
        ]
        adjusted = benjamini_hochberg([p_of(share) for *_, share in judged])
        above = [
            (system, point, share)
            for (system, point, share), p in zip(judged, adjusted, strict=True)
            if share.low is not None and share.low > 1 and p <= ALPHA
        ]
        if not above:
            return
        system, point, share = max(above, key=lambda entry: entry[2].value)
        yield finding(
            "faster_than_device",
            "warning",
            f"{system} did {_gain(share)} more than the device alone at {names[point.cell]}, more"
            f" than the device can do{_who_answered(evidence, system, point)}.",
            _advice(evidence, system, point),
            [f"{s}, {names[p.cell]}: {_share(e)} of the device" for s, p, e in above],
        )

    def answer(self, question: Question) -> str | None:
        """Where the number of writers varies: how many times one writer's writes several do, and
        what each system does with them."""
        scaling = Scaling.within(question)
        if len(scaling.writer_counts) < 2:
            return None
        said = writers_answer(scaling, question.primary, question.margin_percent)
        return " ".join([said, *rates_at_most(scaling, question)])


ANALYSIS = WritersAnalysis()
_NFS = re.compile(r"NFS [0-9.]+")


def _case(turn: TurnRecord) -> str:
    """A file system, and by which version of NFS it is reached: "NFS over ext3"; else all words."""
    by = turn.facts.details.get(REACHED_BY, "")
    by = "NFS" if _NFS.fullmatch(by) else by
    return f"{by} over {turn.facts.kind}" if by else turn.facts.kind


def made_blocks(plan: Plan, runs: Sequence[RunRecord]) -> int:
    """Blocks of which every planned run was made, to its end or to a fault of its own."""
    made = [run for run in runs if is_complete(run) or run.fault]
    return len(whole_blocks(plan, made, [cell.id for cell in plan.cells]))


def _who_answered(evidence: Evidence, system: str, point: ScalingPoint) -> str:
    """The raw device is always written directly, so buffered writes have the page cache before it.
    Where the load syncs, the cache still merges what comes between two syncs."""
    if (point.cell, system) in places_served(evidence.runs):
        return ": the server's cache answered, or the server merged writes"
    if not _buffered(evidence, point):
        return ": a cache answered, or writes were merged or put elsewhere"
    if _synced(evidence):
        return " in direct writes: these were buffered, and the cache may merge them on their way"
    return " in direct writes: these were buffered, and the page cache answered"


def _advice(evidence: Evidence, system: str, point: ScalingPoint) -> str:
    if (point.cell, system) in places_unstable(evidence.runs):
        return SERVER_ADVICE
    if (point.cell, system) in places_served(evidence.runs):
        return (
            "The server answers for the device: what it holds back, merges or writes elsewhere"
            " (a journal) the bare device cannot. Read this cell as one of the server's."
        )
    if not _buffered(evidence, point):
        return cache_advice(evidence.situation)
    if _synced(evidence):
        return (
            "Fewer and larger writes may have reached the device. For its cost without the cache"
            ' read the direct cells (workload.access = ["direct"]).'
        )
    return (
        "Memory answered; the device has yet to do these writes. Read the direct cells"
        ' (workload.access = ["direct"]), or make writes durable (workload.sync = "fdatasync").'
    )


def _buffered(evidence: Evidence, point: ScalingPoint) -> bool:
    cells = evidence.study.plan.cells
    return any(
        cell.id == point.cell and WritersFactors.of(cell).access == "buffered" for cell in cells
    )


def _synced(evidence: Evidence) -> bool:
    kind = evidence.study.study.get("workload", {}).get("sync", "none")
    return str(kind) != "none"


def p_of(share: Estimate) -> float:
    """Two-sided p of a ratio of 1, from the t interval that was made of it."""
    if share.low is None or share.high is None:
        return 1.0
    freedom = share.n - 1
    error = math.log(share.high / share.low) / 2 / ratio.t_quantile(freedom)
    return ratio.p_of(math.log(share.value), error, freedom)


def _gain(share: Estimate) -> str:
    percent = 100 * (share.value - 1)
    return f"{percent:.0f} %" if percent >= 1.5 else f"{percent:.1f} %"


def _share(share: Estimate) -> str:
    return f"{share.value:.2f} ({share.low:.2f} to {share.high:.2f})"
