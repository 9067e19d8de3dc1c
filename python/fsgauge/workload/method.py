"""What every kind of workload answers, so that nothing else has to know the kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, Self

from fsgauge.engine.wire import (
    ClientsJob,
    Data,
    IncompressibleData,
    Interface,
    LayoutJob,
    LoadJob,
    ScanJob,
    Target,
    ZeroData,
)
from fsgauge.errors import InputError
from fsgauge.record.records import Cell
from fsgauge.study.access import AccessKeys
from fsgauge.study.access_words import through
from fsgauge.units import exact_duration
from fsgauge.workload.assumed import EXPECTED, Speed
from fsgauge.workload.dealing import Dealt, Share
from fsgauge.workload.folders import (
    AgedFiles,
    AgedFolders,
    ClientFolders,
    FileSets,
    Place,
    ServedFiles,
)
from fsgauge.workload.room import Room
from fsgauge.workload.slicing import Slicing
from fsgauge.workload.steps import Step

WORST_FILES = 3
"""Listed of a scan, the most fragmented first."""


class Method(Protocol):
    """A workload carried out: its files, its engine jobs, and what they will take.

    The files are `files` equal ones, or as many bytes of a bare device, before every cell. Where
    nothing is laid out, the load makes its own files in folders (`file_sets`).
    """

    @property
    def lays_out(self) -> bool:
        """Whether a system is filled before its first cell."""
        ...

    @property
    def keeps_order(self) -> bool:
        """Whether cells build on one another, so that every turn has them in their own order."""
        ...

    @property
    def outlives_faults(self) -> bool:
        """Whether a system that cannot be set up, crashes or hangs is a result: its turn has
        failed, and the study goes on. Otherwise the block is void."""
        ...

    @property
    def file_sets(self) -> FileSets | AgedFiles | None:
        """Files of clients, once it is known in a room how many; None where files are laid out."""
        ...

    def in_room(self, room: Room) -> Method:
        """The same with its file sets decided; InputError where they do not fit."""
        ...

    def require_descriptors(self, limit: int) -> None:
        """Raise InputError where the load needs more open files than `limit`."""
        ...

    @property
    def files(self) -> int:
        """How many files share the space."""
        ...

    @property
    def fill_percent(self) -> int:
        """Share of the storage that they fill."""
        ...

    @property
    def reserve_bytes(self) -> int:
        """What the load writes beside the files, at most."""
        ...

    @property
    def overwrites(self) -> bool:
        """Whether the load writes over what is in the files."""
        ...

    def file_size_bytes(self, largest_bytes: int) -> int:
        """The size of each file, as near below `largest_bytes` as the load likes it."""
        ...

    def require_room(self, file_bytes: int, cause: str) -> None:
        """Raise InputError where files of that size cannot hold the load."""
        ...

    def direct_sizes_bytes(self, *, bare: bool = False) -> list[int]:
        """Sizes of the operations on files (or on a bare device) that pass the page cache."""
        ...

    def buffered_instead(self) -> str:
        """The change that leads the same load through the page cache."""
        ...

    def reached_by(self, accesses: Sequence[AccessKeys]) -> Method:
        """The same with how one system is reached, for its times, or all are, for words."""
        ...

    def clear_jobs(self, folders: ClientFolders) -> list[ClientsJob]:
        """Jobs that remove what a run leaves on a share; the first alone logs in."""
        ...

    def layout_job(self, target: Place, seed: int) -> LayoutJob | None:
        """The job that fills a fresh system; None where the load makes its own files."""
        ...

    def stages(self, cells: Sequence[Cell]) -> list[list[list[str]]]:
        """Ids of the cells that share a system made afresh: a stage, which is a turn of its own.

        Stages that are compared with one another form a group: they stand side by side in a block.
        """
        ...

    def seed_purpose(self, cell: Cell) -> str:
        """Cells with the same words here have the same seed in a block."""
        ...

    def steps_before(self, cell: Cell, place: Place, seed: int) -> list[Step]:
        """What is done to the system before a cell, untimed, in this order.

        `seed` is that of the cell's load: equal for all systems of a block, and for all cells with
        one `seed_purpose`.
        """
        ...

    def scanned_after(self, cell: Cell) -> str | None:
        """The folder whose extents are counted after a cell; None where none are."""
        ...

    def scan_job(self, path: str, *, aged: bool) -> ScanJob:
        """How the folder that a cell wrote, or that was aged, is scanned."""
        ...

    def load_job(self, cell: Cell, target: Place, seed: int) -> LoadJob | ClientsJob:
        """The job of one cell on a system whose files are `target`."""
        ...

    def slicing(self, cell: Cell) -> Slicing:
        """How its time may be divided where systems are measured side by side."""
        ...

    def require_dealable(self, hosts: int) -> None:
        """Raise InputError where the load cannot be dealt out to so many hosts."""
        ...

    def dealt(self, job: Dealt, share: Share) -> Dealt:
        """One host's share of a job, as `require_dealable` allows it."""
        ...

    @property
    def files_of_all(self) -> int:
        """How many of the files that are laid out, the first ones, hosts would all work on.

        0: each host has files of its own.
        """
        ...

    def is_on_files_of_all(self, job: LoadJob | ClientsJob) -> bool:
        """Whether a load works on those, so that all hosts must be through before any goes on."""
        ...

    def without_files_of_all(self) -> str:
        """The change that gives each host files of its own."""
        ...

    def run_seconds(self, cell: Cell, space_bytes: int, speed: Speed = EXPECTED) -> float:
        """What a run takes on storage of such speed; `space_bytes` is that of all files."""
        ...

    def written_bytes(self, cell: Cell, space_bytes: int) -> float:
        """What a run writes, hardly ever more."""
        ...

    def held_equal(self, space: str, has_raw: bool) -> list[str]:
        """What is the same for all systems, a line each; `space` is that of all files, in words."""
        ...

    def notes(self) -> list[str]:
        """What a reader of every result should know."""
        ...

    def cautions(self) -> list[str]:
        """What a person should know before such a study is begun."""
        ...

    def bare_stands_for(self) -> str:
        """What a bare device does instead where the load needs files; empty if it needs none."""
        ...

    def cannot_tell(self) -> str:
        """What a person may expect of this kind and will not get; empty if nothing."""
        ...

    def without_equal_in_fio(self) -> tuple[str, str]:
        """Why no fio is run beside the engine, and the bench that comes near; both may be ""."""
        ...


