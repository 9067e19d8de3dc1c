"""What guests tell of a turn, with what they do not know: how the system was set up over the nodes,
what other nodes' disks were asked for, and that their caches were empty when a run began.

QEMU counts a disk's requests, so no node has to stop for it. A disk that several nodes share is
counted in each, next to the share of its limit that this node has. A limit counts reads and writes,
and no flushes.
"""

from __future__ import annotations

from collections import Counter

from fsgauge.errors import RigError
from fsgauge.record.parts import DiskDone, Traffic
from fsgauge.record.records import RunRecord
from fsgauge.rig.happenings import FromMachine, Happening, RunStarted, Tell
from fsgauge.rig.vm.arrangement.standing import SystemOverNodes
from fsgauge.rig.vm.facts import as_made
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.in_force import failed, not_read
from fsgauge.rig.vm.node import NodeLostError
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
        self._late = ""

    def told(self, happening: Happening) -> Happening:
        """The happening; a run's record with what disks did since it began. Where QEMU does not
        say it in time, it costs the run these counts alone."""
        if isinstance(happening, RunStarted):
            self._late = ""
            self._before = self._now()
        if not isinstance(happening, RunRecord):
            return happening
        before, self._before = self._before, None
        if happening.struck:
            return happening  # a node that was started again counts from nothing
        now = self._now() if before is not None else None
        if before is None or now is None:
            return not_read(happening, self._late) if self._late else happening
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

    def _now(self) -> Counts | None:
        try:
            asked = [(node, node.monitor.disk_counts()) for node in self._group.nodes]
        except RigError as error:
            self._late = f"what disks were asked for: {error.what}"
            return None
        found: Counts = {name: {} for name in _COUNTED}
        for node, devices in asked:
            disks = {disk.device: disk for disk in node.spec.disks}
            for device, counted in devices.items():
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
    parts = Counter[str]()
    for of_disk in done.values():
        parts.update(of_disk)
    return Traffic(
        name=name,
        title="disks, of all nodes",
        unit=_COUNTED[name],
        parts=dict(parts),
        of_disks={
            disk: DiskDone(
                count=sum(of_disk.get(part, 0) for part in _LIMITED),
                limit_per_second=limits.get(disk, 0),
            )
            for disk, of_disk in done.items()
        },
    )


class Telling:
    """Told what happens on a group's nodes, of the system that stands, if one takes steps; tells
    it on. A run goes on when it has returned."""

    def __init__(self, group: NodeGroup, stood: SystemOverNodes | None, tell: Tell) -> None:
        self._group, self._stood, self._tell = group, stood, tell
        self._disks = DiskCounting(group)
        self._dropped = ""

    def __call__(self, happening: Happening) -> None:
        """Raises what setting the other nodes' caches back, or the telling, raises."""
        if isinstance(happening, FromMachine):
            record = as_made(happening.record, self._group, self._stood)
            self._tell(FromMachine(happening.machine, record))
            return
        if self._stood is not None:
            happening = self._beside(self._stood, happening)
        self._tell(as_made(happening, self._group, self._stood))

    def _beside(self, stood: SystemOverNodes, happening: Happening) -> Happening:
        """With what the nodes that drive no load have to do with a run."""
        if isinstance(happening, RunStarted):
            self._dropped = stood.drop_caches()
        happening = self._disks.told(happening)
        if not isinstance(happening, RunRecord):
            return happening
        happening = self._held(stood, happening)
        if not self._dropped:
            return happening
        caches = "; ".join(filter(None, (happening.caches, self._dropped)))
        return happening.model_copy(update={"caches": caches})

    @staticmethod
    def _held(stood: SystemOverNodes, record: RunRecord) -> RunRecord:
        """Failed where the system was not what its name says on those nodes."""
        try:
            return failed(record, stood.lost_beside())
        except NodeLostError:
            raise
        except RigError as error:
            return not_read(record, f"whether the system is in force: {error.what}")
