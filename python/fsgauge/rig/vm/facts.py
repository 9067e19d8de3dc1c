"""What records say of virtual machines, and what guests do not know of a turn: how its system was
set up over the nodes, what other nodes' disks were asked for, that their caches were empty.

QEMU counts a disk's requests, so no node has to stop for it. A disk that several nodes share is
counted in each, next to the share of its limit that this node has. A limit counts reads and writes,
and no flushes.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from fsgauge.errors import RigError
from fsgauge.machine.facts.environment import capture_machine
from fsgauge.record.machine import BELOW, LOAD, NO_STORAGE, SERVER, Machine
from fsgauge.record.parts import DiskDone, Traffic
from fsgauge.record.records import REACHED_BY, RunRecord, TurnRecord
from fsgauge.rig.happenings import FromMachine, Happening, RunStarted, Tell
from fsgauge.rig.session import Description
from fsgauge.rig.vm.arrangement.roles import arrangements, is_arranged, roles_of
from fsgauge.rig.vm.arrangement.standing import SystemOverNodes
from fsgauge.rig.vm.disks import Limits, storage_of
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.in_force import CountedRuns, failed, not_read
from fsgauge.rig.vm.network import keys_of, words_of
from fsgauge.rig.vm.node import Node, NodeLostError
from fsgauge.rig.vm.qemu import PROGRAM, Disk
from fsgauge.rig.vm.recipe import SHARED
from fsgauge.study.model import Study
from fsgauge.units import format_size

T = TypeVar("T")

EMULATED = (
    "The machine is emulated, its processor too (QEMU without KVM): layouts, counts, the order of"
    " events and what the disk's limits decide hold as measured; rates near the processor's limit"
    " and processor time are those of the emulation, not of a file system"
)
HOLDS = (
    "the processor is emulated: layouts, counts and rates that the disks' limits decide hold, rates"
    " near the processor's limit are the emulation's"
)
"""The same in short, for the first screen."""
VIRTUAL = (
    "The machine is virtual (QEMU with KVM) and its disks are files: rates are those of the disks'"
    " limits, and processor time includes what the hypervisor adds"
)


Found = tuple[NodeGroup, Description, list[tuple[Node, Machine]]]
"""Nodes that are together: those that drive the load as they are now, and the others."""


def described(study: Study, found: Sequence[Found], limits: Limits) -> list[Machine]:
    """All virtual machines, those of the first kernel first: they drive the load, and others do so
    with another kernel, which their role names."""
    machines = []
    for at, (group, own, others) in enumerate(found):
        for node, machine in zip(group.loads, own.machines, strict=True):
            role = machine.role
            if at > 0:
                number = role.removeprefix(LOAD)
                role = f"kernel {group.nodes[0].spec.kernel.facts.package}{number}"
            machines.append(_as_virtual(study, machine, node, limits, role))
        for node, machine in others:
            role = SERVER if at == 0 and node is others[0][0] else f"{SERVER} {node.spec.name}"
            machines.append(_as_virtual(study, machine, node, limits, role))
    return machines


def _as_virtual(study: Study, machine: Machine, node: Node, limits: Limits, role: str) -> Machine:
    """A guest's own facts, with what is virtual about it for the first screen. Its load average is
    that of the machine below, for each processor: its own is that of its start."""
    emulated = node.accelerator == "tcg"
    update: dict[str, object] = {
        "name": node.spec.name,
        "role": role,
        "virtual_machine": "QEMU, emulated without KVM" if emulated else "QEMU with KVM",
        "load_average": os.getloadavg()[0] / (os.cpu_count() or 1),
    }
    facts = machine.storage
    if facts is not None and not facts.is_measured_on:
        update["storage"] = None
    elif facts is not None:
        own = [EMULATED if emulated else VIRTUAL]
        cautions = own if is_arranged(study) else [*own, *facts.cautions]
        sentence = sentence_of(study, len(node.spec.disks), limits)
        sentence += f"; {HOLDS}" if emulated else ""
        update["storage"] = facts.model_copy(update={"sentence": sentence, "cautions": cautions})
    return machine.model_copy(update=update)


def sentence_of(study: Study, disks: int, limits: Limits) -> str:
    """What the systems sit on, for the first screen."""
    roles, size = roles_of(study), format_size(storage_of(study).size)
    limited = f"limited to {limits} (after a pause, a tenth of a second's worth more)"
    flushes = "flushes return at once, as on a disk whose cache survives a power failure"
    if roles.nodes == 1 and not is_arranged(study):
        many = f"{disks} virtual disks" if disks > 1 else "a virtual disk"
        return f"{many} of {size}, {limited}; {flushes}"
    nodes = f"{roles.nodes} virtual machines"
    if roles.server is not None:
        serves = f"node{roles.server + 1}"
        loads = len(roles.loads)
        nodes += f", of which {serves} serves and {loads} drive{'s' if loads == 1 else ''} the load"
    found = arrangements(study)
    if roles.nodes > 1 and any(each.volume_name == SHARED for each in found):
        limited += "; of the limits of a shared disk each node has an equal part"
    systems = "; ".join(f"{each.system.name}: {each.words}" for each in found)
    return f"disks of {size} of {nodes}, each disk {limited}. {systems}{_network(study)}; {flushes}"


def _network(study: Study) -> str:
    if roles_of(study).nodes == 1:
        return ""
    by_system = {system.name: words_of(keys_of(study, system)) for system in study.systems}
    words = dict.fromkeys(by_system.values())
    if len(words) == 1:
        shaped = next(iter(words))
        return f"; a private network{f', {shaped}' if shaped else ''}"
    each = "; ".join(f"{name}: {text or 'as fast as it is'}" for name, text in by_system.items())
    return f"; a private network ({each})"


def machine_below(taken: set[str]) -> Machine:
    """This machine, which measures nothing; `taken` are the names of the others."""
    found = capture_machine([PROGRAM], NO_STORAGE)
    name = f"{found.name} (host)" if found.name in taken else found.name
    return found.model_copy(update={"name": name, "role": BELOW, "storage": None})


def as_made(happening: T, group: NodeGroup, stood: SystemOverNodes | None) -> T:
    """How a system was made, with what the guest that measured it does not know: the package of its
    kernel, and how it was set up over the nodes."""
    if not isinstance(happening, TurnRecord):
        return happening
    facts = happening.facts
    update: dict[str, object] = {}
    details = {**facts.details, "kernel": group.nodes[0].spec.kernel.facts.package}
    if stood is not None:
        details["set up"] = stood.found.words
        if stood.found.reached_by is not None:
            details[REACHED_BY] = stood.found.reached_by.title
        details.update(stood.parameters)
        update = {"kind": stood.found.system.kind}
        if stood.facts:
            update["mkfs_command"] = stood.facts["mkfs_command"]
            update["mkfs_output"] = stood.facts["mkfs_output"]
            details["mounted below"] = stood.facts["mount_options"]
            details["block size below"] = format_size(stood.facts["block_size_bytes"])
    made = facts.model_copy(update={**update, "details": details})
    return happening.model_copy(update={"facts": made})


_COUNTED = {"disk_requests": "requests", "disk_bytes": "bytes"}
_LIMITED = ("read", "write")
Counts = dict[str, dict[str, dict[str, int]]]
"""By counter, by disk, by part."""


class DiskCounting(CountedRuns[Counts]):
    """What disks did, of all nodes of a group; QEMU says it."""

    def __init__(self, group: NodeGroup) -> None:
        super().__init__()
        self._group = group

    def between(self, before: Counts, after: Counts) -> list[Traffic]:
        return [_traffic(name, before[name], after[name], self._limits(name)) for name in _COUNTED]

    def _limits(self, counter: str) -> dict[str, int]:
        found = {}
        for node in self._group.nodes:
            for disk in node.spec.disks:
                limits = self._group.limits_of(disk)
                if limits is not None:
                    of = {"disk_requests": limits.iops, "disk_bytes": limits.bytes_per_second}
                    found[_name(node.spec.name, disk)] = of[counter]
        return found

    def now(self) -> Counts | None:
        try:
            asked = [(node, node.monitor.disk_counts()) for node in self._group.nodes]
        except RigError as error:
            self.late = f"what disks were asked for: {error.what}"
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
        try:
            return failed(record, stood.lost_beside())
        except NodeLostError:
            raise
        except RigError as error:
            return not_read(record, f"whether the system is in force: {error.what}")
