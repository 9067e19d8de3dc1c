"""A study over hosts that never ran: a rate that grows with them by a planted law."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fsgauge.engine.wire import elapsed_with_finish_ns
from fsgauge.record.factors import factors_of
from fsgauge.record.parts import DiskDone, MachineStart, Part, Traffic
from fsgauge.record.records import Cell, EnvironmentRecord, RunRecord
from fsgauge.stats.scaling.usl import throughput
from tests.synthetic import SyntheticStudy, make_study

SIDES = ("read", "write")
Law = tuple[float, float]
"""Contention and coherency."""


def over_hosts_study(
    counts: Sequence[int],
    laws: Mapping[str, Law],
    *,
    files: Sequence[tuple[str | None, float]] = ((None, 1.0),),
    **recipe: Any,
) -> SyntheticStudy:
    """A sweep whose cells are measured on hosts; see `on_hosts`."""
    return on_hosts(make_study(**recipe), counts, laws, files=files)


def on_hosts(
    study: SyntheticStudy,
    counts: Sequence[int],
    laws: Mapping[str, Law],
    *,
    files: Sequence[tuple[str | None, float]] = ((None, 1.0),),
) -> SyntheticStudy:
    """Each cell with each number of hosts, and with each way of `files`, which multiplies rates.

    `laws` are by system; what they do not name scales ideally. One host has no choice of files.
    """
    made = {
        cell.id: [
            (count, factor, _of_hosts(cell, count, way))
            for count in counts
            for way, factor in (files if count > 1 else [(None, 1.0)])
        ]
        for cell in study.study.plan.cells
    }

    def all_of(ids: Sequence[str]) -> list[str]:
        return [cell.id for each in ids for _, _, cell in made[each]]

    plan = study.study.plan
    turns = [
        turn.model_copy(update={"cells": all_of(turn.cells)}) for turn in study.study.plan.turns
    ]
    plan = plan.model_copy(
        update={
            "cells": [cell for cells in made.values() for _, _, cell in cells],
            "primary": [made[each][-1][2].id for each in plan.primary],
            "turns": turns,
        }
    )
    names = [f"node{number}" for number in range(1, max(counts) + 1)]
    chance = np.random.default_rng(7)
    runs = [
        _run(run, cell, names[:count], factor * _share(count, laws.get(run.system)), chance)
        for run in study.runs
        for count, factor, cell in made[run.cell.id]
    ]
    positions: dict[tuple[int, int], int] = {}
    placed = []
    for run in runs:
        at = positions.setdefault((run.block, run.turn), 0)
        positions[run.block, run.turn] += 1
        placed.append(run.model_copy(update={"position": at}))
    record = study.study.model_copy(update={"plan": plan, "rig": "fleet"})
    before = _environment(study.before, names)
    return SyntheticStudy(record, study.turns, placed, before, before, study.study_toml)


def _share(count: int, law: Law | None) -> float:
    """The rate of each of so many hosts, over that of one alone."""
    if law is None:
        return 1.0
    coefficients = np.array([1.0, *law])
    return float(throughput(np.array([float(count)]), coefficients)[0]) / count


def _of_hosts(cell: Cell, count: int, way: str | None) -> Cell:
    update = {"hosts": count} | ({"host_files": way} if way else {})
    factors = factors_of(cell).model_copy(update=update)
    name = f"{cell.name}, {count} host{'' if count == 1 else 's'}"
    tail = f"-hosts{count}" + (f"-{way}" if way else "")
    return factors.cell(f"{cell.id}{tail}", name + (f", {way} files" if way else ""))


def _run(
    run: RunRecord, cell: Cell, names: Sequence[str], share: float, chance: np.random.Generator
) -> RunRecord:
    (part,) = run.parts
    noisy = share * float(np.exp(chance.normal(0, 0.01)))
    parts = [_part(part, name, noisy) for name in names]
    starts = [
        MachineStart(
            machine=name,
            late_ns=1000 + 20_000 * at,
            last_late_ns=2000 + 20_000 * at,
            ended_ns=10_000_000_000 + 20_000 * at,
            bound_ns=50_000,
            round_trip_ns=100_000,
            real_time=True,
            spun=True,
        )
        for at, name in enumerate(names)
    ]
    return run.model_copy(update={"cell": cell, "parts": parts, "starts": starts})


def slower(run: RunRecord, share: float) -> RunRecord:
    """The same run with that share of its rate on every host."""
    parts = [_part(part, part.machine, share) for part in run.parts]
    return run.model_copy(update={"parts": parts})


def at_a_limit(study: SyntheticStudy) -> SyntheticStudy:
    """The same, of a disk that did as many requests as it may in every run."""
    return replace(study, runs=[_with_all_that_is_allowed(run) for run in study.runs])


def _with_all_that_is_allowed(run: RunRecord) -> RunRecord:
    assert run.result is not None
    seconds = (run.result.warm_up_ns + elapsed_with_finish_ns(run.result)) / 1e9
    done = DiskDone(count=round(300 * seconds), limit_per_second=300)
    disks, parts = {"node1 shared": done}, {"read": done.count}
    asked = Traffic(name="disk_requests", title="", unit="", parts=parts, of_disks=disks)
    return run.model_copy(update={"traffic": [asked]})


def _part(part: Part, name: str, share: float) -> Part:
    (only,) = part.slices
    update: dict[str, object] = {}
    for side in SIDES:
        each = getattr(only.result, side)
        if each is not None:
            update[side] = _scaled(each, share)
    update["intervals"] = [
        each.model_copy(update={side: _scaled(getattr(each, side), share) for side in SIDES})
        for each in only.result.intervals
    ]
    result = only.result.model_copy(update=update)
    return part.model_copy(
        update={"machine": name, "slices": [only.model_copy(update={"result": result})]}
    )


def _scaled(each: Any, share: float) -> Any:
    """A side of a run, or of an interval, with so many times its operations."""
    size_bytes = each.size_bytes // max(1, each.operations)
    operations = round(each.operations * share)
    update = {"operations": operations, "size_bytes": operations * size_bytes}
    return each.model_copy(update=update)


def _environment(before: EnvironmentRecord, names: Sequence[str]) -> EnvironmentRecord:
    (machine,) = before.machines
    return EnvironmentRecord(
        machines=[
            machine.model_copy(
                update={"name": name, "role": "load" if at == 0 else f"load {at + 1}"}
            )
            for at, name in enumerate(names)
        ]
    )
