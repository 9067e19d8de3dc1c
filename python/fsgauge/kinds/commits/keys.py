"""The keys of [workload] in a study of kind commits."""

from __future__ import annotations

from itertools import product
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import BeforeValidator, Field

from fsgauge.kinds.commits.factors import ALONE, CommitsFactors, Log, Meanwhile, Sync
from fsgauge.record.records import Cell
from fsgauge.study import sweep
from fsgauge.study.base import Distinct, conflict
from fsgauge.study.workload_keys import WorkloadKeys
from fsgauge.units import DurationNs, RateOperationsPerSecond

_TIMES_TOO = "O_SYNC waits for the times of a file too, and no log needs them"
ELSEWHERE: dict[str, tuple[str, Sync]] = {
    "fsync_writethrough": ("not on Linux: it is a call of macOS and Windows", "fsync"),
    "open_sync": (f"not measured: {_TIMES_TOO}", "open_datasync"),
    "o_sync": (f"not measured: {_TIMES_TOO}", "open_datasync"),
    "o_dsync": ("a flag, here a log that is opened with it", "open_datasync"),
    "rwf_sync": (f"not measured: {_TIMES_TOO}", "rwf_dsync"),
}
"""Of pg_test_fsync, open(2) and pwritev2(2): why it is none, and what comes nearest."""


def _known(value: object) -> object:
    if not isinstance(value, str):
        return value
    if value.lower() in get_args(Sync):
        return value.lower()
    if found := ELSEWHERE.get(value.lower()):
        why, near = found
        raise conflict(f"{value} is {why}", [()], hint=f"write {near}", next=f"{near} in its place")
    return value


Together = Annotated[int, Field(ge=1, le=100_000)]


