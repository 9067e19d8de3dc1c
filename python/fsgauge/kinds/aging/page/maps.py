"""Maps of the device at some steps: small multiples, one row a system, from one turn each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsgauge.kinds.aging.analysis.model import Aging
from fsgauge.kinds.aging.factors import AgingFactors
from fsgauge.kinds.aging.page.aged_lengths import steps_of
from fsgauge.kinds.aging.page.blended import STRENGTHS, blended_picture
from fsgauge.record import Cell, ScanRecord
from fsgauge.report.scan.map import COLOURS
from fsgauge.stats.results import Results
from fsgauge.units import format_size

KINDS = {
    "data": "the streams' files",
    "metadata": "the file system's own",
    "other": "aged files and ballast",
    "free": "free",
}


@dataclass(frozen=True)
class SmallMap:
    """One picture with what stands below it."""

    step: str
    picture: str
    words: str


@dataclass(frozen=True)
class MapRow:
    """One system's maps, in the order of its turn."""

    system: str
    cell: str
    maps: list[SmallMap]


def map_rows(results: Results, scans: Sequence[ScanRecord]) -> list[MapRow]:
    """A row a system that has maps, of its first turn that has them."""
    aging = Aging.of(results)
    if aging is None:
        return []
    shown: list[int | None] = [None, *steps_of(aging.levels)]
    by_id = {cell.id: cell for cell in results.cells}
    rows = []
    for system in results.systems:
        turn = _first_turn(system, scans)
        of_turn = [scan for scan in scans if (scan.block, scan.turn) == turn]
        maps = [
            _small(by_id[scan.cell], scan)
            for level in shown
            for scan in of_turn
            if scan.cell in by_id and AgingFactors.of(by_id[scan.cell]).free_percent == level
        ]
        found = [each for each in maps if each is not None]
        if found:
            sizes = [scan.result.map for scan in of_turn if scan.result and scan.result.map]
            rows.append(MapRow(system, format_size(sizes[0].cell_bytes), found))
    return rows


def legend() -> list[tuple[str, str, float]]:
    """Name, colour and strength of each kind."""
    return [(name, f"rgb{COLOURS[kind]}", STRENGTHS[kind]) for kind, name in KINDS.items()]


def _first_turn(system: str, scans: Sequence[ScanRecord]) -> tuple[int, int] | None:
    turns = [
        (scan.block, scan.turn)
        for scan in scans
        if scan.system == system and scan.result is not None and scan.result.map is not None
    ]
    return min(turns, default=None)


def _small(cell: Cell, scan: ScanRecord) -> SmallMap | None:
    result = scan.result
    if result is None or result.map is None:
        return None
    level = AgingFactors.of(cell).free_percent
    pieces = result.counts.extents
    words = f"files in {pieces:,} {'piece' if pieces == 1 else 'pieces'}"
    step = "clean" if level is None else f"{level} % free"
    return SmallMap(step, blended_picture(result.map), words)
