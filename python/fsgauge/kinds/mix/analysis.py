"""Statistics of a mix: each group is judged by what the study names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from fsgauge.engine.wire import LoadResult
from fsgauge.kinds.mix.factors import MixFactors
from fsgauge.record.records import Cell, RunRecord
from fsgauge.stats.analysis import Analysis
from fsgauge.stats.evidence import Evidence, finding, part_of, turn_name
from fsgauge.stats.results import Finding

STARVED_SHARE = 0.5
"""Of the operations that were due: less than that, and the pace is not the group's any more."""


class MixAnalysis(Analysis):
    worker_advice = " Compare the group's jobs in the records."

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002 - the keys decided
        return MixFactors.of(cell).judged_by

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        """Groups that the others left nothing, or that a full file system refused; a warm-up that
        ended before it was steady."""
        starved = [
            f"{run.system}, {run.cell.name}, block {run.block + 1}: {words}"
            for run in evidence.runs
            if run.result is not None and (words := starves(run.result))
        ]
        if starved:
            yield finding(
                "group_starved",
                "warning",
                f"A group starved in {len(starved)} of {len(evidence.runs)} runs: {starved[0]}.",
                "Judge the mix by that group, or give the others a rate.",
                starved,
            )
        refused = list(refusals(evidence.runs))
        if refused:
            yield finding(
                "file_system_full",
                "note",
                f"A full file system refused operations or cut them short; they are in no rate:"
                f" {refused[0]}.",
                "Read the rates with these shares: they are of what found space.",
                refused,
            )

        late = list(dict.fromkeys(turn_name(run) for run in evidence.runs if never_steady(run)))
        if late:
            turns = {turn_name(run) for run in evidence.runs}
            yield finding(
                "never_steady",
                "warning",
                f"In {part_of(len(late), len(turns), 'turn')} the rates were not shown to be steady"
                f" when the warm-up had its longest time: {late[0]}.",
                "A longer workload.warm_up. Of few operations a longer steady_window: a fifth of it"
                " needs 20 of them, and 1,000 at exponential arrival.",
                late,
            )


def never_steady(run: RunRecord) -> bool:
    if run.load is None or run.load.steady_window_ns is None or run.result is None:
        return False
    return run.result.warm_up_ns >= run.load.warm_up_ns


def refusals(runs: Sequence[RunRecord]) -> Iterator[str]:
    """How often each operation of a group found no space on a system, all runs together."""
    asked: Counter[tuple[str, str, str]] = Counter()
    refused: Counter[tuple[str, str, str]] = Counter()
    for run in runs:
        for name, done, no_space in _counts(run.result) if run.result is not None else ():
            place = run.system, run.cell.name, name
            asked[place] += done + no_space
            refused[place] += no_space
    for place, count in refused.items():
        if count:
            system, group, name = place
            share = 100 * count / asked[place]
            yield f"{system}, {group}: {count:,} of {asked[place]:,} {name} ({share:.2g} %)"


def _counts(result: LoadResult) -> Iterator[tuple[str, int, int]]:
    """Each operation that takes space: how many were done, and how many found none."""
    if result.file_operations:
        for each in result.file_operations:
            yield each.operation, each.operations, each.refused
        return
    if result.write is not None:
        yield "write", result.write.operations, result.write.refused
    if result.sync is not None:
        yield "sync", result.sync.calls, result.sync.refused


def starves(result: LoadResult) -> str:
    """What the group was left to do, in words; "" where it did its part."""
    sides = [side for side in (result.read, result.write) if side is not None]
    done, dropped, refused = (
        sum(getattr(side, name) or 0 for side in sides)
        for name in ("operations", "backlog_dropped", "refused")
    )
    if done == 0:
        return "it did nothing in the measured time" + (" but find no space" if refused else "")
    if done < STARVED_SHARE * (done + dropped):
        return f"it did {done:,} of {done + dropped:,} operations that were due"
    return ""


ANALYSIS = MixAnalysis()
