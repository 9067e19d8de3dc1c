"""The number of a cell as its asker says it: what the study names, or a time with its p99.

A load that makes every write durable is one of commits: it is compared by its rate, and what its
asker waits for is the time of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fsgauge.engine.wire import DsyncSync, FdatasyncSync, FsyncSync, LoadJob, RwfDsyncSync
from fsgauge.record.factors import LARGE_BYTES, factors_of
from fsgauge.record.records import Cell, RunRecord
from fsgauge.stats.evidence import Question
from fsgauge.stats.metrics import METRICS, SYNC
from fsgauge.stats.run_checks import rate_offered
from fsgauge.units import (
    figure,
    format_duration,
    format_size,
    format_value,
    listed,
    with_one_unit,
)


@dataclass(frozen=True)
class Asked:
    """A number on each system, in `unit`: "ns" of a time; `start` begins its sentence: "Commits of
    8 KiB take". `of_rate`: systems are compared by a rate, of which it is the inverse. `p99_ns` is
    of `p99_of`: of the sync alone where that is a call of its own, behind the write."""

    start: str
    values: Mapping[str, float]
    p99_ns: Mapping[str, float]
    of_rate: bool = False
    p99_of: str = "p99"
    unit: str = "ns"

    def said(self, system: str) -> str:
        """ "1.8 ms on ext4", "3,210/s on ext4"."""
        value = self.values[system]
        number = f"{figure(value)}/s" if self.unit == "IOPS" else format_value(value, self.unit)
        return f"{number} on {system}"

    def tail(self, system: str) -> str:
        """ " (sync p99 6.1 ms)"; "" where it is not known."""
        p99_ns = self.p99_ns.get(system)
        return "" if p99_ns is None else f" ({self.p99_of} {format_duration(p99_ns)})"


def asked_of(question: Question, cell: Cell) -> Asked | None:
    """The number of a cell that its study names or that is a time; None of a plain rate."""
    metric = METRICS[question.metrics[cell.id]]
    if factors_of(cell).asked:
        p99 = _p99_of(question, cell)
        return Asked(
            f"{thing_of(question, cell, is_first=True)}:",
            _values(question, cell, metric.name),
            {} if metric.unit == "ns" else _values(question, cell, p99),
            p99_of="sync p99" if p99 == f"{SYNC}.p99" else "p99",
            unit=metric.unit,
        )
    if _is_of_commits(question, cell):
        at_once = factors_of(cell).at_once_on_all_hosts
        rates = _values(question, cell, "iops").items()
        values = {name: at_once * 1e9 / rate for name, rate in rates}
        p99_ns = _values(question, cell, question.commits[cell.id])
        is_of_sync = question.commits[cell.id] == f"{SYNC}.p99"
        if is_of_sync:  # one that is shorter than its commit is not what is waited for
            p99_ns = {name: each for name, each in p99_ns.items() if each >= values.get(name, 0)}
        return Asked(
            f"Commits{_of_commit(question, cell)} take",
            values,
            p99_ns,
            of_rate=True,
            p99_of="sync p99" if is_of_sync else "p99",
        )
    if metric.unit != "ns":
        return None
    return Asked(
        f"{thing_of(question, cell, is_first=True)} is", _values(question, cell, metric.name), {}
    )


def _p99_of(question: Question, cell: Cell) -> str:
    """Of what is waited for: of syncs where there are some, else of the one operation; "" of
    several."""
    known = {each.metric for each in question.measurements if each.cell == cell.id}
    found = sorted(each for each in known if each.endswith(".p99"))
    return next((each for each in found if each == f"{SYNC}.p99" or len(found) == 1), "")


MOST_OWN = 3


def own_numbers(question: Question) -> str:
    """What the baseline does in the first primary cells, where nothing is held against it."""
    cells, name = question.primary[:MOST_OWN], question.baseline
    told = [each for each in (asked_of(question, cell) for cell in cells) if each is not None]
    known = [each for each in told if name in each.values]
    said = [f"{each.start} {each.said(name)}{each.tail(name)}." for each in known]
    return " ".join([*said, *own_rates(question, cells)])


def rate_words(cell: Cell, value: float, unit: str) -> str:
    """ "205 k IOPS"; of large operations "8.64 GiB/s"."""
    size_bytes = factors_of(cell).operation_bytes
    if unit == "IOPS" and size_bytes >= LARGE_BYTES:
        return format_value(value * size_bytes, "B/s")
    return format_value(value, unit)


def own_rates(question: Question, cells: Sequence[Cell]) -> list[str]:
    """ "ext4 does 205 k and 150 k IOPS in 4 KiB random reads and random writes at depth 32.": what
    ratios are of, in the first of these cells; none of those whose number is told."""
    rates = {}
    for cell in cells[:MOST_OWN]:
        metric = METRICS[question.metrics[cell.id]]
        rate = _values(question, cell, metric.name).get(question.baseline)
        if rate is not None and asked_of(question, cell) is None:
            rates[cell.id] = rate_words(cell, rate, metric.unit)
    shown = [cell for cell in cells if cell.id in rates]
    nouns = [factors_of(cell).noun for cell in shown]
    if not shown:
        return []
    if works_joined(shown, nouns) is None:
        shown, nouns = shown[:2], nouns[:2]
    values = [rates[cell.id] for cell in shown]
    alike = len(values) > 1 and len(set(values)) == 1
    said = f"{values[0]} each" if alike else listed(with_one_unit(values))
    return [f"{question.baseline} does {said} in {things_of(shown, nouns)}."]


def _is_of_commits(question: Question, cell: Cell) -> bool:
    return cell.id in question.commits and question.metrics[cell.id] == "iops"


def _of_commit(question: Question, cell: Cell) -> str:
    """ " of 8 KiB by 4 writers at once"; where a study compares ways of syncing, with its own."""
    factors = factors_of(cell)
    ways = {factors_of(each).pattern_word for each in question.cells}
    way = f" with {factors.pattern_word}" if factors.work == "commits" and len(ways) > 1 else ""
    several = f" by {factors.at_once_words} at once" if factors.at_once > 1 else ""
    return f" of {format_size(factors.operation_bytes)}{way}{several}"


def _values(question: Question, cell: Cell, metric: str) -> dict[str, float]:
    return {
        each.system: each.value
        for each in question.measurements
        if (each.cell, each.metric) == (cell.id, metric)
    }


OF_WORK = ("iops", "bandwidth", "files")
"""Metrics that say how fast a cell's work is done: the work alone names them."""


