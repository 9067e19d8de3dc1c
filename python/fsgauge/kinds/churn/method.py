"""The workload `churn` carried out: a tree made by an op log, then read, then written beside.

Each fill level has two stages, a system made anew for each: the log is replayed on it, or the tree
that the log leaves is written once. Both have the same seed, so they end in the same files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fsgauge.engine import wire
from fsgauge.errors import InputError
from fsgauge.kinds.churn.factors import ChurnFactors
from fsgauge.kinds.churn.keys import ChurnWorkload
from fsgauge.kinds.churn.volume import ChurnVolume
from fsgauge.record.records import Cell
from fsgauge.study.reached import through
from fsgauge.units import exact_size, format_size
from fsgauge.workload.assumed import EXPECTED, METADATA_BYTES, Room, Speed
from fsgauge.workload.dealing import Dealt, Share, clients_dealt, require_enough
from fsgauge.workload.folders import TREE, WRITTEN, ClientFolders, FileSets, Place, folders_of
from fsgauge.workload.method import WORST_FILES, MakesOwnFiles, data_of
from fsgauge.workload.rings import Rings, of_clients
from fsgauge.workload.slicing import interval_of_work_ns
from fsgauge.workload.steps import AgeFolder, Step
from fsgauge.workload.words import at_most

_SCAN_SECONDS = 0.3


@dataclass(frozen=True)
class ChurnMethod(MakesOwnFiles):
    """A tree made by an op log, then read, then written beside.

    What the room says of it is known once it is `in_room`.

    Trees are made on the path in any case. No `accesses` means that all is done there.
    """

    workload: ChurnWorkload
    available_bytes: int | None = None
    in_folders: bool = False
    in_model: bool = False

    has_model = True
    not_in_fio = ("fio does not create and delete files over time", "")

    @property
    def file_sets(self) -> FileSets:
        return FileSets(folders=(TREE, WRITTEN), of_clients=(WRITTEN,))

    def in_room(self, room: Room) -> ChurnMethod:
        method = replace(
            self,
            available_bytes=room.free_bytes,
            in_folders=room.in_folders,
            in_model=room.in_model,
        )
        method._require_largest_file(room)
        method._require_new_files(room)
        return method

    def require_descriptors(self, limit: int) -> None:
        each = max((1, *(access.sockets_for_a_client for access in self.accesses)))
        self.require_of_clients(self.workload.clients, each, "an open file", limit)

    def largest_file_bytes(self, room: Room) -> int:
        largest = self.workload.largest_size
        return largest if largest is not None else room.free_bytes // 100

    def files_made(self) -> int:
        return max(self._volume().files(fill) for fill in self.workload.fills)

    def fewer_files(self) -> str:
        return "a larger workload.median_size"

    def rings(self) -> Rings:
        return of_clients(self.workload.clients, None, "", is_asked_for=False)

    def require_dealable(self, hosts: int) -> None:
        """Each host has a tree; where clients write, it has one of them."""
        if "write" in self.workload.tests:
            require_enough("client", self.workload.clients, hosts, "workload.clients")

    def dealt(self, job: Dealt, share: Share) -> Dealt:
        """The host's tree, read by a reader of its own; and its clients, which fill what the tree
        left.

        A tree fills a share of what each host may use, and so do the new files of each host
        together: every client of a host that has fewer of them writes no more than one of a host
        with the most.
        """
        if share.hosts == 1 or not isinstance(job, wire.AgeJob | wire.ClientsJob):
            return job
        if isinstance(job, wire.AgeJob):
            return super().dealt(job, share)
        if not isinstance(job.phase, wire.WritePhase):
            return job
        each = job.files.files_per_client * job.clients // share.most(job.clients)
        dealt = clients_dealt(job, share)
        files = dealt.files.model_copy(update={"files_per_client": each})
        return dealt.model_copy(update={"files": files})

    def stages(self, cells: Sequence[Cell]) -> list[list[list[str]]]:
        found: dict[int, dict[str, list[str]]] = {}
        for cell in cells:
            factors = ChurnFactors.of(cell)
            found.setdefault(factors.fill_percent, {}).setdefault(factors.wear, []).append(cell.id)
        return [list(wears.values()) for wears in found.values()]

    def seed_purpose(self, cell: Cell) -> str:
        """One for a fill level: aged and fresh have the same tree and new files."""
        return f"churn-{ChurnFactors.of(cell).fill_percent}"

    def steps_before(self, cell: Cell, place: Place, seed: int) -> list[Step]:
        return [AgeFolder(self.age_job(cell, place, seed))] if self._begins(cell) else []

    def age_job(self, cell: Cell, target: Place, seed: int) -> wire.AgeJob:
        folders, workload = folders_of(target, ClientFolders), self.workload
        return wire.AgeJob(
            directory=folders.folder(TREE),
            profile=self._profile(_fill(cell), folders),
            mode=workload.mode,
            space_bytes=folders.available_bytes,
            fill_percent=float(_fill(cell)),
            end=wire.StorageAgeEnd(storage_age=workload.storage_age),
            time_limit_ns=workload.age_time_limit,
            sync_every_bytes=None if workload.mode == "fast" else workload.sync_after,
            seed=seed,
            fresh_copy=ChurnFactors.of(cell).wear == "fresh",
        )

    def scanned_after(self, cell: Cell) -> str | None:
        return WRITTEN if ChurnFactors.of(cell).side == "write" else None

    def scan_job(self, path: str, *, aged: bool) -> wire.ScanJob:
        return wire.ScanJob(path=path, top=WORST_FILES, space=aged)

    def load_job(self, cell: Cell, target: Place, seed: int) -> wire.ClientsJob:
        factors = ChurnFactors.of(cell)
        folders, workload = folders_of(target, ClientFolders), self.workload
        reads = factors.side == "read"
        each = max(self._volume_of(folders).new_files(_fill(cell)) // workload.clients, 1)
        return wire.ClientsJob(
            target=folders.target(TREE if reads else WRITTEN),
            phase=wire.BackupPhase(
                order=workload.read_order, block_size_bytes=workload.read_block_size
            )
            if reads
            else wire.WritePhase(create="and_write"),
            clients=factors.clients,
            interface="auto",
            files=wire.FileSet(
                clients=factors.clients,
                files_per_client=1 if reads else each,
                sizes=wire.CycleSizes(sizes_bytes=[workload.new_file_size]),
                record_size_bytes=workload.record_size,
                tree=wire.OwnTree(),
            ),
            fsync=workload.fsync and not reads,
            time_limit_ns=workload.time_limit,
            interval_ns=interval_of_work_ns(workload.time_limit),
            data=data_of(workload.data),
            seed=seed,
            verify=False,
        )

    def run_seconds(self, cell: Cell, space_bytes: int, speed: Speed = EXPECTED) -> float:  # noqa: ARG002
        """The calls, then the bytes; before a stage's first cell also its tree."""
        volume, aged = self._volume(), ChurnFactors.of(cell).wear == "aged"
        seconds = volume.test_seconds(cell, speed, is_served=self.is_served)
        if self._begins(cell):
            seconds += volume.tree_seconds(_fill(cell), speed, aged=aged) + _SCAN_SECONDS
        if self.scanned_after(cell):
            seconds += _SCAN_SECONDS
        return seconds

    def written_bytes(self, cell: Cell, space_bytes: int) -> float:  # noqa: ARG002
        factors = ChurnFactors.of(cell)
        volume = self._volume()
        total = 0.0
        if factors.side == "write":
            new_files = volume.new_files(_fill(cell))
            total += new_files * (self.workload.new_file_size + METADATA_BYTES)
        if self._begins(cell):
            contents, files = volume.made(_fill(cell), aged=factors.wear == "aged")
            total += files * METADATA_BYTES
            total += 0.0 if self.workload.mode == "fast" else contents
        return total

    def held_equal(self, space: str, has_raw: bool) -> list[str]:  # noqa: ARG002 - raw is refused
        workload = self.workload
        lines = [
            f"fill: {self._shares()}; one seed for all systems of a block",
            f"tree: {self._tree_in_words()}; made in mode {workload.mode}"
            + (f", synced every {exact_size(workload.sync_after)}" * (workload.mode != "fast")),
            f"age: aged, {workload.storage_age:g} times the live bytes written; fresh, the same"
            f" tree {'in a new folder' if self.in_folders else 'on a newly made system'}, each file"
            " written once",
        ]
        if "read" in workload.tests:
            lines.append(
                f"read: the whole tree by one reader, {workload.read_order} order,"
                f" {exact_size(workload.read_block_size)} a read, caches dropped first"
            )
        if "write" in workload.tests:
            lines.append(
                f"write: {workload.clients} client{'s' if workload.clients > 1 else ''}, files of"
                f" {exact_size(workload.new_file_size)} in records of"
                f" {exact_size(workload.record_size)}, {workload.write_fill} % of the space left;"
                f" {'fsync' if workload.fsync else 'no sync'} before a file is closed"
            )
        if self.is_served:
            lines.append(
                "access: trees are made over the path, below the server; new files are written"
                f" {through(self.accesses, 'auto')}"
            )
        limit = at_most(workload.time_limit, in_model=self.in_model)
        lines.append(f"time: until all is read or written{limit}")
        return [
            *lines,
            "order: on every system the tree is made, then read, then new files are written",
        ]

    def notes(self) -> list[str]:
        if self.workload.fsync or "write" not in self.workload.tests:
            return []
        return [
            "the load does not sync new files: what fits in memory is written to the storage"
            " later and is not in the measured time (workload.fsync = true includes it)"
        ]

    def cannot_tell(self) -> str:
        if self.in_folders:
            return (
                "how a full file system ages: files in a folder also find the free space that the"
                " rest of its file system has; nor appends to old files, snapshots and reflinks"
            )
        return "appends to old files, snapshots and reflinks, which age a file system in other ways"

    def _shares(self) -> str:
        if not self.in_folders or self.available_bytes is None:
            return "shares of the space each system has when empty"
        return f"shares of {format_size(self.available_bytes)} in each folder"

    def _begins(self, cell: Cell) -> bool:
        return ChurnFactors.of(cell).side == ("read" if "read" in self.workload.tests else "write")

    def _profile(self, fill: int, folders: ClientFolders) -> wire.ChurnProfile:
        workload = self.workload
        return wire.ChurnProfile(
            sizes=wire.LognormalParetoSizes(
                median_bytes=workload.median_size,
                sigma=workload.size_sigma,
                tail_percent=workload.tail_percent,
                tail_from_bytes=workload.tail_from,
                tail_alpha=workload.tail_alpha,
                largest_bytes=self._volume_of(folders).largest_bytes(fill),
            ),
            lifetimes=wire.LognormalLifetimes(
                median_ns=workload.median_lifetime, sigma=workload.lifetime_sigma
            ),
            streams=workload.streams,
            rewrite_percent=workload.rewrite_percent,
            turn_bytes=workload.written_in_turns,
        )

    def _volume(self) -> ChurnVolume:
        if self.available_bytes is None:
            raise ValueError("fill sizes are only known in a room: call in_room first")
        return ChurnVolume(self.workload, self.available_bytes)

    def _volume_of(self, folders: ClientFolders) -> ChurnVolume:
        if folders.available_bytes is None:
            raise ValueError("the rig did not report the system's available space")
        return ChurnVolume(self.workload, folders.available_bytes)

    def _tree_in_words(self) -> str:
        workload, turn = self.workload, self.workload.written_in_turns
        largest = "a hundredth of the live bytes"
        if workload.largest_size is not None:
            largest = exact_size(workload.largest_size)
        return (
            f"files of {format_size(workload.median_size)} in the median, the largest {largest},"
            f" in {workload.streams} streams"
            + (f", {exact_size(turn)} of each in turns" if turn is not None else "")
        )

    def _require_largest_file(self, room: Room) -> None:
        fill = min(self.workload.fills)
        live_bytes, largest = room.free_bytes * fill // 100, self.workload.largest_size
        if largest is not None and largest > live_bytes:
            raise InputError(
                f"a file of {exact_size(largest)} does not fit into {fill} % of"
                f" {format_size(room.free_bytes)}",
                cause="largest_size is the largest that can be drawn",
                next="a smaller workload.largest_size, or larger storage",
            )

    def _require_new_files(self, room: Room) -> None:
        """At the highest level, too, each client writes a file."""
        workload = self.workload
        if "write" not in workload.tests:
            return
        fill = max(workload.fills)
        files = self._volume().new_files(fill)
        if files < workload.clients:
            least = f' on "{room.least}"' if room.least else ""
            left = room.free_bytes * (100 - fill) // 100
            raise InputError(
                f"{workload.clients} clients have no room for a new file of"
                f" {exact_size(workload.new_file_size)} each at {fill} %",
                cause=f"{format_size(left)} are left{least}, and {workload.write_fill} % of that"
                " is written",
                next="larger storage, a smaller workload.new_file_size, or a lower level in"
                " workload.fills",
            )


def _fill(cell: Cell) -> int:
    return ChurnFactors.of(cell).fill_percent


METHOD = ChurnMethod
