"""Names that stay with a device, whatever its node is called: what consent has to name."""

from __future__ import annotations

import os
from pathlib import Path

from fsgauge.rig.host.device import loop_devices
from fsgauge.rig.host.device.block_device import BlockDevice
from fsgauge.rig.host.process.tool import run_tool

_LASTING_LINKS = ("by-id", "by-partuuid", "by-uuid")
_DISK = Path("/dev/disk")


def lasting_names(device: BlockDevice) -> list[str]:
    """Serial, WWN, UUIDs, names in /dev/disk/by-id; a loop's backing file; else its place."""
    names = [
        device.disk.read("device/serial") if device.disk == device else None,
        device.disk.read("serial") if device.disk == device else None,
        device.read("wwid") or device.read("device/wwid"),
        device.read("dm/uuid"),
        device.read("uuid"),
        *_links(device, _LASTING_LINKS),
        *_table_uuids(device),
    ]
    found = [name.strip() for name in names if name and name.strip()]
    if not found:
        found = [name for name in (loop_devices.backing_file(device.path),) if name]
    if not found:
        found = [*_links(device, ("by-path",)), str(device.folder)]
    return list(dict.fromkeys(found))


def _links(device: BlockDevice, kinds: tuple[str, ...]) -> list[str]:
    """Names of the links below /dev/disk that lead to this device."""
    found = []
    for kind in kinds:
        try:
            links = sorted((_DISK / kind).iterdir())
        except OSError:
            continue
        found += [link.name for link in links if os.path.realpath(link) == device.path]
    return found


def _table_uuids(device: BlockDevice) -> list[str]:
    """UUID of its partition table entry (a partition) or table (a disk), from blkid."""
    said = run_tool(["blkid", "--probe", "--output", "export", device.path])
    if said.exit_code != 0:
        return []
    pairs = dict(line.partition("=")[::2] for line in said.output.splitlines())
    keys = ("PART_ENTRY_UUID", "PTUUID", "UUID")
    return [pairs[key] for key in keys if pairs.get(key)]