@dataclass(frozen=True, kw_only=True)
class OverServers:
    """What those kinds answer alike that work over servers too; no `accesses` means over paths."""

    accesses: tuple[AccessKeys, ...] = ()

    def reached_by(self, accesses: Sequence[AccessKeys]) -> Self:
        """The same over these servers or paths."""
        return replace(self, accesses=tuple(accesses))

    @property
    def is_served(self) -> bool:
        """Whether any system is reached over a server."""
        return any(access.protocol != "path" for access in self.accesses)


class OnPaths:
    """What those kinds answer alike whose files are never reached over a network."""

    outlives_faults = False

    @property
    def files_of_all(self) -> int:
        """Each host has its own."""
        return 0

    def is_on_files_of_all(self, job: LoadJob | ClientsJob) -> bool:  # noqa: ARG002
        """There are none."""
        return False

    def without_files_of_all(self) -> str:
        """They have them."""
        return ""

    def reached_by(self, accesses: Sequence[AccessKeys]) -> Self:  # noqa: ARG002
        """It is over paths."""
        return self

    def cautions(self) -> list[str]:
        """Nothing."""
        return []

    def require_dealable(self, hosts: int) -> None:
        """Raise InputError: what is not dealt out runs on one host."""
        if hosts > 1:
            raise InputError(
                f"a study of this kind runs on one host so far, and the fleet has {hosts}",
                cause="its load is not yet divided between hosts",
                next="a hosts file with one host, or the same study without --rig fleet",
            )

    def dealt(self, job: Dealt, share: Share) -> Dealt:  # noqa: ARG002 - there is one host
        """All of it."""
        return job

    def clear_jobs(self, folders: ClientFolders) -> list[ClientsJob]:  # noqa: ARG002
        """Raise TypeError: no share is ever given to it."""
        raise TypeError("only clients work on shares")

    def slicing(self, cell: Cell) -> Slicing:  # noqa: ARG002 - fixed work is done in one go
        """In one go."""
        return Slicing()

    def scan_job(self, path: str, *, aged: bool) -> ScanJob:  # noqa: ARG002 - nothing ages it
        """Files alone, and the worst of them."""
        return ScanJob(path=path, top=WORST_FILES, space=False)


