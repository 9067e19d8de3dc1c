"""What statistics say of a program alone, for report.json."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fsgauge.record.records import RunRecord
from fsgauge.stats.analysis import Material
from fsgauge.stats.contrast import Contrast, Value, in_blocks, judged_ratio
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.noise import pooled_noise
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.results import JudgedRatio, OwnResults
from fsgauge.stats.samples import Samples, is_complete

TIME = "time"
"""What `primary` says of a program that is judged by its time."""


class Waits(ResultModel):
    """What a program did on one system in one cell: its mean time, and means over its runs.

    `waiting` is the share of its time in which it did nothing but wait for storage, of `looks` at
    its threads in all runs together; None where this machine does not tell, or of too few looks.
    `processor` is CPU time over its time: 1 is one core.
    """

    cell: str
    system: str
    time: Estimate
    waiting: float | None
    looks: int
    processor: float
    peak_memory_bytes: int
    read_bytes: float | None = None
    written_bytes: float | None = None
    requests: float | None = None
    flushes: float | None = None


class OwnNumberResult(ResultModel):
    """One of its own numbers: the geometric mean over blocks; `ratio` is to the baseline's."""

    name: str
    unit: str
    better: Literal["higher", "lower"]
    cell: str
    system: str
    value: Estimate
    ratio: JudgedRatio | None


class Command(OwnResults):
    """What only a program has; in the order of cells, then of systems.

    `noise` is of the number that `primary` names: how far from 1, as a log, the ratio of an equal
    system may come out. None of its time, which is the study's own metric.
    """

    primary: str
    noise: float | None = None
    waits: list[Waits]
    numbers: list[OwnNumberResult]

    def of_cell(self, cell: str) -> list[Waits]:
        return [each for each in self.waits if each.cell == cell]


FEWEST_LOOKS = 20
"""In all runs of a system together: fewer tell no share."""
SMALL_SHARE = 0.01
LOOKS_AT_LITTLE = 300
"""From so many on a smaller share is told: none of fewer may be 1 % and more (95 %)."""
_TIME = "complete"


@dataclass(frozen=True)
class _OwnContrast(Contrast):
    more_is_better: bool = False

    @property
    def higher_is_better(self) -> bool:
        return self.more_is_better


def waits_of(material: Material) -> list[Waits]:
    found = []
    for cell, system in material.study.plan.places:
        runs = [
            run
            for run in material.runs
            if (run.cell.id, run.system) == (cell, system) and is_complete(run)
        ]
        time = material.samples.number(_TIME, cell, system)
        if time is not None:
            found.append(_waits(runs, cell=cell, system=system, time=time))
    return found


def _waits(runs: Sequence[RunRecord], **place: Any) -> Waits:  # noqa: ANN401
    programs = [run.command for run in runs if run.command is not None]
    results = [run.result for run in runs if run.result is not None]
    looks = sum(each.looks for each in programs)
    elapsed_ns = sum(each.elapsed_ns for each in results)
    processor_ns = sum(each.cpu.user_ns + each.cpu.system_ns for each in results)
    flushes = [run.device.flush_requests if run.device else None for run in runs]

    def of_device(of: Callable[[Any], int]) -> float | None:
        devices = [run.device for run in runs]
        return None if None in devices else statistics.fmean(map(of, devices))

    return Waits(
        **place,
        waiting=share_of_looks(sum(each.waiting for each in programs), looks),
        looks=looks,
        processor=processor_ns / max(elapsed_ns, 1),
        peak_memory_bytes=max(each.peak_memory_bytes for each in programs),
        read_bytes=of_device(lambda device: device.read_bytes),
        written_bytes=of_device(lambda device: device.write_bytes),
        requests=of_device(lambda device: device.read_requests + device.write_requests),
        flushes=None if None in flushes else statistics.fmean(each or 0 for each in flushes),
    )


def share_of_looks(waiting: int, looks: int) -> float | None:
    """Of looks, how many found it waiting; None where so few do not tell."""
    needed = LOOKS_AT_LITTLE if waiting < SMALL_SHARE * looks else FEWEST_LOOKS
    return waiting / looks if looks >= needed else None


def noise_of(material: Material, name: str) -> float | None:
    """How far from 1, as a log, the ratio of an equal system may come out in a number; None from
    fewer than three blocks."""
    plan = material.study.plan
    noise = pooled_noise(_samples(material), name, plan.primary, material.equivalence_percent)
    return None if noise is None or noise.state == "unknown" else noise.typical


def _samples(material: Material) -> Samples:
    return material.samples.beside().put_runs(
        material.runs, lambda run: run.command.values.items() if run.command else ()
    )


def numbers_of(material: Material, numbers: Sequence[Mapping[str, Any]]) -> list[OwnNumberResult]:
    """Each number on each system; all ratios are one family of comparisons."""
    plan, samples = material.study.plan, _samples(material)
    contrasts = {
        (each["name"], cell, system): _OwnContrast(
            Value(each["name"], cell, system),
            Value(each["name"], cell, plan.baseline),
            more_is_better=each["better"] == "higher",
        )
        for each in numbers
        for cell, system in plan.places
        if system != plan.baseline
    }
    ratios = in_blocks(contrasts, samples, material.equivalence_percent)
    return [
        OwnNumberResult(
            name=each["name"],
            unit=each.get("unit", ""),
            better=each["better"],
            cell=cell,
            system=system,
            value=number,
            ratio=judged_ratio(ratios.get((each["name"], cell, system))),
        )
        for each in numbers
        for cell, system in plan.places
        if (number := samples.number(each["name"], cell, system)) is not None
    ]
