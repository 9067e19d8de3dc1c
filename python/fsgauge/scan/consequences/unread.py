"""What of it could not be read: the other answers are of the rest."""

from __future__ import annotations

from fsgauge.engine.wire import ScanResult
from fsgauge.errors import escaped
from fsgauge.scan.consequences.rule import Consequence, device_of, is_ext
from fsgauge.units import count

_CODES = ("read_error", "truncated", "damaged")
"""Behind which there may be files; the cause first that explains the others."""


def is_unread(scan: ScanResult) -> bool:
    """Whether files may be missing from the counts."""
    return any(problem.code in _CODES for problem in scan.problems)


def unread(scan: ScanResult) -> Consequence | None:
    """Damage, by its cause, with what to do."""
    found = {problem.code: problem for problem in scan.problems}
    first = next((found[code] for code in _CODES if code in found), None)
    if first is None:
        return None
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


def _check(scan: ScanResult) -> str:
    if is_ext(scan):
        return f"e2fsck -fn {device_of(scan)}"
    tool = {"xfs": "xfs_repair -n", "btrfs": "btrfs check --readonly"}
    return f"{tool.get(scan.source.file_system, 'fsck -n')} {device_of(scan)}"
