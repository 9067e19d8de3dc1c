"""What every step of one study's execution needs."""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.engine import Engine
from fsgauge.progress import Progress
from fsgauge.record import Plan
from fsgauge.rig.rig import AttachedStorage, Rig
from fsgauge.store import ResultsFolder
from fsgauge.study.model import Study


@dataclass
class Campaign:
    """One study, where it happens and where its records go."""

    study: Study
    plan: Plan
    rig: Rig
    engine: Engine
    attached: AttachedStorage
    folder: ResultsFolder
    progress: Progress
