"""The noise of real machines: rates of equal runs of one study, recorded block by block.

    python -m tests.known.recorded_noise WHAT DIR... > tests/data/noise/NAME.json

makes a file of results folders: one value a run, cell, system, block and turn. A planted loss is a
factor on all turns of one cell and system in one run.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from fsgauge.record.records import Cell, Plan, Turn
from fsgauge.stats.gate.learned import Addition, Learned, Run, lines_of, with_runs
from fsgauge.stats.metrics import Reading, values
from fsgauge.stats.samples import Samples
from fsgauge.store import read_results

DATA = Path(__file__).parents[1] / "data" / "noise"
METRIC = "iops"
MARGIN_PERCENT = 3.0
Loss = dict[tuple[str, str], float]
"""By cell and system, the factor on its rate."""


@dataclass(frozen=True)
class Recorded:
    """Equal runs of one study on one machine; `runs` are as their file has them."""

    what: str
    baseline: str
    systems: list[str]
    cells: list[str]
    runs: list[dict[str, Any]]

    @cached_property
    def additions(self) -> list[Addition]:
        """All runs as a gate takes them."""
        return [self.addition(number) for number in range(len(self.runs))]

    def addition(self, number: int, loss: Loss | None = None) -> Addition:
        """One run as a gate takes it."""
        recorded = self.runs[number]
        rates: dict[str, dict[str, list[list[float]]]] = recorded["rates"]
        blocks = len(rates[self.cells[0]][self.baseline])
        turns = [
            Turn(block=block, turn=place, system=system, again=again, cells=self.cells)
            for block in range(blocks)
            for place, (system, again) in enumerate(
                [*((system, False) for system in self.systems), (self.baseline, True)]
            )
        ]
        samples = Samples(self._plan(turns))
        for cell in self.cells:
            for turn in turns:
                rate = rates[cell][turn.system][turn.block][int(turn.again)]
                rate *= (loss or {}).get((cell, turn.system), 1.0)
                samples.add((METRIC, cell, turn.system), (turn.block, turn.again), Reading(rate))
        started = recorded["started_unix_ns"]
        run = Run(
            label=str(number),
            started="",
            started_unix_ns=started,
            ended_unix_ns=recorded["ended_unix_ns"],
            blocks=blocks,
        )
        return Addition(run, lines_of(samples, self.cells))

    def quieter(self, share: float) -> Recorded:
        """The same with this share of its noise: every log is so much nearer to its line's mean."""
        means = {
            (cell, system): statistics.fmean(
                math.log(rate)
                for run in self.runs
                for block in run["rates"][cell][system]
                for rate in block
            )
            for cell in self.cells
            for system in self.systems
        }

        def nearer(rate: float, mean: float) -> float:
            return math.exp(mean + share * (math.log(rate) - mean))

        runs = [
            run
            | {
                "rates": {
                    cell: {
                        system: [[nearer(rate, means[cell, system]) for rate in b] for b in blocks]
                        for system, blocks in systems.items()
                    }
                    for cell, systems in run["rates"].items()
                }
            }
            for run in self.runs
        ]
        return replace(self, runs=runs)

    def learned(self, numbers: list[int], loss_percent: float = 10.0) -> Learned:
        """What a gate has learnt from some of the runs."""
        additions = [self.additions[number] for number in numbers]
        return Learned(
            fsgauge="test",
            question=self.what,
            baseline=self.baseline,
            loss_percent=loss_percent,
            margin_percent=MARGIN_PERCENT,
            limits=[],
            metrics=[],
            systems=self.systems,
            cells=[Cell(id=cell, name=cell, kind="overhead", factors={}) for cell in self.cells],
            primary_cells=self.cells,
            primary_metrics=dict.fromkeys(self.cells, METRIC),
            facts={},
            runs=[each.run for each in additions],
            lines=with_runs([], 0, additions),
        )

    def _plan(self, turns: list[Turn]) -> Plan:
        return Plan(
            study="recorded",
            seed=1,
            baseline=self.baseline,
            systems=self.systems,
            primary=self.cells,
            cells=[Cell(id=cell, name=cell, kind="overhead", factors={}) for cell in self.cells],
            turns=turns,
            expected_seconds=1,
            expected_written_bytes=0,
        )


def recorded(name: str) -> Recorded:
    """What a file of tests/data/noise holds."""
    return Recorded(**json.loads((DATA / f"{name}.json").read_text(encoding="utf-8")))


def record(what: str, directories: list[Path]) -> str:
    """The text of such a file."""
    studies = sorted(map(read_results, directories), key=lambda each: each.study.started_unix_ns)
    plan = studies[0].study.plan
    runs = []
    for study in studies:
        found: dict[tuple[str, str, int, bool], float] = {
            (run.cell.id, run.system, run.block, run.again): values(run.result)[METRIC]
            for run in study.runs
            if run.result is not None
        }
        blocks = sorted({turn.block for turn in study.study.plan.turns})
        rates = {
            cell.id: {
                system: [
                    [
                        float(f"{found[cell.id, system, block, again]:.6g}")
                        for again in ((False, True) if system == plan.baseline else (False,))
                    ]
                    for block in blocks
                ]
                for system in plan.systems
            }
            for cell in plan.cells
        }
        runs.append(
            {
                "started_unix_ns": study.study.started_unix_ns,
                "ended_unix_ns": max(run.started_unix_ns for run in study.runs),
                "rates": rates,
            }
        )
    head = {
        "what": what,
        "baseline": plan.baseline,
        "systems": plan.systems,
        "cells": [cell.id for cell in plan.cells],
    }
    rows = ",\n".join(f"  {json.dumps(run, separators=(',', ':'))}" for run in runs)
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    return "{\n" + ",\n".join([*lines, f' "runs": [\n{rows}\n ]']) + "\n}\n"


if __name__ == "__main__":
    sys.stdout.write(record(sys.argv[1], [Path(each) for each in sys.argv[2:]]))
