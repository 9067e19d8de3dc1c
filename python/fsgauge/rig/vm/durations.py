"""What virtual machines take beside the load: measured where they were emulated, on two processors.

Three studies, whole, at a load of 5 to 8: `sharing` 189 runs in 18 min 46 s, `two-nodes` 89 in
19 min 39 s, `writers-nfs` 30 in 8 min 24 s. Their journals say when each turn and run was there.
"""

from __future__ import annotations

from dataclasses import replace

from fsgauge.plan.around import HERE, Around
from fsgauge.rig.vm.acceleration import expects_kvm
from fsgauge.rig.vm.arrangement.roles import is_arranged, roles_of
from fsgauge.rig.vm.disks import limits_of
from fsgauge.study.model import LoopStorage, Study

_UP_SECONDS = 20.0
"""Machines were up after 11 to 25 s."""
_TRIED_SECONDS = 11.0
"""A system is set up once before the first block, to learn what room it has."""
_TURN_SECONDS, _TURN_OF_SEVERAL_SECONDS = 12.0, 19.0
"""A system set up over its nodes and removed, mounted by one node or by several."""
_RUN_SECONDS, _RUN_OF_SEVERAL_SECONDS = 3.0, 6.5
"""Caches, counters and the engine's start; where several begin together, 2.5 s are the lead."""


def around_of(study: Study) -> Around:
    """The limits of disks, and what several nodes take, emulated. Of a machine alone and of KVM
    nothing else is known."""
    if not isinstance(study.storage, LoopStorage):
        return HERE
    limits = limits_of(study)
    disks = Around(bytes_per_second=limits.bytes_per_second, operations_per_second=limits.iops)
    if expects_kvm() or not is_arranged(study):
        return disks
    several = len(roles_of(study).loads) > 1
    return replace(
        disks,
        before_seconds=_UP_SECONDS + _TRIED_SECONDS * len(study.systems),
        turn_seconds=_TURN_OF_SEVERAL_SECONDS if several else _TURN_SECONDS,
        run_seconds=_RUN_OF_SEVERAL_SECONDS if several else _RUN_SECONDS,
    )
