"""What of it could not be read: the other answers are of the rest."""

from __future__ import annotations

from fsgauge.engine.wire import ScanResult
from fsgauge.errors import escaped
from fsgauge.scan.consequences.rule import (
    Consequence,
    device_of,
    has_note,
    is_ext,
    place_of,
)
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
    return has_note(scan, "scan.not_clean") or has_note(scan, _NOT_WRITTEN)


def unread(scan: ScanResult) -> Consequence | None:
    """Damage, by its cause, or a log that was not replayed, or both; with what to do."""
    found = {problem.code: problem for problem in scan.problems}
    first = next((found[code] for code in _CODES if code in found), None)
    if first is None:
        return _not_replayed(scan) if _is_in_use(scan) else None
    place = f"; first {escaped(first.examples[0])}" if first.examples else ""
    why, do, cost = {
        "read_error": _READ_ERROR,
        "truncated": _TRUNCATED,
        "damaged": ("a structure is damaged", _check(scan), "it writes nothing; unmount it first"),
    }[first.code]
    sentence = (
        f"Part of it was not read, and all else said here is of the rest: {why}"
        f" ({count(first.count, 'place')}{place})"
    )
    if not _is_in_use(scan):
        return Consequence("attention", sentence, do, cost)
    lacks = f"{sentence}; besides, {_lacks(scan)}"
    if first.code != "damaged" or scan.source.mount_point:
        return Consequence("attention", lacks, do, cost)
    replay, cost, quoted_copy = _replay(scan)
    # e2fsck has checked it too; the others take what is not mounted.
    check = f" && umount /mnt && {_check(scan, quoted_copy)}"
    check = f"; fsgauge scan {quoted_copy}" if is_ext(scan) else check
    return Consequence(
        "attention", f"{lacks}: what is missing may stand there", f"{replay}{check}", cost
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


def _lacks(scan: ScanResult) -> str:
    """What is not counted of a file system in use."""
    if has_note(scan, _NOT_WRITTEN):
        return "some changes were not written, and are not counted here"
    return "its log holds changes that are not counted here"


def _not_replayed(scan: ScanResult) -> Consequence:
    """A copy of a file system in use, as a snapshot of LVM or of a cloud is."""
    what = f"It was copied or stopped while in use, or is mounted: {_lacks(scan)}"
    if scan.source.mount_point:
        quoted_at = place_of(scan)
        return Consequence("attention", what, f"fsgauge scan {quoted_at}")
    replay, cost, quoted_copy = _replay(scan)
    again = f"; fsgauge scan {quoted_copy}" if is_ext(scan) else " && fsgauge scan /mnt"
    do = f"{replay}{again}"
    return Consequence("attention", what, do, cost)


def _replay(scan: ScanResult) -> tuple[str, str, str]:
    """The command that replays the log, of an image in a copy; its cost; the copy's name, or the
    device's."""
    device = device_of(scan)
    is_image = not scan.source.device.startswith("/dev/")
    first = f"cp --sparse=always {device} copy.img && " if is_image else ""
    quoted_copy = "copy.img" if is_image else device
    if is_ext(scan):
        replay = f"{first}e2fsck -fy {quoted_copy}"
    else:
        # A loop device that is read-only itself takes no replay.
        options = "loop" if is_image else "ro"
        options += ",nouuid" if scan.source.file_system == "xfs" else ""
        replay = f"{first}mount -o {options} {quoted_copy} /mnt"
    where = "the copy" if is_image else f"{device}: let it be a snapshot or a copy"
    cost = "e2fsck writes" if has_note(scan, _NOT_WRITTEN) else "the log is replayed, which writes"
    return replay, f"{cost} to {where}", quoted_copy


def _check(scan: ScanResult, quoted_device: str = "") -> str:
    quoted_device = quoted_device or device_of(scan)
    if is_ext(scan):
        return f"e2fsck -fn {quoted_device}"
    tool = {"xfs": "xfs_repair -n", "btrfs": "btrfs check --readonly"}
    return f"{tool.get(scan.source.file_system, 'fsck -n')} {quoted_device}"
