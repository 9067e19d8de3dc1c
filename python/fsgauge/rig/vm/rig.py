"""The virtual rig: the host rig's code in a virtual machine with a stock kernel, without root."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from fsgauge.errors import FsgaugeError
from fsgauge.machine.device.consent import Consent
from fsgauge.machine.folder.places import require_only_ours
from fsgauge.machine.ledger.ledger import Ledger, opened_ledger
from fsgauge.machine.process.own_network import unused_user_id
from fsgauge.plan.around import Around
from fsgauge.plan.estimate import turns_of_block
from fsgauge.record.strikes import Strike
from fsgauge.rig.host.side_by_side import hindrance
from fsgauge.rig.refusing import require_none
from fsgauge.rig.rig import Rig, design_of, of_some
from fsgauge.rig.vm.acceleration import around_of, started_well
from fsgauge.rig.vm.arrangement.roles import Roles, arrangements, is_arranged, roles_of
from fsgauge.rig.vm.build.lab import lab_image
from fsgauge.rig.vm.cache import guest_of, in_use, kernel_of
from fsgauge.rig.vm.disks import (
    MOST_DISKS,
    disks_of,
    kernels_of,
    limits_of,
    small_blocks_words,
    storage_of,
)
from fsgauge.rig.vm.facts import sentence_of
from fsgauge.rig.vm.group import NodeGroup
from fsgauge.rig.vm.network import Shape, Station, Switch, shape_of
from fsgauge.rig.vm.node import Node
from fsgauge.rig.vm.qemu import Accelerator, Disk, MachineSpec, find_qemu
from fsgauge.rig.vm.recipe import SHARED, recipe
from fsgauge.rig.vm.refusing import MEMORY_BYTES, refused
from fsgauge.rig.vm.session import VmSession
from fsgauge.storage.loop import make_file
from fsgauge.study.model import Study


class VmRig(Rig):
    """One virtual machine or several; their disks are sparse files in the study's folder."""

    name = "vm"
    has_nodes = True

    def __init__(
        self, say: Callable[[str], None] = lambda _: None, kernel: str | None = None
    ) -> None:
        self._say = say
        self._kernel = kernel

    def size_bytes(self, study: Study) -> int:
        return storage_of(study).size

    def refusals(self, study: Study, destroy: Consent | None = None) -> list[FsgaugeError]:
        return refused(study, destroy)

    def refused_alone(
        self, study: Study, destroy: Consent | None = None
    ) -> dict[str, list[FsgaugeError]]:
        """What a guest refuses as well, which is started for it, and ended."""
        found = super().refused_alone(study, destroy)
        left = [each for each in study.systems if not found.get(each.name)]
        if not left or is_arranged(study):
            return found
        with self.started(of_some(study, left)) as session:
            return {name: each for name, each in found.items() if each} | session.refused_alone()

    def check(self, study: Study, destroy: Consent | None) -> None:
        require_none(refused(study, destroy))

    def load_nodes(self, study: Study) -> int:
        return len(roles_of(study).loads)

    def strikes(self, study: Study) -> list[Strike]:
        return [
            Strike(
                kind=fault.kind,
                number=fault.node,
                at_ns=fault.at,
                for_ns=fault.lasts,
                operations_per_second=fault.iops,
                loses_unflushed=fault.loses == "unflushed",
            )
            for fault in study.faults
        ]

    def around(self, study: Study) -> Around:
        return around_of(study)

    def storage_words(self, study: Study) -> str:
        disks = len(disks_of(study, side_by_side=design_of(self, study).side_by_side))
        return sentence_of(study, disks, limits_of(study))

    def storage_cautions(self, study: Study) -> list[str]:
        return small_blocks_words(study, storage_of(study).size)

    def hindrance(self, study: Study) -> str:
        if study.faults:
            return "a fault strikes one system at a time"
        if roles_of(study).nodes > 1:
            return "several nodes measure one system at a time"
        if is_arranged(study):
            return "a system that takes more than a disk and a mount stands alone"
        if len(kernels_of(study)) > 1:
            return "each kernel is a machine of its own"
        if turns_of_block(study) > MOST_DISKS:
            return f"a virtual machine has at most {MOST_DISKS} disks"
        return hindrance(study)

    @contextmanager
    def opened(self, study: Study) -> Iterator[VmSession]:
        design = design_of(self, study)
        with self.started(study, side_by_side=design.side_by_side) as session:
            session.prepare()
            yield session

    @contextmanager
    def started(self, study: Study, *, side_by_side: bool = False) -> Iterator[VmSession]:
        """The same with nothing prepared yet: machines are started when they are first used."""
        serials = disks_of(study, side_by_side=side_by_side)
        with ExitStack() as stack:
            ledger = stack.enter_context(opened_ledger())
            start = self._starter(study, serials, ledger, stack)
            yield VmSession(study, serials, start, self._say)

    @contextmanager
    def at_prompt(self, prompt: int, place: Path) -> Iterator[Node]:
        """A machine without disks whose prompt is a socket; for people."""
        with ExitStack() as stack:
            ledger = stack.enter_context(opened_ledger())
            folder = stack.enter_context(ledger.folder(place, "vm"))
            spec = self._spec(self._kernel, stack)
            (node,) = self._up([spec], folder, stack, [], prompt)
            yield node

    def _starter(
        self, study: Study, serials: list[str], ledger: Ledger, stack: ExitStack
    ) -> Callable[[str | None, bool], NodeGroup]:
        """Starts the nodes of a kernel with empty disks, instead of earlier ones."""
        storage, kernels, roles = storage_of(study), kernels_of(study), roles_of(study)
        place = require_only_ours(Path(storage.directory), "virtual disk")
        folder = stack.enter_context(ledger.folder(place, "vm"))
        specs = {kernel: self._spec(kernel or self._kernel, stack) for kernel in kernels}
        has_shared = any(each.volume_name == SHARED for each in arrangements(study))

        def start(kernel: str | None, has_logs: bool) -> NodeGroup:
            first = kernels.index(kernel) * roles.nodes
            shared = Disk(SHARED, folder / f"{SHARED}-{first + 1}.img", is_shared=True)
            nodes = []
            for at in roles.all:
                name = f"node{first + at + 1}"
                own = [
                    Disk(
                        serial,
                        folder / f"{name}-{serial}.img",
                        log=folder / f"{name}-{serial}.log" if has_logs else None,
                    )
                    for serial in serials
                ]
                disks = (*own, *([shared] if has_shared else []))
                station = Station(name, at + 1) if roles.nodes > 1 else None
                nodes.append(replace(specs[kernel], name=name, disks=disks, station=station))
            for disk in {disk.image: disk for spec in nodes for disk in spec.disks}.values():
                disk.image.unlink(missing_ok=True)
                make_file(disk.image, storage.size, preallocate=storage.preallocate)
                if disk.log is not None:
                    disk.log.write_bytes(b"")
            return self._group(nodes, roles, folder, stack, shape_of(study))

        return start

    def _spec(self, kernel: str | None, stack: ExitStack) -> MachineSpec:
        key = recipe().key
        guest, found = guest_of(key), kernel_of(key, kernel)
        lab = lab_image(guest)
        stack.enter_context(in_use((guest.folder, found.folder, lab)))
        return MachineSpec("node1", guest, found, lab, MEMORY_BYTES)

    def _group(
        self, specs: list[MachineSpec], roles: Roles, folder: Path, stack: ExitStack, shape: Shape
    ) -> NodeGroup:
        ends: list[socket.socket] = []
        nodes = self._up(specs, folder, stack, ends)
        switch = Switch(ends, shape) if ends else None
        group = NodeGroup(nodes, roles, switch, self._say)
        stack.callback(group.end)
        if switch is not None:
            switch.start()
        return group

    def _up(
        self,
        specs: list[MachineSpec],
        folder: Path,
        stack: ExitStack,
        ends: list[socket.socket],
        prompt: int | None = None,
    ) -> list[Node]:
        qemu = find_qemu()

        def make(accelerator: Accelerator) -> list[Node]:
            for end in ends:
                end.close()
            ends.clear()
            nodes = []
            for spec in specs:
                # A user of its own for each: one that breaks out of its machine is alone.
                user_id = unused_user_id() if os.geteuid() == 0 else None
                node = Node(spec, qemu, accelerator, folder, user_id)
                stack.callback(node.end)
                nodes.append(node)
                if spec.station is None:
                    node.start(prompt)
                    continue
                own, of_machine = socket.socketpair()
                ends.append(own)
                with of_machine:
                    node.start(prompt, of_machine.fileno())
            return nodes

        return started_well(make, qemu, self._say)
