"""What every kind of workload answers, so that nothing else has to know the kinds.

`Method` answers for a kind that lays out equal files and works on them for a time. A kind says only
what it does otherwise; one must say `load_job`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

from fsgauge.engine import wire
from fsgauge.errors import InputError
from fsgauge.record.command import CommandJob
from fsgauge.record.factors import factors_of
from fsgauge.record.records import Cell
from fsgauge.study.access import AccessKeys
from fsgauge.units import count, format_duration
from fsgauge.workload.assumed import EXPECTED, Room, Speed, operations_per_second
from fsgauge.workload.dealing import Dealt, Share
from fsgauge.workload.folders import AgedFiles, ClientFolders, FileSets, Place, laid_out
from fsgauge.workload.rings import Rings, rings_of
from fsgauge.workload.slicing import Slicing, interval_ns, rounded_down
from fsgauge.workload.steps import Step

_SPARE_DESCRIPTORS = 32
"""Of the engine beside its files: it was tried with 5, and holds pipes, a lease and claims."""
_SPARE_INODES = 4
"""The scratch folder of a turn, and what stands in it beside the files."""
WORST_FILES = 3
"""Listed of a scan, the most fragmented first."""


@dataclass(frozen=True)
class Method:
    """A workload carried out: its files, its engine jobs, and what they will take.

    The files are `files` equal ones, or as many bytes of a bare device. Where nothing is laid out,
    the load makes its own in folders (`file_sets`). `accesses` are how systems are reached.
    """

    workload: Any
    accesses: tuple[AccessKeys, ...] = field(default=(), kw_only=True)

    lays_out: ClassVar[bool] = True
    """Whether a system is filled before its first cell."""
    at_once: ClassVar[bool] = False
    """Whether the cells of a turn are loads that run side by side on one system."""
    keeps_order: ClassVar[bool] = False
    """Whether cells build on one another, so that every turn has them in their own order."""
    has_model: ClassVar[bool] = False
    """Whether its files are made, appended to and removed in one order, and where they lie is what
    its cells measure: what the simulator knows."""
    counts_fua: ClassVar[bool] = False
    """Whether writes with FUA are counted at the disks, which costs every request a little."""
    without_rings: ClassVar[str] = ""
    """The change after which no cell is submitted by io_uring."""
    not_in_fio: ClassVar[tuple[str, str]] = ("no fio command is made from such a study", "")
    """Why no fio is run beside the engine, and the bench that comes near; both may be ""."""
    outlives_faults: ClassVar[bool] = False
    """Whether a system that cannot be set up, crashes or hangs is a result: its turn has failed,
    and the study goes on. Otherwise the block is void."""

    @property
    def programs(self) -> dict[str, str]:
        """Programs of others that the load is, and the package of each, "" where it is not known:
        such a load is started by the host rig alone, one system after the other."""
        return {}

    @property
    def file_sets(self) -> FileSets | AgedFiles | None:
        """Files of clients, once it is known in a room how many; None where files are laid out."""
        return None

    @property
    def files(self) -> int:
        """How many files share the space."""
        return 1

    @property
    def fill_percent(self) -> int:
        """Share of the storage that they fill: the kind's key `fill`, where it has one."""
        return int(getattr(self.workload, "fill", 90))

    @property
    def reserve_bytes(self) -> int:
        """What the load writes beside the files, at most."""
        return 0

    @property
    def overwrites(self) -> bool:
        """Whether the load writes over what is in the files."""
        return True

    @property
    def files_of_all(self) -> int:
        """How many of the files that are laid out, the first ones, several hosts would all work on.
        0: each host has files of its own."""
        return 0

    @property
    def is_served(self) -> bool:
        """Whether any system is reached over a server."""
        return any(access.protocol != "path" for access in self.accesses)

    def in_room(self, room: Room) -> Self:  # noqa: ARG002
        """The same with its file sets decided; InputError where they do not fit."""
        return self

    def require_descriptors(self, limit: int) -> None:
        """Raise InputError where the load needs more open files than `limit`: each job has a table
        of its own, with every file."""
        needed = self.files + _SPARE_DESCRIPTORS
        instead = f"fewer workload.files, or as root: ulimit -n {needed}"
        self.require_open_files(f"{self.files:,} files open at once", needed, limit, instead)

    def require_open_files(self, asked: str, needed: int, limit: int, instead: str) -> None:
        """Raise InputError where `needed` files are more than may be open; `asked` says whose."""
        if needed > limit:
            raise InputError(
                f"{asked} are more than this process may open: {limit:,}",
                cause="the hard limit of open files (ulimit -Hn)",
                next=instead,
            )

    def files_made(self) -> int:
        """How many files a system holds at once, at most. Asked once it is known in which room, but
        for file sets, which are held to its inodes when they are decided."""
        return self.files

    def require_inodes(self, room: Room) -> None:
        """Raise InputError where a system has too few inodes for them and for scratch folders."""
        needed = self.files_made() + _SPARE_INODES
        if room.inodes is not None and needed > room.inodes:
            raise InputError(
                f"{self.files_made():,} files need {needed:,} inodes with their folders",
                cause=f'"{room.fewest}" has {room.inodes:,}',
                next=f"{self.fewer_files()}, or {room.more_inodes(needed)}",
            )

    def fewer_files(self) -> str:
        """What makes a system hold fewer of them."""
        return "fewer workload.files"

    def rings(self) -> Rings | None:
        """What the load asks of io_uring over paths; None where it asks for nothing."""
        return rings_of(map(factors_of, self.workload.cells()), self.without_rings)

    def file_size_bytes(self, largest_bytes: int) -> int:
        """The size of each file, as near below `largest_bytes` as the load likes it."""
        return rounded_down(largest_bytes)

    def largest_file_bytes(self, room: Room) -> int:
        """The size of the largest file that the load makes in this room, at most."""
        filled = room.free_bytes * self.fill_percent // 100 // max(self.files, 1)
        return self.file_size_bytes(filled)

    @property
    def threads(self) -> int:
        return max((factors_of(cell).at_once for cell in self.workload.cells()), default=1)

    @property
    def buffer_bytes(self) -> int:
        """Memory of all operations that are in flight at once, at most."""
        cells = map(factors_of, self.workload.cells())
        return max((each.buffers * each.operation_bytes for each in cells), default=0)

    def require_room(self, file_bytes: int, cause: str) -> None:
        """Raise InputError where files of that size cannot hold the load."""

    def direct_sizes_bytes(self, *, bare: bool = False) -> list[int]:  # noqa: ARG002
        """Sizes of the operations on files (or on a bare device) that pass the page cache."""
        return []

    def buffered_instead(self) -> str:
        """The change that leads the same load through the page cache, where it passes it."""
        return "--set workload.direct=false" if hasattr(self.workload, "direct") else ""

    def without_extents(self) -> str:
        """The change that runs without extents (FIEMAP); "" where the load needs none."""
        return "--set workload.scan=false" if self.workload.scan else ""

    def reached_by(self, accesses: Sequence[AccessKeys]) -> Self:
        """The same with how one system is reached, for its times, or all are, for words."""
        return replace(self, accesses=tuple(accesses))

    def clear_jobs(self, folders: ClientFolders) -> list[wire.ClientsJob]:  # noqa: ARG002
        """Jobs that remove what a run leaves on a share; the first alone logs in."""
        raise TypeError("only clients work on shares")

    def layout_job(self, target: Place, seed: int) -> wire.LayoutJob | None:
        """The job that fills a fresh system, by keys `direct` and `data`; None where none does."""
        direct = getattr(self.workload, "direct", False)
        data = data_of(getattr(self.workload, "data", "incompressible"))
        return wire.LayoutJob(target=laid_out(target), direct=direct, data=data, seed=seed)

    def stages(self, cells: Sequence[Cell]) -> list[list[list[str]]]:
        """Ids of the cells that share a system made afresh: a stage, which is a turn of its own.

        Stages that are compared with one another form a group: they stand side by side in a block.
        """
        return [[[cell.id for cell in cells]]]

    def seed_purpose(self, cell: Cell) -> str:
        """Cells with the same words here have the same seed in a block."""
        return cell.id

    def steps_before(self, cell: Cell, place: Place, seed: int) -> list[Step]:  # noqa: ARG002
        """What is done to the system before a cell, untimed, in this order. `seed` is that of the
        cell's load: equal for all systems of a block, and for all cells with one `seed_purpose`."""
        return []

    def scanned_after(self, cell: Cell) -> str | None:  # noqa: ARG002
        """The folder whose extents are counted after a cell; None where none are."""
        return None

    def scan_job(self, path: str, *, aged: bool) -> wire.ScanJob:  # noqa: ARG002
        """How the folder that a cell wrote, or that was aged, is scanned."""
        return wire.ScanJob(path=path, top=WORST_FILES, space=False)

    def load_job(
        self, cell: Cell, target: Place, seed: int
    ) -> wire.LoadJob | wire.ClientsJob | CommandJob:
        """The job of one cell on a system whose files are `target`."""
        raise NotImplementedError

    def laid_out_beside(self, target: Place, seed: int) -> list[wire.LoadJob]:  # noqa: ARG002
        """Where cells run at once: loads whose files are written with theirs, and which never
        run."""
        return []

    def timed_load(self, cell: Cell, target: Place, seed: int, **own: object) -> wire.LoadJob:
        """A load on the files for a time, its numbers those of the cell's factors; `own` is what
        the kind has otherwise."""
        factors = factors_of(cell)
        usual: dict[str, object] = {
            "target": laid_out(target),
            "interface": "psync",
            "direct": False,
            "read_percent": factors.share_of_reads,
            "block_sizes": [wire.BlockSize(size_bytes=factors.operation_bytes)],
            "queue_depth": factors.depth,
            "jobs": factors.at_once,
            "warm_up_ns": self.workload.warm_up,
            "duration_ns": self.workload.duration,
            "interval_ns": interval_ns(self.workload.duration),
            "rate": self.pace_of(cell),
            "seed": seed,
        }
        return wire.LoadJob.model_validate(usual | own)

    def rate_of(self, cell: Cell) -> float | None:
        """Operations a second that a cell's load is offered; None without a pace."""
        if cell.pace is not None:
            return cell.pace.rate or None
        key = self.workload.pace
        return getattr(self.workload, key) if key else None

    def pace_of(self, cell: Cell) -> wire.Rate | None:
        """The same for the engine."""
        per_second = self.rate_of(cell)
        if per_second is None:
            return None
        return wire.Rate(operations_per_second=per_second, arrival=self.workload.arrival)

    def slicing(self, cell: Cell) -> Slicing:  # noqa: ARG002
        """How its time may be divided where systems are measured side by side."""
        return Slicing()

    def require_dealable(self, hosts: int) -> None:
        """Raise InputError where the load cannot be dealt out to so many hosts."""
        if hosts > 1:
            raise InputError(
                f"a study of this kind runs on one host so far, and the fleet has {hosts}",
                cause="its load is not yet divided between hosts",
                next="a hosts file with one host, or the same study without --rig fleet",
            )

    def dealt(self, job: Dealt, share: Share) -> Dealt:
        """One host's share of a job, as `require_dealable` allows it: all of it, with data and
        offsets of its own; of a pace, its share."""
        update: dict[str, object] = {"seed": share.seed(job.seed)}
        if isinstance(job, wire.LoadJob):
            update["rate"] = share.pace(job.rate, share.hosts)
        return job.model_copy(update=update)

    def is_on_files_of_all(self, job: wire.LoadJob | wire.ClientsJob) -> bool:  # noqa: ARG002
        """Whether a load works on those, so that all hosts must be through before any goes on."""
        return self.files_of_all > 0

    def without_files_of_all(self) -> str:
        """The change that gives each host files of its own."""
        return ""

    def run_seconds(self, cell: Cell, space_bytes: int, speed: Speed = EXPECTED) -> float:  # noqa: ARG002
        """What a run takes on storage of such speed; `space_bytes` is that of all files."""
        return float(self.workload.warm_up + self.workload.duration) / 1e9

    def written_bytes(self, cell: Cell, space_bytes: int) -> float:
        """What a run writes, hardly ever more: its pace or the assumed rate, all of its time."""
        factors = factors_of(cell)
        rate = operations_per_second(factors.operation_bytes, factors.depth * factors.at_once)
        moved = min(rate, self.rate_of(cell) or rate) * self.run_seconds(cell, space_bytes)
        return moved * factors.operation_bytes * (100 - factors.share_of_reads) / 100

    def round_of(
        self, cell: Cell, space_bytes: int, speed: Speed = EXPECTED
    ) -> tuple[float, float]:
        """Seconds, and bytes written, of one round of a cell's load, which preconditions a device;
        nothing where a run ends with its work, on files of its own."""
        if not self.lays_out:
            return 0.0, 0.0
        return self.run_seconds(cell, space_bytes, speed), self.written_bytes(cell, space_bytes)

    def held_equal(self, space: str, has_raw: bool) -> list[str]:
        """What is the same for all systems, a line each; `space` is that of all files, in words."""
        raw = "; raw: the same number of bytes of the device" if has_raw else ""
        files = "one file" if self.files == 1 else f"{self.files} equal files"
        return [f"space: {files} of {space}, laid out first{raw}", f"time: {self.time_words()}"]

    def starts(self) -> list[str]:
        """The programs and lines for a shell that the study names, as written; none of most."""
        return []

    def time_words(self) -> str:
        """Of a run that ends by time."""
        warm_up, duration = map(format_duration, (self.workload.warm_up, self.workload.duration))
        return f"{warm_up} warm-up and {duration} measured in each run"

    def notes(self) -> list[str]:
        """What a reader of every result should know."""
        return []

    def cautions(self) -> list[str]:
        """What a person should know before such a study is begun."""
        return []

    def bare_stands_for(self) -> str:
        """What a bare device does instead where the load needs files; empty if it needs none."""
        return ""

    def cannot_tell(self) -> str:
        """What a person may expect of this kind and will not get; empty if nothing."""
        return ""


