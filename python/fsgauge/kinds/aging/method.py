"""The workload `aging` carried out: clean rates, files made in turns, deletes, rates again."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace

from fsgauge.engine import wire
from fsgauge.errors import InputError
from fsgauge.kinds.aging.factors import AgingFactors
from fsgauge.kinds.aging.keys import AgingWorkload
from fsgauge.kinds.aging.sizing import file_size, share_of, sizing_words
from fsgauge.record.records import Cell
from fsgauge.units import count, exact_size, format_bandwidth, format_duration, format_size
from fsgauge.workload.assumed import EXPECTED, SLOWEST, Room, Speed, operations_per_second
from fsgauge.workload.folders import AGED, RATE, AgedFiles, AgedFolders, Place, folders_of
from fsgauge.workload.method import MakesOwnFiles, data_of
from fsgauge.workload.rings import Rings
from fsgauge.workload.slicing import interval_of_work_ns
from fsgauge.workload.steps import AgeFolder, ClearFolder, DeleteFile, Step, TakeBallast

LONGEST_RUN_NS = 600_000_000_000
"""A run ends by its bytes; one that takes longer ends here, so that a slow disk holds no study."""
SHORTEST_STEADY_SECONDS = 0.5
"""A run that is shorter says little: `fsgauge plan` warns of it."""
_MODES: dict[str, wire.AgeMode] = {"fallocate": "fast", "direct": "direct", "write": "write"}
_MAP_ORDER = 5
_LEAVE_PER_MILLE = 2
"""Of the region: what ballast leaves for names, extent trees and other metadata."""
_LEAST_LEFT_BYTES = 4 << 20
_SHORTEST_AGEING_SECONDS = 600.0
_STEP_SECONDS = 0.035
"""A delete, or files removed, with its sync."""
_SCAN_SECONDS = 0.05
_METADATA_BYTES = 1 << 20
"""What names, inodes and journals of a run's few files write, at most."""


