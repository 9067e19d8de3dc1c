"""What all disks of a group of nodes were asked for during a run, the server's among them.

QEMU counts it, so no node has to stop for it. A disk that several nodes share is counted in each,
next to the share of its limit that this node has. A limit counts reads and writes, and no flushes.
"""

from __future__ import annotations

from fsgauge.record.parts import DiskDone, Traffic
from fsgauge.record.records import RunRecord
from fsgauge.rig.happenings import Happening, RunStarted
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.qemu import Disk

_COUNTED = {"disk_requests": "requests", "disk_bytes": "bytes"}
_LIMITED = ("read", "write")
Counts = dict[str, dict[str, dict[str, int]]]
"""By counter, by disk, by part."""


class DiskCounting:
    """Told what happens on the nodes of a group, in its order."""

    def __init__(self, group: NodeGroup) -> None:
        self._group = group
        self._before: Counts | None = None

    def told(self, happening: Happening) -> Happening:
        """The happening; a run's record with what disks did since it began."""
        if isinstance(happening, RunStarted):
            self._before = self._now()
        if not isinstance(happening, RunRecord) or self._before is None:
            return happening
        before, self._before = self._before, None
        if happening.struck:
            return happening  # a node that was started again counts from nothing
        now = self._now()
        found = [_traffic(name, before[name], now[name], self._limits(name)) for name in _COUNTED]
        return happening.model_copy(update={"traffic": [*happening.traffic, *found]})

    def _limits(self, counter: str) -> dict[str, int]:
        """Of each disk, in the counter's unit a second."""
        found = {}
        for node in self._group.nodes:
            for disk in node.spec.disks:
                limits = self._group.limits_of(disk)
                if limits is not None:
                    of = {"disk_requests": limits.iops, "disk_bytes": limits.bytes_per_second}
                    found[_name(node.spec.name, disk)] = of[counter]
        return found

    def _now(self) -> Counts:
        """What each counter says, disk by disk."""
        found: Counts = {name: {} for name in _COUNTED}
        for node in self._group.nodes:
            disks = {disk.device: disk for disk in node.spec.disks}
            for device, counted in node.monitor.disk_counts().items():
                if device in disks:
                    for name in _COUNTED:
                        found[name][_name(node.spec.name, disks[device])] = counted[name]
        return found


def _name(node: str, disk: Disk) -> str:
    return f"{node} {disk.serial}"


def _traffic(
    name: str,
    before: dict[str, dict[str, int]],
    after: dict[str, dict[str, int]],
    limits: dict[str, int],
) -> Traffic:
    done = {
        disk: {part: number - before[disk].get(part, 0) for part, number in parts.items()}
        for disk, parts in after.items()
        if disk in before
    }
    parts: dict[str, int] = {}
    for of_disk in done.values():
        for part, number in of_disk.items():
            parts[part] = parts.get(part, 0) + number
    return Traffic(
        name=name,
        title="disks, of all nodes",
        unit=_COUNTED[name],
        parts=parts,
        of_disks={
            disk: DiskDone(
                count=sum(of_disk.get(part, 0) for part in _LIMITED),
                limit_per_second=limits.get(disk, 0),
            )
            for disk, of_disk in done.items()
        },
    )
