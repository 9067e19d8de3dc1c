"""The workload `metadata` carried out: one operation after the other on newly made files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fsgauge.engine.wire import (
    BlockSize,
    ClientsJob,
    CycleSizes,
    DeletePhase,
    FileSet,
    FileTarget,
    Finish,
    InterleavedRanges,
    ListPhase,
    LoadJob,
    OwnTree,
    Phase,
    ReadPhase,
    RenamePhase,
    SequentialAccess,
    SharedTree,
    StatPhase,
    WritePhase,
)
from fsgauge.errors import InputError
from fsgauge.kinds.metadata.factors import PACED, RECORDS, MetadataFactors, Operation
from fsgauge.kinds.metadata.keys import MetadataWorkload
from fsgauge.kinds.metadata.room import METADATA_BYTES, record_bytes, require_room, stored_bytes
from fsgauge.record.records import Cell
from fsgauge.units import exact_duration, exact_size
from fsgauge.workload.assumed import EXPECTED, Room, Speed
from fsgauge.workload.dealing import Dealt, Share, require_enough
from fsgauge.workload.folders import OWN, ClientFolders, FileSets, Place
from fsgauge.workload.method import MakesOwnFiles, at_most
from fsgauge.workload.slicing import interval_ns
from fsgauge.workload.steps import ClearFolder, Step

_SHARED_FILE = "records"
_SPARE_DESCRIPTORS = 256
_DESCRIPTORS_OF_CLIENT = 3
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
_PHASES: Mapping[Operation, Phase] = {
    "create": WritePhase(),
    "stat": StatPhase(),
    "list": ListPhase(),
    "read": ReadPhase(),
    "rename": RenamePhase(),
    "unlink": DeletePhase(),
}


@dataclass(frozen=True)
class MetadataMethod(MakesOwnFiles):
    """Each set of files is made on a system of its own, newly made."""

    workload: MetadataWorkload

    @property
    def file_sets(self) -> FileSets:
        """One folder; clients' folders stand in it."""
        return FileSets(folders=(OWN,), of_clients=())

    def in_room(self, room: Room) -> MetadataMethod:
        """The same; InputError where the files do not fit."""
        require_room(self.workload, room)
        return self

    def require_descriptors(self, limit: int) -> None:
        """A client has its folder and a file open."""
        clients = max(self.workload.clients)
        if clients * _DESCRIPTORS_OF_CLIENT + _SPARE_DESCRIPTORS > limit:
            fitting = (limit - _SPARE_DESCRIPTORS) // _DESCRIPTORS_OF_CLIENT
            raise InputError(
                f"{clients} clients with a folder and a file each are more than this process may"
                f" open: {limit}",
                cause="the hard limit of open files (ulimit -Hn)",
                next=f"--set workload.clients={max(fitting, 1)}, or raise the limit",
            )

    def fewer_files(self) -> str:
        """A key of its own."""
        return "fewer workload.entries"

    def largest_file_bytes(self, room: Room) -> int:  # noqa: ARG002
        """The shared one, or one of the clients'."""
        return max(record_bytes(self.workload), *self.workload.file_sizes)

    def rings(self) -> None:
        """A thread for each client makes plain calls, as mdtest's tasks do."""

    def stages(self, cells: Sequence[Cell]) -> list[list[list[str]]]:
        """What was removed leaves its trace in folders and journals: each set begins afresh."""
        sets: dict[object, list[str]] = {}
        for cell in cells:
            sets.setdefault(MetadataFactors.of(cell).set_of_files, []).append(cell.id)
        return [list(sets.values())]

    def seed_purpose(self, cell: Cell) -> str:
        """One seed for all that is done to a set."""
        return str(MetadataFactors.of(cell).set_of_files)

    def load_job(self, cell: Cell, target: Place, seed: int) -> LoadJob | ClientsJob:
        """The clients' job of one operation, or the load on the shared file."""
        if not isinstance(target, ClientFolders):
            raise TypeError("clients need folders, and this target has none")
        factors = MetadataFactors.of(cell)
        if factors.is_of_records:
            return self._records(factors, f"{target.folder(OWN)}/{_SHARED_FILE}", seed)
        workload, operation = self.workload, factors.operation
        is_walled = workload.stonewall is not None
        limit_ns = workload.time_limit
        if operation == "create" and workload.stonewall is not None:
            limit_ns = workload.stonewall
        size_bytes = factors.file_size_bytes or 0
        each = 1 if operation == "list" else (factors.entries or 0) // factors.clients
        return ClientsJob(
            target=target.target(OWN),
            phase=_PHASES[operation],
            clients=factors.clients,
            dispatch="threads",
            interface="plain",
            files=FileSet(
                clients=factors.clients,
                files_per_client=each,
                sizes=CycleSizes(sizes_bytes=[size_bytes]),
                record_size_bytes=max(size_bytes, 1),
                tree=OwnTree() if factors.folder == "own" else SharedTree(depth=1, fan_out=1),
            ),
            order="number" if operation in ("create", "list") else workload.order,
            wear_out=is_walled and operation == "create",
            only_existing=(is_walled or self.rate_of(cell) is not None)
            and operation not in ("create", "list"),
            fsync=workload.fsync and operation == "create",
            sync_at_end=operation in workload.sync_after,
            rate=self.pace_of(cell) if operation in PACED else None,
            time_limit_ns=limit_ns,
            interval_ns=interval_ns(limit_ns),
            seed=seed,
        )

    def steps_before(self, cell: Cell, place: Place, seed: int) -> list[Step]:  # noqa: ARG002
        """Of a curve each rate makes its files anew."""
        is_anew = cell.pace is not None and MetadataFactors.of(cell).operation == "create"
        if not is_anew or not isinstance(place, ClientFolders):
            return []
        return [ClearFolder(place.folder(OWN))]

    def require_dealable(self, hosts: int) -> None:
        """Clients are dealt out, each host has folders of its own."""
        if hosts > 1:
            require_enough("client", self.workload.clients, hosts, "workload.clients")

    def dealt(self, job: Dealt, share: Share) -> Dealt:
        """The host's clients."""
        if not isinstance(job, ClientsJob) or share.hosts == 1:
            return super().dealt(job, share)
        files = job.files.model_copy(update={"clients": share.of(job.files.clients)})
        own: dict[str, object] = {"clients": share.of(job.clients), "files": files}
        own["rate"] = share.pace(job.rate, job.clients)
        return job.model_copy(update={**own, "seed": share.seed(job.seed)})

    def run_seconds(self, cell: Cell, space_bytes: int, speed: Speed = EXPECTED) -> float:  # noqa: ARG002
        """By files, and by bytes at the storage's speed."""
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
        """Files, clients, and what ends an operation."""
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
        if set(RECORDS) & set(workload.operations):
            lines.append(
                f"shared file: {workload.records} records of {workload.record_size} bytes a client,"
                " clients in turns, synced and closed in the time"
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
        """That what nothing syncs may end in memory."""
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

    def without_equal_in_fio(self) -> tuple[str, str]:
        """The bench has mdtest's and elbencho's own."""
        return "fio has no clients that make, list and remove files", ""

    def _records(self, factors: MetadataFactors, path: str, seed: int) -> LoadJob:
        """Block k belongs to client k modulo their number, as IOR's segments of one transfer."""
        workload, size_bytes = self.workload, factors.record_size_bytes or 1
        is_new = factors.operation == "record write"
        whole = factors.clients * workload.records * size_bytes
        limit_ns = workload.time_limit
        if is_new and workload.stonewall is not None:
            limit_ns = workload.stonewall
        return LoadJob(
            target=FileTarget(path=path, size_bytes=whole),
            interface="psync",
            direct=False,
            access=SequentialAccess(),
            ranges=InterleavedRanges(),
            read_percent=0 if is_new else 100,
            block_sizes=[BlockSize(size_bytes=size_bytes, weight=1)],
            queue_depth=1,
            jobs=factors.clients,
            passes=1,
            wear_out=is_new and workload.stonewall is not None,
            only_existing=not is_new and workload.stonewall is not None,
            extend=is_new,
            duration_ns=limit_ns,
            interval_ns=interval_ns(limit_ns),
            finish=Finish(fsync=is_new, close=True),
            seed=seed,
        )

    def _contents(self, factors: MetadataFactors) -> int:
        if factors.is_of_records:
            return factors.clients * self.workload.records * (factors.record_size_bytes or 0)
        if factors.operation == "create":
            return stored_bytes(self.workload, factors.entries or 0)
        return (
            (factors.entries or 0) * (factors.file_size_bytes or 0) * (factors.operation == "read")
        )


METHOD = MetadataMethod