def thing_of(question: Question, cell: Cell, *, is_first: bool = False) -> str:
    """What a cell's number is of: "4 KiB random reads at depth 32", "the p99 latency of 4 KiB
    random reads at 5,000/s"; `is_first` begins a sentence."""
    metric = METRICS[question.metrics[cell.id]]
    noun, asked = factors_of(cell).noun, factors_of(cell).asked
    if asked:
        return f"{asked[0].upper()}{asked[1:]}" if is_first else asked
    if _is_of_commits(question, cell):
        return f"{'Commits' if is_first else 'commits'}{_of_commit(question, cell)}"
    if metric.name in OF_WORK:
        return f"{noun[0].upper()}{noun[1:]}" if is_first else noun
    operation, _, rest = metric.label.partition(" ")
    is_said = factors_of(cell).work.endswith(f" {operation}s") and " and " not in noun
    label = rest if is_said else metric.label
    return f"{'The' if is_first else 'the'} {label} of {_at_pace(question, cell)}"


def named_test(cell: Cell, metric: str) -> str:
    """What folders are compared by: "4 KiB random reads at depth 32"; what a study names, in its
    words; of another metric than a rate, its label first."""
    factors = factors_of(cell)
    label = "" if metric in OF_WORK else f"{METRICS[metric].label} of "
    return factors.asked or f"{label}{factors.noun}"


def is_plural(cell: Cell, metric: str) -> bool:
    """Whether that is several things: reads are slower, the bandwidth of a group is."""
    return metric in OF_WORK and not (metric == "bandwidth" and factors_of(cell).asked)


def things_of(cells: Sequence[Cell], named: Sequence[str]) -> str:
    """What several cells' numbers are of, each of which is named: "4 KiB random reads and random
    writes at depth 32"."""
    if len(cells) == 1:
        return named[0]
    if (joined := works_joined(cells, named)) is not None:
        return joined
    if len(cells) > 2:
        return f"{named[0]} and {len(cells) - 1} more tests"
    (*start, _), (*other, last) = (each.split(" ") for each in named)
    return f"{named[0]} and {last}" if start == other else listed(named)


def works_joined(cells: Sequence[Cell], named: Sequence[str]) -> str | None:
    """The names of cells that are alike but for what is done, as one; None of others."""
    works = [factors_of(cell).work for cell in cells]
    alike = {name.replace(work, "", 1) for name, work in zip(named, works, strict=True)}
    if len(alike) > 1 or len(set(works)) < len(works):
        return None
    return named[0].replace(works[0], listed(works), 1)


def _at_pace(question: Question, cell: Cell) -> str:
    """The cell as a thing with the pace that it was offered, which stands for a depth that all
    have: "4 KiB random reads at 5,000/s"."""
    factors, pace = factors_of(cell), question.paces.get(cell.id)
    if pace is None:
        return factors.noun
    at = f" at {figure(pace)}/s"
    depth = f" at depth {factors.depth}"
    several = len({factors_of(each).depth for each in question.cells}) > 1
    whole = f"{at} and depth {factors.depth}" if several else at
    return factors.noun.replace(depth, whole) if depth in factors.noun else f"{factors.noun}{at}"


def paces_in(runs: Iterable[RunRecord]) -> dict[str, float]:
    """By the id of a cell whose runs all had one pace, its operations a second; those of a load
    curve have theirs in their names."""
    found: dict[str, set[float | None]] = {}
    for run in runs:
        if not run.cell.pace:
            found.setdefault(run.cell.id, set()).add(rate_offered(run))
    return {cell: rate for cell, (rate, *more) in found.items() if rate is not None and not more}


def commits_in(runs: Iterable[RunRecord], cells: Sequence[Cell]) -> dict[str, str]:
    """By the id of a cell in which every write is made durable before the next, the metric of the
    p99 of what is waited for."""
    found: dict[str, str | None] = {}
    for run in runs:
        own = _commit(run)
        found[run.cell.id] = own if found.get(run.cell.id, own) == own else None
    known = {cell.id for cell in cells}
    return {cell: metric for cell, metric in found.items() if metric and cell in known}


def _commit(run: RunRecord) -> str | None:
    job = run.job
    if not isinstance(job, LoadJob) or job.queue_depth != 1 or job.read_percent:
        return None
    match job.sync:
        case DsyncSync() | RwfDsyncSync():
            return "write.p99"
        case FsyncSync(every=1) | FdatasyncSync(every=1):
            return f"{SYNC}.p99"
        case _:
            return None
