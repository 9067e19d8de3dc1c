"""The workload `writers` carried out: one file, laid out as published, and N writers on it."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

from fsgauge.engine import wire
from fsgauge.errors import InputError
from fsgauge.kinds.writers import dealing
from fsgauge.kinds.writers.factors import WritersFactors
from fsgauge.kinds.writers.keys import LARGEST_LOG_BYTES, WritersWorkload
from fsgauge.record.records import Cell
from fsgauge.study.sweep import places_to_verify
from fsgauge.units import exact_duration, exact_size, format_duration, format_size
from fsgauge.workload.assumed import ASSUMED_LATENCY_SECONDS, EXPECTED, Speed, operations_per_second
from fsgauge.workload.dealing import Dealt, Share
from fsgauge.workload.folders import Place, ServedFiles, interface_of, laid_out
from fsgauge.workload.method import Method, data_of
from fsgauge.workload.slicing import interval_ns, interval_of_work_ns, rounded_down
from fsgauge.workload.words import access_line

LONGEST_RUN_NS = 600_000_000_000
"""A run that ends by passes ends here at the latest, so that a slow disk cannot hold a study."""
LAYOUT_BLOCK_BYTES = 1 << 20
"""As published: dd oflag=direct bs=1M, one write at a time."""
_LIMITS_SECONDS = 0.3
"""Measuring the same load on no device and on memory, before a run."""
_SMALLEST_SHARE = 8
"""Files are rounded to equal shares for every number of writers if they hold 8 such units."""


@dataclass(frozen=True)
class WritersMethod(Method):
    """One file, laid out as published, and several writers on it, or on a file each."""

    workload: WritersWorkload
    not_in_fio = (
        "so far, fsgauge cross-checks only studies of kind overhead",
        "ONLY=writers-psync-2 compares two writers with fio's",
    )
    without_rings = "--set workload.queue_depth=1 --set workload.interface=psync"

    @property
    def files(self) -> int:
        """One; with own files, as many as there are writers at most."""
        return max(self.workload.writers) if "own files" in self.workload.ranges else 1

    @property
    def reserve_bytes(self) -> int:
        return self.workload.log_writers * LARGEST_LOG_BYTES

    def file_size_bytes(self, largest_bytes: int) -> int:
        """Equal shares for every number of writers, where the file is large enough for that."""
        size = rounded_down(largest_bytes)
        workload = self.workload
        runs = [workload.stride] if "strided" in workload.ranges else []
        unit = lcm(*workload.block_sizes, *runs) * lcm(*workload.writers)
        unit *= lcm(*(workload.hosts or []))
        return size - size % unit if size >= _SMALLEST_SHARE * unit else size

    def require_room(self, file_bytes: int, cause: str) -> None:
        workload = self.workload
        needed = places_to_verify(workload.queue_depth) if workload.verify else 1
        if workload.readers and file_bytes < workload.reader_block_size:
            raise InputError(
                f"a file would have {format_size(file_bytes)}, and a reader reads"
                f" {exact_size(workload.reader_block_size)} at a time",
                cause=cause,
                next="larger storage, a larger workload.fill, or a smaller"
                " workload.reader_block_size",
            )
        for ranges in workload.ranges:
            hosts = 1 if ranges == "own files" else workload.most_hosts
            for block_bytes in workload.block_sizes:
                unit = workload.stride if ranges == "strided" else block_bytes
                if file_bytes < unit:
                    raise InputError(
                        f"a file would have {format_size(file_bytes)},"
                        f" and a {'run' if ranges == 'strided' else 'block'} has"
                        f" {format_size(unit)}",
                        cause=cause,
                        next="larger storage, a larger workload.fill, or smaller blocks",
                    )
                counts = sorted(workload.writers)
                units, blocks = file_bytes // unit, unit // block_bytes
                fitting = [
                    writers
                    for writers in counts
                    if dealing.fewest_places(ranges, units, blocks, hosts * writers) >= needed
                ]
                if fitting != counts:
                    raise dealing.too_many(
                        ranges, hosts * counts[-1], fitting, needed, file_bytes, unit, cause
                    )

    def direct_sizes_bytes(self, *, bare: bool = False) -> list[int]:
        """Of a bare device all: it has no cache."""
        workload = self.workload
        if not bare and "direct" not in workload.access:
            return []
        readers = [workload.reader_block_size] if workload.readers else []
        return [*workload.block_sizes, *readers]

    def buffered_instead(self) -> str:
        return "--set 'workload.access=[\"buffered\"]'"

    def layout_job(self, target: Place, seed: int) -> wire.LayoutJob:
        return wire.LayoutJob(
            target=laid_out(target),
            block_size_bytes=LAYOUT_BLOCK_BYTES,
            queue_depth=1,
            direct="direct" in self.workload.access or isinstance(target, wire.BlockTarget),
            data=data_of(self.workload.data),
            seed=seed,
        )

    def load_job(self, cell: Cell, target: Place, seed: int) -> wire.LoadJob:
        """N writers on the first file, or on the first N; the nearest thing on a bare device. A
        device is the limit of what is above it: direct overwrites, whatever the files' cell is."""
        factors = WritersFactors.of(cell)
        workload = self.workload
        bare = isinstance(target, wire.BlockTarget)
        sequential = workload.order == "sequential"
        duration_ns = workload.duration or LONGEST_RUN_NS
        return wire.LoadJob(
            target=self._target(cell, laid_out(target)),
            interface=interface_of(target, factors.interface),
            direct=bare or factors.access == "direct",
            access=wire.SequentialAccess() if sequential else wire.RandomAccess(),
            read_percent=0,
            block_sizes=[wire.BlockSize(size_bytes=factors.block_size_bytes)],
            queue_depth=factors.queue_depth,
            submit_batch=workload.submit_batch,
            jobs=factors.writers,
            warm_up_ns=workload.warm_up,
            duration_ns=duration_ns,
            interval_ns=(interval_ns if workload.duration else interval_of_work_ns)(duration_ns),
            data=data_of(workload.data),
            seed=seed,
            ranges=self._ranges(cell, bare=bare),
            passes=workload.passes,
            extend=not bare and factors.allocation in ("extend", "preallocated"),
            preallocate=not bare and factors.allocation == "preallocated",
            workers=workload.workers,
            descriptors=workload.descriptors,
            sync=dealing.sync_of(
                workload, factors.access, is_served=isinstance(target, ServedFiles)
            ),
            verify=workload.verify,
            companions=self._companions(bare=bare),
            measure_limits=True,
            limits_stride_bytes=workload.limits_stride,
        )

    def require_dealable(self, hosts: int) -> None:
        dealing.require_dealable(self.workload, hosts)

    def dealt(self, job: Dealt, share: Share) -> Dealt:
        return dealing.dealt(self.workload, job, share)

    @property
    def files_of_all(self) -> int:
        return dealing.files_of_all(self.workload)

    def is_on_files_of_all(self, job: wire.LoadJob | wire.ClientsJob) -> bool:
        return dealing.is_on_one_file(job)

    def without_files_of_all(self) -> str:
        return "--set 'workload.ranges=[\"own files\"]'"

    def run_seconds(self, cell: Cell, space_bytes: int, speed: Speed = EXPECTED) -> float:
        """Writers are taken to get in one another's way: all of them as fast as one."""
        factors = WritersFactors.of(cell)
        workload = self.workload
        rate = operations_per_second(factors.block_size_bytes, factors.queue_depth, speed)
        if self.is_served:
            rate = min(rate, 1 / speed.served_seconds)
        if workload.duration is not None:
            load = (workload.warm_up + workload.duration) / 1e9
        else:
            covered = self._covered_bytes(cell, space_bytes)
            load = min(covered / factors.block_size_bytes / rate, LONGEST_RUN_NS / 1e9)
        reading = space_bytes / speed.bytes_per_second if workload.verify else 0.0
        return load + reading + _LIMITS_SECONDS

    def written_bytes(self, cell: Cell, space_bytes: int) -> float:
        """The passes exactly, or a time in which writers do not hinder one another; and logs."""
        factors = WritersFactors.of(cell)
        workload = self.workload
        if workload.duration is None:
            written = float(self._covered_bytes(cell, space_bytes))
            seconds = self.run_seconds(cell, space_bytes)
        else:
            seconds = (workload.warm_up + workload.duration) / 1e9
            in_flight = factors.queue_depth * factors.writers
            rate = operations_per_second(factors.block_size_bytes, in_flight)
            written = rate * seconds * factors.block_size_bytes
        appends = seconds / ASSUMED_LATENCY_SECONDS * workload.log_block_size
        return written + workload.log_writers * appends

    def held_equal(self, space: str, has_raw: bool) -> list[str]:
        workload = self.workload
        raw = "; raw: the same number of bytes of the device" if has_raw else ""
        files = f"{self.files} equal files that fill" if self.files > 1 else "one file that fills"
        shared = workload.descriptors == "shared"
        descriptors = "one shared open file" if shared else "one open file each"
        stride = workload.limits_stride or 0
        without_device = [
            f"without a device: one byte of every {exact_size(stride)} touched, as well as the rest"
        ] * bool(stride)
        on_hosts = ", all of them on each host" if workload.hosts else ""
        return [
            f"space: {files} {space}{raw}, laid out by writes of 1 MiB, one at a time",
            f"writers: {workload.workers}{on_hosts}, {descriptors}, {workload.interface},"
            f" {', '.join(workload.allocation)}",
            f"data: {workload.data}; {' and '.join(workload.access)} I/O; {self._durable()};"
            f" {'read back and checked after each run' if workload.verify else 'not verified'}",
            f"offsets: the same for all systems of a block, {workload.order},"
            f" {', '.join(workload.ranges)}",
            *access_line(self.accesses, [workload.interface], dealing.direct_words(workload)),
            f"time: {self._time()}, unpaced",
            *self._beside(),
            *without_device,
            "order: cells in one random order for all turns of a block",
        ]

    def notes(self) -> list[str]:
        if "buffered" in self.workload.access and self.workload.sync == "none":
            return [
                "buffered writes without a sync end in memory: their rate shows how fast the page"
                " cache accepts them under this file system's locks, not the storage"
                ' (workload.sync = "fsync" with sync_every includes it)'
            ]
        return []

    def cautions(self) -> list[str]:
        return dealing.cautions_of(self.workload, self.accesses)

    def bare_stands_for(self) -> str:
        workload = self.workload
        asked = {
            "buffered is direct": "buffered" in workload.access,
            "extend is overwrite": "extend" in workload.allocation,
            "preallocated is overwrite": "preallocated" in workload.allocation,
            "own files are segments as long as the files": "own files" in workload.ranges,
            "no log is kept": workload.log_writers > 0,
        }
        others = [each for each, is_asked in asked.items() if is_asked]
        if not others:
            return ""
        return (
            "the device's limit: direct overwrites by the same number of writers;"
            f" {', '.join(others)}"
        )

    def cannot_tell(self) -> str:
        counts = self.workload.writers
        if len(counts) > 1 or self.workload.most_hosts > 1:
            return ""
        writers = f"{counts[0]} writer{'s' if counts[0] > 1 else ''}"
        return (
            f"scaling: all runs have {writers}, so systems are compared at that number"
            " (workload.writers = [1, 2] shows scaling)"
        )

    def _covered_bytes(self, cell: Cell, space_bytes: int) -> int:
        factors = WritersFactors.of(cell)
        file_bytes = space_bytes // self.files
        each_all = factors.ranges in ("shared", "own files")
        return file_bytes * (self.workload.passes or 1) * (factors.writers if each_all else 1)

    def _target(self, cell: Cell, target: wire.Target) -> wire.Target:
        """The first file, or as many as there are writers where each has one. Of a bare device, as
        many bytes from its start."""
        factors = WritersFactors.of(cell)
        count = factors.writers if factors.ranges == "own files" else 1
        if isinstance(target, wire.FilesTarget | wire.ShareFilesTarget):
            return target.model_copy(update={"count": count})
        if isinstance(target, wire.BlockTarget):
            size_bytes = target.size_bytes // self.files * count
            return target.model_copy(update={"size_bytes": size_bytes})
        return target

    def _ranges(self, cell: Cell, *, bare: bool) -> wire.Ranges:
        """A device holds no files: a segment of it is as long as the file of that writer."""
        factors = WritersFactors.of(cell)
        if bare and factors.ranges == "own files":
            return wire.SegmentedRanges()
        match factors.ranges:
            case "segmented":
                return wire.SegmentedRanges()
            case "interleaved":
                return wire.InterleavedRanges()
            case "strided":
                return wire.StridedRanges(stride_bytes=self.workload.stride)
            case "own files":
                return wire.OwnFilesRanges()
            case _:
                return wire.SharedRanges()

    def _companions(self, *, bare: bool) -> list[wire.Companion]:
        """A log needs a file beside the data, so a bare device has none."""
        workload = self.workload
        log_writers = 0 if bare else workload.log_writers
        found = [
            wire.Companion(
                role="reader", count=workload.readers, block_size_bytes=workload.reader_block_size
            ),
            wire.Companion(role="log", count=log_writers, block_size_bytes=workload.log_block_size),
        ]
        return [companion for companion in found if companion.count]

    def _durable(self) -> str:
        workload = self.workload
        if workload.sync in ("none", "dsync"):
            return "not synced by the load" if workload.sync == "none" else "O_DSYNC"
        writes = "write" if workload.sync_every == 1 else f"{workload.sync_every} writes"
        return f"{workload.sync} after every {writes}"

    def _time(self) -> str:
        workload = self.workload
        if workload.duration is None:
            passes = f"{workload.passes} pass{'es' if workload.passes != 1 else ''}"
            longest = exact_duration(LONGEST_RUN_NS)
            return f"each writer makes {passes} over its part, at most {longest}"
        warm_up, duration = format_duration(workload.warm_up), format_duration(workload.duration)
        return f"{warm_up} warm-up and {duration} measured in each run"

    def _beside(self) -> list[str]:
        workload = self.workload
        found = []
        if workload.readers:
            size = exact_size(workload.reader_block_size)
            found.append(f"{workload.readers} random readers of {size}")
        if workload.log_writers:
            size = exact_size(workload.log_block_size)
            found.append(f"{workload.log_writers} log writers of {size} with fdatasync")
        return [f"alongside: {', '.join(found)}"] if found else []


METHOD = WritersMethod
