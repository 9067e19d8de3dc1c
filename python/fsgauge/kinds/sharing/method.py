"""The workload `sharing` carried out: one test after the other, each a job of the engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from fsgauge.engine import wire
from fsgauge.engine.wire import ClientsJob, FilesTarget, Finish, LoadJob
from fsgauge.errors import InputError
from fsgauge.kinds.sharing.factors import SharingFactors
from fsgauge.kinds.sharing.keys import SharingWorkload
from fsgauge.kinds.sharing.tests import FileTest, FolderTest
from fsgauge.record.records import Cell
from fsgauge.units import exact_duration, format_bandwidth, format_duration, format_size
from fsgauge.workload.assumed import EXPECTED, Room, Speed
from fsgauge.workload.dealing import require_hosts_there
from fsgauge.workload.folders import Place, laid_out
from fsgauge.workload.method import Method
from fsgauge.workload.slicing import rounded_down

SEEKS = 8000
SEEK_PROCESSES = 3
"""As Bonnie++ up to version 1.03: 8,000 seeks by three processes."""


@dataclass(frozen=True)
class Limits:
    """How long a test may take, and what its randomness comes from."""

    duration_ns: int
    seed: int


def file_job(
    test: FileTest,
    path: str,
    *,
    size_bytes: int,
    record_bytes: int,
    finish: wire.Finish,
    limits: Limits,
    seeks: int = SEEKS,
) -> wire.LoadJob:
    """A test on one file. What is not a new file must hold `size_bytes`."""
    whole: dict[str, object] = {
        "passes": 1,
        "ranges": wire.SharedRanges(),
        "access": wire.SequentialAccess(),
    }
    drawn = {
        "size_limit_bytes": seeks * record_bytes,
        "access": wire.RandomAccess(),
        "jobs": SEEK_PROCESSES,
        "workers": "processes",
    }
    return wire.LoadJob.model_validate(
        {
            "target": wire.FileTarget(path=path, size_bytes=size_bytes),
            "interface": "psync",
            "direct": False,
            "read_percent": test.read_percent,
            "block_sizes": [wire.BlockSize(size_bytes=record_bytes, weight=1)],
            "queue_depth": 1,
            "jobs": 1,
            "duration_ns": limits.duration_ns,
            "seed": limits.seed,
            "extend": test.is_new_file,
            "transfer": test.transfer,
            "finish": finish,
            **(drawn if test.is_random else whole),
        }
    )


def folder_job(
    test: FolderTest, directory: str, *, files: int, sync_at_end: bool, limits: Limits
) -> wire.ClientsJob:
    phases = {"write": wire.WritePhase(), "stat": wire.StatPhase(), "delete": wire.DeletePhase()}
    return wire.ClientsJob(
        target=wire.PathTarget(directory=directory),
        phase=phases[test.phase],
        clients=1,
        dispatch="threads",
        interface="plain",
        files=wire.FileSet(
            clients=1,
            files_per_client=files,
            sizes=wire.CycleSizes(sizes_bytes=[0]),
            record_size_bytes=4096,
            tree=wire.OwnTree(),
        ),
        order=test.order,
        sync_at_end=sync_at_end,
        time_limit_ns=limits.duration_ns,
        seed=limits.seed,
    )


_CALL_SECONDS = {"bytes": 300e-9, "characters": 5e-9}
"""For each byte, of tests that make a call or a step for each."""
_SEEK_SECONDS = 200e-6
_FILE_SECONDS = 100e-6
SHORTEST_SECONDS = 0.1
"""A test that is over sooner is made of its start, fsync and close."""


@dataclass(frozen=True)
class SharingMethod(Method):
    """The file is laid out first, so that tests that only read have one."""

    workload: SharingWorkload
    room: Room | None = None

    keeps_order = True
    outlives_faults = True
    not_in_fio = ("no fio command is made from its tests", "")

    def in_room(self, room: Room) -> Self:
        return replace(self, room=room)

    def files_made(self) -> int:
        tests = (SharingFactors.of(cell).of_test for cell in self.workload.cells())
        of_folder = any(not isinstance(test, FileTest) for test in tests)
        return 1 + self.workload.folder_files * of_folder

    def fewer_files(self) -> str:
        return "a smaller workload.folder_files"

    def file_size_bytes(self, largest_bytes: int) -> int:
        return min(self.workload.largest_file_bytes, rounded_down(largest_bytes))

    def require_room(self, file_bytes: int, cause: str) -> None:
        wanted = self.workload.largest_file_bytes
        if file_bytes < wanted:
            raise InputError(
                f"a file of {format_size(wanted)} does not fit: there is room for"
                f" {format_size(file_bytes)}",
                cause=cause,
                next="smaller workload.file_sizes, or larger storage",
            )

    def load_job(self, cell: Cell, target: Place, seed: int) -> LoadJob | ClientsJob:
        workload, factors = self.workload, SharingFactors.of(cell)
        files = laid_out(target)
        if not isinstance(files, FilesTarget):
            raise TypeError("the tests work on files of a folder")
        limits = Limits(duration_ns=workload.time_limit, seed=seed)
        test = factors.of_test
        if not isinstance(test, FileTest):
            return folder_job(
                test,
                files.directory,
                files=workload.folder_files,
                sync_at_end=workload.include_flush and test.phase != "stat",
                limits=limits,
            )
        return file_job(
            test,
            f"{files.directory}/{files.prefix}0000",
            size_bytes=factors.whole_bytes,
            record_bytes=factors.record_size_bytes or 0,
            finish=Finish(fsync=workload.include_flush, close=workload.include_close),
            limits=limits,
            seeks=workload.seeks,
        )

    def require_dealable(self, hosts: int) -> None:
        require_hosts_there(self.workload.hosts, hosts)

    def run_seconds(self, cell: Cell, space_bytes: int, speed: Speed = EXPECTED) -> float:  # noqa: ARG002
        return min(self._whole_seconds(cell, speed), self.workload.time_limit / 1e9)

    def _whole_seconds(self, cell: Cell, speed: Speed) -> float:
        """How long the test takes to its end, whatever workload.time_limit is."""
        factors = SharingFactors.of(cell)
        test = factors.of_test
        if not isinstance(test, FileTest):
            return self.workload.folder_files * _FILE_SECONDS
        if test.is_random:
            return self.workload.seeks * max(_SEEK_SECONDS, 1 / speed.operations_per_second)
        size_bytes = factors.file_size_bytes or 0
        each_byte = _CALL_SECONDS.get(test.transfer, 0.0) + 1 / speed.bytes_per_second
        return size_bytes * each_byte

    def written_bytes(self, cell: Cell, space_bytes: int) -> float:  # noqa: ARG002
        factors = SharingFactors.of(cell)
        test = factors.of_test
        if not isinstance(test, FileTest):
            return float(self.workload.folder_files << 10)
        if test.is_random:
            return self.workload.seeks * (factors.record_size_bytes or 0) / 10
        return float(factors.file_size_bytes or 0) * (test.read_percent < 100)

    def held_equal(self, space: str, has_raw: bool) -> list[str]:  # noqa: ARG002 - files have sizes
        workload = self.workload
        parts = ["close"] * workload.include_close + ["fsync"] * workload.include_flush
        files = " or ".join(format_size(each) for each in workload.all_files)
        ends = f"with {' and '.join(reversed(parts))}" if parts else "without fsync and close"
        in_folders = self.room is not None and self.room.in_folders
        return [
            f"tests: {', '.join(workload.in_order)}, in this order, one process on one file",
            f"file: {files}, laid out before the first test; buffered I/O, as both programs do",
            f"time: each test whole, {ends}, at most {exact_duration(workload.time_limit)}",
            "caches: in memory of the machine that measures, written back and dropped before each"
            f" test{'; without root, those of its own file' if in_folders else ''}",
        ]

    def notes(self) -> list[str]:
        if self.workload.include_flush:
            return []
        return ["a write without fsync may end in memory: its cell is named a cache test"]

    def cautions(self) -> list[str]:
        """Tests that their limit would end; and where a folder's storage would be done with a file
        before much can be seen of it."""
        room = self.room
        late = self._late(room.speed if room is not None else EXPECTED)
        if room is None or not room.in_folders:
            return late
        took = self.workload.all_files[0] / room.speed.bytes_per_second
        if took >= SHORTEST_SECONDS:
            return late
        enough = 1 << (room.speed.bytes_per_second - 1).bit_length()
        return [
            *late,
            f"a file of {format_size(self.workload.all_files[0])} is written in"
            f" {format_duration(round(took * 1e9))} on storage that takes"
            f" {format_bandwidth(room.speed.bytes_per_second)}: so short a test shows its beginning"
            f" and its end. --set 'workload.file_sizes=[\"{format_size(enough)}\"]'"
            f" --set 'storage.size={format_size(2 * enough)}' takes a second and more",
        ]

    def _late(self, speed: Speed) -> list[str]:
        """The test that would take longest, where the time limit would end it."""
        cells = self.workload.cells()
        took, name = max((self._whole_seconds(cell, speed), cell.name) for cell in cells)
        if took <= self.workload.time_limit / 1e9:
            return []
        return [
            f"{name} takes about {format_duration(round(took * 1e9))}, and the time limit ends it"
            f" at {exact_duration(self.workload.time_limit)}: what comes after it finds a short"
            " file. A longer workload.time_limit, or smaller files"
        ]

    def cannot_tell(self) -> str:
        if self.workload.hosts and len(self.workload.hosts) > 1:
            return ""
        return (
            "whether two nodes do more than one, and what a cluster's locks cost: of one node they"
            " stay there (fsgauge run two-nodes; or workload.hosts = [1, 2])"
        )


METHOD = SharingMethod
