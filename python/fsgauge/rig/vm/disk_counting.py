"""What all disks of a group of nodes were asked for during a run, the server's among them.

QEMU counts it, so no node has to stop for it. A disk that several nodes share is counted in each.
"""

from __future__ import annotations

from fsgauge.record import RunRecord, Traffic
from fsgauge.rig.rig import Happening, RunStarted
from fsgauge.rig.vm.group import NodeGroup

NAME = "disk_requests"


class DiskCounting:
    """Told what happens on the nodes of a group, in its order."""

    def __init__(self, group: NodeGroup) -> None:
        self._group = group
        self._before: dict[str, int] | None = None

    def told(self, happening: Happening) -> Happening:
        """The happening; a run's record with the requests since it began."""
        if isinstance(happening, RunStarted):
            self._before = self._now()
        if not isinstance(happening, RunRecord) or self._before is None:
            return happening
        before, self._before = self._before, None
        parts = {part: number - before[part] for part, number in self._now().items()}
        found = Traffic(name=NAME, title="disks, of all nodes", unit="requests", parts=parts)
        return happening.model_copy(update={"traffic": [*happening.traffic, found]})

    def _now(self) -> dict[str, int]:
        found = {"read": 0, "write": 0, "flush": 0}
        for node in self._group.nodes:
            own = {disk.serial for disk in node.spec.disks}
            for serial, requests in node.monitor.disk_requests().items():
                for part in requests if serial in own else ():
                    found[part] += requests[part]
        return found
