"""What each node of a study does, how its systems are arranged over them, and what the steps of a
system find in their environment there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.rig.vm.network import NETWORK, Station
from fsgauge.rig.vm.qemu import Disk, device_of
from fsgauge.rig.vm.recipe import (
    DISK,
    Counter,
    InForce,
    Layer,
    ReachedBy,
    SharedFileSystem,
    Volume,
    Where,
    tables,
)
from fsgauge.study.model import Study, System
from fsgauge.study.rig_keys import SystemRig
from fsgauge.system import find_kind, system_kinds


@dataclass(frozen=True)
class Roles:
    """Numbers of nodes, from 0; `server` is None where no node is one."""

    nodes: int
    server: int | None
    loads: tuple[int, ...]

    @property
    def all(self) -> tuple[int, ...]:
        return tuple(range(self.nodes))


@dataclass(frozen=True)
class Arrangement:
    """A system over nodes: what it is on, the file system if several nodes mount it at once, and
    how it is reached if it is not on the nodes that drive the load.

    `is_device`: a bare disk is among the systems, and all are on this volume, which the node
    measures on as on a disk of its own.
    """

    system: System
    volume_name: str
    volume: Volume
    file_system: SharedFileSystem | None
    reached_by: ReachedBy | None
    is_device: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether each node makes and mounts it on its own disk, as on a machine alone."""
        return self.volume_name == DISK and self.file_system is None and self.reached_by is None

    @property
    def has_files(self) -> bool:
        return self.file_system is not None or find_kind(self.system.kind).placement != "bare"

    @property
    def is_one(self) -> bool:
        if self.reached_by is not None:
            return self.reached_by.is_one
        return self.volume.shared

    @property
    def layers(self) -> tuple[Layer, ...]:
        return tuple(filter(None, (self.volume, self.file_system, self.reached_by)))

    def counters(self, roles: Roles) -> tuple[Counter, ...]:
        """What is counted beside its runs; on one node there is no traffic between nodes."""
        of_all = tables().counter if roles.nodes > 1 else ()
        return of_all + tuple(each for layer in self.layers for each in layer.counter)

    @property
    def words(self) -> str:
        above = f", reached by {self.reached_by.title}" if self.reached_by is not None else ""
        own = self.system.rig
        with_options = f" with {own.mount}" if own is not None and own.mount else ""
        return f"{self.system.kind} on {self.volume.title}{above}{with_options}"

    def held(self, roles: Roles, at: int) -> tuple[InForce, ...]:
        """What has to be in force on a node for the system to be what its name says."""
        found = [
            each
            for layer in self.layers
            for each in layer.in_force
            if each.lost and at in self.nodes_of(each.on, roles)
        ]
        if self.file_system is None and at in self.holders(roles):
            found += services_of(self.system)
        if self.has_files and not self.is_device and at in roles.loads:
            found.append(_mounted(FOLDER))
        if self.reached_by is not None and at in self.holders(roles):
            found.append(_mounted(BELOW))
        return tuple(found)

    def holders(self, roles: Roles) -> tuple[int, ...]:
        """The nodes on which the file system is made or mounted."""
        if self.reached_by is None or self.reached_by.below == "all":
            return roles.loads
        if self.reached_by.below == "every":
            return roles.all
        return () if roles.server is None else (roles.server,)

    def nodes_of(self, where: Where, roles: Roles) -> tuple[int, ...]:
        match where:
            case "server":
                return () if roles.server is None else (roles.server,)
            case "holders":
                return self.holders(roles)
            case "loads":
                return roles.loads
            case "first":
                return roles.loads[:1]
            case "others":
                return roles.loads[1:]
            case "all":
                return roles.all


def services_of(system: System) -> tuple[InForce, ...]:
    """What has to run where its file system is made and mounted."""
    beside = tables().service.get(system.kind)
    return beside.in_force if beside is not None else ()


def arrangement_of(study: Study, system: System) -> Arrangement:
    """InputError for a volume or a way to reach it that the guest does not have."""
    known, asked = tables(), system.rig
    shared = known.file_system.get(system.kind)
    if shared is not None and len(roles_of(study).loads) == 1 and not shared.read_only:
        shared = None  # one node has it for itself, as any other file system
    volume = (asked.volume if asked else None) or (shared.volume if shared else DISK)
    reached_by = asked.reached_by if asked else None
    if volume not in known.volume:
        raise _unknown(system, "volume", volume, known.volume)
    if reached_by is not None and reached_by not in known.reached_by:
        raise _unknown(system, "reached_by", reached_by, known.reached_by)
    return Arrangement(
        system,
        volume,
        known.volume[volume],
        shared,
        known.reached_by[reached_by] if reached_by else None,
        _has_one_device(study),
    )


