"""Records of studies of aged file systems that never ran, with planted rates and real layouts.

In those of `make_aging(...)` files lie where an allocator that takes the lowest free place would
put them: twenty files in turns, chunk by chunk, then deleted one by one in an order drawn from the
seed; the streams' files take what is free. So contiguity, free space and predicted rates follow
from the chunk; measured rates are planted beside them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from fsgauge.engine import wire
from fsgauge.kinds.aging.factors import AgingFactors
from fsgauge.kinds.aging.keys import AgingWorkload
from fsgauge.kinds.overhead.factors import OverheadFactors
from fsgauge.record.records import Cell, ScanRecord, Turn
from fsgauge.study.workload import cells_of, default_primary
from tests.scan_example import example, scan_record
from tests.synthetic import SyntheticStudy, make_study
from tests.synthetic.load import run_record
from tests.synthetic.recipe import Recipe
from tests.synthetic.setting import with_machine

MEBIBYTE = 1 << 20
SYSTEMS = {f"ext4 {size} MiB": size * MEBIBYTE for size in (1, 2, 4, 8)}
BASELINE = "ext4 1 MiB"
FILES, STREAMS = 20, 4
FILE_BYTES = 192 * MEBIBYTE
DEVICE_BYTES = 4096 * MEBIBYTE
FIRST_BYTE = 64 * MEBIBYTE
"""Where the region begins: before it is the file system's own."""
MAP_ORDER = 5


def kept(chunk: int, free_percent: int, side: str) -> float:
    """What is kept of the clean rate: less with small chunks, and with little free."""
    lost = 0.42 * (MEBIBYTE / chunk) ** 0.75 * (1 - free_percent / 100) ** 1.5
    return 1 - lost * (0.8 if side == "read" else 1.0)


@dataclass
class AgingRecipe:
    """What to make; noise is the deviation of a run's log rate.

    `systems` are allocation chunks by name, None where the file system decides (it then lies in
    pieces of 2 MiB). `extents_of` is what it allocates instead of the chunk.
    """

    systems: Mapping[str, int | None] = field(default_factory=lambda: dict(SYSTEMS))
    levels: Sequence[int] = tuple(range(5, 101, 5))
    blocks: int = 6
    seed: int = 20261121
    noise: float = 0.015
    kept: Callable[[int, int, str], float] = kept
    extents_of: Callable[[int], int] = lambda chunk: chunk
    storage_kind: str = "loop"
    rotational: str | None = None
    faults: Callable[[Turn, Cell], bool] = lambda turn, cell: False
    scan_faults: Callable[[Turn, Cell], bool] = lambda turn, cell: False
    without_layout: Sequence[str] = ()
    listed: int = 10_000
    maps: bool = True
    made_runs: int | None = None
    disk: Mapping[str, Any] = field(default_factory=dict)


