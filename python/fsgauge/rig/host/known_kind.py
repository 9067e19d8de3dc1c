"""The kind of a system of a study; one that only another rig has is answered with that rig."""

from __future__ import annotations

from fsgauge.study.model import Study, System
from fsgauge.system import SystemKind, find_kind, system_kinds


def known_kind(study: Study, system: System) -> SystemKind:
    """InputError for one that is not known here: the rig that has it, or the nearest name."""
    if system.kind not in system_kinds():
        from fsgauge.rig.vm.own_systems import of_this_rig  # needed for this answer only

        elsewhere = of_this_rig(study, system)
        if elsewhere is not None:
            raise elsewhere
    return find_kind(system.kind)
