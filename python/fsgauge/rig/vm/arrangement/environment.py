"""What the steps of a system find in their environment, on each node."""

from __future__ import annotations

from collections.abc import Sequence

from fsgauge.rig.vm.arrangement.roles import Arrangement, Roles
from fsgauge.rig.vm.disks import device_of
from fsgauge.rig.vm.network import NETWORK, Station
from fsgauge.rig.vm.qemu import Disk

FOLDER, BELOW = "/mnt/system", "/mnt/below"
"""Where a system is mounted on the nodes that drive the load, and where what it is made of is."""


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
    mount = found.system.mount
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