def _has_one_device(study: Study) -> bool:
    keys = [each.rig or SystemRig() for each in study.systems]
    volumes = {each.volume or DISK for each in keys}
    is_one = len(volumes) == 1 and volumes != {DISK} and not any(each.reached_by for each in keys)
    kinds = [system_kinds().get(each.kind) for each in study.systems]
    is_bare = any(kind is not None and kind.placement == "bare" for kind in kinds)
    return is_one and is_bare and len(roles_of(study).loads) == 1


def arrangements(study: Study) -> list[Arrangement]:
    return [arrangement_of(study, system) for system in study.systems]


def roles_of(study: Study) -> Roles:
    """What each node does: as the study says, or the first one serves where a system needs it."""
    nodes = study.rig.nodes if study.rig is not None else 1
    if study.rig is not None and study.rig.roles:
        names = study.rig.roles
        server = names.index("server") if "server" in names else None
        return Roles(nodes, server, tuple(at for at, name in enumerate(names) if name == "load"))
    serves = nodes > 1 and any(
        each.rig is not None and needs_server(each.rig.volume, each.rig.reached_by)
        for each in study.systems
    )
    return Roles(nodes, 0 if serves else None, tuple(range(1 if serves else 0, nodes)))


def is_arranged(study: Study) -> bool:
    return any(not each.is_plain for each in arrangements(study))


def needs_server(volume: str | None, reached_by: str | None) -> bool:
    found = tables()
    layers = (found.volume.get(volume or ""), found.reached_by.get(reached_by or ""))
    return any(layer is not None and layer.server for layer in layers)


def _unknown(system: System, key: str, name: str, known: Iterable[str]) -> InputError:
    near = nearest(name, known)
    hint = did_you_mean(near) if near else f"known: {', '.join(sorted(known))}"
    return InputError(
        f'"{system.name}" has the {key} "{name}", which the guest does not have',
        details=(hint,),
        next=f"fsgauge explain system.rig.{key}",
    )


FOLDER, BELOW = "/mnt/system", "/mnt/below"
"""Where a system is mounted on the nodes that drive the load, and where what it is made of is."""


def _mounted(place: str) -> InForce:
    """As it was mounted when the system was set up: a file system that an error made read-only is
    not. A port may be another one where it was mounted anew."""
    return InForce(
        name=f"mount of {place}",
        read=f"grep ' {place} ' /proc/mounts | sed 's/,mountport=[0-9]*//'",
        lost=f"{place} is not mounted as it was when the system was set up",
        steady=True,
    )


def environment(
    found: Arrangement,
    roles: Roles,
    stations: Sequence[Station],
    disks: Sequence[Disk],
    at: int,
    size_bytes: int,
) -> dict[str, str]:
    """Of the node at this place, with these disks; `stations` are all nodes."""
    own = [device_of(disk.serial) for disk in disks if not disk.is_shared]
    shared = next((device_of(disk.serial) for disk in disks if disk.is_shared), "")
    server = stations[roles.server] if roles.server is not None else None
    mount, asked = found.system.mount, found.system.rig
    return {
        "NODE": stations[at].name,
        "NUMBER": str(stations[at].number),
        "ADDRESS": stations[at].address,
        "NETWORK": NETWORK,
        "NODES": " ".join(each.name for each in stations),
        "ADDRESSES": " ".join(each.address for each in stations),
        "SERVER": server.name if server else "",
        "SERVER_ADDRESS": server.address if server else "",
        "LOADS": " ".join(stations[each].name for each in roles.loads),
        "FIRST": stations[roles.loads[0]].name,
        "DISK": device_for(found, disks),
        "DISKS": " ".join(own),
        "SHARED": shared,
        "BELOW": BELOW,
        "FOLDER": FOLDER,
        "MKFS": found.system.mkfs,
        "MOUNT": f",{mount}" if mount else "",
        "REACHED_MOUNT": f",{asked.mount}" if asked is not None and asked.mount else "",
        "SYSTEM": found.system.name,
        "KIND": found.system.kind,
        "SIZE_BYTES": str(size_bytes),
        "DM_DISABLE_UDEV": "1",
    }


def device_for(found: Arrangement, disks: Sequence[Disk]) -> str:
    """What a system's file system is made on, on a node with these disks."""
    if found.volume.device:
        return found.volume.device
    wanted = [disk for disk in disks if disk.is_shared == found.volume.shared]
    return device_of(wanted[0].serial)
