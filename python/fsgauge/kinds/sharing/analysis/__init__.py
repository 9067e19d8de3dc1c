"""What statistics say of sharing beside ratios: faults of systems, and what limited each rate."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from fsgauge.kinds.sharing.analysis.cautions import (
    cache_test_finding,
    memory_of,
    one_node_finding,
    with_local_locks,
)
from fsgauge.kinds.sharing.analysis.limits import (
    by_place,
    limits_finding,
    limits_of,
    ratios_to_nfs,
)
from fsgauge.kinds.sharing.analysis.model import FaultClass, Sharing, SystemFaults
from fsgauge.kinds.sharing.factors import SharingFactors
from fsgauge.record.records import Cell, RunRecord
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.answer import plain_answer
from fsgauge.stats.between_systems import bound_of, is_near
from fsgauge.stats.evidence import Evidence, Question, count, finding, part_of
from fsgauge.stats.results import Comparison, Finding
from fsgauge.stats.rig_limits import Limit, Place
from fsgauge.stats.samples import is_complete
from fsgauge.stats.sentence import comparisons_in, hidden_from
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, OPEN
from fsgauge.stats.wording import (
    least_shown,
    listed,
    share_words,
    shown_percent,
    together,
    too_few,
)
from fsgauge.units import format_size

TESTS = ("write", "read", "reread")


class SharingAnalysis(Analysis):
    """A test is judged by what its program prints."""

    own = Sharing
    said_better = frozenset({"runs.failed", "cache.file_set", "disk.limit"})

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002 - no test is
        return SharingFactors.of(cell).metric

    def read(self, material: Material) -> Sharing:
        """Each system's faults, the limit of each cell on each system, whose memory could hold each
        cell's file, and how each system compares with NFS."""
        limits = limits_of(material)
        return Sharing(
            faults=faults_of(material),
            limits=limits,
            memory=memory_of(material),
            local_locks=with_local_locks(material),
            to_nfs=ratios_to_nfs(material, limits),
        )

    def answer(self, question: Question) -> str | None:
        return sharing_answer(question)

    def findings(self, evidence: Evidence) -> Iterable[Finding]:
        own, plan = Sharing.within(evidence), evidence.study.plan
        yield from failed_finding(own.faults)
        yield from limits_finding(own.limits, plan)
        storage = evidence.study.study.get("storage", {}).get("kind", "")
        yield from cache_test_finding(own.memory, plan, storage)
        yield from one_node_finding(own.local_locks)


ANALYSIS = SharingAnalysis()


def sharing_answer(question: Question) -> str | None:
    """None where the general answer says all: of these tests no more than one was measured, and no
    system failed."""
    failed = [each for each in Sharing.within(question).faults if each.counts]
    said = _of_tests(question, {each.system for each in failed if not each.reached})
    if not said and failed:
        said = _of_others(question, failed)
    if not said:
        return None
    faults = listed([f"{each.system} failed ({words(each)})" for each in failed])
    return f"{said} {faults}.".strip() if faults else said


def _of_tests(question: Question, failed: set[str]) -> str:
    """Two sentences at most; "" of a study without two of these tests."""
    cells = _cells(question.cells)
    systems = [each for each in question.others if each not in failed]
    found = {cell.id: comparisons_in(question, cell) for cell in cells}
    measured = [each for entries in found.values() for each in entries]
    if len(cells) < 2 or not measured or not systems:
        return ""
    blocks = max(each.n for each in measured)
    is_early = blocks < BLOCKS_FOR_A_VERDICT
    limits = by_place(Sharing.within(question).limits)
    clauses = []
    silent: dict[str, list[str]] = {}
    noisy: list[Comparison] = []
    too_noisy = f"too noisy to tell from {question.baseline}"
    near = max((bound_of(each) for each in measured if _is_near(each)), default=0.0)
    for cell in cells:
        test = SharingFactors.of(cell).work
        shown = []
        for system in systems:
            entry = next((each for each in found[cell.id] if each.system == system), None)
            if entry is not None and (is_early or entry.verdict not in OPEN):
                by = " (by small requests)" if _asks_for_less(limits, entry, question) else ""
                shown.append(f"{_share(entry)}{by}")
                continue
            if entry is None:
                why = _why_none(question, cell, system)
            elif _is_near(entry):
                why = f"no difference from {question.baseline} above {shown_percent(near)} %"
            else:
                why = too_noisy
                noisy.append(entry)
            silent.setdefault(why, []).append(f"{system} in {test}")
        clauses += [f"in {test} {', '.join(shown)}"] if shown else []
    start = f"Of {question.baseline}'s rate at {_size(cells[0])}"
    first = f"{start}: {'; '.join(clauses)}." if clauses else ""
    if is_early:
        return " ".join(filter(None, (too_few(blocks), first)))
    reasons = sorted(silent, key=lambda why: why == too_noisy)
    rest = "; ".join(f"{why}: {', '.join(_by_system(silent[why]))}" for why in reasons)
    if hidden := hidden_from(noisy):
        rest += f"; {least_shown(hidden, ' or more')}"
    second = f"{rest[:1].upper()}{rest[1:]}." if rest else ""
    return " ".join(filter(None, (first, second)))


def _cells(cells: Sequence[Cell]) -> list[Cell]:
    """The first of each test, on one host."""
    found = []
    for test in TESTS:
        of_test = [each for each in cells if SharingFactors.of(each).test == test]
        found += of_test[:1]
    return found


def _share(entry: Comparison) -> str:
    word = " (equal)" if entry.verdict == "equivalent" else ""
    return f"{entry.system} {share_words(entry.ratio, entry.edges)}{word}"


def _asks_for_less(limits: Mapping[Place, Limit], entry: Comparison, question: Question) -> bool:
    """Whether it waits for a disk's requests where the baseline waits for its bytes: then the share
    is that of the sizes they ask for, at the limits of these disks."""
    baseline = limits.get((entry.cell, question.baseline))
    return (limits.get((entry.cell, entry.system)), baseline) == ("IOPS", "bandwidth")


def _is_near(entry: Comparison) -> bool:
    return entry.verdict in OPEN and is_near(bound_of(entry), entry.detectable_percent)


def _why_none(question: Question, cell: Cell, system: str) -> str:
    limited = [(each.cell, each.system) for each in question.limited]
    return "limited by the rig" if (cell.id, system) in limited else "without a ratio"


def _by_system(names: Iterable[str]) -> list[str]:
    """ "nfs in write and read" of "nfs in write", "nfs in read"."""
    found = together(name.rpartition(" in ")[::2] for name in names)
    return [f"{systems} in {tests}" for systems, tests in found]


def _size(cell: Cell) -> str:
    factors = SharingFactors.of(cell)
    record, file = factors.record_size_bytes or 0, factors.file_size_bytes or 0
    return f"{format_size(record)} records of {format_size(file)}"


def _of_others(question: Question, failed: Sequence[SystemFaults]) -> str:
    """The general answer. A block that lacks the runs of one is whole for all others."""
    named = {each.system for each in failed if not each.reached}
    of_others = replace(
        question,
        others=[each for each in question.others if each not in named],
        blocks_complete=max((each.n for each in question.comparisons), default=0),
    )
    return plain_answer(of_others) if of_others.comparisons or of_others.limited else " "


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
    """One a system, in the plan's order."""
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
    classes = [class_of(run) for run in runs]
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