@dataclass(frozen=True)
class MakesOwnFiles(Method):
    """What those kinds answer alike whose load makes its own files on an empty system."""

    lays_out = False
    keeps_order = True
    files = 0
    fill_percent = 0
    overwrites = False
    spare_descriptors: ClassVar[int] = 256
    """Of the engine beside its clients' files: rings, directories, its own output."""

    def file_size_bytes(self, largest_bytes: int) -> int:  # noqa: ARG002
        """0: no files are laid out."""
        return 0

    def layout_job(self, target: Place, seed: int) -> wire.LayoutJob | None:  # noqa: ARG002
        """None: a turn begins on an empty system."""
        return None

    def require_of_clients(
        self, clients: int, each: int, what: str, limit: int, *, beside: int = 0
    ) -> None:
        """Raise InputError where clients with `each` descriptors, `what` in words, need more than
        `limit` with those of the engine and so many `beside`."""
        beside += self.spare_descriptors
        fitting = (limit - beside) // each
        self.require_open_files(
            f"{count(clients, 'client')} with {what} each",
            clients * each + beside,
            limit,
            f"--set workload.clients={fitting}, or raise the limit"
            if fitting > 0
            else "raise the limit of open files",
        )


def data_of(words: Literal["incompressible", "zero"]) -> wire.Data:
    """The study's word for what is written, for the engine."""
    return wire.ZeroData() if words == "zero" else wire.IncompressibleData()
