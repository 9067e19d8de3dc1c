"""Takes what is on a device away: all blocks by a discard, or the signatures alone.

The tools open the device exclusively, so that they refuse one that is mounted. A process that holds
the claim itself has that promise already, and tells them not to ask (--force).
"""

from __future__ import annotations

from fsgauge.errors import RigError
from fsgauge.rig.host.process.tool import Said, run_tool

_FORCE = "--force"
_UNKNOWN = "unrecognized option"
"""Older than util-linux 2.36: blkdiscard knows no --force, and asks for no claim."""


def discard(device: str, *, claimed: bool, seconds: float) -> Said:
    """blkdiscard of the whole device; RigError when it does not end in time."""
    force = [_FORCE] if claimed else []
    said = run_tool(["blkdiscard", *force, device], seconds=seconds)
    if claimed and _UNKNOWN in said.words:
        said = run_tool(["blkdiscard", device], seconds=seconds)
    return said


def wipe(device: str, *, claimed: bool) -> None:
    """Take away every signature that wipefs knows; RigError when that fails."""
    force = [_FORCE] if claimed else []
    said = run_tool(["wipefs", "--all", "--quiet", *force, device])
    if said.exit_code != 0:
        raise RigError(f"{device} still carries a signature", details=(said.words,))
