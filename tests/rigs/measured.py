"""A study measured on this host by the engine, and read back."""

from __future__ import annotations

from pathlib import Path

from fsgauge.machine.device.consent import Consent
from fsgauge.progress import Progress
from fsgauge.rig.host.rig import HostRig
from fsgauge.run import Outcome, run_study
from fsgauge.store import StoredStudy, read_results
from fsgauge.study.model import Study


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
