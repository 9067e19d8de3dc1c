"""Commits carried out: a write and what makes it durable, one after the other, on one log."""

from __future__ import annotations

from dataclasses import dataclass

from fsgauge.engine import wire
from fsgauge.errors import InputError
from fsgauge.kinds.commits.factors import CommitsFactors, Meanwhile
from fsgauge.kinds.commits.keys import CommitsWorkload
from fsgauge.record.records import Cell
from fsgauge.units import count, format_size
from fsgauge.workload.dealing import Dealt, Share, require_enough
from fsgauge.workload.folders import Place
from fsgauge.workload.method import Method, data_of

_COMPANIONS: dict[Meanwhile, tuple[wire.CompanionKind, int, int]] = {
    "log": ("log", 16 << 10, 256 << 20),
    "checkpoint": ("checkpoint", 8 << 10, 64 << 20),
    "backup": ("log", 1 << 20, 256 << 20),
}
"""The engine's companion, its block, and the largest that its file gets."""
_READ_BYTES = 8 << 10
"""One read of a reader."""


@dataclass(frozen=True)
class CommitsMethod(Method):
    """From the log's start to its end; one that exists is written again and again."""

    workload: CommitsWorkload
    counts_fua = True

    @property
    def reserve_bytes(self) -> int:
        return max(
            _COMPANIONS[each][2] if each in _COMPANIONS else 0 for each in self.workload.meanwhile
        )

    def require_room(self, file_bytes: int, cause: str) -> None:
        """Where a log is filled once, each committer also comes to its sync."""
        workload = self.workload
        grows = workload.logs != ["overwrite"]
        together = max(workload.together) if grows else 1
        needed = max(workload.sizes) * max(workload.committers) * together
        who, less = "a commit of each committer takes", "smaller commits"
        if together > 1:
            who = f"{together:,} commits of each committer, which share a sync, take"
            less = "fewer commits together"
        if workload.readers and needed < _READ_BYTES:
            needed, who, less = _READ_BYTES, "a reader reads", "no readers"
        if file_bytes < needed:
            raise InputError(
                f"the log would have {format_size(file_bytes)}, and {who} {format_size(needed)}",
                cause=cause,
                next="larger storage, or --set 'workload.meanwhile=[\"nothing\"]'"
                if self.reserve_bytes
                else f"larger storage, a larger workload.fill, or {less}",
            )

    def require_dealable(self, hosts: int) -> None:
        if hosts > 1:
            require_enough("committer", self.workload.committers, hosts, "workload.committers")

    def dealt(self, job: Dealt, share: Share) -> Dealt:
        dealt = super().dealt(job, share)
        if share.cell is None or not isinstance(job, wire.LoadJob):
            return dealt
        own = {"jobs": share.of(job.jobs), "rate": share.pace(job.rate, job.jobs)}
        return dealt.model_copy(update=own)

    def direct_sizes_bytes(self, *, bare: bool = False) -> list[int]:  # noqa: ARG002 - no device
        return self.workload.sizes if self.workload.direct else []

    def layout_job(self, target: Place, seed: int) -> wire.LayoutJob | None:
        """On a bare device past the page cache, whatever the commits do."""
        job = super().layout_job(target, seed)
        is_bare = isinstance(target, wire.BlockTarget)
        return job.model_copy(update={"direct": True}) if job is not None and is_bare else job

    def load_job(self, cell: Cell, target: Place, seed: int) -> wire.LoadJob:
        factors, workload = CommitsFactors.of(cell), self.workload
        grows = factors.makes_files_anew
        own: dict[str, object] = {"warm_up_ns": 0, "passes": 1} if grows else {}
        return self.timed_load(
            cell,
            target,
            seed,
            access=wire.SequentialAccess(),
            direct=workload.direct,
            ranges=wire.InterleavedRanges(),
            data=data_of(workload.data),
            extend=grows,
            preallocate=factors.log == "preallocated",
            sync=sync_of(factors),
            companions=self._companions(factors),
            **own,
        )

    def written_bytes(self, cell: Cell, space_bytes: int) -> float:
        """A log that grows is filled once."""
        most = super().written_bytes(cell, space_bytes)
        return min(most, space_bytes) if CommitsFactors.of(cell).makes_files_anew else most

    def held_equal(self, space: str, has_raw: bool) -> list[str]:
        workload = self.workload
        way = "past the page cache" if workload.direct else "through the page cache"
        logs = {"overwrite": "recycled", "append": "grown", "preallocated": "preallocated"}
        shapes = " and ".join(logs[each] for each in workload.logs)
        also = [count(workload.readers, "reader")] if workload.readers else []
        written = [each for each in workload.meanwhile if each != "nothing"]
        if written:
            also.append(f"in cells of their own a {' or a '.join(written)}")
        return [
            *super().held_equal(space, has_raw),
            f"commits: a write {way} and its sync, then the next, to one {shapes} log",
            *([f"alongside: {' and '.join(also)}"] if also else []),
            *([f"pace: {workload.rate:g} commits/s, {workload.arrival}"] if workload.rate else []),
        ]

    def cannot_tell(self) -> str:
        """What a group of committers gains takes two numbers of them."""
        if len(self.workload.committers) > 1:
            return ""
        return "what commits at the same time gain (workload.committers = [1, 4] shows it)"

    def _companions(self, factors: CommitsFactors) -> list[wire.Companion]:
        found = []
        if self.workload.readers:
            readers = self.workload.readers
            found.append(wire.Companion(role="reader", count=readers, block_size_bytes=_READ_BYTES))
        if factors.meanwhile in _COMPANIONS:
            role, size_bytes, _ = _COMPANIONS[factors.meanwhile]
            found.append(wire.Companion(role=role, count=1, block_size_bytes=size_bytes))
        return found


def sync_of(factors: CommitsFactors) -> wire.Sync:
    every = factors.together
    match factors.sync:
        case "fdatasync":
            return wire.FdatasyncSync(every=every)
        case "fsync":
            return wire.FsyncSync(every=every)
        case "open_datasync":
            return wire.DsyncSync()
        case "rwf_dsync":
            return wire.RwfDsyncSync()
        case _:
            return wire.SyncFileRangeSync(every=every)


METHOD = CommitsMethod