@dataclass(frozen=True)
class AgingMethod(MakesOwnFiles):
    """Clean rates, files made in turns, deletes, rates again.

    `sizes` and what follows are known once it is `in_room`.

    `written_share` is the share of turns whose files are written, and not only allocated.
    """

    workload: AgingWorkload
    sizes: AgedFiles | None = None
    written_share: float = 1.0
    in_folders: bool = False
    speed: Speed = EXPECTED

    has_model = True
    not_in_fio = ("fio ages no file system and deletes no files between its runs", "")

    @property
    def file_sets(self) -> AgedFiles | None:
        return self.sizes

    def in_room(self, room: Room) -> AgingMethod:
        """Files of whole chunks and hints of every system that fill the region, or InputError. XFS
        gives a file whole multiples of its hint: what is no multiple takes more than its size."""
        workload = self.workload
        chunks = [chunk for chunk in room.chunks if chunk is not None]
        unit = math.lcm(workload.record_size, *chunks, *room.hints)
        file_bytes = file_size(workload, room, unit)
        share = file_bytes * workload.rate_fill // 100 // workload.streams
        rate_bytes = share - share % unit
        if rate_bytes < unit:
            raise self._too_small(room, unit, file_bytes)
        self._require_verifiable(rate_bytes)
        written = len(room.chunks) - len(chunks)
        return replace(
            self,
            sizes=AgedFiles(file_bytes, rate_bytes),
            written_share=written / len(room.chunks) if room.chunks else 1.0,
            in_folders=room.in_folders,
            speed=room.speed,
        )

    def direct_sizes_bytes(self, *, bare: bool = False) -> list[int]:  # noqa: ARG002
        return [self.workload.record_size] if self.workload.passes_cache else []

    def largest_file_bytes(self, room: Room) -> int:  # noqa: ARG002
        sizes = self._sizes()
        return max(sizes.file_size_bytes, sizes.rate_file_bytes)

    def files_made(self) -> int:
        return self.workload.files + 1 + self.workload.streams

    def rings(self) -> Rings | None:
        workload = self.workload
        if workload.queue_depth == 1:
            return None
        instead = "--set workload.queue_depth=1"
        return Rings(workload.streams, workload.queue_depth, workload.record_size, instead)

    def buffered_instead(self) -> str:
        by = " --set workload.aged_by=write" if self.workload.aged_by == "direct" else ""
        return f"{super().buffered_instead()}{by}"

    def require_dealable(self, hosts: int) -> None:
        """Each host does all of it, in a region of its own; all are aged at once."""

    def seed_purpose(self, cell: Cell) -> str:  # noqa: ARG002
        """One for all cells of a block, which delete files in one order."""
        return "aging"

    def steps_before(self, cell: Cell, place: Place, seed: int) -> list[Step]:
        """Before the first aged write: ageing and ballast; before each: deletes down to its level.
        Files are deleted in an order by lot, one order for all systems of a block."""
        factors = AgingFactors.of(cell)
        folders = folders_of(place, AgedFolders)
        if factors.side != "write" or factors.free_percent is None:
            return []
        before = self._freed_before(factors.free_percent)
        steps: list[Step] = [ClearFolder(folders.folder(RATE))]
        if before == 0:
            steps.append(self._ageing(folders, seed))
            if folders.is_alone:
                ballast = f"{folders.directory}/ballast"
                steps.append(TakeBallast(ballast, self._left_bytes(folders)))
        a_file = 100 // self.workload.files
        order = _shuffled(self.workload.files, seed)[
            before // a_file : factors.free_percent // a_file
        ]
        return [*steps, *(DeleteFile(_aged_file(folders, number)) for number in order)]

    def scanned_after(self, cell: Cell) -> str | None:
        return RATE if AgingFactors.of(cell).side == "write" else None

    def scan_job(self, path: str, *, aged: bool) -> wire.ScanJob:
        files = self.workload.files if aged else self.workload.streams
        return wire.ScanJob(path=path, top=files, list_whole=True, map_order=_MAP_ORDER)

    def load_job(self, cell: Cell, target: Place, seed: int) -> wire.LoadJob:
        factors = AgingFactors.of(cell)
        folders = folders_of(target, AgedFolders)
        workload = self.workload
        writes = factors.side == "write"
        records = folders.rate_file_bytes // workload.record_size
        return wire.LoadJob(
            target=wire.FilesTarget(
                directory=folders.folder(RATE),
                prefix="rate-",
                count=workload.streams,
                file_size_bytes=folders.rate_file_bytes,
            ),
            interface="psync" if workload.queue_depth == 1 else "io_uring",
            direct=workload.direct,
            access=wire.SequentialAccess(),
            read_percent=factors.share_of_reads,
            block_sizes=[wire.BlockSize(size_bytes=workload.record_size)],
            queue_depth=workload.queue_depth,
            jobs=workload.streams,
            warm_up_ns=0,
            duration_ns=LONGEST_RUN_NS,
            interval_ns=interval_of_work_ns(LONGEST_RUN_NS),
            data=data_of(workload.data),
            seed=seed,
            ranges=wire.OwnFilesRanges(),
            passes=1,
            extend=writes,
            preallocate_chunk_bytes=folders.allocation_chunk_bytes if writes else None,
            sync=wire.FsyncSync(every=records) if writes else wire.NoSync(),
            verify=writes and workload.verify,
        )

    def run_seconds(self, cell: Cell, space_bytes: int, speed: Speed = EXPECTED) -> float:  # noqa: ARG002
        workload, seconds = self.workload, self._timed_seconds(speed)
        if AgingFactors.of(cell).side != "write":
            return seconds
        reading = self._rate_bytes() / speed.bytes_per_second if workload.verify else 0.0
        ageing = self._ageing_bytes(cell) / speed.bytes_per_second
        return seconds + reading + ageing + _SCAN_SECONDS + self._steps(cell) * _STEP_SECONDS

    def written_bytes(self, cell: Cell, space_bytes: int) -> float:  # noqa: ARG002
        """The streams' files; before the first aged cell, the region where it is written."""
        if AgingFactors.of(cell).side != "write":
            return 0.0
        return self._rate_bytes() + self._ageing_bytes(cell) + _METADATA_BYTES

    def held_equal(self, space: str, has_raw: bool) -> list[str]:  # noqa: ARG002 - raw is refused
        workload, sizes = self.workload, self._sizes()
        levels = sorted(workload.levels)
        shown = ", ".join(
            map(str, levels if len(levels) <= 6 else [*levels[:3], "...", levels[-1]])
        )
        checked = "; read back and checked after each write" if workload.verify else ""
        return [
            f"region: {workload.files} files of {format_size(sizes.file_size_bytes)}, made in turns"
            f" piece by piece, {format_size(workload.files * sizes.file_size_bytes)} together",
            *filter(None, [sizing_words(workload, sizes.file_size_bytes)]),
            "ballast: none, since others use the file systems too; what else is free there is used"
            " as well"
            if self.in_folders
            else "ballast: a file fills the rest, so that only deletes free space",
            f"streams: {workload.streams}, a new file of {format_size(sizes.rate_file_bytes)} each,"
            f" {'direct' if workload.direct else 'buffered'} {exact_size(workload.record_size)},"
            f" {workload.queue_depth} in flight each,"
            " a sync at the end; as many bytes at each level as clean",
            f"levels: clean, then {shown} % of the region free; files are deleted in one order",
            f"data: {workload.data}{checked}",
            "time: until every stream is done, unpaced: a run lasts about"
            f" {format_duration(self._timed_seconds() * 1e9)} at"
            f" {format_bandwidth(self.speed.bytes_per_second)}",
            "order: levels as deletes reach them, write before read, caches dropped before each",
        ]

    def cannot_tell(self) -> str:
        """Rates of runs that are over at once are mostly those of caches and of their beginning;
        and a folder has more free space than deletes give back."""
        of_a_folder = (
            "how a full file system allocates: files in a folder also find the free space that the"
            " rest of its file system has"
        )
        found = [of_a_folder if self.in_folders else "", self._steady_rates()]
        return "; ".join(filter(None, found))

    def _steady_rates(self) -> str:
        if self.sizes is None or self._timed_seconds() >= SHORTEST_STEADY_SECONDS:
            return ""
        region = self.workload.files * self.sizes.file_size_bytes
        moves = (
            f"steady rates: a run moves {format_size(self._rate_bytes())}, about"
            f" {format_duration(self._timed_seconds() * 1e9)}"
        )
        if self.workload.nominal_rate is not None:
            return f"{moves}; half a second takes a longer workload.nominal_time"
        enough = region * SHORTEST_STEADY_SECONDS / self._timed_seconds()
        larger = -(-enough * 100 // self.workload.fill)
        storage = f"{math.ceil(larger / (1 << 30))} GiB of storage (storage.size)"
        return f"{moves}; half a second takes about {storage}"

    def _left_bytes(self, folders: AgedFolders) -> int:
        region = self.workload.files * folders.file_size_bytes
        left = max(region * _LEAVE_PER_MILLE // 1000, _LEAST_LEFT_BYTES)
        return left - left % _LEAST_LEFT_BYTES

    def _ageing(self, folders: AgedFolders, seed: int) -> AgeFolder:
        """The job that makes the files, in pieces of the chunk, or record by record."""
        workload, chunk = self.workload, folders.allocation_chunk_bytes
        region = workload.files * folders.file_size_bytes
        aged_by = workload.written_by if chunk is None else "fallocate"
        seconds = _SHORTEST_AGEING_SECONDS + region / SLOWEST.bytes_per_second
        job = wire.AgeJob(
            directory=folders.folder(AGED),
            profile=wire.IntermingledProfile(
                files=workload.files,
                file_size_bytes=folders.file_size_bytes,
                chunk_bytes=chunk or workload.record_size,
            ),
            mode=_MODES[aged_by],
            space_bytes=region,
            fill_percent=100.0,
            end=wire.CompleteEnd(),
            time_limit_ns=int(seconds * 1e9),
            seed=seed,
        )
        return AgeFolder(job, needed_bytes=region)

    def _sizes(self) -> AgedFiles:
        if self.sizes is None:
            raise ValueError("file sizes are only known in a room: call in_room first")
        return self.sizes

    def _rate_bytes(self) -> int:
        return self.workload.streams * self._sizes().rate_file_bytes

    def _timed_seconds(self, speed: Speed | None = None) -> float:
        """How long the streams of one run take; at the room's speed unless another one is asked."""
        workload = self.workload
        in_flight = workload.streams * workload.queue_depth
        rate = operations_per_second(workload.record_size, in_flight, speed or self.speed)
        return self._rate_bytes() / workload.record_size / rate

    def _ageing_bytes(self, cell: Cell) -> float:
        """What ageing writes before a cell, on the average of all turns."""
        if AgingFactors.of(cell).free_percent != min(self.workload.levels):
            return 0.0
        return self.workload.files * self._sizes().file_size_bytes * self.written_share

    def _steps(self, cell: Cell) -> int:
        factors = AgingFactors.of(cell)
        if factors.free_percent is None:
            return 0
        freed = factors.free_percent - self._freed_before(factors.free_percent)
        return 1 + freed * self.workload.files // 100

    def _freed_before(self, level: int) -> int:
        levels = [0, *sorted(self.workload.levels)]
        return levels[levels.index(level) - 1]

    def _require_verifiable(self, rate_bytes: int) -> None:
        """A pass that is read back has to fill its queue: the engine refuses a shorter one."""
        workload = self.workload
        records, depth = rate_bytes // workload.record_size, workload.queue_depth
        if workload.verify and records < 2 * depth:
            shallower = f"--set workload.queue_depth={records // 2}, or " if records > 1 else ""
            raise InputError(
                f"a stream writes {count(records, 'record')}, and {2 * depth} are the fewest that"
                f" are verified at a queue depth of {depth}",
                cause=f"its file has {format_size(rate_bytes)}",
                next=f"{shallower}smaller records, larger storage, or --set workload.verify=false",
            )

    def _too_small(self, room: Room, unit_bytes: int, file_bytes: int) -> InputError:
        workload = self.workload
        # A file system that is not made yet takes a part of the storage: a quarter of a small one.
        fill = workload.rate_fill if room.least else workload.rate_fill // 2
        fitting = file_bytes * fill // 100 // unit_bytes
        streams = f"--set workload.streams={fitting}" if fitting else "fewer workload.streams"
        if workload.nominal_rate is None:
            file_bytes = share_of(workload, room)
        a_file = -(-workload.streams * unit_bytes * 100 // workload.rate_fill)
        a_file += -a_file % unit_bytes
        needed = -(-a_file * workload.files * 100 // workload.fill)
        larger = f"room for {format_size(needed)}"
        if workload.nominal_rate is not None:
            larger = "a longer workload.nominal_time"
        where = f'"{room.least}" leaves' if room.least else "the storage has"
        return InputError(
            f"{workload.files} files would have {format_size(file_bytes)} each, and"
            f" {workload.streams} streams need {format_size(a_file)} of one",
            details=(f"each stream writes whole pieces of {exact_size(unit_bytes)}",),
            cause=f"{where} room for {format_size(room.free_bytes)}, and the region is"
            f" {workload.fill} % of it"
            if workload.nominal_rate is None
            else "the region follows from workload.nominal_rate",
            next=f"{larger}, {streams}, or smaller {_pieces(room)}",
        )


def _pieces(room: Room) -> str:
    """What makes the pieces of a stream as large as they are."""
    if any(room.chunks):
        return "allocation_chunks"
    return "extent_size_hints" if room.hints else "records"


def _aged_file(folders: AgedFolders, number: int) -> str:
    """Where the engine makes a file: all in one directory (crates/fsgauge-alloc, ager/name.rs)."""
    return f"{folders.folder(AGED)}/d0000/f{number:04d}"


def _shuffled(files: int, seed: int) -> list[int]:
    """Numbers of all files in an order by lot."""
    chance = random.Random(seed)  # noqa: S311 - the order of a study, not a secret
    return sorted(range(files), key=lambda _: chance.random())


METHOD = AgingMethod
