"""What records say of virtual machines, and of the machine that they are on."""

from __future__ import annotations

import os

from fsgauge.machine import BELOW, Machine, StorageFacts
from fsgauge.record import SystemFacts, TurnRecord
from fsgauge.rig.fleet.gathered import AnyRecord
from fsgauge.rig.host.machine.environment import capture_machine
from fsgauge.rig.vm.disks import Limits
from fsgauge.rig.vm.node import Node
from fsgauge.rig.vm.qemu import PROGRAM
from fsgauge.units import format_size

EMULATED = (
    "The machine is emulated, its processor too (QEMU without KVM): layouts, counts, the order of"
    " events and what the disk's limits decide hold as measured; rates near the processor's limit"
    " and processor time are those of the emulation, not of a file system"
)
VIRTUAL = (
    "The machine is virtual (QEMU with KVM) and its disks are files: rates are those of the disks'"
    " limits, and processor time includes what the hypervisor adds"
)
_NO_STORAGE = StorageFacts(kind="none", sentence="", size_bytes=0, device_chain=[], cautions=[])


def as_virtual(machine: Machine, node: Node, limits: Limits, at: int) -> Machine:
    """A guest's own facts, with what is virtual about it for the first screen.

    The machine at 0 drives the load; others do so with another kernel, which their role names. Its
    load average is that of the machine below, for each processor: its own is that of its start.
    """
    emulated = node.accelerator == "tcg"
    update: dict[str, object] = {
        "virtual_machine": "QEMU, emulated without KVM" if emulated else "QEMU with KVM",
        "load_average": os.getloadavg()[0] / (os.cpu_count() or 1),
    }
    if at > 0:
        update["role"] = f"kernel {node.spec.kernel.facts.package}"
    if machine.storage is not None:
        facts, disks = machine.storage, len(node.spec.disks)
        many = f"{disks} virtual disks" if disks > 1 else "a virtual disk"
        sentence = (
            f"{many} of {format_size(facts.size_bytes)}, limited to {limits}; flushes return at"
            " once, as on a disk whose cache survives a power failure"
        )
        cautions = [EMULATED if emulated else VIRTUAL, *facts.cautions]
        update["storage"] = facts.model_copy(update={"sentence": sentence, "cautions": cautions})
    return machine.model_copy(update=update)


def machine_below(taken: set[str]) -> Machine:
    """This machine, which measures nothing; `taken` are the names of the others."""
    found = capture_machine([PROGRAM], _NO_STORAGE)
    name = f"{found.name} (host)" if found.name in taken else found.name
    return found.model_copy(update={"name": name, "role": BELOW, "storage": None})


def with_kernel(record: AnyRecord, node: Node) -> AnyRecord:
    """How a system was made, with the kernel that it was mounted by."""
    if not isinstance(record, TurnRecord):
        return record
    details = {**record.facts.details, "kernel": node.spec.kernel.facts.package}
    facts: SystemFacts = record.facts.model_copy(update={"details": details})
    return record.model_copy(update={"facts": facts})