def make_aging(**changes: Any) -> SyntheticStudy:
    """The records of one study; the records of an overhead study give the rest."""
    recipe = AgingRecipe(**changes)
    chance = random.Random(recipe.seed)
    workload = AgingWorkload(levels=list(recipe.levels), streams=STREAMS)
    cells = cells_of(workload)
    chunks = {name: recipe.extents_of(chunk or 2 * MEBIBYTE) for name, chunk in _systems(recipe)}

    by_id = {cell.id: cell for cell in cells}

    def effect(system: str, cell: Cell) -> float:
        if cell.id not in by_id:
            return 1.0
        factors = AgingFactors.of(by_id[cell.id])
        free = factors.free_percent
        return 1.0 if free is None else recipe.kept(chunks[system], free, factors.side)

    base = Recipe(
        systems=dict.fromkeys(recipe.systems, "ext4"),
        patterns=("write",),
        block_sizes=(MEBIBYTE,),
        queue_depths=(4,),
        blocks=recipe.blocks,
        seed=recipe.seed,
        noise=recipe.noise,
        effect=effect,
        faults=lambda turn, cell: recipe.faults(turn, by_id.get(cell.id, cell)),
        storage_kind=recipe.storage_kind,
        question="How fast will this file system be in three years?",
        duration_s=5,
        warm_up_s=0,
    )
    frame = make_study(base)
    asked = {**workload.model_dump(), "disk": dict(recipe.disk)}
    study = frame.of_kind("aging", cells, asked, primary=default_primary(workload))
    planned = study.study.plan.turns
    runs = [
        run_record(base, chance, turn, position, _alone(cell), 0.0).model_copy(
            update={"cell": cell}
        )
        for turn in planned
        for position, cell in enumerate(cells)
    ]
    made = recipe.made_runs or len(runs)
    done = {(run.block, run.turn, run.cell.id) for run in runs[:made]}
    begun = {(run.block, run.turn) for run in runs[:made]}
    layouts = _Layouts(recipe, cells)
    scans = [
        scan
        for turn in planned
        if (turn.block, turn.turn) in begun and turn.system not in recipe.without_layout
        for scan in layouts.scans(turn, chunks[turn.system])
        if scan.cell is None or (scan.block, scan.turn, scan.cell) in done
    ]
    study.study.study["system"] = [
        {"name": name, "kind": "ext4", "allocation_chunk": chunk}
        for name, chunk in _systems(recipe)
    ]
    return replace(
        study,
        turns=[
            turn.model_copy(update={"layout": None})
            for turn in frame.turns
            if (turn.block, turn.turn) in begun
        ],
        runs=runs[:made],
        before=_environment(recipe, frame.before),
        scans=scans,
    )


def _alone(cell: Cell) -> Cell:
    """All streams as one, of their depth together: a synthetic run has one job."""
    factors = AgingFactors.of(cell)
    together = OverheadFactors(
        pattern=factors.side,
        block_size_bytes=factors.record_size_bytes,
        queue_depth=factors.streams * factors.queue_depth,
        jobs=1,
        read_percent=factors.share_of_reads,
        interface="io_uring",
    )
    return together.cell(cell.id, cell.name)


def _systems(recipe: AgingRecipe) -> list[tuple[str, int | None]]:
    return list(recipe.systems.items())


def _environment(recipe: AgingRecipe, before: Any) -> Any:
    chain = [{"name": "sda", "kind": "disk", "rotational": recipe.rotational}]
    if recipe.rotational is None:
        return before
    return with_machine(before, storage=before.storage.model_copy(update={"device_chain": chain}))


