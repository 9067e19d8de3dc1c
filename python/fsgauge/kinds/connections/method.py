"""The workload `connections` carried out: clients make their own files, test after test."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fsgauge.engine import wire
from fsgauge.kinds.connections.client_files import CALL_SECONDS, CALLS_OF_FILE, ClientFiles
from fsgauge.kinds.connections.factors import OF_BACKUP, WRITING, ConnectionsFactors
from fsgauge.kinds.connections.keys import ConnectionsWorkload
from fsgauge.record.records import Cell
from fsgauge.study.file_sizes import FileSizes
from fsgauge.study.reached import through
from fsgauge.units import count, exact_duration, exact_size, format_size
from fsgauge.workload import dealing
from fsgauge.workload.assumed import EXPECTED, METADATA_BYTES, Room, Speed
from fsgauge.workload.folders import BACKUP, OWN, ClientFolders, FileSets, Place, folders_of
from fsgauge.workload.method import MakesOwnFiles, data_of
from fsgauge.workload.rings import Rings, of_clients
from fsgauge.workload.slicing import interval_of_work_ns
from fsgauge.workload.words import at_most

_DESCRIPTORS_OF_LOOP = 4


@dataclass(frozen=True)
class ConnectionsMethod(MakesOwnFiles):
    """Clients make their own files, test after test; `sets` are known once it is `in_room`."""

    workload: ConnectionsWorkload
    sets: FileSets | None = None
    in_model: bool = False

    has_model = True
    not_in_fio = (
        "fio works on existing files; it has no clients that create and open files",
        "ONLY=clients-tmpfs-fio compares files per second with fio's threads",
    )

    @property
    def file_sets(self) -> FileSets | None:
        return self.sets

    def in_room(self, room: Room) -> ConnectionsMethod:
        files = ClientFiles(self.workload)
        sets = files.sets(room)
        if not room.in_model:
            files.require_time_for_rests(sets)
        return replace(self, sets=sets, in_model=room.in_model)

    def require_descriptors(self, limit: int) -> None:
        workload = self.workload
        files = 1 if workload.dispatch == "threads" else workload.outstanding
        sockets = max((access.sockets_for_a_client for access in self.accesses), default=0)
        each = max(2 if workload.dispatch == "threads" else files, sockets)
        beside = _DESCRIPTORS_OF_LOOP * (workload.threads or 0)
        what = count(files, "open file")
        self.require_of_clients(workload.most_clients, each, what, limit, beside=beside)

    def largest_file_bytes(self, room: Room) -> int:  # noqa: ARG002
        workload = self.workload
        return max(FileSizes.of(workload).largest_bytes, workload.backup_file_size)

    def without_extents(self) -> str:
        workload = self.workload
        if "backup" not in workload.tests or "physical" not in workload.backup_orders:
            return super().without_extents()
        others = [each for each in workload.backup_orders if each != "physical"] or ["directory"]
        order = f"--set 'workload.backup_orders={json.dumps(others)}'"
        return f"{order} {super().without_extents()}".rstrip()

    @property
    def threads(self) -> int:
        if self.workload.dispatch == "threads":
            return self.workload.most_clients
        return self.workload.threads or 1

    def rings(self) -> Rings | None:
        workload = self.workload
        if workload.dispatch == "threads" or workload.interface == "plain":
            return None
        return of_clients(
            workload.most_clients * workload.outstanding,
            workload.threads,
            "--set workload.interface=plain",
            is_asked_for=workload.interface == "io_uring",
        )

    def stages(self, cells: Sequence[Cell]) -> list[list[list[str]]]:
        """Tests build on one another; each number of clients, and of hosts, begins afresh."""
        by_number: dict[tuple[int | None, int | None], list[str]] = {}
        for cell in cells:
            by_number.setdefault(ConnectionsFactors.of(cell).numbers, []).append(cell.id)
        return [list(by_number.values())]

    def seed_purpose(self, cell: Cell) -> str:
        """One seed for all cells of a file set: readers know what writers wrote."""
        return self.folder_of(cell)

    def folder_of(self, cell: Cell) -> str:
        return BACKUP if ConnectionsFactors.of(cell).test in OF_BACKUP else OWN

    def scanned_after(self, cell: Cell) -> str | None:
        counted = self.workload.extents and ConnectionsFactors.of(cell).test in WRITING
        return self.folder_of(cell) if counted else None

    def load_job(self, cell: Cell, target: Place, seed: int) -> wire.ClientsJob:
        factors, workload = ConnectionsFactors.of(cell), self.workload
        folders = folders_of(target, ClientFolders)
        threads = workload.dispatch == "threads"
        limit_ns = workload.mix_duration if factors.test == "mix" else workload.time_limit
        rest = wire.Think(mean_ns=workload.think, spread=workload.think_spread)
        alone, folder = factors.test == "backup", self.folder_of(cell)
        on_path = alone and workload.backup_access == "path"
        where = folders.model_copy(update={"share": None}) if on_path else folders
        return wire.ClientsJob(
            target=where.target(folder),
            phase=self._phase(cell),
            clients=factors.clients,
            outstanding=1 if alone or threads else workload.outstanding,
            dispatch="threads" if threads else "event_loop",
            threads=None if threads or alone else workload.threads,
            interface="auto" if threads else workload.interface,
            ramp_ns=0 if alone else workload.ramp,
            think=rest if workload.think and not alone else None,
            files=self._file_set(cell, folders),
            fsync=workload.fsync,
            time_limit_ns=limit_ns,
            interval_ns=interval_of_work_ns(limit_ns),
            data=data_of(workload.data),
            seed=seed,
            verify=workload.verify and factors.test in ("read", "mix", "backup"),
        )

    def clear_jobs(self, target: ClientFolders) -> list[wire.ClientsJob]:
        """The jobs that remove everything from a share, one a set; verified by nobody."""
        other = {"phase": wire.ClearPhase(), "ramp_ns": 0, "think": None, "fsync": False}
        return [
            self.load_job(cell, target, 0).model_copy(update=other)
            for cell in self.workload.cells()
            if ConnectionsFactors.of(cell).test in ("write", "backup fill")
        ]

    def require_dealable(self, hosts: int) -> None:
        dealing.require_hosts_there(self.workload.hosts, hosts)
        if not self.workload.hosts:
            dealing.require_enough("client", self.workload.clients, hosts, "workload.clients")

    def dealt(self, job: dealing.Dealt, share: dealing.Share) -> dealing.Dealt:
        """The host's clients; all of them where the study varies the number of hosts."""
        if not isinstance(job, wire.ClientsJob) or share.hosts == 1:
            return job
        if self.workload.hosts:
            return job.model_copy(update={"seed": share.seed(job.seed)})
        return dealing.clients_dealt(job, share)

    def run_seconds(self, cell: Cell, space_bytes: int, speed: Speed = EXPECTED) -> float:  # noqa: ARG002
        """Sessions, calls, then the bytes: those in memory are synced after."""
        factors = ConnectionsFactors.of(cell)
        workload = self.workload
        if factors.test == "mix":
            return (workload.mix_duration + workload.ramp) / 1e9
        contents, files = self._volume(cell)
        moved = 0.0 if factors.test in ("stat", "delete") else contents
        records = moved / factors.record_size_bytes
        on_path = factors.test == "backup" and workload.backup_access == "path"
        is_served = self.is_served and not on_path
        call = speed.served_seconds if is_served else CALL_SECONDS
        calls = (CALLS_OF_FILE * files + records) * call
        calls += factors.clients * speed.session_seconds if is_served else 0.0
        rests = files / factors.clients * workload.think / 1e9 if factors.test != "backup" else 0.0
        seconds = moved / speed.bytes_per_second + calls + rests + workload.ramp / 1e9
        is_scanned = self.scanned_after(cell) and not self._is_shared
        return min(seconds, workload.time_limit / 1e9) + (0.3 if is_scanned else 0.0)

    def written_bytes(self, cell: Cell, space_bytes: int) -> float:  # noqa: ARG002
        factors, workload = ConnectionsFactors.of(cell), self.workload
        contents, files = self._volume(cell)
        if factors.test in ("write", "backup fill"):
            return contents + files * METADATA_BYTES
        if factors.test == "mix":
            writing = workload.mix.get("create", 0) + workload.mix.get("save", 0)
            written = ClientFiles(workload).in_mix(writing, EXPECTED, is_served=self.is_served)
            return written * contents / max(files, 1)
        return files * METADATA_BYTES if factors.test == "delete" else 0.0

    def held_equal(self, space: str, has_raw: bool) -> list[str]:  # noqa: ARG002 - raw is refused
        workload = self.workload
        how = {"event loop": "run by event loops", "threads": "one thread each"}
        how_through = through(self.accesses, workload.interface)
        way = "sent to the server" if self.is_served else "through the page cache"
        if self.is_served and any(access.protocol == "path" for access in self.accesses):
            way = "through the page cache or sent to the server"
        caches = "the servers' caches left as they are"
        if not self._is_shared:
            caches = "caches dropped before each"
        lines = [
            f"files: {self._sets_in_words()}",
            f"clients: {self._clients_in_words()}, {how[workload.dispatch]}, {how_through},"
            f" {workload.outstanding} operation"
            f"{'s' if workload.outstanding > 1 else ''} at a time each{self._rests()}",
            f"data: {workload.data}, {way} in records of"
            f" {exact_size(workload.record_size)}; {'fsync' if workload.fsync else 'no sync'}"
            " before a file is closed;"
            f" {'all data read is checked' if workload.verify else 'not verified'}",
            "time: until every client is done"
            + at_most(workload.time_limit, in_model=self.in_model),
        ]
        if "mix" in workload.tests:
            parts = ", ".join(f"{name} {weight}" for name, weight in workload.mix.items())
            lines.append(f"mix: {parts}, for {exact_duration(workload.mix_duration)}")
        if "backup" in workload.tests and workload.backup_access == "path":
            lines.append("backup: written as clients write, read over the path, next to the server")
        return [*lines, f"order: tests in one order in every turn, {caches}"]

    def notes(self) -> list[str]:
        if self.workload.fsync:
            return []
        return [
            "the load does not sync clients' writes: what fits in memory is written to the"
            " storage later, so the test write then measures memory and the file system's code"
            " (workload.fsync = true includes the storage)"
        ]

    @property
    def _is_shared(self) -> bool:
        return any(access.share is not None for access in self.accesses)

    def _volume(self, cell: Cell) -> tuple[float, int]:
        if self.sets is None:
            raise ValueError("the number of files is only known in a room: call in_room first")
        backup = self.folder_of(cell) == BACKUP
        return ClientFiles(self.workload).volume(self.sets, self._sharing(cell), backup=backup)

    def _sharing(self, cell: Cell) -> int:
        """How many clients the files of a cell are of; a backup's reader is none of them."""
        return ConnectionsFactors.of(cell).swept_clients or self.workload.most_clients

    def _clients_in_words(self) -> str:
        """ "590"; "50 or 590, each on a newly made system"."""
        *fewer, most = map(str, sorted(self.workload.clients))
        on_hosts = " on each host" if self.workload.hosts else ""
        if not fewer:
            return f"{most}{on_hosts}"
        return f"{', '.join(fewer)} or {most}{on_hosts}, each on a newly made system"

    def _sets_in_words(self) -> str:
        workload, sets = self.workload, self.sets
        if sets is None:
            return "as many for all systems"
        found = []
        for backup, each in ((False, sets.files_per_client), (True, sets.backup_files_per_client)):
            role = " to back up" if backup else ""
            for clients in sorted(workload.clients):
                contents, files = ClientFiles(workload).volume(sets, clients, backup=backup)
                own = ClientFiles(workload).files_each(each, clients, backup=backup)
                of = f" of {clients}" if len(workload.clients) > 1 else ""
                if files:
                    found.append(
                        f"{files}{role}, {own} of each client{of}, {format_size(contents)}"
                    )
        tree = "a directory each"
        if workload.tree == "shared":
            tree = f"a shared tree of {workload.fan_out}^{workload.depth} directories"
        return f"{'; '.join(found)}; {tree}"

    def _rests(self) -> str:
        think = self.workload.think
        return f", resting {exact_duration(think)} after each file" if think else ""

    def _phase(self, cell: Cell) -> wire.Phase:
        factors = ConnectionsFactors.of(cell)
        workload = self.workload
        match factors.test:
            case "write" | "backup fill":
                then_open = workload.create == "then open"
                return wire.WritePhase(create="then_open" if then_open else "and_write")
            case "read":
                return wire.ReadPhase()
            case "stat":
                return wire.StatPhase()
            case "delete":
                return wire.DeletePhase()
            case "mix":
                drawn = workload.mix.items()
                weighted = [{"activity": name, "weight": weight} for name, weight in drawn]
                return wire.MixPhase.model_validate({"activities": weighted})
            case _:
                return wire.BackupPhase(
                    order=factors.order or "directory", block_size_bytes=workload.backup_block_size
                )

    def _file_set(self, cell: Cell, target: ClientFolders) -> wire.FileSet:
        workload = self.workload
        backup = self.folder_of(cell) == BACKUP
        clients = self._sharing(cell)
        of_most = target.backup_files_per_client if backup else target.files_per_client
        return wire.FileSet(
            clients=clients,
            files_per_client=ClientFiles(workload).files_each(of_most, clients, backup=backup),
            sizes=wire.CycleSizes(sizes_bytes=[workload.backup_file_size])
            if backup
            else FileSizes.of(workload).law,
            record_size_bytes=workload.record_size,
            tree=self._tree(),
        )

    def _tree(self) -> wire.Tree:
        workload = self.workload
        if workload.tree == "own":
            return wire.OwnTree()
        return wire.SharedTree(depth=workload.depth, fan_out=workload.fan_out)


METHOD = ConnectionsMethod
