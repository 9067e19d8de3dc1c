"""Where a host waits for the others in a run: equal, whether it measures or could not lay out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from fsgauge.engine.client import Armed, longest_seconds
from fsgauge.engine.wire import Job, LoadJob, MixResult, Result
from fsgauge.plan.turns import load_for, make_plan
from fsgauge.rig.fleet.gated_engine import GatedEngine
from fsgauge.rig.happenings import RunStarted
from fsgauge.study.parse import load_study
from fsgauge.workload.dealing import Share
from fsgauge.workload.folders import ClientFolders

STUDY = load_study("mix", [], [], None, 1)
PLAN = make_plan(STUDY, size_bytes=1 << 30)
TURN = PLAN.turns[0]
PLACE = ClientFolders(directory="/x", files_per_client=0, backup_files_per_client=0)


class Waits:
    """A gate that opens at once; what was waited for, in order."""

    def __init__(self) -> None:
        self.labels: list[Any] = []

    def wait(self, label: Any) -> int:
        self.labels.append(label)
        return 0

    def meet(self, label: Any, offer: str = "") -> str:
        self.labels.append((label, offer))
        return ""

    def require_not_ended(self) -> None: ...


class Measures(GatedEngine):
    def run(
        self, job: Job, on_event: Any = None, on_start: Any = None, on_armed: Armed | None = None
    ) -> Result:
        assert on_armed is not None
        on_armed()
        return MixResult(format=1, kind="mix", results=[])


def waits_of(work: Callable[[GatedEngine, list[LoadJob]], object]) -> list[Any]:
    gate = Waits()
    engine = Measures(STUDY, Share(0, 2), gate, Path("/bin/true"))  # type: ignore[arg-type]
    engine.enter(TURN)
    cells = {cell.id: cell for cell in PLAN.cells}
    jobs = [load_for(STUDY, PLAN, TURN, cells[each], PLACE) for each in TURN.cells]
    engine.expect(RunStarted(TURN, cells[TURN.cells[0]]))
    work(engine, [job for job in jobs if isinstance(job, LoadJob)])
    return gate.labels


def without_load(engine: GatedEngine, loads: list[LoadJob]) -> None:
    with engine.together(max(map(longest_seconds, loads)), lambda: None):
        pass


def test_a_host_that_could_not_lay_out_waits_where_the_others_do() -> None:
    measured = waits_of(lambda engine, loads: engine.mix(loads))
    assert len(measured) == 2
    assert waits_of(without_load) == measured
