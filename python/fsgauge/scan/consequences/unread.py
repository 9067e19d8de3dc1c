"""What of it could not be read: the other answers are of the rest."""

from __future__ import annotations

from fsgauge.engine.wire import ScanResult
from fsgauge.errors import escaped
from fsgauge.scan.consequences.rule import Consequence, device_of, is_ext, place_of
from fsgauge.units import count

_CODES = ("read_error", "truncated", "damaged")
"""Behind which there may be files; the cause first that explains the others."""
_NOT_WRITTEN = "scan.not_written"
"""The note on a file system without a log."""


def is_unread(scan: ScanResult) -> bool:
    """Whether files may be missing from the counts."""
    return any(problem.code in _CODES for problem in scan.problems) or _is_in_use(scan)


def _is_in_use(scan: ScanResult) -> bool:
    """Whether the last changes stand in its log alone, or nowhere."""
    return any(note.code in ("scan.not_clean", _NOT_WRITTEN) for note in scan.notes)


def unread(scan: ScanResult) -> Consequence | None:
    """Damage, by its cause, or a log that was not replayed; with what to do."""
    found = {problem.code: problem for problem in scan.problems}
    first = next((found[code] for code in _CODES if code in found), None)
    if first is None:
        return _with_log(scan) if _is_in_use(scan) else None
    place = f"; first {escaped(first.examples[0])}" if first.examples else ""
    why, do, cost = {
        "read_error": _READ_ERROR,
        "truncated": _TRUNCATED,
        "damaged": ("a structure is damaged", _check(scan), "it writes nothing; unmount it first"),
    }[first.code]
    return Consequence(
        "attention",
        f"Part of it was not read, and all else said here is of the rest: {why}"
        f" ({count(first.count, 'place')}{place})",
        do,
        cost,
    )


_READ_ERROR = (
    "the device did not return the data, or is gone",
    "dmesg | tail; is the device still there, copy it first (ddrescue), and scan the copy",
    "each further read wears a device that fails",
)
_TRUNCATED = (
    "the image ends before the file system does, or became shorter meanwhile",
    "copy the image again, whole; fsck of this one would call its missing end damage",
    "",
)


def _with_log(scan: ScanResult) -> Consequence:
    """A copy of a file system in use, as a snapshot of LVM or of a cloud is."""
    has_log = not any(note.code == _NOT_WRITTEN for note in scan.notes)
    what = "It was copied or stopped while in use, or is mounted: "
    if has_log:
        what += "its log holds changes that are not counted here"
    else:
        what += "some changes were not written, and are not counted here"
    device = device_of(scan)
    if scan.source.mount_point:
        quoted_at = place_of(scan)
        return Consequence("attention", what, f"fsgauge scan {quoted_at}")
    is_image = not scan.source.device.startswith("/dev/")
    copy = f"cp --sparse=always {device} copy.img && " if is_image else ""
    quoted_name = "copy.img" if is_image else device
    if is_ext(scan):
        do = f"{copy}e2fsck -fy {quoted_name}; fsgauge scan {quoted_name}"
    else:
        # A loop device that is read-only itself takes no replay.
        options = "loop" if is_image else "ro"
        options += ",nouuid" if scan.source.file_system == "xfs" else ""
        do = f"{copy}mount -o {options} {quoted_name} /mnt && fsgauge scan /mnt"
    where = "the copy" if is_image else f"{device}: let it be a snapshot or a copy"
    cost = "the log is replayed, which writes" if has_log else "e2fsck writes"
    return Consequence("attention", what, do, f"{cost} to {where}")


def _check(scan: ScanResult) -> str:
    if is_ext(scan):
        return f"e2fsck -fn {device_of(scan)}"
    tool = {"xfs": "xfs_repair -n", "btrfs": "btrfs check --readonly"}
    return f"{tool.get(scan.source.file_system, 'fsck -n')} {device_of(scan)}"
