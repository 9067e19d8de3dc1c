"""The virtual rig: the host rig's code in a virtual machine with a stock kernel, without root."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from fsgauge.errors import FsgaugeError
from fsgauge.plan.estimate import turns_of_block
from fsgauge.rig.design import design_of
from fsgauge.rig.host.beside import hindrance
from fsgauge.rig.host.checks import require_none
from fsgauge.rig.host.device.consent import Consent
from fsgauge.rig.host.folder.places import require_only_ours
from fsgauge.rig.host.ledger.ledger import Ledger, opened_ledger
from fsgauge.rig.vm.acceleration import started_well
from fsgauge.rig.vm.build.lab import lab_image
from fsgauge.rig.vm.cache import guest_of, kernel_of
from fsgauge.rig.vm.disks import MOST_DISKS, disks_of, kernels_of, storage_of
from fsgauge.rig.vm.node import Node
from fsgauge.rig.vm.qemu import Accelerator, Disk, MachineSpec, find_qemu
from fsgauge.rig.vm.recipe import recipe
from fsgauge.rig.vm.refusing import MEMORY_BYTES, refused
from fsgauge.rig.vm.session import VmSession
from fsgauge.storage.loop import make_file
from fsgauge.study.model import Study


class VmRig:
    """One virtual machine; its disks are sparse files in the study's folder."""

    name = "vm"

    def __init__(
        self, say: Callable[[str], None] = lambda _: None, kernel: str | None = None
    ) -> None:
        self._say = say
        self._kernel = kernel

    def size_bytes(self, study: Study) -> int:
        """What the study says: each disk has that much."""
        return storage_of(study).size

    def refusals(self, study: Study, destroy: Consent | None = None) -> list[FsgaugeError]:
        """What is seen without starting a machine."""
        return refused(study, destroy)

    def check(self, study: Study, destroy: Consent | None) -> None:
        """Raise for what cannot work; nothing is started."""
        require_none(refused(study, destroy))

    def hindrance(self, study: Study) -> str:
        """Why systems cannot stand side by side, each on a disk of its own; empty if they can."""
        if len(kernels_of(study)) > 1:
            return "each kernel is a machine of its own"
        if turns_of_block(study) > MOST_DISKS:
            return f"a virtual machine has at most {MOST_DISKS} disks"
        return hindrance(study)

    @contextmanager
    def opened(self, study: Study) -> Iterator[VmSession]:
        """A machine with the study prepared in it, until the context ends."""
        design = design_of(self, study)
        with self.started(study, side_by_side=design.side_by_side) as session:
            session.prepare()
            yield session

    @contextmanager
    def started(self, study: Study, *, side_by_side: bool = False) -> Iterator[VmSession]:
        """A machine with the study's disks, on which nothing is prepared yet."""
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
            yield self._node(self._spec("node1", self._kernel), folder, stack, prompt)

    def _starter(
        self, study: Study, serials: list[str], ledger: Ledger, stack: ExitStack
    ) -> Callable[[str | None], Node]:
        """Starts a machine of a kernel with empty disks, instead of an earlier one."""
        storage, kernels = storage_of(study), kernels_of(study)
        place = require_only_ours(Path(storage.directory), "virtual disk")
        folder = stack.enter_context(ledger.folder(place, "vm"))

        def start(kernel: str | None) -> Node:
            name = f"node{kernels.index(kernel) + 1}"
            disks = tuple(Disk(serial, folder / f"{name}-{serial}.img") for serial in serials)
            for disk in disks:
                disk.image.unlink(missing_ok=True)
                make_file(disk.image, storage.size, preallocate=storage.preallocate)
            spec = replace(self._spec(name, kernel or self._kernel), disks=disks)
            return self._node(spec, folder, stack)

        return start

    def _spec(self, name: str, kernel: str | None) -> MachineSpec:
        key = recipe().key
        guest, found = guest_of(key), kernel_of(key, kernel)
        return MachineSpec(name, guest, found, lab_image(guest), MEMORY_BYTES)

    def _node(
        self, spec: MachineSpec, folder: Path, stack: ExitStack, prompt: int | None = None
    ) -> Node:
        qemu = find_qemu()

        def make(accelerator: Accelerator) -> Node:
            node = Node(spec, qemu, accelerator, folder)
            stack.callback(node.end)
            node.start(prompt)
            return node

        return started_well(make, qemu, self._say)
