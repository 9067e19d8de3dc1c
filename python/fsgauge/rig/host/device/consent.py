"""What the user may lose: a device by a name that stays with it, and data that has no name.

A signature, a mount or a partition is never consented to: safety.py refuses those.
"""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.errors import RefusedError
from fsgauge.rig.host.device.block_device import BlockDevice
from fsgauge.rig.host.device.device_names import lasting_names
from fsgauge.rig.host.device.search_report import Looked
from fsgauge.units import format_size

UNKNOWN_DATA = "--discard-unknown-data"
_NAMES = "a node such as /dev/sdb may be another disk after a reboot; these names stay"


@dataclass(frozen=True)
class Consent:
    """`name` is what --destroy names; `unknown_data`: bytes that nothing names may be lost too."""

    name: str | None = None
    unknown_data: bool = False


def require_own_name(device: BlockDevice, consent: Consent | None) -> None:
    """RefusedError when the user named something, and it is not this device."""
    name = consent.name if consent else None
    names = lasting_names(device)
    if name is not None and name not in names:
        raise RefusedError(
            f'"{name}" is not the name of {device.path}, so it is left alone',
            details=(
                f"{device.path}  {format_size(device.size_bytes)}",
                *(f"known as {each}" for each in names),
            ),
            cause=_NAMES,
            next=f"--destroy {names[0]}",
        )


def require_consent(device: BlockDevice, consent: Consent | None, looked: Looked) -> None:
    """RefusedError unless the user named the device, and its data too where it may hold any."""
    consent = consent or Consent()
    names = lasting_names(device)
    known = tuple(f"known as {name}" for name in names)
    if not looked.zero and not consent.unknown_data:
        raise RefusedError(
            _why_not(looked),
            details=(*looked.sentences(), *known),
            cause=_cause(looked),
            next=f"if all of it may be lost: --destroy {names[0]} {UNKNOWN_DATA}",
        )
    if consent.name is None:
        raise RefusedError(
            f"{device.path} would be overwritten, and that needs your consent",
            details=(*looked.sentences(), *known),
            cause=_NAMES,
            next=f"--destroy {names[0]}{'' if looked.zero else f' {UNKNOWN_DATA}'}",
        )


def _why_not(looked: Looked) -> str:
    if looked.data is not None:
        return f"{looked.path} holds data without a signature, so it is left alone"
    if looked.unreadable:
        return f"{looked.path} cannot be read whole, so it is left alone"
    return f"{looked.path} is too large to be read whole, so it is left alone"


def _cause(looked: Looked) -> str:
    if looked.data is not None:
        return (
            "pages of a database, an archive, an encrypted container, a file system that lost its"
            " first superblock, or what an earlier run wrote"
        )
    if looked.unreadable:
        return "the device answers with errors; data may be there"
    return "samples found nothing, and a little data can lie between them"
