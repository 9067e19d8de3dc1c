"""Loop devices by their backing file: numbers are shared with everyone else on the machine."""

from __future__ import annotations

import re
from pathlib import Path

from fsgauge.errors import RigError
from fsgauge.rig.host.process.tool import must_run, run_tool

_SYS_BLOCK = Path("/sys/block")
_CONTROL = Path("/dev/loop-control")
_DELETED = " (deleted)"


def loops_available() -> str | None:
    """None when loop devices can be made here, otherwise why not."""
    if not _CONTROL.exists():
        return "no /dev/loop-control: the kernel has no loop driver, or this is a container"
    return None


def backing_file(device: str) -> str | None:
    """The file behind a loop device ("/dev/loop3"), or None when it has none."""
    name = Path(device).name
    if not re.fullmatch(r"loop\d+", name):
        return None
    try:
        text = (_SYS_BLOCK / name / "loop" / "backing_file").read_text()
    except OSError:
        return None
    return text.rstrip("\n").removesuffix(_DELETED) or None


def loops_of(file: str | Path) -> list[str]:
    """Every loop device whose backing file is `file`."""
    names = sorted(entry.name for entry in _SYS_BLOCK.glob("loop*"))
    return [f"/dev/{name}" for name in names if backing_file(f"/dev/{name}") == str(file)]


def attach(file: Path) -> str:
    """Put a file behind a free loop device and give the device; RigError with losetup's words."""
    said = must_run(
        ["losetup", "--find", "--show", str(file)], what=f"no loop device could be made of {file}"
    )
    return said.output.strip()


def use_direct_io(device: str) -> str | None:
    """Bypass the page cache below the loop device; gives the reason when that is refused."""
    said = run_tool(["losetup", "--direct-io=on", device])
    if has_direct_io(device):
        return None
    return said.words or "the file system below does not support it"


def has_direct_io(device: str) -> bool:
    """Whether the page cache below the loop device is bypassed, as the kernel says."""
    try:
        return (_SYS_BLOCK / Path(device).name / "loop" / "dio").read_text().strip() == "1"
    except OSError:
        return False


def detach(device: str, file: Path) -> None:
    """Ask for the release of a loop device that is still backed by `file`."""
    if backing_file(device) != str(file):
        return
    said = run_tool(["losetup", "--detach", device])
    if said.exit_code != 0 and backing_file(device) == str(file):
        raise RigError(f"{device} could not be detached from {file}", details=(said.words,))
