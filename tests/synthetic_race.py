"""Races over a rig without a disk: how fast each system is, and when it fails, is known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from fsgauge.engine.client import EngineFaultError, OnEvent
from fsgauge.engine.wire import EngineFault, FilesTarget, LoadJob, LoadResult
from fsgauge.errors import RigError
from fsgauge.progress import Progress
from fsgauge.run import Outcome, run_study
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study
from tests.laboratory import NoDiskEngine, NoDiskRig

BASELINE = "scratch folder"
GAINS = {BASELINE: 0.66, "two": 1.0, "three": 0.5, "four": 0.98, "five": 0.3}
"""Of the rate that the engine has by itself, which differs by 2 %."""
BLOCKS, CONFIRM = 12, 3


def race_study(*overrides: str) -> Study:
    settings = [
        "storage.size=16MiB",
        "plan.mode=race",
        f"plan.blocks={BLOCKS}",
        f"plan.confirm={CONFIRM}",
        "plan.side_by_side=false",
        'workload.patterns=["randread"]',
        "workload.queue_depths=[32]",
        'workload.block_sizes=["4 KiB"]',
        *overrides,
    ]
    return load_study(
        "demo-user",
        settings,
        [f"{name}=mounted" for name in GAINS if name != BASELINE],
        "path:/tmp",
        7,
    )


class RacingEngine(NoDiskEngine):
    """Rates of systems that are known, until `most` loads were made; those of `failing` fail in
    their loads of these numbers, those of `stalling` take three times as long."""

    def __init__(
        self,
        most: int = 10_000,
        failing: Mapping[str, Collection[int]] | None = None,
        stalling: Mapping[str, Collection[int]] | None = None,
    ) -> None:
        super().__init__(0)
        self.left, self.failing, self.stalling = most, failing or {}, stalling or {}
        self.loads: dict[str, int] = defaultdict(int)

    def load(self, job: Any, on_event: OnEvent | None = None) -> LoadResult:
        if self.left == 0:
            raise RigError("the machine stood still")
        self.left -= 1
        assert isinstance(job, LoadJob)
        assert isinstance(job.target, FilesTarget)
        system = job.target.directory.removeprefix("/")
        self.loads[system] += 1
        if self.loads[system] in self.failing.get(system, ()):
            raise EngineFaultError(EngineFault(code="io", what="it broke", cause="", next=""))
        found = super().load(job, on_event)
        gain = GAINS[system]
        if self.loads[system] in self.stalling.get(system, ()):
            gain /= 3
        return found.model_copy(update={"elapsed_ns": int(found.elapsed_ns / gain)})


def measure(results: Path, engine: RacingEngine | None = None, *overrides: str) -> Outcome:
    return run_study(
        race_study(*overrides),
        rig=NoDiskRig(engine or RacingEngine()),
        results=results,
        destroy=None,
        command=["fsgauge", "run", "race"],
        progress=Progress(),
    )