@dataclass(frozen=True)
class _Layouts:
    """Which chunk of the region belongs to whom, at each level."""

    recipe: AgingRecipe
    cells: Sequence[Cell]

    def scans(self, turn: Turn, chunk: int) -> list[ScanRecord]:
        """After ageing, and after each written cell."""
        slots = FILES * FILE_BYTES // chunk
        owners = [index % FILES for index in range(slots)]
        deleted = random.Random(self.recipe.seed + turn.block).sample(range(FILES), FILES)
        found = []
        for cell in self.cells:
            if AgingFactors.of(cell).side != "write":
                continue
            level = AgingFactors.of(cell).free_percent
            gone = set(range(FILES)) if level is None else set(deleted[: level * FILES // 100])
            free = [index for index, owner in enumerate(owners) if owner in gone]
            wanted = 9 * FILE_BYTES // 10 // chunk
            taken, rest = free[:wanted], free[wanted:]
            files = [taken[of::STREAMS] for of in range(STREAMS)]
            if level == min(self.recipe.levels):
                aged = [
                    [index for index in range(slots) if owners[index] == owner]
                    for owner in range(FILES)
                ]
                found.append(self._record(turn, None, aged, [], chunk))
            found.append(self._record(turn, cell, files, rest, chunk))
        return found

    def _record(
        self,
        turn: Turn,
        cell: Cell | None,
        files: list[list[int]],
        free: list[int],
        chunk: int,
    ) -> ScanRecord:
        failed = cell is not None and self.recipe.scan_faults(turn, cell)
        places = tuple(tuple(slots) for slots in files)
        found = _scan(places, tuple(free), chunk, self.recipe.listed, self.recipe.maps)
        return scan_record(turn, cell.id if cell else None, found, failed=failed)


@lru_cache(maxsize=1024)
def _scan(
    files: tuple[tuple[int, ...], ...], free: tuple[int, ...], chunk: int, most: int, maps: bool
) -> wire.ScanResult:
    """Made once for all turns and studies that found the same: it has a thousand extents."""
    listed, counted, size_bytes = [], 0, 0
    for at, slots in enumerate(files):
        extents = _merged(slots, chunk)
        counted += len(extents)
        size_bytes += len(slots) * chunk
        logical = 0
        pieces = []
        for place, length in extents:
            pieces.append(
                wire.ListedExtent(
                    logical_bytes=logical,
                    physical_bytes=FIRST_BYTE + place,
                    length_bytes=length,
                )
            )
            logical += length
        listed.append(
            wire.ListedFile(
                name=f"rate-{at}",
                size_bytes=logical,
                extents=len(pieces),
                list=pieces[:most],
            )
        )
    gaps = _merged(free, chunk)
    return example(
        map_order=0,
        files=len(files),
        files_without_extents=0,
        extents=counted,
        extent_bytes=size_bytes,
        extent_lengths=[
            each.model_dump() for each in _bins([e.length_bytes for f in listed for e in f.list])
        ],
        top=[each.model_dump() for each in listed],
        free=_free(gaps).model_dump(),
        map=_map(listed, gaps).model_dump() if maps else None,
        problems=[],
    )


def _merged(slots: Sequence[int], chunk: int) -> list[tuple[int, int]]:
    """Runs of chunks that touch, as place and length in bytes."""
    found: list[tuple[int, int]] = []
    for slot in slots:
        place = slot * chunk
        if found and sum(found[-1]) == place:
            found[-1] = (found[-1][0], found[-1][1] + chunk)
        else:
            found.append((place, chunk))
    return found


def _bins(lengths: Sequence[int]) -> list[wire.LengthBin]:
    classes: dict[int, list[int]] = {}
    for length in lengths:
        classes.setdefault(1 << int(math.log2(length)), []).append(length)
    return [
        wire.LengthBin(at_least_bytes=at, extents=len(found), size_bytes=sum(found))
        for at, found in sorted(classes.items())
    ]


def _free(gaps: list[tuple[int, int]]) -> wire.FreeSpace:
    lengths = [length for _, length in gaps]
    return wire.FreeSpace(
        size_bytes=sum(lengths),
        extents=len(lengths),
        largest_bytes=max(lengths, default=0),
        lengths=_bins(lengths),
        at_least=[
            wire.FreeAtLeast(at_least_bytes=at, size_bytes=sum(n for n in lengths if n >= at))
            for at in (64 << 10, MEBIBYTE, 8 * MEBIBYTE, 128 * MEBIBYTE)
        ],
    )


def _map(files: Sequence[wire.ListedFile], gaps: list[tuple[int, int]]) -> wire.ScanMap:
    """Every cell by what its bytes are; what is neither is other files'."""
    cells = 4**MAP_ORDER
    cell = DEVICE_BYTES // cells
    data, free, metadata = [0.0] * cells, [0.0] * cells, [0] * cells
    pieces = [(e.physical_bytes, e.length_bytes) for file in files for e in file.list]
    for shares, places in ((data, pieces), (free, [(FIRST_BYTE + at, n) for at, n in gaps])):
        for place, length in places:
            while length > 0:
                index = place // cell
                part = min(length, (index + 1) * cell - place)
                shares[index] += 255 * part / cell
                place, length = place + part, length - part
    for index in range(FIRST_BYTE // cell):
        metadata[index] = 255
    return wire.ScanMap(
        order=MAP_ORDER,
        cell_bytes=cell,
        data=[round(share) for share in data],
        metadata=metadata,
        free=[round(share) for share in free],
        unallocated=[0] * cells,
        owner=[0 if share else -1 for share in data],
        names=["rate-0"],
    )
