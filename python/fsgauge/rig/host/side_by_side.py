"""All turns of a block at once: each cell on every system, in slices taken in turns.

Noise grows with the time between two measurements, and a ratio's partners stand one slice apart
here. All systems are made and filled first; each then has its own image, device or folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from fsgauge.engine.wire import SelfMeasure
from fsgauge.plan.slices import slice_rounds
from fsgauge.record.records import Cell, Turn
from fsgauge.rig.host.layout import scan_cell, scan_layout
from fsgauge.rig.host.sliced_run import SlicedRun
from fsgauge.rig.host.turn import Standing, standing
from fsgauge.rig.host.work import Work
from fsgauge.workload import method_of


def measure_side_by_side(work: Work, turns: Sequence[Turn]) -> None:
    """Make every system of the block, then measure each cell on all of them back to back.

    All turns of a block have one order of cells; cells that build on one another keep it.
    """
    cells = {cell.id: cell for cell in work.plan.cells}
    with ExitStack() as stack:
        block = [stack.enter_context(_beside(work, turn, place_of(work, turn))) for turn in turns]
        for position, cell_id in enumerate(turns[0].cells):
            _measure_cell(work, block, position, cells[cell_id])
        for made in block:
            scan_layout(made.work, made.turn, made.prepared, "after")


def place_of(work: Work, turn: Turn) -> int:
    """Which of the places for systems is this turn's. It moves on by one from block to block, so
    that over as many blocks as there are places each system has had each device once.
    """
    titles = sorted({each.title for each in work.plan.turns})
    return (titles.index(turn.title) + turn.block) % len(titles)


@contextmanager
def _beside(work: Work, turn: Turn, number: int) -> Iterator[Standing]:
    """A turn's system on storage of its own, until the context ends."""
    with (
        work.systems.beside(work.study, number) as systems,
        standing(replace(work, systems=systems), turn) as made,
    ):
        yield made


def _measure_cell(work: Work, block: Sequence[Standing], position: int, cell: Cell) -> None:
    slicing = method_of(work.study.workload).slicing(cell)
    number = block[0].turn.block
    rounds = slice_rounds(work.plan, number, cell.id, len(block), slicing.count)
    measured: dict[str, SelfMeasure] = {}
    runs = [SlicedRun(made, position, cell, slicing, measured) for made in block]
    if slicing.is_whole:
        for at in rounds[0]:
            runs[at].begin()
            runs[at].measure(0)
            _end(runs[at])
        return
    for at in rounds[0]:
        runs[at].begin()
    for at in rounds[0]:
        runs[at].warm_up()
    for slice_number, order in enumerate(rounds):
        for at in order:
            runs[at].measure(slice_number)
    for at in rounds[0]:  # told after all slices: what is stored would disturb the next ones
        _end(runs[at])


def _end(run: SlicedRun) -> None:
    """Record a run, and scan what it has written."""
    made, record = run.made, run.record()
    made.work.tell(record)
    if not record.most_gave_up and not made.turn.over_path:
        scan_cell(made.work, made.turn, made.prepared, run.cell)
