"""A study measured on this host by the engine, and read back."""

from __future__ import annotations

from pathlib import Path

from fsgauge.engine.wire import Event, IntervalEvent
from fsgauge.machine.device.consent import Consent
from fsgauge.progress import Progress
from fsgauge.rig.host.rig import HostRig
from fsgauge.run import Outcome, run_study
from fsgauge.store import StoredStudy, read_results
from fsgauge.study.model import Study
from tests.rigs.conftest import Scene


class Meddler(Progress):
    """Does something to the mounted system once, while clients write."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.done = False

    def event(self, event: Event) -> None:
        if isinstance(event, IntervalEvent) and not self.done:
            self.done = True
            (files,) = self.scene.ledgers.rglob("files")
            self.meddle(files)

    def meddle(self, files: Path) -> None:
        raise NotImplementedError


def measured(
    study: Study,
    rig: HostRig,
    results: Path,
    progress: Progress | None = None,
    destroy: Consent | None = None,
) -> tuple[Outcome, StoredStudy]:
    """Run the study; give its outcome and what its folder holds."""
    outcome = run_study(
        study,
        rig=rig,
        results=results,
        destroy=destroy,
        command=["fsgauge", "run", study.name],
        progress=progress or Progress(),
    )
    return outcome, read_results(outcome.directory)
