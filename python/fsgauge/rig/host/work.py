"""What every step of a block's measurement needs."""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.engine.client import Engine
from fsgauge.record.records import Plan
from fsgauge.rig.happenings import Tell
from fsgauge.rig.host.systems import HostSystems
from fsgauge.study.model import Study


@dataclass(frozen=True)
class Work:
    """One study on this machine, and who is told."""

    study: Study
    plan: Plan
    systems: HostSystems
    engine: Engine
    tell: Tell
