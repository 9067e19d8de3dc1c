"""Results folders as they are compared: read once, paired by cell and system, put into sittings.

Every comparison of folders has the same two bases:

    direct       the system's value in B over its value in A. On one machine this is what a user
                 of the system gets. On two machines it compares the machines.
    to baseline  the system over the baseline in B, over the same in A: the ratio of ratios. What
                 changes all systems alike (the machine, its heat, its neighbours) cancels.

What lasts for hours (where files are, heat, a neighbour's load) is alike in folders that were
measured one after the other: they are one sample of it, however many they are. So a folder begins
a new sitting only when it began six hours or more after the last run of the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from fsgauge.record.records import Cell
from fsgauge.stats.contrast import Contrast, Value
from fsgauge.stats.curve.blocks import samples_of
from fsgauge.stats.folders.same_conditions import Side
from fsgauge.stats.idle import idle_words
from fsgauge.stats.planned import level_of, without_paths
from fsgauge.stats.race.replay import replayed
from fsgauge.stats.race.results import as_confirmed
from fsgauge.stats.read import naming_changes, read_side
from fsgauge.stats.results import DidNothing, Results
from fsgauge.stats.samples import Samples

Basis = Literal["direct", "to baseline"]
BASES: tuple[Basis, ...] = ("direct", "to baseline")
Key = tuple[str, str, str]
"""Cell, system, metric."""
APART_HOURS = 6
_APART_NS = APART_HOURS * 3600 * 10**9


@dataclass(frozen=True)
class Folder:
    """One results folder, with what its records say and its runs by block."""

    side: Side
    results: Results
    samples: Samples

    @property
    def label(self) -> str:
        return self.side.label

    @property
    def started_unix_ns(self) -> int:
        """When it began: no two folders of one machine begin at the same nanosecond."""
        return self.side.study.started_unix_ns

    @property
    def span_ns(self) -> tuple[int, int]:
        """When it began and when its last run did, in Unix nanoseconds."""
        began = self.started_unix_ns
        return began, max([began, *(run.started_unix_ns for run in self.side.runs)])

    @property
    def idle(self) -> str:
        """Who did nothing or little, with the folder's name; empty where all did their work."""
        said = idle_words(self.results.findings)
        return f"{self.label}: {said}" if said else ""


def read_folder(side: Side) -> Folder:
    """The folder of a side; turns over paths next to a server are no samples of it, nor those of a
    race before the blocks that confirm. One whose records were changed is not valid, even where
    that was accepted."""
    race = replayed(side.study, side.runs)
    shown = side.study if race is None else as_confirmed(side.study, side.runs, race)
    study = without_paths(shown)
    samples = samples_of(study.plan, side.runs, level=level_of(study))
    return Folder(side, naming_changes(read_side(side), side.changes), samples)


def nothing_in(folder: Folder) -> dict[Key, DidNothing]:
    return {(each.cell, each.system, each.metric): each for each in folder.results.nothing}


class Shared(NamedTuple):
    """What all folders have, in the order of the latest one; its primary cells by their ids."""

    cells: list[Cell]
    systems: list[str]
    primary: list[str]

    @classmethod
    def of(cls, latest: Folder, folders: Sequence[Folder]) -> Shared:
        found, others = latest.results, [each.results for each in folders]
        cells = [cell for cell in found.cells if all(cell in each.cells for each in others)]
        systems = [name for name in found.systems if all(name in each.systems for each in others)]
        names = {cell.id for cell in cells}
        return cls(cells, systems, [each for each in found.primary_cells if each in names])


def side_of(value: Value, basis: Basis, baseline: str) -> Value | Contrast:
    return value if basis == "direct" else Contrast(value, value._replace(system=baseline))


def sittings_of(folders: Sequence[Folder]) -> list[list[Folder]]:
    places = by_sitting([folder.span_ns for folder in folders])
    return [[folders[place] for place in sitting] for sitting in places]


def by_sitting(spans: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Places of `spans`, each begin and end in Unix nanoseconds, by sitting, in order of time."""
    found: list[list[int]] = []
    last_ns = 0
    for place in sorted(range(len(spans)), key=lambda place: spans[place][0]):
        began_ns, ended_ns = spans[place]
        if not found or began_ns - last_ns >= _APART_NS:
            found.append([])
        found[-1].append(place)
        last_ns = max(last_ns, ended_ns)
    return found
