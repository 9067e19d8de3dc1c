"""The chain of devices below storage, down to the physical disk, for the environment record."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from fsgauge.machine.device import loop_devices
from fsgauge.machine.device.block_device import (
    BlockDevice,
    device_at,
    device_holding,
    device_with_numbers,
)
from fsgauge.machine.facts.mounts import Mount, mount_holding
from fsgauge.units import format_size

_LINKS_LIMIT = 16
_QUEUE = ("scheduler", "rotational", "write_cache", "fua", "nr_requests", "read_ahead_kb")
_NUMBERS = ("logical_block_size", "physical_block_size")
_IDENTITY = ("model", "serial", "wwid", "vendor", "rev", "firmware_rev")

Link = dict[str, Any]


def chain_of_device(path: str) -> list[Link]:
    device = device_at(path)
    if device is None:
        return [{"kind": "device", "path": path, "unknown": "not described in /sys"}]
    return _down_from(device, _LINKS_LIMIT)


def chain_of_path(path: str) -> list[Link]:
    return _file_system(path, _LINKS_LIMIT)


def _down_from(device: BlockDevice, limit: int) -> list[Link]:
    if limit <= 0:
        return []
    links = [_describe(device)]
    file = loop_devices.backing_file(device.path)
    if file is not None:
        links[0] |= {"backing_file": file, "direct_io": loop_devices.has_direct_io(device.path)}
        return links + _file_system(str(Path(file).parent), limit - 1)
    if device.disk != device:
        return links + _down_from(device.disk, limit - 1)
    for slave in device.slaves():
        links += _down_from(slave, limit - len(links))
    return links


def _file_system(path: str, limit: int) -> list[Link]:
    mount = mount_holding(path)
    device = device_with_numbers(mount.device) if mount else device_holding(path)
    if device is None and mount is not None and mount.source.startswith("/dev/"):
        device = device_at(mount.source)
    link: Link = {"kind": "file_system", "path": path}
    upper = _upper_layer(mount)
    if mount is not None:
        link |= {
            "file_system": mount.file_system,
            "mount_point": mount.mount_point,
            "source": mount.source,
            "mount_options": mount.all_options,
        }
    else:
        link["unknown"] = "its mount is not visible (chroot or container)"
    if upper and limit > 1:
        return [link, *_file_system(upper, limit - 1)]
    return [link, *(_down_from(device, limit - 1) if device else [])]


def _upper_layer(mount: Mount | None) -> str:
    """Where an overlay keeps what is written to it; empty where that is not visible here."""
    if mount is None or mount.file_system != "overlay":
        return ""
    options = dict(option.partition("=")[::2] for option in mount.super_options.split(","))
    upper = options.get("upperdir", "")
    return upper if upper.startswith("/") and os.path.isdir(upper) else ""  # noqa: PTH112 - none if closed


def _describe(device: BlockDevice) -> Link:
    link: Link = {"kind": "device", "path": device.path, "size_bytes": device.size_bytes}
    for name in _QUEUE:
        link[name] = _chosen(device.queue(name))
    for name in _NUMBERS:
        value = device.queue(name)
        link[f"{name}_bytes"] = int(value) if value else None
    for name in _IDENTITY:
        value = device.read(f"device/{name}") or device.read(name)
        if value:
            link[name] = value
    return link


def _chosen(value: str | None) -> str | None:
    """The scheduler in force out of "none [mq-deadline] kyber"."""
    if value and "[" in value:
        return value.partition("[")[2].partition("]")[0]
    return value


def under(chain: list[Link]) -> str:
    first = next((link for link in chain if link["kind"] == "file_system"), None)
    if first is None or "file_system" not in first:
        return "a file system whose mount is not visible"
    devices = devices_of(chain)
    mounted = f"{first['file_system']} mounted at {first['mount_point']}"
    return f"{mounted} ({devices})" if devices else mounted


def devices_of(chain: list[Link]) -> str:
    """The first device, and that at the end where it is another: "/dev/loop1, 600 MiB, on /dev/vda,
    256 GiB"; "" where the chain does not end on one."""
    own, last = next((link for link in chain if link["kind"] == "device"), None), chain[-1]
    if own is None or last["kind"] != "device":
        return ""
    return ", on ".join(map(_sized, [own] if own == last else [own, last]))


def _sized(link: Link) -> str:
    model = f" {link['model']}" if link.get("model") else ""
    size = f", {format_size(link['size_bytes'])}" if link.get("size_bytes") else ""
    return f"{link['path']}{model}{size}"
