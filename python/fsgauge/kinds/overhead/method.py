"""The workload `overhead` carried out: one load over equal files for a time."""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.engine import wire
from fsgauge.errors import InputError
from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.kinds.overhead.keys import OverheadWorkload
from fsgauge.record.records import Cell
from fsgauge.units import exact_duration, format_size
from fsgauge.workload.dealing import Dealt, Share, require_enough, require_hosts_there
from fsgauge.workload.folders import Place, interface_of
from fsgauge.workload.method import Method, data_of
from fsgauge.workload.slicing import (
    READING_SLICE_NS,
    WRITING_SLICE_NS,
    Slicing,
    interval_ns,
    slices_of,
)
from fsgauge.workload.words import access_line


@dataclass(frozen=True)
class OverheadMethod(Method):
    """One load over equal files for a time."""

    workload: OverheadWorkload
    not_in_fio = ("", "")
    without_rings = "--set 'workload.queue_depths=[1]' --set workload.interface=auto"

    @property
    def files(self) -> int:
        return self.workload.files

    @property
    def overwrites(self) -> bool:
        return any(pattern not in ("read", "randread") for pattern in self.workload.patterns)

    def require_room(self, file_bytes: int, cause: str) -> None:
        largest = max(self.workload.block_sizes)
        if file_bytes < largest:
            raise InputError(
                f"a file would have {format_size(file_bytes)}, and a block has"
                f" {format_size(largest)}",
                cause=cause,
                next="larger storage, or --set workload.files=1",
            )
        walks = [each for each in self.workload.patterns if not each.startswith("rand")]
        places = file_bytes // largest * self.files
        if walks and places < max(self.workload.jobs):
            fitting = [jobs for jobs in self.workload.jobs if jobs <= places]
            raise InputError(
                f"{max(self.workload.jobs)} jobs of {walks[0]} each go over a part of their own,"
                f" and the files hold {places} blocks of {format_size(largest)}",
                cause=cause,
                next=f"--set 'workload.jobs={fitting or [places]}', or larger storage",
            )

    def direct_sizes_bytes(self, *, bare: bool = False) -> list[int]:  # noqa: ARG002 - all alike
        return self.workload.block_sizes if self.workload.direct else []

    def load_job(self, cell: Cell, target: Place, seed: int) -> wire.LoadJob:
        workload, factors = self.workload, OverheadFactors.of(cell)
        return self.timed_load(
            cell,
            target,
            seed,
            interface=interface_of(target, factors.interface),
            direct=workload.direct,
            access=self._access(factors),
            submit_batch=workload.submit_batch,
            interval_ns=workload.series_interval or interval_ns(workload.duration),
            data=data_of(workload.data),
        )

    def require_dealable(self, hosts: int) -> None:
        require_hosts_there(self.workload.hosts, hosts)
        if hosts > 1 and "separate" in self.workload.host_files:
            require_enough("file", self.workload.files, hosts, "workload.files")

    def dealt(self, job: Dealt, share: Share) -> Dealt:
        """The whole cell; of files that hosts divide, its part, and of a layout all of them."""
        dealt = super().dealt(job, share)
        if share.cell is None or not isinstance(job, wire.LoadJob):
            return dealt
        if OverheadFactors.of(share.cell).host_files != "separate":
            return dealt
        return dealt.model_copy(update={"target": _part(job.target, share)})

    @property
    def files_of_all(self) -> int:
        return self.workload.files if self.workload.host_files != ["per-host"] else 0

    def without_files_of_all(self) -> str:
        return "--set 'workload.host_files=[\"per-host\"]'"

    def slicing(self, cell: Cell) -> Slicing:
        """Random direct I/O in short slices. In one go what would begin anew with each slice: a
        walk through the files, and the page cache. A paced load has its time whatever is synced. A
        step of a curve too, so that a queue has the time to grow.
        """
        if cell.pace is not None:
            return Slicing()
        workload, factors = self.workload, OverheadFactors.of(cell)
        writes = factors.read_percent < 100
        count = 1
        if workload.direct and factors.pattern.startswith("rand"):
            length_ns = WRITING_SLICE_NS if writes else READING_SLICE_NS
            count = slices_of(workload.duration, length_ns)
        slice_ns = workload.duration // count
        return Slicing(count, charges_sync=writes and workload.rate is None, slice_ns=slice_ns)

    def held_equal(self, space: str, has_raw: bool) -> list[str]:
        workload = self.workload
        raw = "; raw: the same number of bytes of the device" if has_raw else ""
        pace = "unpaced"
        if workload.rate is not None:
            pace = f"{workload.rate:g} operations/s, {workload.arrival} arrivals"
        return [
            f"space: {workload.files} equal files that fill {space}{raw}",
            f"data: {workload.data}; {'direct' if workload.direct else 'buffered'} I/O",
            f"offsets: the same for all systems of a block, {workload.distribution}",
            *access_line(self.accesses, [self.workload.interface]),
            f"time: {self.time_words()}, {pace}{self._series()}",
            "order: cells in one order for all turns of a block, reads before mixes before writes",
        ]

    def _series(self) -> str:
        length = self.workload.series_interval
        return f", in intervals of {exact_duration(length)}" if length else ""

    def _access(self, factors: OverheadFactors) -> wire.Access:
        if not factors.pattern.startswith("rand"):
            return wire.SequentialAccess()
        if self.workload.distribution == "zipf":
            return wire.ZipfAccess(theta=self.workload.zipf_theta)
        return wire.RandomAccess()


def _part(target: object, share: Share) -> object:
    if not isinstance(target, wire.FilesTarget):
        return target
    prefix = share.prefix_of_part(target.prefix)
    return target.model_copy(update={"count": share.of(target.count), "prefix": prefix})


METHOD = OverheadMethod
