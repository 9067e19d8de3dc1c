"""The same start for every turn: the whole device discarded."""

from __future__ import annotations

import os
import time
from pathlib import Path

from fsgauge.errors import RigError
from fsgauge.machine.device.device_bytes import discard, wipe
from fsgauge.machine.process.tool import Said
from fsgauge.storage import Base
from fsgauge.units import format_size

_DISCARD_SECONDS = 1800.0
_UNSUPPORTED = "not supported"
_BUSY = "resource busy"
_BUSY_SECONDS = 15.0
_PAUSE_SECONDS = 0.1


def make_blank(
    device: str,
    *,
    claimed: bool = False,
    keeps_blocks: bool = False,
    size_bytes: int | None = None,
) -> tuple[str, list[str]]:
    """Discard all of `device`; gives what was done and notes on what could not be.

    `size_bytes` is how much of it is ours, where it might grow.
    `claimed`: this process holds the device's claim, so that the tools cannot have it.
    `keeps_blocks`: it is preconditioned, so only what it carries is wiped.
    """
    if keeps_blocks:
        wipe(device, claimed=claimed)
        return "signatures wiped, blocks in use as preconditioning left them", []
    said = _discarded(device, claimed, size_bytes)
    if said.exit_code == 0:
        return "whole device discarded", []
    if _UNSUPPORTED not in said.words:
        raise RigError(
            f"{device} could not be discarded", details=(said.words,), next="dmesg | tail"
        )
    wipe(device, claimed=claimed)
    return "signatures wiped", [
        f"{device} cannot discard: to the device, blocks written in earlier turns are still in use"
    ]


def blank_of(base: Base) -> tuple[str, list[str]]:
    """The same of attached storage with a device, whose claim is in use."""
    return make_blank(
        str(base.device),
        claimed=base.claim.is_exclusive,
        keeps_blocks=base.keeps_blocks,
        size_bytes=base.size_bytes,
    )


def _discarded(device: str, claimed: bool, size_bytes: int | None) -> Said:
    """Discard the device; where another process has it open, wait up to 15 s.

    A process that copied the mount table while a system was mounted on it, as a server or container
    does, has it until that process ends or lets go.
    """
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        said = discard(device, claimed=claimed, seconds=_DISCARD_SECONDS, size_bytes=size_bytes)
        if said.exit_code == 0 or _BUSY not in said.words or time.monotonic() > deadline:
            return said
        time.sleep(_PAUSE_SECONDS)


def allocate_below(file: Path | None) -> list[str]:
    """Give a preallocated loop file back the blocks that discards took (mkfs discards as well)."""
    if file is None:
        return []
    size_bytes = file.stat().st_size
    descriptor = os.open(file, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.posix_fallocate(descriptor, 0, size_bytes)
    finally:
        os.close(descriptor)
    return [f"{format_size(size_bytes)} allocated again below it"]
