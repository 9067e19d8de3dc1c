"""Nodes with a study prepared on them."""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.rig.vm.arrangement.roles import arrangement_of, device_for
from fsgauge.rig.vm.arrangement.standing import SystemOverNodes
from fsgauge.rig.vm.disks import Limits, on_devices, storage_of
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.measuring import Measuring
from fsgauge.study.model import Study


@dataclass
class Prepared:
    """Those of one kernel. `volume` is what all systems are on, where a bare disk is among them: it
    stands until the nodes end."""

    group: NodeGroup
    measuring: Measuring
    has_logs: bool = False
    is_ready: bool = False
    volume: SystemOverNodes | None = None

    def take(self, study: Study, limits: Limits) -> None:
        """Attach the storage of a study as the guests have it; limit the disks."""
        self.measuring.prepare(study)
        self.group.limit(limits)
        self.is_ready = True

    def on_volume(self, study: Study) -> Study:
        """Set the volume up; gives the study as the guest measures it on that."""
        found = arrangement_of(study, study.systems[0])
        self.volume = SystemOverNodes(self.group, found, storage_of(study).size)
        self.volume.set_up()
        disks = self.group.nodes[self.group.roles.loads[0]].spec.disks
        return on_devices(study, [device_for(found, disks)])
