"""mb_groups of an ext4 or ldiskfs, a line a group, as readers of its kernel know it.

Of one that is mounted it is the kernel's own text; of an image the same is made of what dumpe2fs
lists as free.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from fsgauge.engine.wire import ScanSource
from fsgauge.errors import InputError

PROC = Path("/proc/fs")
_KINDS = ("ext4", "ldiskfs")
"""Whose allocator has them, by the folder below /proc/fs."""
_MADE = ("ext2", "ext3", "ext4")
_ORDERS = 14
_GROUP = re.compile(r"^Group \d+: \(Blocks (\d+)-(\d+)\)", re.MULTILINE)
_FREE = re.compile(r"^  Free blocks: (.*)$", re.MULTILINE)
_RUN = re.compile(r"(\d+)(?:-(\d+))?")


def mb_groups(source: ScanSource, dumped: Callable[[str], str]) -> str:
    """Free blocks, pieces, the first free block, and buddies by order; `dumped` gives what dumpe2fs
    prints of an image.

    Raises InputError for what has none, or where it may not be read.
    """
    device = Path(source.device).resolve().name if source.device else ""
    for kind in _KINDS if source.mount_point else ():
        try:
            return (PROC / kind / device / "mb_groups").read_text(encoding="ascii")
        except PermissionError as error:
            raise InputError(
                f"{error.filename} may not be read",
                cause="the kernel shows it to root alone",
                next="the same command as root",
            ) from error
        except OSError:
            continue
    if source.mount_point is None and source.file_system in _MADE:
        return text_of(dumped(source.path), source.block_size_bytes)
    raise InputError(
        f"{source.path} has no mb_groups",
        cause="an ext4 or ldiskfs has them, mounted or as an image, and no other",
        next="leave --mb-groups out",
    )


def text_of(dump: str, block_bytes: int) -> str:
    """The kernel's text, of what dumpe2fs prints; InputError where that lists no groups."""
    places = list(_GROUP.finditer(dump))
    if not places:
        raise InputError(
            "dumpe2fs lists no groups of it",
            cause="the image is not ext4, or is damaged",
            next="dumpe2fs IMAGE says why; or leave --mb-groups out",
        )
    orders = range(_ORDERS)
    lines = ["#group: free  frags first [ " + "".join(f"{f'2^{at}':<6}" for at in orders) + "]"]
    ends = [*(place.start() for place in places[1:]), len(dump)]
    for number, (place, end) in enumerate(zip(places, ends, strict=True)):
        first, last = int(place[1]), int(place[2])
        runs = list(_runs(dump[place.end() : end], first))
        counted = [0] * _ORDERS
        for start, blocks in runs:
            for order in _buddies(start, blocks, block_bytes):
                counted[order] += 1
        free = sum(blocks for _, blocks in runs)
        at = runs[0][0] if runs else last - first + 1
        lines.append(
            f"#{number:<5}: {free:<5} {len(runs):<5} {at:<5} ["
            + "".join(f" {each:<5}" for each in counted)
            + " ]"
        )
    return "\n".join([*lines, ""])


def _runs(of_group: str, first: int) -> Iterator[tuple[int, int]]:
    """Each piece of free space: its first block within the group, and its length."""
    listed = _FREE.search(of_group)
    for run in _RUN.finditer(listed[1]) if listed else ():
        start = int(run[1])
        yield start - first, int(run[2] or start) - start + 1


def _buddies(start: int, blocks: int, block_bytes: int) -> Iterator[int]:
    """The orders of the aligned powers of two that the kernel splits a piece in, from its start."""
    border = 2 * block_bytes
    while blocks:
        aligned = ((start | border) & -(start | border)).bit_length() - 1
        order = min(aligned, blocks.bit_length() - 1)
        yield order
        start, blocks = start + (1 << order), blocks - (1 << order)
