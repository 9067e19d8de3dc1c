"""The first sentences of sharing: write, read and reread of every system, then who failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fsgauge.kinds.sharing.analysis.faults import words
from fsgauge.kinds.sharing.analysis.limits import by_place
from fsgauge.kinds.sharing.analysis.model import Sharing, SystemFaults
from fsgauge.kinds.sharing.factors import SharingFactors
from fsgauge.record.factors import most_hosts
from fsgauge.record.records import Cell
from fsgauge.stats.answer import plain_answer
from fsgauge.stats.between_systems import bound_of, is_near
from fsgauge.stats.evidence import Question
from fsgauge.stats.results import Comparison
from fsgauge.stats.rig_limits import Limit, Place
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
    """The first of each test, on the most hosts."""
    found, most = [], most_hosts(cells)
    cells = [each for each in cells if (SharingFactors.of(each).hosts or 1) == most]
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
