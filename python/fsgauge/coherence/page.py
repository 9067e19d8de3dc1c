"""The page of a test: a table of cases by systems, in words a person would use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fsgauge.coherence.cases import BEHIND_SECONDS, CASES
from fsgauge.coherence.log import LOST, Counted, Log
from fsgauge.report.logged import write_logged
from fsgauge.units import format_duration


@dataclass(frozen=True)
class Entry:
    words: str
    note: str = ""
    is_right: bool | None = None


def write_log(log: Log, folder: Path) -> Path:
    """Write the log and its page into a folder; RigError where that cannot be."""
    rows = [
        (CASES[name], [entry(log.of(each.name, name), name) for each in log.systems])
        for name in log.cases
    ]
    return write_logged("coherence", log, folder, rows=rows, answer=answer(log))


def is_right(counted: Counted) -> bool | None:
    """Whether every trial came to what programs on one machine see; None where it did because the
    nodes hardly met."""
    right = not counted.fault and set(counted.counts) == {CASES[counted.case].right}
    return None if right and counted.did_not_race else right


def entry(counted: Counted | None, case: str) -> Entry:
    if counted is None:
        return Entry("not tested")
    right = CASES[case].right
    order = sorted(counted.counts.items(), key=lambda each: (each[0] != right, -each[1]))
    words = ", ".join(f"{times} {outcome}" for outcome, times in order)
    notes = []
    if counted.behind_ns is None:
        notes.append(f"the last one not seen within {BEHIND_SECONDS:.0f} s")
    elif counted.behind_ns:
        notes.append(f"the last one seen after {format_duration(counted.behind_ns)}")
    if is_right(counted) is None:
        notes.append(f"did not race: {counted.raced} of {sum(counted.counts.values())} met")
    if counted.fault:
        notes.append(f"{'hang' if counted.is_hang else 'ended'}: {counted.fault}")
    return Entry(words or "nothing", "; ".join(notes), is_right(counted))


def answer(log: Log) -> str:
    """Which systems did all as one machine would, in how many cases the others did not, and where
    records of two nodes were lost."""
    alike: list[str] = []
    partly: list[str] = []
    different, failed, losing, apart = [], [], [], []
    for system in log.systems:
        found = [each for each in log.counted if each.system == system.name]
        wrong = [each for each in found if is_right(each) is False]
        if system.fault:
            failed.append(system.name)
        elif wrong:
            different.append(f"{system.name} in {len(wrong)} of {len(found)} cases")
        elif found:
            all_told = all(is_right(each) for each in found)
            (alike if all_told else partly).append(system.name)
        apart += [
            f"{system.name}, {CASES[each.case].title}" for each in found if is_right(each) is None
        ]
        if any(LOST in each.counts for each in found):
            losing.append(system.name)
    said = [
        f"As on one machine in every case: {', '.join(alike)}." if alike else "",
        f"As on one machine where the nodes raced: {', '.join(partly)}." if partly else "",
        f"Not as on one machine: {', '.join(different)}." if different else "",
        f"What two nodes appended or counted was lost: {', '.join(losing)}." if losing else "",
        f"The nodes did not race: {'; '.join(apart)}." if apart else "",
        f"Not tested: {', '.join(failed)}." if failed else "",
    ]
    return " ".join(filter(None, said)) or "Nothing has been tested yet."
