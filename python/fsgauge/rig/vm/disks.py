"""A study's storage as a guest has it: disks of its own, each a sparse file of this machine.

In the guest a disk is a whole device that fsgauge may use. Where the systems of a block can stand
side by side, each has a disk.
"""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.errors import InputError
from fsgauge.machine.device.block_device import device_at
from fsgauge.machine.device.consent import Consent, lasting_names
from fsgauge.plan.estimate import turns_of_block
from fsgauge.rig.vm.arrangement.roles import arrangements
from fsgauge.rig.vm.qemu import device_of
from fsgauge.study.model import DeviceStorage, LoopStorage, PathStorage, Study, System
from fsgauge.system import FileSystem, system_kinds
from fsgauge.system.kind import MOUNTED
from fsgauge.system.options import mkfs_words
from fsgauge.units import exact_size, format_bandwidth, format_duration, format_rate

IOPS = 500
BYTES_PER_SECOND = 64 << 20
"""The limits of a disk unless the study sets others: a tenth of what an emulated processor can do,
so that the disk is what systems wait for, with KVM and without."""
MOST_DISKS = 16


@dataclass(frozen=True)
class Limits:
    iops: int
    bytes_per_second: int
    latency_ns: int = 0

    def __str__(self) -> str:
        rates = f"{format_rate(self.iops)} and {format_bandwidth(self.bytes_per_second)}"
        if not self.latency_ns:
            return rates
        return f"{rates}, each request taking {format_duration(self.latency_ns)} or more"


def storage_of(study: Study) -> LoopStorage:
    """The study's storage; InputError where it is not one that a virtual machine can have."""
    if isinstance(study.storage, LoopStorage):
        return study.storage
    raise InputError(
        f"the virtual rig makes disks of its own, and the study's storage is {study.storage.kind}",
        cause="each disk is a sparse file of this machine, in storage.directory",
        next="--storage loop:1GiB",
    )


def limits_of(study: Study) -> Limits:
    storage = storage_of(study)
    return Limits(
        IOPS if storage.iops is None else max(1, round(storage.iops)),
        BYTES_PER_SECOND if storage.bandwidth is None else max(1, round(storage.bandwidth)),
        storage.latency or 0,
    )


def disks_of(study: Study, *, side_by_side: bool) -> list[str]:
    most = max(each.volume.disks for each in arrangements(study))
    count = turns_of_block(study) if side_by_side else most
    return [f"disk{number}" for number in range(count)]


def in_guest(study: Study, disks: list[str]) -> Study:
    return on_devices(study, [device_of(serial) for serial in disks])


def on_devices(study: Study, paths: list[str]) -> Study:
    first, *others = paths
    storage = DeviceStorage(device=first, more_devices=others)
    systems = [system.model_copy(update={"rig": None}) for system in study.systems]
    return study.model_copy(update=_alone(storage, systems))


def in_folder(study: Study, folder: str, size_bytes: int) -> Study:
    """The study as the guests measure it whose systems are mounted there, each in its turn, with
    so much room for files."""
    storage = PathStorage(path=folder, size=size_bytes)
    update = {"kind": MOUNTED.name, "mkfs": "", "mount": "", "rig": None}
    systems = [system.model_copy(update=update) for system in study.systems]
    return study.model_copy(update=_alone(storage, systems))


def _alone(storage: DeviceStorage | PathStorage, systems: list[System]) -> dict[str, object]:
    """What a guest does not have: nodes beside it, and faults, which strike it from outside."""
    return {"storage": storage, "systems": systems, "rig": None, "faults": []}


def consent_to(study: Study) -> Consent | None:
    """In a guest: its disks, and volumes on them, were made for the study, and are empty."""
    if not isinstance(study.storage, DeviceStorage):
        return None
    return Consent(names=tuple(map(_lasting_name, study.storage.devices)), unknown_data=True)


def _lasting_name(path: str) -> str:
    """The serial of a disk; of a volume, which only the guest itself sees, what it says."""
    if path.startswith(device_of("")):
        return path.removeprefix(device_of(""))
    found = device_at(path)
    return lasting_names(found)[0] if found is not None else path


def kernels_of(study: Study) -> list[str | None]:
    """The kernels that a study's systems ask for, that of the baseline first; None is the usual."""
    return list(dict.fromkeys(system.kernel for system in study.systems))


def small_blocks_words(study: Study, size_bytes: int) -> list[str]:
    """A line for each such size, unless all systems of the study have it."""
    by_size: dict[int, list[str]] = {}
    for system in study.systems:
        made = _blocks_made(system, size_bytes)
        if made is not None:
            by_size.setdefault(made, []).append(system.name)
    return [
        f"{', '.join(names)}: blocks of {exact_size(made)}, which mkfs takes on a disk of"
        f" {exact_size(size_bytes)}; other systems have their usual ones."
        f" --set 'system.{names[0]}.mkfs=-b 4096' changes that, once for each"
        for made, names in by_size.items()
        if len(names) < len(study.systems)
    ]


def _blocks_made(system: System, size_bytes: int) -> int | None:
    kind = system_kinds().get(system.kind)
    if not isinstance(kind, FileSystem):
        return None
    return kind.small_blocks_bytes(size_bytes, mkfs_words(kind, system.mkfs, system.name))
