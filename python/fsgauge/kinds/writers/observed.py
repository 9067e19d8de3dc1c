"""Numbers of several writers that published claims are held against."""

from __future__ import annotations

from fsgauge.kinds.writers.analysis.model import Scaling
from fsgauge.published.observe import Observation, cells_of
from fsgauge.published.trial import Observable
from fsgauge.stats.results import Results


def change(about: Observable, results: Results) -> list[Observation]:
    """The rate of so many writers over that of the fewest, taken inside blocks."""
    scaling = Scaling.of(results)
    if scaling is None:
        return []
    cells = {cell.id: cell.name for cell in cells_of(about, results)}
    return [
        Observation.of(
            cells[point.cell], line.system, f"{scaling.writer_counts[0]} writer", point.change
        )
        for line in scaling.lines
        if line.system == about.system
        for point in line.points
        if point.cell in cells and point.change is not None
    ]


def touched(about: Observable, results: Results) -> list[Observation]:
    """Without a device: touching every byte in memory over writing to nothing."""
    scaling = Scaling.of(results)
    cells = {cell.id: cell.name for cell in cells_of(about, results)}
    return [
        Observation.of(cells[point.cell], about.system, "nothing written", point.touched_ratio)
        for point in (scaling.limits if scaling is not None else ())
        if point.cell in cells and point.touched_ratio is not None
    ]


OBSERVED = {"change": change, "touched": touched}