class LaidOut(OnPaths):
    """What those kinds answer alike whose files are laid out before each turn."""

    lays_out = True
    keeps_order = False
    file_sets = None

    def in_room(self, room: Room) -> Self:  # noqa: ARG002 - the files' size follows from the room
        """It has no file sets."""
        return self

    def require_descriptors(self, limit: int) -> None:
        """It opens few files."""

    def stages(self, cells: Sequence[Cell]) -> list[list[list[str]]]:
        """All cells are measured on one system."""
        return one_stage(cells)

    def seed_purpose(self, cell: Cell) -> str:
        """A seed for each cell."""
        return cell.id

    def steps_before(self, cell: Cell, place: Place, seed: int) -> list[Step]:  # noqa: ARG002
        """Nothing happens between its cells."""
        return []

    def scanned_after(self, cell: Cell) -> str | None:  # noqa: ARG002
        """Its cells make no files of their own."""
        return None


class MakesOwnFiles(OnPaths):
    """What those kinds answer alike whose load makes its own files on an empty system."""

    lays_out = False
    keeps_order = True
    reserve_bytes = 0
    overwrites = False

    def file_size_bytes(self, largest_bytes: int) -> int:  # noqa: ARG002 - nothing is laid out
        """No files are laid out."""
        return 0

    def require_room(self, file_bytes: int, cause: str) -> None:
        """The room is asked about in `in_room`."""

    def direct_sizes_bytes(self, *, bare: bool = False) -> list[int]:  # noqa: ARG002
        """Clients and readers go through the page cache, as programs do."""
        return []

    def buffered_instead(self) -> str:
        """It is buffered."""
        return ""

    def layout_job(self, target: Place, seed: int) -> LayoutJob | None:  # noqa: ARG002
        """A turn begins on an empty system."""
        return None

    def bare_stands_for(self) -> str:
        """A device has no files, and is refused."""
        return ""


def one_stage(cells: Sequence[Cell]) -> list[list[list[str]]]:
    """All cells in one stage."""
    return [[[cell.id for cell in cells]]]


def laid_out(place: Place) -> Target:
    """The target of a load on files that were laid out; TypeError for another kind's folders."""
    if isinstance(place, ClientFolders | AgedFolders):
        raise TypeError("a plain load cannot use the folders of other kinds")
    return place.target if isinstance(place, ServedFiles) else place


def interface_of(place: Place, here: Interface) -> Interface:
    """What carries a load there: the study's interface here, sockets through a server."""
    return "sockets" if isinstance(place, ServedFiles) else here


def access_line(
    accesses: Sequence[AccessKeys], interfaces: Sequence[str], direct: str = ""
) -> list[str]:
    """How files that were laid out are reached, a line for what is held equal; none over paths.

    `direct` is what direct I/O means through a server, where it means anything.
    """
    if all(access.protocol == "path" for access in accesses):
        return []
    return [
        f"access: {through(accesses, ' and '.join(interfaces))}; files are laid out over the path "
        "first; through a server, "
        + (direct or "direct and buffered are the same, since the server decides what it caches")
    ]


def at_most(limit_ns: int, *, in_model: bool) -> str:
    """What ends a run before its work is done: its limit, and in a model nothing."""
    if in_model:
        return "; in a model no time limit ends it"
    return f", at most {exact_duration(limit_ns)}"


def data_of(words: Literal["incompressible", "zero"]) -> Data:
    """The study's word for what is written, for the engine."""
    return ZeroData() if words == "zero" else IncompressibleData()
