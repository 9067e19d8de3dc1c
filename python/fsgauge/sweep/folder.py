"""The folder of a sweep: its study, and a folder for each point with that point's results."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsgauge.errors import InputError, quoted
from fsgauge.plain_files import PlainFolder, SeenFolder, cannot_write, require_few_in_toml
from fsgauge.plain_files.bounds import REPORT, STUDY
from fsgauge.plain_files.kept import Kept
from fsgauge.store.files import slug
from fsgauge.store.folder import new_folder
from fsgauge.study.dump import dump_study
from fsgauge.study.model import Study
from fsgauge.study.parse import parse_study
from fsgauge.study.points import Point, points_of
from fsgauge.units import format_bandwidth, format_rate

FILE = "sweep.toml"
_POINT = "point.toml"
_REPORT = "report.json"


@dataclass(frozen=True)
class PlacedPoint:
    """A point and where it is: `name` is that of its folder in the sweep's, "points/001"."""

    point: Point
    sweep: SeenFolder
    name: str

    @property
    def directory(self) -> Path:
        return self.sweep.path / self.name

    @property
    def file(self) -> Path:
        return self.directory / _POINT

    @property
    def results(self) -> Path | None:
        """Its results folder, once it has begun; the newest, where one was given up."""
        with self.sweep.opened() as folder:
            name = self._results_in(folder)
        return None if name is None else self.sweep.path / name

    def report(self) -> dict[str, Any] | None:
        """What statistics made of it; None until its last block is complete. Raises InputError."""
        with self.sweep.opened() as folder:
            results = self._results_in(folder)
            name = f"{results}/{_REPORT}"
            if results is None or not folder.exists(name):
                return None
            content = folder.read_json(name, REPORT)
        try:
            found: dict[str, Any] = json.loads(content)
            sureness = found["sureness"]
            is_whole = sureness["blocks_complete"] >= sureness["blocks_planned"]
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise InputError(
                f"{self.sweep.path / name} is not the report of a study",
                cause="it was damaged, or another program wrote it",
                next=f"fsgauge report {quoted(self.sweep.path / results)}   (makes it again)",
            ) from error
        return found if is_whole else None

    def _results_in(self, folder: PlainFolder) -> str | None:
        names = [f"{self.name}/{each}" for each in folder.folders(self.name)]
        found = [each for each in names if folder.is_file(f"{each}/study.json")]
        return found[-1] if found else None


@dataclass(frozen=True)
class Sweep:
    folder: SeenFolder
    study: Study
    points: list[PlacedPoint]

    @property
    def directory(self) -> Path:
        return self.folder.path


def is_sweep(directory: Path) -> bool:
    """Whether a folder is one of a sweep; what its study is, is seen when it is read."""
    try:
        with PlainFolder.opened(directory) as folder:
            return folder.exists(FILE)
    except InputError:
        return False


def new_sweep(study: Study, results: Path) -> Sweep:
    """A new folder below `results`, with the study of every point; RigError where none can be."""
    with ExitStack() as stack:
        folder = stack.enter_context(new_folder(results, f"{slug(study.name)}-sweep", "points"))
        sweep = _placed(folder, study)
        try:
            for placed in sweep.points:
                folder.write(f"{placed.name}/{_POINT}", dump_study(placed.point.study))
            folder.write(FILE, dump_study(study))
        except OSError as error:
            raise cannot_write(folder.path, error) from error
    return sweep


def read_sweep(directory: Path, *, to_go_on: bool = False) -> Sweep:
    """One that was begun; InputError where its study cannot be read. Root goes on in a folder of
    its own only: its studies say what root does."""
    with PlainFolder.opened(directory, as_owner=not to_go_on) as folder:
        if to_go_on:
            folder.require_roots_alone()
        label = str(directory / FILE)
        try:
            text = folder.read(FILE, STUDY.size_bytes).decode()
        except UnicodeDecodeError as error:
            raise InputError(
                f"{label} is not UTF-8 text",
                cause="it was edited with another encoding, or damaged",
                next="begin it again: fsgauge run",
            ) from error
        require_few_in_toml(text, label, STUDY)
        study = parse_study(text, label, directory.absolute().name)
        if study.sweep is None:
            raise InputError(
                f"{label} has no [sweep]",
                cause="it was edited after the sweep began",
                next="begin it again: fsgauge run",
            )
        return _placed(folder, study)


def _placed(folder: PlainFolder, study: Study) -> Sweep:
    if study.sweep is None:
        raise TypeError("a sweep has a [sweep]")
    seen = SeenFolder.of(folder)
    placed = [
        PlacedPoint(point, seen, f"points/{number:03d}")
        for number, point in enumerate(points_of(study, study.sweep), start=1)
    ]
    return Sweep(seen, study, placed)


def years_words(years: float) -> str:
    """ "1 year", "0.5 years"."""
    return f"{years:g} year{'' if years == 1 else 's'}"


class YearPoint(Kept):
    """A rate after so many years; the interval is over the seeds of `lives` lives."""

    years: float
    value: float
    low: float | None
    high: float | None
    lives: int
    results: str


class YearLine(Kept):
    system: str
    points: list[YearPoint]


class YearPanel(Kept):
    cell: str
    profile: str
    metric: str
    unit: str
    lines: list[YearLine]

    def said(self, value: float) -> str:
        return format_bandwidth(value) if self.unit == "B/s" else format_rate(value)
