"""Consent to overwrite: the device by a persistent name, and data without a signature. A signature,
a mount or a partition is always refused (safety.py)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fsgauge.errors import RefusedError
from fsgauge.machine.device import loop_devices
from fsgauge.machine.device.block_device import BlockDevice
from fsgauge.machine.device.data_search import Looked
from fsgauge.machine.device.device_tree import probed
from fsgauge.units import format_size

UNKNOWN_DATA = "--discard-unknown-data"
_NAMES = "a node such as /dev/sdb may be another disk after a reboot; these names are persistent"


@dataclass(frozen=True)
class Consent:
    """`names` are those of --destroy; `unknown_data`: data without a signature may go too."""

    names: tuple[str, ...] = ()
    unknown_data: bool = False


def require_own_name(device: BlockDevice, consent: Consent | None) -> None:
    """RefusedError when --destroy names other devices only."""
    given = consent.names if consent else ()
    names = lasting_names(device)
    if given and not set(given) & set(names):
        said = " or ".join(f'"{name}"' for name in given)
        raise RefusedError(
            f"{said} is not the name of {device.path}, so the device is left alone",
            details=(
                f"{device.path}  {format_size(device.size_bytes)}",
                *(f"known as {each}" for each in names),
            ),
            cause=_NAMES,
            next=f"--destroy {names[0]}",
        )


def require_no_other_name(devices: Sequence[BlockDevice], consent: Consent | None) -> None:
    """RefusedError when --destroy names a device that the study does not use."""
    known = {name for device in devices for name in lasting_names(device)}
    for name in consent.names if consent else ():
        if name not in known:
            raise RefusedError(
                f'"{name}" is the name of none of the devices, so they are left alone',
                details=tuple(
                    f"{device.path}  known as {lasting_names(device)[0]}" for device in devices
                ),
                cause=_NAMES,
                next="give --destroy once for each device, with its own name",
            )


def require_consent(device: BlockDevice, consent: Consent | None, looked: Looked) -> None:
    """RefusedError without --destroy, or without consent for data that it may hold."""
    consent = consent or Consent()
    names = lasting_names(device)
    known = tuple(f"known as {name}" for name in names)
    if not looked.zero and not consent.unknown_data:
        what, cause = _why_not(looked)
        raise RefusedError(
            f"{looked.path} {what}, so it is left alone",
            details=(*looked.sentences(), *known),
            cause=cause,
            next=f"if all of it may be destroyed: --destroy {names[0]} {UNKNOWN_DATA}",
        )
    if not consent.names:
        raise RefusedError(
            f"{device.path} would be overwritten, which needs your consent",
            details=(*looked.sentences(), *known),
            cause=_NAMES,
            next=f"--destroy {names[0]}{'' if looked.zero else f' {UNKNOWN_DATA}'}",
        )


def _why_not(looked: Looked) -> tuple[str, str]:
    """Why a device that is not known to be empty is left alone, and the likely cause."""
    if looked.data is not None:
        cause = (
            "a database, an archive, an encrypted container, a file system without its first"
            " superblock, or data of an earlier run"
        )
        return "holds data without a signature", cause
    if looked.unreadable:
        return "cannot be read completely", "the device returns I/O errors; it may hold data"
    cause = "the samples are zero, but there may be data between them"
    return "is too large to be read completely", cause


_LASTING_LINKS = ("by-id", "by-partuuid", "by-uuid")
_DISK = Path("/dev/disk")


def lasting_names(device: BlockDevice) -> list[str]:
    """Serial, WWN, UUIDs, names in /dev/disk/by-id; a loop's backing file; else its path."""
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
    found = []
    for kind in kinds:
        try:
            links = sorted((_DISK / kind).iterdir())
        except OSError:
            continue
        found += [link.name for link in links if os.path.realpath(link) == device.path]
    return found


def _table_uuids(device: BlockDevice) -> list[str]:
    known = probed(device)
    keys = ("PART_ENTRY_UUID", "PTUUID", "UUID")
    return [known[key] for key in keys if known.get(key)]
