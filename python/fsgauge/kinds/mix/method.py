"""Groups side by side carried out: each has a folder, and a load of the engine; all are one job."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from fsgauge.engine.wire import BlockTarget, LoadJob
from fsgauge.errors import InputError
from fsgauge.kinds.mix.factors import MixFactors
from fsgauge.kinds.mix.group import Group
from fsgauge.kinds.mix.keys import MixWorkload, folder_of
from fsgauge.kinds.mix.space import owners, require_bytes, stored_by_all, stored_bytes
from fsgauge.record.factors import factors_of
from fsgauge.record.records import Cell
from fsgauge.study.file_sizes import FileSizes
from fsgauge.units import exact_duration, exact_size
from fsgauge.workload.assumed import EXPECTED, Room, Speed, operations_per_second
from fsgauge.workload.folders import ClientFolders, FileSets, Place, folders_of
from fsgauge.workload.method import MakesOwnFiles
from fsgauge.workload.rings import Rings, rings_of
from fsgauge.workload.slicing import interval_ns

_FILES_IN_DIRECTORY = 100
_PREFIX = "f"
_BESIDE = "_beside"
"""The folder of files that only take space; no group can be called so."""
_PIECE_BYTES = 1 << 30
_AS_IN_STUDY = ("direct", "read_percent", "queue_depth", "jobs", "submit_batch", "verify")
_WHERE_ASKED = ("apart", "hashed", "continue_when_full")
"""Keys that the engine has by the same names; the latter as long as they are on."""
_WRITTEN_BYTES = 1 << 20
"""At a time, where files are laid out: they are whole multiples of it."""


@dataclass(frozen=True)
class MixMethod(MakesOwnFiles):
    """One engine job a turn; the load of each group is a cell."""

    workload: MixWorkload
    not_in_fio = ("fio reads a job file, and a mix is written for fsgauge", "")
    at_once = True

    def require_dealable(self, hosts: int) -> None:
        if hosts > 1 and self.workload.steady_window:
            raise InputError(
                "workload.steady_window ends the warm-up of each host at another time",
                cause="what hosts do at once is measured at once",
                next="leave steady_window out, or measure on one host",
            )

    def rings(self) -> Rings | None:
        asking = [group.name for group in self.workload.group if group.calls == "io_uring"]
        instead = " ".join(f"--set 'workload.group.{name}.interface=libaio'" for name in asking)
        return rings_of(map(factors_of, self.workload.cells()), instead)

    @property
    def file_sets(self) -> FileSets:
        folders = [folder_of(group.name) for group in owners(self.workload)]
        folders += [_BESIDE] if self.workload.fill else []
        return FileSets(folders=tuple(folders), of_clients=())

    def in_room(self, room: Room) -> MixMethod:
        require_bytes(self.workload, room)
        files = [group.file_count for group in owners(self.workload)]
        inodes = sum(each + each // _FILES_IN_DIRECTORY + 2 for each in files)
        if room.inodes is not None and inodes > room.inodes:
            raise InputError(
                f"the files of all groups and their directories need {inodes} inodes",
                cause=f'"{room.fewest}" has {room.inodes}',
                next=f"{self.fewer_files()}, or {room.more_inodes(inodes)}",
            )
        return self

    def fewer_files(self) -> str:
        most = max(owners(self.workload), key=lambda group: group.file_count)
        return f'fewer files of group "{most.name}"'

    def require_descriptors(self, limit: int) -> None:
        """The files of a group of reads and writes are all open at once while they are laid out;
        of the others only some."""
        plain = [group for group in owners(self.workload) if group.is_plain]
        if not plain:
            return
        most = max(plain, key=lambda group: group.file_count)
        needed = most.file_count + self.spare_descriptors
        self.require_open_files(
            f'{most.file_count:,} files of group "{most.name}", open at once,',
            needed,
            limit,
            f'fewer files of group "{most.name}", or as root: ulimit -n {needed}',
        )

    def largest_file_bytes(self, room: Room) -> int:  # noqa: ARG002
        return max(group.largest_file_bytes for group in owners(self.workload))

    @property
    def threads(self) -> int:
        return sum(group.jobs for group in self.workload.group)

    @property
    def buffer_bytes(self) -> int:
        """Of all groups: each operation has room for the largest block."""
        cells = map(factors_of, self.workload.cells())
        largest = (group.largest_block_bytes for group in self.workload.group)
        return sum(
            each.buffers * block_bytes for each, block_bytes in zip(cells, largest, strict=True)
        )

    def direct_sizes_bytes(self, *, bare: bool = False) -> list[int]:  # noqa: ARG002
        direct = [group for group in self.workload.group if group.direct]
        return sorted({size for group in direct for size in group.every_block_size})

    def buffered_instead(self) -> str:
        direct = [group.name for group in self.workload.group if group.direct]
        return " ".join(f"--set 'workload.group.{name}.direct=false'" for name in direct)

    def load_job(self, cell: Cell, target: Place, seed: int) -> LoadJob:
        return self._load(self._group(cell), target, seed, self.rate_of(cell))

    def laid_out_beside(self, target: Place, seed: int) -> list[LoadJob]:
        """Files that fill a system to `fill` with those of the groups, of which no load is."""
        if not (
            self.workload.fill and isinstance(target, ClientFolders) and target.available_bytes
        ):
            return []
        size_bytes = self._beside_bytes(target.available_bytes)
        count = max(-(-size_bytes // _PIECE_BYTES), 1)
        each_bytes = size_bytes // count // _WRITTEN_BYTES * _WRITTEN_BYTES
        if not each_bytes:
            return []
        files = Group(name="beside", files=count, file_sizes=[each_bytes])
        return [self._load(files.model_copy(update={"name": _BESIDE}), target, seed, None)]

    def _load(self, group: Group, target: Place, seed: int, rate: float | None) -> LoadJob:
        owner = self.workload.named(group.files_of) if group.files_of else group
        is_bare = isinstance(target, BlockTarget)
        begin_ns, warm_up_ns, duration_ns = self.workload.span_ns(group)
        window_ns = self.workload.steady_window
        load: dict[str, Any] = {
            "target": self._target(owner, target),
            "interface": group.calls,
            "access": _access(group),
            "block_sizes": on_wire(group.blocks),
            "write_block_sizes": on_wire(group.write_blocks),
            "align_bytes": group.align,
            "start_after_ns": begin_ns,
            "warm_up_ns": warm_up_ns,
            "duration_ns": duration_ns,
            "interval_ns": interval_ns(min(filter(None, (self.workload.duration, window_ns)))),
            "steady_window_ns": window_ns,
            "data": _data(group),
            "sync": _sync(group),
            "seed": seed,
            **{key: getattr(group, key) for key in _AS_IN_STUDY},
            **{key: True for key in _WHERE_ASKED if getattr(group, key)},
            **_pace(group, rate),
        }
        if group.order == "random" and group.random_percent < 100:
            load["random_percent"] = group.random_percent
        if not group.is_plain:
            drawn = group.operations.items()
            load["operations"] = [{"operation": name, "weight": each} for name, each in drawn]
            load["file_sizes"] = FileSizes.of(group).law.model_dump(mode="json")
            return LoadJob.model_validate_json(json.dumps(load))
        in_turns = bool(group.files_in_turns) and not is_bare
        is_once = group.verify or group.each_once
        is_own = owner.files_of_jobs == "own" and group.jobs > 1 and group is owner and not is_bare
        if in_turns:
            load["files_in_turn"] = group.files_in_turns
        if is_once:
            load["ranges"] = {"kind": "shared" if in_turns else _ranges(group, bare=is_bare)}
        if is_own and (in_turns or not is_once):
            load["files_per_job"] = group.files
        return LoadJob.model_validate_json(json.dumps(load))

    def _target(self, owner: Group, target: Place) -> dict[str, object]:
        """The files of a group; of a bare device a region that is as long as all of them."""
        if isinstance(target, BlockTarget):
            every = owners(self.workload)
            before = every[: every.index(owner)]
            return {
                "kind": "block",
                "path": target.path,
                "offset_bytes": sum(map(stored_bytes, before)),
                "size_bytes": stored_bytes(owner),
            }
        folders = folders_of(target, ClientFolders)
        needed = 1 if owner.is_plain else owner.largest_block_bytes
        return {
            "kind": "files",
            "directory": folders.folder(folder_of(owner.name)),
            "prefix": _PREFIX,
            "count": owner.file_count,
            "file_size_bytes": max(owner.largest_file_bytes, needed),
        }

    def rate_of(self, cell: Cell) -> float | None:
        if cell.pace is not None:
            return cell.pace.rate or None
        return self._group(cell).operations_per_second

    def run_seconds(self, cell: Cell, space_bytes: int, speed: Speed = EXPECTED) -> float:
        """All groups run at once, so the first one's cell stands for all, and for their files."""
        if not self._stands_for_all(cell):
            return 0.0
        laid_out = stored_by_all(self.workload) + self._beside_bytes(space_bytes, cell)
        taken = self.workload.warm_up + self.workload.duration
        return laid_out / speed.bytes_per_second + taken / 1e9

    def written_bytes(self, cell: Cell, space_bytes: int) -> float:
        """What its groups write; with the first one's, all files and what only takes space."""
        moved = self._moved_by(cell)
        if not self._stands_for_all(cell):
            return moved
        return moved + stored_by_all(self.workload) + self._beside_bytes(space_bytes, cell)

    def round_of(
        self,
        cell: Cell,
        space_bytes: int,  # noqa: ARG002 - all files are there
        speed: Speed = EXPECTED,  # noqa: ARG002 - a round lasts its time
    ) -> tuple[float, float]:
        seconds = self.workload.duration / 1e9 if self._stands_for_all(cell) else 0.0
        return seconds, self._moved_by(cell)

    def _moved_by(self, cell: Cell) -> float:
        """What its group writes; with the first one's, also what groups beside a curve write."""
        moved = self._moved_bytes(self._group(cell), self.rate_of(cell))
        if cell.pace is not None and self._stands_for_all(cell):
            raised = {each.factors["group"] for each in self.workload.paced_loads()}
            others = [each for each in self.workload.group if each.name not in raised]
            moved += sum(self._moved_bytes(each, each.operations_per_second) for each in others)
        return moved

    def _moved_bytes(self, group: Group, pace: float | None) -> float:
        """At the assumed rate, its pace, or what its rests leave."""
        _, warm_up_ns, duration_ns = self.workload.span_ns(group)
        rate = operations_per_second(round(group.mean_block_bytes), group.queue_depth * group.jobs)
        rate = min(rate, pace or group.offered_per_second or rate)
        share = (100 - group.read_percent) / 100
        return rate * (warm_up_ns + duration_ns) / 1e9 * group.mean_write_bytes * share

    def _stands_for_all(self, cell: Cell) -> bool:
        first = self.workload.cells()[0] if cell.pace is None else self.workload.paced_loads()[0]
        return cell.factors["group"] == first.factors["group"]

    def bare_stands_for(self) -> str:
        return "each group has a region as long as all of its files, which its jobs share"

    def held_equal(self, space: str, has_raw: bool) -> list[str]:  # noqa: ARG002 - files have sizes
        lines = [f"{group.name}: {_in_words(group)}" for group in self.workload.group]
        if self.workload.fill:
            lines.append(f"space: {self.workload.fill} % of each system is taken before the load")
        return [*lines, f"time: {self.time_words()}, all groups at once"]

    def time_words(self) -> str:
        if not (window := self.workload.steady_window):
            return super().time_words()
        return (
            f"warm-up until {exact_duration(window)} were steady, at most"
            f" {exact_duration(self.workload.warm_up)}, and"
            f" {exact_duration(self.workload.duration)} measured in each run"
        )

    def _group(self, cell: Cell) -> Group:
        return self.workload.named(MixFactors.of(cell).group)

    def _beside_bytes(self, space_bytes: int, cell: Cell | None = None) -> int:
        """What only takes space; of a curve, with its first rate."""
        pace = cell.pace if cell is not None else None
        if pace is not None and (pace.part, pace.number) != ("step", 1):
            return 0
        return max(space_bytes * (self.workload.fill or 0) // 100 - stored_by_all(self.workload), 0)


def _access(group: Group) -> dict[str, object]:
    if group.order == "strided":
        return {"kind": "strided", "stride_bytes": group.stride}
    if group.order != "random":
        return {"kind": group.order}
    if group.distribution == "uniform":
        return {"kind": "random"}
    zones = zip(group.zone_sizes, group.zone_weights, strict=True)
    shapes: dict[str, tuple[str, object]] = {
        "zipf": ("theta", group.zipf_theta),
        "pareto": ("h", group.pareto_h),
        "normal": ("deviation_percent", group.normal_deviation),
        "zones": ("zones", [{"size_percent": size, "weight": each} for size, each in zones]),
    }
    return dict([("kind", group.distribution), shapes[group.distribution]])


def _data(group: Group) -> dict[str, object]:
    if group.data == "zero":
        return {"kind": "zero"}
    if group.duplicates:
        shares = {"duplicate_percent": group.duplicates, "compressible_percent": group.compressible}
        return {"kind": "duplicated", **shares}
    if group.compressible:
        return {"kind": "compressible", "compressible_percent": group.compressible}
    return {"kind": "incompressible"}


def _sync(group: Group) -> dict[str, object]:
    if group.is_synced_by_calls:
        return {"kind": group.sync, "every": group.sync_every}
    return {"kind": group.sync}


def _ranges(group: Group, *, bare: bool) -> str:
    """Places are dealt so that what is read back has one writer."""
    if bare and group.verify and group.jobs > 1:
        return "segmented"
    if bare or group.jobs == 1 or not (group.verify or group.files_of_jobs == "own"):
        return "shared"
    return "own_files" if group.files_of_jobs == "own" and group.files == 1 else "segmented"


def _pace(group: Group, rate: float | None) -> dict[str, object]:
    found: dict[str, object] = {}
    if rate is not None:
        found["rate"] = {"operations_per_second": rate, "arrival": group.arrival}
        if group.burst > 1:
            found["burst"] = group.burst
    if group.think:
        think = {"mean_ns": group.think, "spread": group.think_spread}
        found["rest"] = {"every": group.think_every, "think": think}
    return found


def _in_words(group: Group) -> str:
    """ "read 7, write 3 of 8 KiB, random, 4 jobs at depth 8, direct"."""
    drawn = ", ".join(f"{name} {weight}" for name, weight in group.operations.items())
    sizes, written = (
        " or ".join(map(exact_size, each or ()))
        for each in (group.block_sizes, group.write_block_sizes)
    )
    sizes += f", writes of {written}" if written else ""
    jobs = f"{group.jobs} job{'s' if group.jobs > 1 else ''} at depth {group.queue_depth}"
    cache = "direct" if group.direct else "buffered"
    order = f"{group.order} by {exact_size(group.align)}" if group.align else group.order
    parts = [f"{drawn} of {sizes}", order, jobs, cache]
    if group.files_in_turns:
        parts.append(f"files in turns of {group.files_in_turns}")
    if group.sync != "none":
        parts.append(group.sync)
    if group.continue_when_full:
        parts.append("goes on when full")
    if group.operations_per_second is not None:
        parts.append(f"{group.operations_per_second:g} operations/s")
    if group.think:
        parts.append(f"rests of {exact_duration(group.think)}")
    return ", ".join(parts)


def on_wire(drawn: list[tuple[int, int]]) -> list[dict[str, int]]:
    return [{"size_bytes": size, "weight": weight} for size, weight in drawn]


METHOD = MixMethod
