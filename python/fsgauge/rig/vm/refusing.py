"""What the virtual rig refuses before anything is started."""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.errors import FsgaugeError, InputError, RigError
from fsgauge.machine.device.consent import Consent
from fsgauge.machine.facts.limits import available_memory_bytes
from fsgauge.plan.cost import require_files_fit
from fsgauge.rig.host.checks import require_real
from fsgauge.rig.refusing import Look, refused_by, uses_no_device
from fsgauge.rig.vm.acceleration import chosen_accelerator
from fsgauge.rig.vm.arrangement.refusing import looks, require_modules, without_file_system
from fsgauge.rig.vm.arrangement.roles import arrangement_of, arrangements, roles_of
from fsgauge.rig.vm.build.making import require_here
from fsgauge.rig.vm.cache import guest_of, kernel_of
from fsgauge.rig.vm.disks import disks_of, kernels_of, limits_of, storage_of
from fsgauge.rig.vm.qemu import find_qemu
from fsgauge.rig.vm.recipe import recipe, tables
from fsgauge.storage.loop import require_place
from fsgauge.study.model import LoopStorage, Study
from fsgauge.study.reached import accesses_of
from fsgauge.study.storage import is_preconditioned
from fsgauge.system import FileSystem, find_kind
from fsgauge.system.options import check_options
from fsgauge.units import format_size

MEMORY_BYTES = 1 << 30
"""Of each machine: as much as the lab and a file system need, several times."""
DELAY = "dm_delay"
_OF_QEMU_BYTES = 400 << 20
_REACHED = {"samba": "smb", "ganesha": "nfs3"}
"""What nodes have instead of a private server."""


def refused(study: Study, destroy: Consent | None, *, is_built: bool = True) -> list[FsgaugeError]:
    """All of it, each once; without what is still to be built where `is_built` is False."""
    return refused_by(_looks(study, destroy, is_built=is_built))


def require_machines() -> None:
    """What any machine needs, whatever is done in it: RigError or InputError without it."""
    require_here()
    find_qemu()
    chosen_accelerator()
    require_memory()


def _looks(study: Study, destroy: Consent | None, *, is_built: bool) -> Iterator[Look]:
    yield require_here
    yield lambda: arrangements(study)
    yield find_qemu
    yield chosen_accelerator
    if is_built:
        yield lambda: _require_built(study)
    yield lambda: _require_measurable(study, destroy)
    yield lambda: _require_systems(study)
    yield lambda: require_files_fit(study, storage_of(study).size)
    yield lambda: _require_place(study)
    yield lambda: require_memory(roles_of(study).nodes, len(kernels_of(study)))
    yield from looks(study)


def _require_built(study: Study) -> None:
    wanted = recipe()
    guest_of(wanted.key)
    for system in study.systems:
        found = kernel_of(wanted.key, system.kernel)
        require_modules(arrangement_of(study, system), found)
        kernel = found.facts
        if limits_of(study).latency_ns and DELAY not in kernel.modules:
            raise RigError(
                f"storage.latency cannot be kept: the kernel {kernel.package} has no dm-delay",
                next="fsgauge rig build --kernel with another kernel, or leave storage.latency out",
            )
        module = wanted.module_of.get(system.kind)
        if module is not None and module.replace("-", "_") not in kernel.modules:
            raise RigError(
                f'"{system.name}" cannot be mounted: the kernel {kernel.package} has no {module}',
                next="fsgauge rig build --kernel with another kernel; apt-cache search linux-image",
            )


def _require_measurable(study: Study, destroy: Consent | None) -> None:
    storage_of(study)
    if destroy is not None:
        raise uses_no_device("the virtual rig uses none of this machine's")
    if is_preconditioned(study.storage):
        raise InputError(
            "a virtual disk has no flash to bring into a state",
            next="--set storage.precondition=none",
        )
    server = next((each.server for each in accesses_of(study) if each.server != "none"), None)
    if server is not None:
        raise InputError(
            f"the virtual rig starts no private server such as {server}",
            cause="a server has a node of its own there, and its clients are those of the kernel",
            next=f"instead of --serve: {_on_a_node(study, _REACHED[server])}; or --rig host",
        )


def _on_a_node(study: Study, reached_by: str) -> str:
    """The options that have a server on a node of its own; a bare disk is not reached so."""
    names = [each.name for each in study.systems if isinstance(find_kind(each.kind), FileSystem)]
    sets = ["rig.nodes=2", *(f"system.{name}.rig.reached_by={reached_by}" for name in names)]
    bare = [f'--baseline "{names[0]}"'] if 0 < len(names) < len(study.systems) else []
    return " ".join([*bare, *(f"--set '{each}'" for each in sets)])


def _require_systems(study: Study) -> None:
    """Each is one that the guest has; its options are those that the host rig accepts."""
    known = recipe().kinds
    for system in study.systems:
        refusal = without_file_system(study, system)
        if refusal is not None:
            raise refusal
        kind = find_kind(system.kind)
        if kind.name not in tables().file_system:  # one of those may be a model elsewhere
            require_real(study, system, kind)
        if not isinstance(kind, FileSystem):
            continue
        if kind.name not in known:
            raise InputError(
                f"{kind.name} is not in the guest of the virtual rig",
                details=(f"in it: {', '.join(known)}",),
                next="docs/adding-a-virtual-system.md says how a file system is added",
            )
        check_options(kind, system.mkfs, system.mount, system.name)
        if isinstance(study.storage, LoopStorage) and study.storage.size < kind.smallest_bytes:
            raise InputError(
                f"{kind.name} needs at least {format_size(kind.smallest_bytes)}, and a disk has"
                f" {format_size(study.storage.size)}",
                next=f"--storage loop:{kind.smallest_bytes >> 20}MiB",
            )


def _require_place(study: Study) -> None:
    disks = len(disks_of(study, side_by_side=False)) * roles_of(study).nodes
    require_place(storage_of(study), "virtual disk", disks)


def require_memory(nodes: int = 1, kernels: int = 1) -> None:
    """RigError where this machine has too little for so many nodes on each of the kernels."""
    machines = nodes * kernels
    needed_bytes = machines * (MEMORY_BYTES + _OF_QEMU_BYTES)
    free_bytes = available_memory_bytes()
    if free_bytes is not None and free_bytes < needed_bytes:
        fit = free_bytes * nodes // needed_bytes
        fewer = f"--set rig.nodes={fit}, the most that fit; " if 0 < fit < nodes else ""
        raise RigError(
            f"{format_size(free_bytes)} of memory are available, and {machines} virtual"
            f" machine{'s' if machines > 1 else ''} of {format_size(MEMORY_BYTES)} take"
            f" {format_size(needed_bytes)}",
            next=f"{fewer}free -h",
        )
