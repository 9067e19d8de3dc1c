"""The same start for every turn: the whole device discarded."""

from __future__ import annotations

import os
from pathlib import Path

from fsgauge.errors import RigError
from fsgauge.host.tool import must_run, run_tool
from fsgauge.units import format_size

_DISCARD_SECONDS = 1800.0
_UNSUPPORTED = "not supported"


def make_blank(device: str, refill: Path | None) -> tuple[str, list[str]]:
    """Discard all of `device`; gives what was done and notes on what could not be."""
    said = run_tool(["blkdiscard", device], seconds=_DISCARD_SECONDS)
    if said.exit_code != 0 and _UNSUPPORTED in said.words:
        must_run(["wipefs", "--all", "--quiet", device], what=f"{device} could not be wiped")
        return "signatures wiped", [
            f"{device} cannot discard: blocks that earlier turns wrote are still in use for it"
        ]
    if said.exit_code != 0:
        raise RigError(
            f"{device} could not be discarded", details=(said.words,), next="dmesg | tail"
        )
    if refill is None:
        return "whole device discarded", []
    return f"whole device discarded, {_allocate(refill)} allocated again below it", []


def _allocate(file: Path) -> str:
    size_bytes = file.stat().st_size
    descriptor = os.open(file, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.posix_fallocate(descriptor, 0, size_bytes)
    finally:
        os.close(descriptor)
    return format_size(size_bytes)
