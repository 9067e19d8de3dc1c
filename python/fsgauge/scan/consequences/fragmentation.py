"""Whether the pieces of files matter: by the device, the bytes, and what a piece costs to reach."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from fsgauge.devices import device_named
from fsgauge.engine.wire import Jumps, ListedFile, ScanResult
from fsgauge.errors import escaped
from fsgauge.scan.consequences.no_space import NEARLY_PERCENT
from fsgauge.scan.consequences.rule import (
    Consequence,
    copied,
    has_clusters,
    is_ext,
    place_of,
    share_of_size,
    usable_bytes,
    word_of,
)
from fsgauge.scan.consequences.unseen import is_unread
from fsgauge.scan.numbers import reach_bytes
from fsgauge.units import format_duration, size_down

LEAST_FACTOR = 1.10
"""Reading takes so many times as long, or it does not matter."""
LEAST_EXTRA_NS = 0.5e9
"""By how much reading must take longer before fragmentation matters: one seek is no loss."""
LEAST_OF_A_FILE = 2.0
"""A single file is worth a word from this factor on."""
NO_FILE = "No file has an extent on the device: nothing is fragmented"
"""Whoever sees this asks something else."""
_PASSED_BYTES = 512 << 10
"""A jump ahead by no more is near, as the engine counts it."""


@dataclass(frozen=True)
class Reach:
    """What it takes a device to go on elsewhere, and what it reads a second; `name` in words.

    Heads pass over what lies a little ahead; flash needs a request of its own for it.
    """

    name: str
    jump_ns: float
    bytes_per_second: float
    passes: bool

    def longer_ns(self, jumps: Jumps) -> float:
        """How much longer reading takes for the jumps."""
        if not self.passes:
            return (jumps.far + jumps.near) * self.jump_ns
        return jumps.far * self.jump_ns + 1e9 * jumps.passed_bytes / self.bytes_per_second

    def factor(self, files: int, jumps: Jumps, size_bytes: int) -> float:
        """How many times as long reading takes as of files in one piece each."""
        whole = files * self.jump_ns + 1e9 * size_bytes / self.bytes_per_second
        return 1.0 + self.longer_ns(jumps) / whole if whole else 1.0

    def loses(self, least: float, files: int, jumps: Jumps, size_bytes: int) -> bool:
        """Whether it takes `least` times as long, and long enough to wait for."""
        is_long = self.longer_ns(jumps) >= LEAST_EXTRA_NS
        return is_long and self.factor(files, jumps, size_bytes) >= least


def heads() -> Reach:
    disk = device_named("disk-2012")
    turn_ns = 60e9 / disk.number("revolutions_per_minute").value
    wait_ns = turn_ns * disk.number("rotational_wait").value / 100
    jump_ns = disk.number("seek_average").value + wait_ns
    return Reach("a disk with heads", jump_ns, disk.number("outer_rate").value, passes=True)


def flash() -> Reach:
    """Flash: read ahead keeps its queue full, so a piece costs a request among many."""
    disk = device_named("ssd-sata")
    jump_ns = 1e9 / disk.number("requests_per_second").value
    return Reach("flash", jump_ns, disk.number("rate").value, passes=False)


def reaches(scan: ScanResult) -> list[Reach]:
    """That of its device; of both kinds where it is not known which that is."""
    return {True: [heads()], False: [flash()], None: [heads(), flash()]}[scan.room.is_rotational]


def jumps_of(scan: ScanResult) -> Jumps:
    """Those of all files together; of a scan that counted none, one for each piece more."""
    counts = scan.counts
    files = counts.files - counts.files_without_extents
    pieces = counts.extents - counts.undecided_extents
    return counts.jumps or Jumps(far=max(pieces - files, 0), near=0, passed_bytes=0)


def factor_of(scan: ScanResult, reach: Reach) -> float:
    """How many times as long reading all files takes there as of whole ones."""
    counts = scan.counts
    files = counts.files - counts.files_without_extents
    return reach.factor(files, jumps_of(scan), counts.extent_bytes)


def matters(scan: ScanResult) -> Consequence | None:
    counts = scan.counts
    files = counts.files - counts.files_without_extents
    if not files or not counts.extent_bytes:
        if is_unread(scan):
            return None
        return Consequence("fine", NO_FILE)
    jumps = jumps_of(scan)
    factors = [(each, factor_of(scan, each)) for each in reaches(scan)]
    share = f"{100 * counts.short_bytes / counts.extent_bytes:.1f}"
    short = f"; {share} % of the bytes are in short pieces (under 512 KiB, a request) of files in"
    short = "" if share == "0.0" else f"{short} several"
    costs = _costs(factors)
    unknown = "" if scan.room.is_rotational is not None else " (which of both is not known)"
    slowest, _ = max(factors, key=lambda pair: pair[1])
    if slowest.loses(LEAST_FACTOR, files, jumps, counts.extent_bytes):
        do, cost = _remedy(scan, scan.top[0] if scan.top else None)
        return Consequence(
            "attention",
            f"Fragmentation matters here: reading every file takes {costs} as long as from whole"
            f" files{unknown}{short}",
            do,
            cost,
        )
    file = _worst(scan, slowest)
    if file is not None:
        factor = slowest.factor(1, _jumps_of(file), _bytes_of(file))
        do, cost = _remedy(scan, file)
        return Consequence(
            "attention",
            f"Fragmentation matters for single files, not for all (reading takes {costs} as long"
            f"{unknown}): {escaped(file.name)} takes {slowest.name} {factor:.1f} times as long,"
            f" in {file.extents:,} pieces",
            do,
            cost,
        )
    if all(factor < 1 + _AS_LONG for _, factor in factors):
        return Consequence(
            "fine",
            "Fragmentation does not matter here: reading every file takes as long as from whole"
            f" files, within 1 %{short}",
        )
    longer_ns = slowest.longer_ns(jumps)
    is_much = slowest.factor(files, jumps, counts.extent_bytes) >= LEAST_FACTOR
    in_all = f", {format_duration(longer_ns)} longer in all" if is_much else ""
    return Consequence(
        "fine",
        f"Fragmentation does not matter here: reading every file takes {costs} as long as from"
        f" whole files{in_all}{unknown}{short}",
    )


_AS_LONG = 0.01
"""What reading takes longer than from whole files, as a share, that is not worth a number."""


def _costs(factors: list[tuple[Reach, float]]) -> str:
    return " and ".join(f"{each.name} {factor:.2f} times" for each, factor in factors)


_LARGE_PIECE = 8 << 20
"""So much in one piece costs a disk with heads a tenth for reaching it."""
_LEAST_LARGE_PERCENT = 50.0


def free_pieces(scan: ScanResult) -> Consequence | None:
    """What is written from now on, where most of the free space is in short pieces."""
    free = scan.free
    if free is None or not free.extents or share_of_size(scan, free.size_bytes) < NEARLY_PERCENT:
        return None
    usable = usable_bytes(scan)
    large = usable - free.size_bytes
    large += sum(each.size_bytes for each in free.at_least if each.at_least_bytes == _LARGE_PIECE)
    if not free.at_least or 100 * large >= _LEAST_LARGE_PERCENT * usable:
        return None
    apart = free.extents - 1
    gap = max(reach_bytes(scan) - usable, 0) // free.extents
    jumps = Jumps(far=apart, near=0, passed_bytes=0)
    if gap <= _PASSED_BYTES:
        jumps = Jumps(far=0, near=apart, passed_bytes=apart * gap)
    size, found = free.size_bytes, reaches(scan)
    if not any(reach.loses(LEAST_OF_A_FILE, 1, jumps, size) for reach in found):
        return None
    costs = _costs([(reach, reach.factor(1, jumps, size)) for reach in found])
    do = "delete or move away files that lie between, or copy all to a new file system: what joins"
    do += " files (e4defrag, xfs_fsr) joins no free space"
    cost = "a second device for as long"
    if scan.source.file_system == "btrfs":
        do, cost = f"btrfs balance start -dusage=50 {place_of(scan)}", "it rewrites half the chunks"
    return Consequence(
        "attention",
        f"New files will be in pieces: what is free, {size_down(size)}, is in"
        f" {free.extents:,} pieces of {size_down(size / free.extents)} on average; reading what is"
        f" written there takes {costs} as long",
        do,
        cost,
    )


def _worst(scan: ScanResult, reach: Reach) -> ListedFile | None:
    """The listed file that loses most, where it loses enough."""
    slow = [
        (reach.factor(1, _jumps_of(file), _bytes_of(file)), file)
        for file in scan.top
        if reach.loses(LEAST_OF_A_FILE, 1, _jumps_of(file), _bytes_of(file))
    ]
    _, file = max(slow, key=lambda pair: pair[0], default=(1.0, None))
    return file


def _bytes_of(file: ListedFile) -> int:
    """What its pieces hold: of a sparse file less than its size; of many, by those listed."""
    listed = sum(each.length_bytes for each in file.list)
    return listed * file.extents // len(file.list) if file.list else file.size_bytes


def _jumps_of(file: ListedFile) -> Jumps:
    """Those between its pieces; of many, by those listed. Of a missing list, each is far. What
    begins inside the one before is compressed, and goes on where that one ends."""
    pairs = max(len(file.list) - 1, 0)
    if not pairs:
        return Jumps(far=file.extents - 1, near=0, passed_bytes=0)
    ahead = [
        after.physical_bytes - before.physical_bytes - before.length_bytes
        for before, after in pairwise(file.list)
    ]
    near = [each for each in ahead if 0 < each <= _PASSED_BYTES]
    is_behind = [
        not 0 <= after.physical_bytes - before.physical_bytes < before.length_bytes
        for before, after in pairwise(file.list)
    ]
    far = sum(
        each > _PASSED_BYTES or (each < 0 and behind)
        for each, behind in zip(ahead, is_behind, strict=True)
    )
    each_stands_for = (file.extents - 1) / pairs
    return Jumps(
        far=round(far * each_stands_for),
        near=round(len(near) * each_stands_for),
        passed_bytes=round(sum(near) * each_stands_for),
    )


def _remedy(scan: ScanResult, file: ListedFile | None) -> tuple[str, str]:
    """What joins the pieces of a file, and what that costs."""
    name = word_of(file.name) if file is not None else "FILE"
    largest = scan.free.largest_bytes if scan.free else None
    size = _bytes_of(file) if file is not None else 0
    needs = f"it writes the file once ({size_down(size)})" if size else "it writes each file once"
    if largest is not None and largest < size:
        needs += f", into several pieces: the largest free one has {size_down(largest)}"
    if not scan.source.mount_point:
        return "mount it, and scan it there: what joins pieces works on mounted files", ""
    if scan.source.file_system == "btrfs":
        shared = scan.counts.shared_bytes
        apart = f"; what files share ({size_down(shared)}) is written for each" if shared else ""
        more = "; chattr +C FOLDER keeps files whole that are made in it later and written in place"
        plain = "; without checksums and compression, with chattr +C"
        return f"btrfs filesystem defragment -t 32M {name}{more}", f"{needs}{apart}{plain}"
    if scan.source.file_system == "xfs":
        more = "; mount -o allocsize=64m keeps files that grow in fewer pieces"
        return f"xfs_fsr -v {name}{more}", needs
    if is_ext(scan):
        more = "; programs that allocate ahead (fallocate) keep files whole, on Lustre's ldiskfs"
        more += " prealloc_table does"
        if scan.source.file_system == "ext4" and not has_clusters(scan):
            ng = f"   (where it prints [ NG ]: {copied(name)})"
            return f"e4defrag -v {name}{ng}{more}", needs
        return f"{copied(name)}{more}", f"{needs}; what has it open, or links to it, keeps the old"
    return copied(name), f"{needs}; what has it open, or links to it, keeps the old"