class CommitsWorkload(WorkloadKeys):
    """One cell for each sync, size, number of committers, log, number of commits a sync, and what
    is written meanwhile."""

    pace: ClassVar[str] = "rate"
    question_of_folders: ClassVar[str] = "What does a commit cost on these file systems?"
    why_files: ClassVar[str] = "a commit is what a file system makes durable"

    kind: Literal["commits"] = Field(
        "commits",
        description="The load: one small write and what makes it durable, again and again.",
    )
    syncs: Distinct[Annotated[Sync, BeforeValidator(_known)]] = Field(
        ["fdatasync"],
        description="What makes a commit durable. fdatasync, fsync: a call after the write."
        " open_datasync: the log is opened with O_DSYNC. rwf_dsync: pwritev2 with RWF_DSYNC."
        " sync_file_range: pages are written, the device's cache is not flushed: no promise.",
    )
    sizes: Distinct[sweep.BlockSize] = Field([8 << 10], description="Bytes of one commit.")
    committers: Distinct[sweep.Jobs] = Field(
        [1],
        description="How many commit at the same time to one log, taking its blocks in turn; each"
        " waits for its own sync, which the file system may do for several at once.",
    )
    logs: Distinct[Log] = Field(
        ["overwrite"],
        description="overwrite: a log whose blocks exist, as a recycled segment. append: it is"
        " empty and grows. preallocated: it is empty, and fallocate gives it unwritten blocks.",
    )
    together: Distinct[Together] = Field(
        [1],
        description="How many commits of a committer share one sync: group commit, as a database"
        " does it itself. A rate counts commits.",
    )
    direct: bool = Field(
        False,
        description="Whether the log is written past the page cache (O_DIRECT). Default: through"
        " it, as PostgreSQL does.",
    )
    readers: Annotated[int, Field(ge=0, le=1024)] = Field(
        0, description="Random readers of the log alongside, one read at a time each."
    )
    meanwhile: Distinct[Meanwhile] = Field(
        ["nothing"],
        description="What is written meanwhile on the same system. log: another log, appended to"
        " by 16 KiB and synced. checkpoint: random 8 KiB pages of a file of 64 MiB, synced every"
        " 16 MiB. backup: a file that grows by 1 MiB, each synced, and begins again at 256 MiB.",
    )
    rate: RateOperationsPerSecond | None = Field(
        None,
        description="A pace in commits, of all committers together; latency then counts from when a"
        " commit was due. Default: none; each commits as soon as its last commit is durable.",
    )
    arrival: Literal["constant", "exponential"] = Field(
        "exponential",
        description="How the starts of paced commits are spread: evenly or as a Poisson process.",
    )
    warm_up: DurationNs = Field(
        200_000_000,
        description="Commits before the measured part of each run; not counted. A log that grows"
        " has none.",
    )
    duration: Annotated[DurationNs, Field(ge=10_000_000)] = Field(
        3_000_000_000,
        description="The measured part of each run; a log that grows ends it sooner when it has"
        " filled its space.",
    )
    fill: sweep.Fill = Field(4, description="Share of the storage that the log fills.")
    data: sweep.Data = Field("incompressible", description="The data written.")
    scan: bool = Field(False, description=sweep.SCAN)

    def keys_agree(self) -> None:
        for index, size_bytes in enumerate(self.sizes if self.direct else ()):
            sweep.require_whole_sectors(size_bytes, ("sizes", index), "direct", "direct = false")
        alone = [index for index, each in enumerate(self.syncs) if each in ALONE]
        if alone and self.together != [1]:
            raise conflict(
                f"{self.syncs[alone[0]]} makes each write durable on its own: none can share it",
                [("syncs", alone[0]), "together"],
                next="together = [1], or only fdatasync and fsync",
            )
        if self.readers and self.logs != ["overwrite"]:
            raise conflict(
                "readers of a log that is emptied before each run would read beyond its end",
                ["readers", "logs"],
                next='readers = 0, or logs = ["overwrite"]',
            )
        together, several = max(self.together), max(self.committers)
        is_shared, each = together > 1, " of each committer" if several > 1 else ""
        sweep.require_some_due(
            self.rate / several if self.rate is not None and is_shared else self.rate,
            self.duration,
            ["rate", "duration", *(["together"] if is_shared else [])],
            noun=f"commits{each if is_shared else ''}",
            together=together,
            how="share a sync",
            fewer="together",
        )
        sweep.require_few_cells(
            self, ["syncs", "sizes", "committers", "logs", "together", "meanwhile"]
        )

    def cells(self) -> list[Cell]:
        """Committers vary fastest. What is the same in all cells is not named."""
        fields = {"logs": "log", "together": "together", "meanwhile": "meanwhile"}
        several = [name for name in fields if len(getattr(self, name)) > 1]
        return [
            CommitsFactors(
                sync=sync,
                size_bytes=size_bytes,
                committers=committers,
                log=log,
                together=together,
                meanwhile=meanwhile,
            ).cell_named_by("sync", "size_bytes", "committers", *(fields[each] for each in several))
            for sync, log, size_bytes, together, meanwhile, committers in product(
                self.syncs, self.logs, self.sizes, self.together, self.meanwhile, self.committers
            )
        ]

    def default_primary(self) -> list[str]:
        """What a commit costs one session: the first sync, at the smallest of everything else."""
        return [
            cell.id
            for cell in self.cells()
            if (factors := CommitsFactors.of(cell)).sync == self.syncs[0]
            and factors.log == self.logs[0]
            and factors.size_bytes == min(self.sizes)
            and factors.together == min(self.together)
            and factors.meanwhile == self.meanwhile[0]
            and factors.committers in {min(self.committers), max(self.committers)}
        ]

    def against_curve(self) -> tuple[str | tuple[str | int, ...], str] | None:
        if self.together != [1]:
            return "together", sweep.WAITS_AS_RATES_FALL
        return super().against_curve()

    def inapplicable(self) -> sweep.Inapplicable:
        """A log that grows is measured from its first commit on."""
        found: sweep.Inapplicable = {}
        if "overwrite" not in self.logs:
            found["warm_up"] = ("a log that grows has no warm-up", "logs")
        if self.rate is None:
            found["arrival"] = ("there is no rate, so a commit begins when one ends", "rate")
        return found


KEYS = CommitsWorkload
