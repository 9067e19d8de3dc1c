"""The workload `metadata` carried out: one operation after the other on newly made files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fsgauge.engine import wire
from fsgauge.errors import InputError
from fsgauge.kinds.metadata.factors import PACED, RECORDS, MetadataFactors, Operation
from fsgauge.kinds.metadata.keys import MetadataWorkload
from fsgauge.record.records import Cell
from fsgauge.units import exact_duration, exact_size, format_size
from fsgauge.workload.assumed import EXPECTED, METADATA_BYTES, Room, Speed
from fsgauge.workload.dealing import Dealt, Share, clients_dealt, require_enough
from fsgauge.workload.folders import OWN, ClientFolders, FileSets, Place, folders_of
from fsgauge.workload.method import MakesOwnFiles
from fsgauge.workload.slicing import interval_ns
from fsgauge.workload.steps import ClearFolder, Step
from fsgauge.workload.words import at_most

_SHARED_FILE = "records"
_DESCRIPTORS_OF_CLIENT = 3
USABLE_PERCENT = 95
"""Share of the free space that files may take: file systems need the rest as they fill."""
_BLOCK_BYTES = 4 << 10
_SPARE_INODES = 8
"""Scratch folders, the folder of all, the shared file."""
_SECONDS: Mapping[Operation, float] = {
    "create": 25e-6,
    "stat": 6e-6,
    "list": 5e-7,
    "read": 20e-6,
    "rename": 40e-6,
    "unlink": 25e-6,
}
"""For each file."""
_AT_RATES = 3.0
"""A run of a load curve over an unpaced one: the mean of the rates from a tenth on."""
_PHASES: Mapping[Operation, wire.Phase] = {
    "create": wire.WritePhase(),
    "stat": wire.StatPhase(),
    "list": wire.ListPhase(),
    "read": wire.ReadPhase(),
    "rename": wire.RenamePhase(),
    "unlink": wire.DeletePhase(),
}


@dataclass(frozen=True)
class MetadataMethod(MakesOwnFiles):
    """Each set of files is made on a system of its own, newly made."""

    workload: MetadataWorkload
    not_in_fio = ("fio has no clients that make, list and remove files", "")

    @property
    def file_sets(self) -> FileSets:
        return FileSets(folders=(OWN,), of_clients=())

    def in_room(self, room: Room) -> MetadataMethod:
        workload = self.workload
        entries = max(workload.entries) if "create" in workload.operations else 0
        usable = room.free_bytes * USABLE_PERCENT // 100
        storage = f'"{room.least}"' if room.least else "the storage"
        if self._record_bytes() > usable:
            fitting = usable // (max(workload.clients) * workload.record_size)
            raise InputError(
                f"the shared file takes {format_size(self._record_bytes())}",
                cause=f"{storage} has room for {format_size(usable)}",
                next=f"--set workload.records={fitting}" if fitting else "larger storage",
            )
        needed = self._stored_bytes(entries)
        if needed > usable:
            raise InputError(
                f"{entries:,} files with their names and inodes take about {format_size(needed)}",
                cause=f"{storage} has room for {format_size(usable)}",
                next=self._fewer(usable // self._stored_bytes(1), "larger storage"),
            )
        beside = max(workload.clients) + _SPARE_INODES
        if room.inodes is not None and entries + beside > room.inodes:
            raise InputError(
                f"{entries:,} files and their folders need {entries + beside:,} inodes",
                cause=f'"{room.fewest}" has {room.inodes:,}: mkfs decides how many',
                next=self._fewer(room.inodes - beside, room.more_inodes(entries + beside)),
            )
        return self

    def require_descriptors(self, limit: int) -> None:
        clients, each = max(self.workload.clients), _DESCRIPTORS_OF_CLIENT
        self.require_of_clients(clients, each, "a folder and a file", limit)

    def fewer_files(self) -> str:
        return "fewer workload.entries"

    def largest_file_bytes(self, room: Room) -> int:  # noqa: ARG002
        return max(self._record_bytes(), *self.workload.file_sizes)

    def rings(self) -> None:
        """A thread for each client makes plain calls, as mdtest's tasks do."""

    def stages(self, cells: Sequence[Cell]) -> list[list[list[str]]]:
        """What was removed leaves its trace in folders and journals: each set begins afresh."""
        sets: dict[object, list[str]] = {}
        for cell in cells:
            sets.setdefault(MetadataFactors.of(cell).set_of_files, []).append(cell.id)
        return [list(sets.values())]

    def seed_purpose(self, cell: Cell) -> str:
        return str(MetadataFactors.of(cell).set_of_files)

    def load_job(self, cell: Cell, target: Place, seed: int) -> wire.LoadJob | wire.ClientsJob:
        target, factors = folders_of(target, ClientFolders), MetadataFactors.of(cell)
        if factors.is_of_records:
            return self._records(factors, f"{target.folder(OWN)}/{_SHARED_FILE}", seed)
        workload, operation = self.workload, factors.operation
        is_walled = workload.stonewall is not None
        limit_ns = workload.time_limit
        if operation == "create" and workload.stonewall is not None:
            limit_ns = workload.stonewall
        size_bytes = factors.file_size_bytes or 0
        each = 1 if operation == "list" else (factors.entries or 0) // factors.clients
        return wire.ClientsJob(
            target=target.target(OWN),
            phase=_PHASES[operation],
            clients=factors.clients,
            dispatch="threads",
            interface="plain",
            files=wire.FileSet(
                clients=factors.clients,
                files_per_client=each,
                sizes=wire.CycleSizes(sizes_bytes=[size_bytes]),
                record_size_bytes=max(size_bytes, 1),
                tree=wire.OwnTree()
                if factors.folder == "own"
                else wire.SharedTree(depth=1, fan_out=1),
            ),
            order="number" if operation in ("create", "list") else workload.order,
            wear_out=is_walled and operation == "create",
            only_existing=(is_walled or self.rate_of(cell) is not None)
            and operation not in ("create", "list"),
            fsync=workload.fsync and operation == "create",
            verify=workload.verify and operation == "read",
            sync_at_end=operation in workload.sync_after,
            rate=self.pace_of(cell) if operation in PACED else None,
            time_limit_ns=limit_ns,
            interval_ns=interval_ns(limit_ns),
            seed=seed,
        )

    def steps_before(self, cell: Cell, place: Place, seed: int) -> list[Step]:  # noqa: ARG002
        """Of a curve each rate makes its files anew."""
        is_anew = cell.pace is not None and MetadataFactors.of(cell).operation == "create"
        return [ClearFolder(folders_of(place, ClientFolders).folder(OWN))] if is_anew else []

    def require_dealable(self, hosts: int) -> None:
        if hosts > 1:
            require_enough("client", self.workload.clients, hosts, "workload.clients")

    def dealt(self, job: Dealt, share: Share) -> Dealt:
        if isinstance(job, wire.ClientsJob) and share.hosts > 1:
            return clients_dealt(job, share)
        return super().dealt(job, share)

    def run_seconds(self, cell: Cell, space_bytes: int, speed: Speed = EXPECTED) -> float:  # noqa: ARG002
        factors = MetadataFactors.of(cell)
        moved = self._contents(factors) / speed.bytes_per_second
        if factors.is_of_records:
            seconds = moved + factors.clients * self.workload.records * 10e-6
            walled = self.workload.stonewall
            return seconds if walled is None else min(seconds, 3 * walled / 1e9)
        files = factors.entries or 0
        calls = files * _SECONDS[factors.operation] * (_AT_RATES if cell.pace else 1)
        if self.workload.rate is not None and factors.operation in PACED:
            calls = max(calls, files / self.workload.rate)
        is_made = factors.operation == "create"
        if is_made and self.workload.fsync:
            calls += files * speed.latency_seconds
        if is_made and self.workload.stonewall is not None:
            return min(calls + moved, 2 * self.workload.stonewall / 1e9)
        return min(calls + moved, self.workload.time_limit / 1e9)

    def written_bytes(self, cell: Cell, space_bytes: int) -> float:  # noqa: ARG002
        """Contents, and what names and inodes take in journals and trees."""
        factors = MetadataFactors.of(cell)
        if factors.operation in ("create", "record write"):
            return float(self._contents(factors))
        is_changing = factors.operation in ("rename", "unlink")
        return float((factors.entries or 0) * METADATA_BYTES) if is_changing else 0.0

    def held_equal(self, space: str, has_raw: bool) -> list[str]:  # noqa: ARG002 - raw is refused
        workload = self.workload
        sizes = " or ".join(map(exact_size, workload.file_sizes))
        lines = ["clients: a thread each, one plain call at a time"]
        if "create" in workload.operations:
            entries = " or ".join(f"{each:,}" for each in workload.entries)
            synced = "fsync before each is closed" if workload.fsync else "not synced"
            lines.append(
                f"files: {entries} of all clients together, {sizes} each, {synced}; each set on a"
                " newly made system"
            )
        if workload.verify:
            lines.append("reads: compared with what was written, in the time")
        if set(RECORDS) & set(workload.operations):
            lines.append(
                f"shared file: {workload.records:,} records of {workload.record_size:,} bytes a"
                " client, clients in turns, synced and closed in the time"
            )
        ends = f"time: until every client is done{at_most(workload.time_limit, in_model=False)}"
        if workload.stonewall is not None:
            ends += (
                f"; creates and record writes until {exact_duration(workload.stonewall)}, then"
                " until each client has as many as the one that had most"
            )
        if workload.sync_after:
            ends += f"; {' and '.join(workload.sync_after)} until the file system is synced"
        return [
            *lines,
            ends,
            "order: operations in one order in every turn, caches dropped before each",
        ]

    def notes(self) -> list[str]:
        workload = self.workload
        if workload.fsync or workload.sync_after or "create" not in workload.operations:
            return []
        return [
            "creates, renames and unlinks end in memory and the journal, and are written back"
            " later, as in mdtest: workload.fsync = true makes each file durable in the time"
        ]

    def cannot_tell(self) -> str:
        """Folders are not made and removed in the time; hosts of a fleet share no folder."""
        return "how fast folders are made; what a folder costs that several hosts share"

    def _records(self, factors: MetadataFactors, path: str, seed: int) -> wire.LoadJob:
        """Block k belongs to client k modulo their number, as IOR's segments of one transfer."""
        workload, size_bytes = self.workload, factors.record_size_bytes or 1
        is_new = factors.operation == "record write"
        whole = factors.clients * workload.records * size_bytes
        limit_ns = workload.time_limit
        if is_new and workload.stonewall is not None:
            limit_ns = workload.stonewall
        return wire.LoadJob(
            target=wire.FileTarget(path=path, size_bytes=whole),
            interface="psync",
            direct=False,
            access=wire.SequentialAccess(),
            ranges=wire.InterleavedRanges(),
            read_percent=0 if is_new else 100,
            block_sizes=[wire.BlockSize(size_bytes=size_bytes, weight=1)],
            queue_depth=1,
            jobs=factors.clients,
            passes=1,
            wear_out=is_new and workload.stonewall is not None,
            only_existing=not is_new and workload.stonewall is not None,
            extend=is_new,
            transfer="compared" if workload.verify and not is_new else "whole",
            duration_ns=limit_ns,
            interval_ns=interval_ns(limit_ns),
            finish=wire.Finish(fsync=is_new, close=True),
            seed=seed,
        )

    def _stored_bytes(self, entries: int) -> int:
        """Bytes on the device of so many files of the largest size, with its metadata."""
        size_bytes = max(self.workload.file_sizes)
        return entries * (-(-size_bytes // _BLOCK_BYTES) * _BLOCK_BYTES + METADATA_BYTES)

    def _record_bytes(self) -> int:
        if "record write" not in self.workload.operations:
            return 0
        return max(self.workload.clients) * self.workload.records * self.workload.record_size

    def _fewer(self, fitting: int, otherwise: str) -> str:
        """The most entries that fit and can be dealt out, or another way."""
        all_clients = math.lcm(*self.workload.clients)
        entries = fitting // all_clients * all_clients
        return f"--set workload.entries={entries}, or {otherwise}" if entries > 0 else otherwise

    def _contents(self, factors: MetadataFactors) -> int:
        if factors.is_of_records:
            return factors.clients * self.workload.records * (factors.record_size_bytes or 0)
        if factors.operation == "create":
            return self._stored_bytes(factors.entries or 0)
        return (
            (factors.entries or 0) * (factors.file_size_bytes or 0) * (factors.operation == "read")
        )


METHOD = MetadataMethod
