"""Whether engine and tool agree: each metric's ratio over the pairs of a cell, and a word.

Takes the numbers of each tool a pair; gives the geometric mean of engine / fio with a t interval
on the logs of the pairs' ratios, as for systems (stats/ratio.py).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from fsgauge.crosscheck.fio import Numbers
from fsgauge.crosscheck.sitting import ProgramRun
from fsgauge.plain_files.kept import Kept
from fsgauge.record.records import Cell
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.ratio import Ratio, ratio_of_blocks
from fsgauge.stats.rig_limits import mean_of_known
from fsgauge.units import format_duration
from fsgauge.workload.peer import RateUnit

Word = Literal["agrees", "differs", "undecided"]

MARGIN = 0.03
"""A difference within 3 % is agreement, even if it is significant."""
WIDEST = 0.10
"""An interval that reaches further than 10 % to either side and holds 1 supports no word."""
BUSY = 0.95
"""Threads that are on a CPU for this share of the time never wait."""
_MEDIANS = ("read.p50", "write.p50")
FIO_ENCLOSES_NS = 100
"""What fio's clocks enclose of its own work: docs/evidence/crosscheck.md."""
COMPARED = ("iops", *(f"{side}.{part}" for side in ("read", "write") for part in (
    "mean", "p50", "p99")), "cpu")  # fmt: skip


class Agreement(Kept):
    """One metric of one cell: engine / fio. The medians are for scale, not for judgement."""

    metric: str
    label: str
    unit: str
    engine: float
    fio: float
    ratio: float
    low: float | None
    high: float | None
    pairs: int
    word: Word


class CellAgreement(Kept):
    """One cell on one system: every metric that both tools have, and what explains a difference."""

    system: str
    cell: str
    cell_name: str
    command: list[str]
    agreements: list[Agreement]
    engine_processor_share: float
    fio_processor_share: float
    explanation: str
    own_command: list[str] | None = None
    """fio's command with its default submission; None where that equals the engine's."""
    own_agreements: list[Agreement] = Field([])

    @property
    def words(self) -> list[Word]:
        return [each.word for each in self.agreements]


class ProgramAgreement(Kept):
    """One cell on one system: engine / program over the pairs, and what each took of a CPU."""

    program: str
    system: str
    cell: str
    cell_name: str
    unit: RateUnit | None
    engine: float | None
    theirs: float | None
    ratio: float | None
    low: float | None
    high: float | None
    pairs: int
    too_fast: int
    """Pairs in which the program gave no rate."""
    word: Word
    engine_processor_share: float | None
    their_processor_share: float | None

    @property
    def words(self) -> list[Word]:
        return [] if self.ratio is None else [self.word]


def agreements(engine: Sequence[Numbers], fio: Sequence[Numbers]) -> list[Agreement]:
    """Each metric that both tools gave in every pair; both sequences are in the pairs' order."""
    found = []
    for name in COMPARED:
        ours = [each.values.get(name) for each in engine]
        theirs = [each.values.get(name) for each in fio]
        pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if a and b]
        if pairs and len(pairs) == len(engine):
            found.append(_agreement(name, pairs))
    return found


def explanation(engine: Sequence[Numbers], fio: Sequence[Numbers]) -> str:
    """What in the runs explains a difference; empty if nothing does."""
    return "; ".join(filter(None, (_busy(engine, fio), _enclosed(fio))))


def _enclosed(fio: Sequence[Numbers]) -> str:
    """Of reads or writes so short that fio's own work counts."""
    medians = [run.values[name] for run in fio for name in _MEDIANS if name in run.values]
    shortest = min(medians, default=0.0)
    if not 0 < shortest < FIO_ENCLOSES_NS / MARGIN:
        return ""
    return (
        f"fio's latencies include about {FIO_ENCLOSES_NS} ns of its own work,"
        f" {100 * FIO_ENCLOSES_NS / shortest:.0f} % of its p50 here; of one below"
        f" {format_duration(FIO_ENCLOSES_NS / MARGIN)} that alone is over {100 * MARGIN:.0f} %"
    )


def _busy(engine: Sequence[Numbers], fio: Sequence[Numbers]) -> str:
    ours, theirs = processor_share(engine), processor_share(fio)
    if max(ours, theirs) < BUSY:
        return ""
    busy = "both" if min(ours, theirs) >= BUSY else "fio" if theirs > ours else "the engine"
    return (
        f"CPU-bound, not storage-bound: the threads of {busy} never waited"
        f" (busy {100 * ours:.0f} % of the time in the engine, {100 * theirs:.0f} % in fio), so"
        " rate and latency follow CPU time per I/O"
    )


def processor_share(runs: Sequence[Numbers]) -> float:
    """Mean share of the time that a load thread was on a processor."""
    return statistics.fmean(run.processor_share for run in runs)


def word_for(low: float | None, high: float | None) -> Word:
    if low is None or high is None:
        return "undecided"
    if low >= 1 - MARGIN and high <= 1 + MARGIN:
        return "agrees"
    if not low <= 1 <= high:
        return "differs"
    return "agrees" if low >= 1 - WIDEST and high <= 1 + WIDEST else "undecided"


def program_agreement(
    program: str, system: str, cell: Cell, runs: Sequence[tuple[ProgramRun, ProgramRun]]
) -> ProgramAgreement:
    """The ratio over the pairs in which both gave a rate; none where a pair lacks one."""
    sides = [(ours.of(cell.id), theirs.of(cell.id)) for ours, theirs in runs]
    rated = [(ours.rate, theirs.rate) for ours, theirs in sides if ours.rate and theirs.rate]
    ratio = _ratio(rated) if len(rated) == len(sides) else None
    return ProgramAgreement(
        program=program,
        system=system,
        cell=cell.id,
        cell_name=cell.name,
        unit=sides[0][0].unit,
        engine=_middle([ours for ours, _ in rated]),
        theirs=_middle([theirs for _, theirs in rated]),
        ratio=ratio.ratio if ratio else None,
        low=ratio.low if ratio else None,
        high=ratio.high if ratio else None,
        pairs=len(sides),
        too_fast=len(sides) - len(rated),
        word=word_for(ratio.low, ratio.high) if ratio else "undecided",
        engine_processor_share=mean_of_known([ours.processor_share for ours, _ in sides]),
        their_processor_share=mean_of_known([theirs.processor_share for _, theirs in sides]),
    )


def _agreement(name: str, pairs: list[tuple[float, float]]) -> Agreement:
    metric = METRICS[name]
    ratio = _ratio(pairs, reach=metric.resolution)  # half a bucket of each side
    engine, fio = (_middle(side) for side in zip(*pairs, strict=True))
    assert ratio is not None and engine and fio  # noqa: S101 - there are pairs
    return Agreement(
        metric=name,
        label=metric.label,
        unit=metric.unit,
        engine=engine,
        fio=fio,
        ratio=ratio.ratio,
        low=ratio.low,
        high=ratio.high,
        pairs=ratio.n,
        word=word_for(ratio.low, ratio.high),
    )


def _ratio(pairs: Sequence[tuple[float, float]], reach: float = 0.0) -> Ratio | None:
    return ratio_of_blocks([math.log(ours / theirs) for ours, theirs in pairs], reach=reach)


def _middle(values: Sequence[float]) -> float | None:
    """The geometric mean; None of nothing."""
    return statistics.geometric_mean(values) if values else None
