"""How often each system failed, and how; what the rig or engine could not do is no fault of it."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence

from fsgauge.kinds.sharing.analysis.model import FaultClass, SystemFaults
from fsgauge.record.records import RunRecord
from fsgauge.stats.analysis import Material
from fsgauge.stats.evidence import count, finding, part_of
from fsgauge.stats.results import Finding
from fsgauge.stats.samples import is_complete

_CLASSES: dict[str, FaultClass] = {
    "system.not_set_up": "not set up",
    "system.not_in_force": "not in force",
    "system.crashed": "crash",
    "system.hangs": "hang",
}
_NOT_THE_SAME = "what was read is not what was written"
_WRONG = ("verify.", "integrity.", "data.")
_OF_THE_TOOL = ("rig.", "io_uring.", "clock.", "start.", "lease.", "host.")
"""Codes of what the rig and the engine themselves could not do."""


def faults_of(material: Material) -> list[SystemFaults]:
    plan = material.study.plan
    return [
        _of_system(
            system,
            [run for run in material.runs if run.system == system],
            sum(len(turn.cells) for turn in plan.turns if turn.system == system),
        )
        for system in plan.systems
    ]


def _of_system(system: str, runs: Sequence[RunRecord], planned: int) -> SystemFaults:
    failed: dict[tuple[int, int, FaultClass], str] = {}
    short = after_cut(runs)
    classes = [None if run in short else class_of(run) for run in runs]
    for run, found in zip(runs, classes, strict=True):
        if found is not None:
            what = run.fault.what if run.fault is not None else _NOT_THE_SAME
            failed.setdefault((run.block, run.turn, found), what)
    return SystemFaults(
        system=system,
        planned=planned,
        reached=sum(is_complete(run) for run in runs),
        counts=Counter(found for _, _, found in failed),
        first=next(iter(failed.values()), ""),
        sound=_sound(runs, classes),
    )


def _sound(runs: Sequence[RunRecord], classes: Sequence[FaultClass | None]) -> float | None:
    had_a_chance = [
        found is None
        for run, found in zip(runs, classes, strict=True)
        if found is not None or is_complete(run)
    ]
    return statistics.fmean(had_a_chance) if had_a_chance else None


def after_cut(runs: Sequence[RunRecord]) -> list[RunRecord]:
    """Those that found a short file in a turn in which the time limit ended a test that wrote."""
    cut = {(run.block, run.turn) for run in runs if run.left_files_short}
    short = [run for run in runs if run.fault is not None and run.fault.code == "target.size"]
    return [run for run in short if (run.block, run.turn) in cut]


def class_of(run: RunRecord) -> FaultClass | None:
    """Of one run; None where it is sound, and where the rig or engine failed and no system."""
    if run.fault is not None and run.fault.code.startswith(_OF_THE_TOOL):
        return None
    if run.fault is not None:
        wrong = run.fault.code.startswith(_WRONG)
        return "wrong data" if wrong else _CLASSES.get(run.fault.code, "I/O error")
    result = run.result
    if result is not None and result.integrity is not None and result.integrity.corrupt_blocks:
        return "wrong data"
    return None


def failed_finding(faults: Sequence[SystemFaults]) -> Iterator[Finding]:
    """A system that failed stays in the tables with what it reached."""
    failed = [each for each in faults if each.counts]
    if failed:
        yield finding(
            "sharing.failed",
            "warning",
            f"{part_of(len(failed), len(faults), 'system')} failed at least once; what each reached"
            " is in the tables, and blocks that lack a run are left out of its ratios.",
            "fsgauge rig test NAME sets a system up alone, and says where it fails.",
            [f"{each.system}: {words(each)}; {each.first}" for each in failed],
        )


def words(faults: SystemFaults) -> str:
    """ "2 turns: crash; 1 turn: hang"; "none"."""
    found = [f"{name} in {count(number, 'turn')}" for name, number in faults.counts.items()]
    return ", ".join(found) or "none"
