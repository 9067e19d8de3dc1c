"""What all disks of a group of nodes were asked for during a run, the server's among them.

QEMU counts it, so no node has to stop for it. A disk that several nodes share is counted in each.
"""

from __future__ import annotations

from fsgauge.record import RunRecord
from fsgauge.rig.rig import Happening, RunStarted
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.traffic import Traffic

_COUNTED = {"disk_requests": "requests", "disk_bytes": "bytes"}


class DiskCounting:
    """Told what happens on the nodes of a group, in its order."""

    def __init__(self, group: NodeGroup) -> None:
        self._group = group
        self._before: dict[str, dict[str, int]] | None = None

    def told(self, happening: Happening) -> Happening:
        """The happening; a run's record with what disks did since it began."""
        if isinstance(happening, RunStarted):
            self._before = self._now()
        if not isinstance(happening, RunRecord) or self._before is None:
            return happening
        before, self._before = self._before, None
        found = [
            Traffic(
                name=name,
                title="disks, of all nodes",
                unit=_COUNTED[name],
                parts={part: number - before[name][part] for part, number in parts.items()},
            )
            for name, parts in self._now().items()
        ]
        return happening.model_copy(update={"traffic": [*happening.traffic, *found]})

    def _now(self) -> dict[str, dict[str, int]]:
        """What each counter says, part by part."""
        found: dict[str, dict[str, int]] = {name: {} for name in _COUNTED}
        for node in self._group.nodes:
            own = {disk.device for disk in node.spec.disks}
            for device, counted in node.monitor.disk_counts().items():
                for name, parts in counted.items() if device in own else ():
                    for part, number in parts.items():
                        found[name][part] = found[name].get(part, 0) + number
        return found
