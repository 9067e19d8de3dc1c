"""The workload `overhead`: plain reads and writes on equal files, one cell a point of the sweep."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fsgauge.kinds.overhead.factors import HostFiles, OverheadFactors, Pattern
from fsgauge.record.records import Cell
from fsgauge.study import sweep
from fsgauge.study.access import AccessKeys, unused_interface
from fsgauge.study.base import Distinct, conflict
from fsgauge.study.workload_keys import WorkloadKeys
from fsgauge.units import DurationNs, RateOperationsPerSecond, WholePercent, exact_duration

MIXED = frozenset({"rw", "randrw"})
FEWEST_INTERVALS, MOST_INTERVALS = 11, 6000
"""Of a series whose interval a study sets; the last one drains and is not counted."""
RANDOM = frozenset({"randread", "randwrite", "randrw"})


class OverheadWorkload(WorkloadKeys):
    """Every pattern at every block size, queue depth and number of jobs: one cell each."""

    works_over: ClassVar[Literal["private servers"]] = "private servers"
    pace: ClassVar[str] = "rate"

    kind: Literal["overhead"] = Field(
        "overhead", description="The load: a sweep of plain reads and writes on equal files."
    )
    patterns: Distinct[Pattern] = Field(
        ["randread", "randwrite", "randrw"],
        description="Order and direction, in fio's terms: read, write, rw (sequential), randread,"
        " randwrite, randrw (random). rw and randrw mix reads and writes by read_percent.",
    )
    block_sizes: Distinct[sweep.BlockSize] = Field(
        [4 << 10, 16 << 10, 64 << 10, 256 << 10],
        description="Sizes of one operation. With direct I/O, multiples of 512 B.",
    )
    queue_depths: Distinct[sweep.QueueDepth] = Field(
        [1, 32, 64], description="Operations in flight per job."
    )
    submit_batch: sweep.SubmitBatch | None = Field(None, description=sweep.SUBMIT_BATCH)
    jobs: Distinct[sweep.Jobs] = Field(
        [1], description="Threads that drive the load at the same time."
    )
    hosts: Distinct[sweep.Hosts] | None = Field(
        None,
        description="With --rig fleet: how many hosts take part, a cell for each number: [1, 2, 4]."
        " Each brings the cell's whole load, so that all together ideally do as many times what one"
        " does. Default: all hosts, in every cell.",
    )
    host_files: Distinct[HostFiles] = Field(
        ["per-host"],
        description="With --rig fleet: which files the hosts use. per-host: each has files of"
        " its own, as many as files says. separate: that many files are divided between the hosts."
        " same: all hosts use the same files, those of the first host; this takes a file system"
        " that all of them have mounted.",
    )
    read_percent: WholePercent = Field(
        70, description="Share of reads in the mixed patterns, rw and randrw."
    )
    distribution: Literal["uniform", "zipf"] = Field(
        "uniform",
        description="How random offsets are spread: uniformly, or more often over hot places.",
    )
    zipf_theta: Annotated[float, Field(gt=0, le=10)] = Field(
        1.1, description="How hot the hot places are, for distribution zipf: above 0, at most 10."
    )
    interface: Literal["auto", "io_uring", "psync"] = Field(
        "auto",
        description="System calls that the load uses. auto is psync (pread, pwrite) at depth 1"
        " and io_uring above: this is how synchronous and asynchronous access differ for a"
        " program, and the published study compares these two.",
    )
    direct: bool = Field(True, description="Bypass the page cache (O_DIRECT).")
    files: Annotated[int, Field(ge=1, le=10_000)] = Field(
        16, description="Number of equal files; the load is spread evenly over them."
    )
    fill: sweep.Fill = Field(
        90,
        description="Share of the storage that the files fill. On the raw device, the same number"
        " of bytes is used.",
    )
    data: sweep.Data = Field(
        "incompressible",
        description="The data written, both when the files are made and by the load.",
    )
    rate: RateOperationsPerSecond | None = Field(
        None,
        description="A pace for all jobs together; latency then counts from the intended start."
        " Default: none; the next operation starts when one ends.",
    )
    arrival: Literal["constant", "exponential"] = Field(
        "exponential",
        description="How the starts of a paced load are spread: evenly or as a Poisson process.",
    )
    warm_up: DurationNs = Field(
        2_000_000_000, description="Warm-up before the measured part of each run; not counted."
    )
    duration: Annotated[DurationNs, Field(ge=10_000_000)] = Field(
        10_000_000_000, description="The measured part of each run."
    )
    series_interval: Annotated[DurationNs, Field(ge=10_000_000)] | None = Field(
        None,
        description="Length of an interval of the series over time, by which the fluctuation of"
        " rates is measured; the measured part has at least 11 of them. Default: a twentieth of"
        " duration, 50 ms to 1 s; below 600 ms a twelfth, 10 ms at least.",
    )
    scan: bool = Field(False, description=sweep.SCAN)

    def keys_agree(self) -> None:
        self._has_intervals()
        sweep.require_some_due(self.rate, self.duration, ["rate", "duration"])
        self._interface_can_queue()
        self._direct_is_aligned()
        self._mix_is_a_mix()
        self._hosts_have_files()
        swept = ["patterns", "block_sizes", "queue_depths", "jobs", "hosts", "host_files"]
        sweep.require_few_cells(self, swept)

    def cells(self) -> list[Cell]:
        swept = product(self.patterns, self.block_sizes, self.queue_depths, self.jobs)
        return [self._cell(*point, *hosts) for point in swept for hosts in self._hosts()]

    def default_primary(self) -> list[str]:
        depths = {min(self.queue_depths), max(self.queue_depths)}
        return [
            cell.id
            for cell in self.cells()
            if (factors := OverheadFactors.of(cell)).block_size_bytes == min(self.block_sizes)
            and factors.queue_depth in depths
            and factors.jobs == self.jobs[0]
            and (factors.hosts, factors.host_files) == self._hosts()[-1]
        ]

    def _hosts(self) -> list[tuple[int | None, HostFiles | None]]:
        """From the fewest hosts to the most, and with which files; None where the study varies
        none of it. One host has no other one's files, so it is there once."""
        varied = self.host_files != ["per-host"]
        sets: list[HostFiles | None] = [*self.host_files] if varied else [None]
        counts = sweep.host_counts(self.hosts)
        return [(count, each) for count in counts for each in ([None] if count == 1 else sets)]

    def _cell(
        self,
        pattern: Pattern,
        block_size_bytes: int,
        depth: int,
        jobs: int,
        hosts: int | None,
        host_files: HostFiles | None,
    ) -> Cell:
        unmixed = 0 if pattern.endswith("write") else 100
        factors = OverheadFactors(
            pattern=pattern,
            block_size_bytes=block_size_bytes,
            queue_depth=depth,
            jobs=jobs,
            read_percent=self.read_percent if pattern in MIXED else unmixed,
            interface=self._interface(depth),
            hosts=hosts,
            host_files=host_files,
        )
        several = ["jobs"] if jobs > 1 else []
        swept = ["pattern", "block_size_bytes", "queue_depth", *several, "hosts", "host_files"]
        return factors.cell_named_by(*swept)

    def _interface(self, queue_depth: int) -> Literal["io_uring", "psync"]:
        """One operation at a time is synchronous access; more needs a queue."""
        if self.interface != "auto":
            return self.interface
        return "psync" if queue_depth == 1 else "io_uring"

    @property
    def connections(self) -> int:
        return max(self.jobs)

    def check_access(self, accesses: Sequence[AccessKeys]) -> None:
        if all(access.protocol == "path" for access in accesses):
            return
        for index, depth in enumerate(self.queue_depths):
            sweep.require_depth_of_connection(depth, ("queue_depths", index))

    def unused_over(self, accesses: Sequence[AccessKeys]) -> dict[str, str]:
        return unused_interface(accesses)

    def inapplicable(self) -> sweep.Inapplicable:
        found: sweep.Inapplicable = {}
        if not MIXED.intersection(self.patterns):
            found["read_percent"] = ("no pattern is mixed (rw, randrw)", "patterns")
        if not RANDOM.intersection(self.patterns):
            found["distribution"] = ("no pattern is random", "patterns")
            found["zipf_theta"] = ("no pattern is random", "patterns")
        elif self.distribution != "zipf":
            found["zipf_theta"] = ('the distribution is not "zipf"', "distribution")
        if max(self.queue_depths) == 1:
            found["submit_batch"] = ("there is one operation at a time", "queue_depths")
        if self.hosts and self.rate is not None:
            found["hosts"] = ("a pace is divided between hosts: more of them do no more", "rate")
        if self.rate is None:
            found["arrival"] = ("there is no rate, so operations start when others end", "rate")
        return found

    def _interface_can_queue(self) -> None:
        deep = [depth for depth in self.queue_depths if depth > 1]
        if self.interface == "psync" and deep:
            index = self.queue_depths.index(deep[0])
            raise conflict(
                f"interface psync does one operation at a time, and a queue depth is {deep[0]}",
                ["interface", ("queue_depths", index)],
                next='interface = "auto", or queue_depths = [1] with more jobs',
            )

    def _direct_is_aligned(self) -> None:
        for index, size_bytes in enumerate(self.block_sizes if self.direct else ()):
            sweep.require_whole_sectors(
                size_bytes, ("block_sizes", index), "direct", "direct = false"
            )

    def _has_intervals(self) -> None:
        """Enough for a fluctuation, not more than a page can draw."""
        if self.series_interval is None:
            return
        intervals = self.duration // self.series_interval
        if not FEWEST_INTERVALS <= intervals <= MOST_INTERVALS:
            least = FEWEST_INTERVALS * self.series_interval
            longer = f'duration = "{exact_duration(least)}", or a shorter series_interval'
            raise conflict(
                f"{exact_duration(self.duration)} has {intervals} intervals of"
                f" {exact_duration(self.series_interval)}, and {FEWEST_INTERVALS} to"
                f" {MOST_INTERVALS} make a series",
                ["series_interval", "duration"],
                next=longer if intervals < FEWEST_INTERVALS else "a longer series_interval",
            )

    def _hosts_have_files(self) -> None:
        """Each host has one file at least where the study's are divided; one host shares none."""
        varied = [each for each in self.host_files if each != "per-host"]
        if varied and "per-host" in self.host_files:
            raise conflict(
                f"files per host and {varied[0]} files are not laid out at once",
                ["host_files"],
                next='host_files = ["separate", "same"]',
            )
        if varied and not self.hosts:
            raise conflict(
                f"{varied[0]} files are those of several hosts, and no number of hosts is given",
                ["host_files", "hosts"],
                next="hosts = [1, 2]",
            )
        if varied and self.hosts and max(self.hosts) == 1:
            raise conflict(
                f"{varied[0]} files are those of several hosts, and there is one",
                ["host_files", "hosts"],
            )
        most = max(self.hosts or [1])
        if "separate" in self.host_files and self.files < most:
            raise conflict(
                f"{self.files} files cannot be divided between {most} hosts",
                ["files", "hosts"],
                next=f"files = {most}, or fewer hosts",
            )

    def _mix_is_a_mix(self) -> None:
        mixed = [pattern for pattern in self.patterns if pattern in MIXED]
        if mixed and self.read_percent in (0, 100):
            plain = mixed[0].removesuffix("rw") + ("read" if self.read_percent else "write")
            raise conflict(
                f"{mixed[0]} with {self.read_percent} % reads is not a mix",
                ["read_percent", ("patterns", self.patterns.index(mixed[0]))],
                next=f'write the pattern "{plain}" instead',
            )


KEYS = OverheadWorkload
