"""The workload `overhead` carried out: one load over equal files for a time."""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.engine.wire import (
    Access,
    BlockSize,
    ClientsJob,
    LayoutJob,
    LoadJob,
    RandomAccess,
    Rate,
    SequentialAccess,
    ZipfAccess,
)
from fsgauge.errors import InputError
from fsgauge.kinds.overhead.dealing import dealt, require_dealable
from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.kinds.overhead.keys import OverheadWorkload
from fsgauge.record.records import Cell
from fsgauge.units import exact_duration, format_duration, format_size
from fsgauge.workload.assumed import EXPECTED, Speed, operations_per_second
from fsgauge.workload.dealing import Dealt, Share
from fsgauge.workload.folders import Place
from fsgauge.workload.granularity import interval_ns, rounded_down
from fsgauge.workload.method import (
    LaidOut,
    OverServers,
    access_line,
    data_of,
    interface_of,
    laid_out,
)
from fsgauge.workload.slicing import READING_SLICE_NS, WRITING_SLICE_NS, Slicing, slices_of


@dataclass(frozen=True)
class OverheadMethod(OverServers, LaidOut):
    """See method.Method."""

    workload: OverheadWorkload

    reserve_bytes = 0

    @property
    def files(self) -> int:
        """As many as the study says."""
        return self.workload.files

    @property
    def fill_percent(self) -> int:
        """As the study says."""
        return self.workload.fill

    @property
    def overwrites(self) -> bool:
        """Whether any pattern writes."""
        return any(pattern not in ("read", "randread") for pattern in self.workload.patterns)

    def file_size_bytes(self, largest_bytes: int) -> int:
        """Whole mebibytes, pages where files are small."""
        return rounded_down(largest_bytes)

    def require_room(self, file_bytes: int, cause: str) -> None:
        """A file holds the largest operation."""
        largest = max(self.workload.block_sizes)
        if file_bytes < largest:
            raise InputError(
                f"a file would have {format_size(file_bytes)}, and a block has"
                f" {format_size(largest)}",
                cause=cause,
                next="larger storage, or --set workload.files=1",
            )

    def direct_sizes_bytes(self, *, bare: bool = False) -> list[int]:  # noqa: ARG002 - all alike
        """All block sizes, or none."""
        return self.workload.block_sizes if self.workload.direct else []

    def buffered_instead(self) -> str:
        """One key."""
        return "--set workload.direct=false"

    def layout_job(self, target: Place, seed: int) -> LayoutJob:
        """Filled with the access and the data of the load."""
        workload = self.workload
        return LayoutJob(
            target=laid_out(target), direct=workload.direct, data=data_of(workload.data), seed=seed
        )

    def load_job(self, cell: Cell, target: Place, seed: int) -> LoadJob:
        """A plain load for a time."""
        workload, factors = self.workload, OverheadFactors.of(cell)
        rate = None
        if workload.rate is not None:
            rate = Rate(operations_per_second=workload.rate, arrival=workload.arrival)
        return LoadJob(
            target=laid_out(target),
            interface=interface_of(target, factors.interface),
            direct=workload.direct,
            access=self._access(factors),
            read_percent=factors.read_percent,
            block_sizes=[BlockSize(size_bytes=factors.block_size_bytes)],
            queue_depth=factors.queue_depth,
            submit_batch=workload.submit_batch,
            jobs=factors.jobs,
            rate=rate,
            warm_up_ns=workload.warm_up,
            duration_ns=workload.duration,
            interval_ns=workload.series_interval or interval_ns(workload.duration),
            data=data_of(workload.data),
            seed=seed,
        )

    def require_dealable(self, hosts: int) -> None:
        """Every host does each cell whole; InputError where it has no share of the files."""
        require_dealable(self.workload, hosts)

    def dealt(self, job: Dealt, share: Share) -> Dealt:
        """The whole cell, with offsets of its own; of a pace, its share."""
        return dealt(job, share)

    @property
    def files_of_all(self) -> int:
        """All of them, where hosts use the same ones or divide them."""
        return self.workload.files if self.workload.host_files != ["per-host"] else 0

    def is_on_files_of_all(self, job: LoadJob | ClientsJob) -> bool:  # noqa: ARG002 - all are
        """Every load, then."""
        return self.files_of_all > 0

    def without_files_of_all(self) -> str:
        """Files of its own for each host."""
        return "--set 'workload.host_files=[\"per-host\"]'"

    def slicing(self, cell: Cell) -> Slicing:
        """Random direct I/O in short slices. In one go what would begin anew with each slice: a
        walk through the files, and the page cache. A paced load has its time whatever is synced.
        """
        workload, factors = self.workload, OverheadFactors.of(cell)
        writes = factors.read_percent < 100
        count = 1
        if workload.direct and factors.pattern.startswith("rand"):
            length_ns = WRITING_SLICE_NS if writes else READING_SLICE_NS
            count = slices_of(workload.duration, length_ns)
        slice_ns = workload.duration // count
        return Slicing(count, charges_sync=writes and workload.rate is None, slice_ns=slice_ns)

    def run_seconds(
        self,
        cell: Cell,  # noqa: ARG002 - a time is given
        space_bytes: int,  # noqa: ARG002 - it does not end with the file
        speed: Speed = EXPECTED,  # noqa: ARG002 - nor by a number of bytes
    ) -> float:
        """What the study says."""
        return (self.workload.warm_up + self.workload.duration) / 1e9

    def written_bytes(self, cell: Cell, space_bytes: int) -> float:
        """At the assumed rate or the pace."""
        factors = OverheadFactors.of(cell)
        in_flight = factors.queue_depth * factors.jobs
        rate = min(
            operations_per_second(factors.block_size_bytes, in_flight),
            self.workload.rate or float("inf"),
        )
        written = rate * self.run_seconds(cell, space_bytes) * factors.block_size_bytes
        return written * (100 - factors.read_percent) / 100

    def held_equal(self, space: str, has_raw: bool) -> list[str]:
        """Space, data, offsets, time, order."""
        workload = self.workload
        warm_up, duration = format_duration(workload.warm_up), format_duration(workload.duration)
        raw = "; raw: the same number of bytes of the device" if has_raw else ""
        pace = "unpaced"
        if workload.rate is not None:
            pace = f"{workload.rate:g} operations/s, {workload.arrival} arrivals"
        return [
            f"space: {workload.files} equal files that fill {space}{raw}",
            f"data: {workload.data}; {'direct' if workload.direct else 'buffered'} I/O",
            f"offsets: the same for all systems of a block, {workload.distribution}",
            *access_line(self.accesses, [self.workload.interface]),
            f"time: {warm_up} warm-up and {duration} measured in each run, {pace}{self._series()}",
            "order: cells in one order for all turns of a block, reads before mixes before writes",
        ]

    def notes(self) -> list[str]:
        """Nothing that the records do not say."""
        return []

    def bare_stands_for(self) -> str:
        """A device does all of it."""
        return ""

    def cannot_tell(self) -> str:
        """Nothing is amiss."""
        return ""

    def without_equal_in_fio(self) -> tuple[str, str]:
        """Fio does all of it."""
        return "", ""

    def _series(self) -> str:
        length = self.workload.series_interval
        return f", in intervals of {exact_duration(length)}" if length else ""

    def _access(self, factors: OverheadFactors) -> Access:
        if not factors.pattern.startswith("rand"):
            return SequentialAccess()
        if self.workload.distribution == "zipf":
            return ZipfAccess(theta=self.workload.zipf_theta)
        return RandomAccess()


METHOD = OverheadMethod
