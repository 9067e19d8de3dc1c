"""The folder of a sweep: its study, and a folder for each point with that point's results."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from fsgauge.errors import InputError, RigError
from fsgauge.plain_files import read_plain
from fsgauge.study.dump import dump_study
from fsgauge.study.model import Study
from fsgauge.study.parse import parse_study
from fsgauge.study.points import Point, points_of

STUDY = "sweep.toml"
_POINT = "point.toml"
_REPORT = "report.json"


@dataclass(frozen=True)
class PlacedPoint:
    """A point and where it is."""

    point: Point
    directory: Path

    @property
    def file(self) -> Path:
        """Its study."""
        return self.directory / _POINT

    @property
    def results(self) -> Path | None:
        """Its results folder, once it has begun; the newest, where one was given up."""
        found = sorted(each.parent for each in self.directory.glob("*/study.json"))
        return found[-1] if found else None

    def report(self) -> dict[str, Any] | None:
        """What statistics made of it; None until its last block is complete."""
        results = self.results
        if results is None or not (results / _REPORT).is_file():
            return None
        found: dict[str, Any] = json.loads(read_plain(results / _REPORT))
        sureness = found["sureness"]
        is_whole = sureness["blocks_complete"] >= sureness["blocks_planned"]
        return found if is_whole else None


@dataclass(frozen=True)
class Sweep:
    """A sweep that was begun."""

    directory: Path
    study: Study
    points: list[PlacedPoint]


def is_sweep(directory: Path) -> bool:
    """Whether a folder is one of a sweep."""
    return (directory / STUDY).is_file()


def new_sweep(study: Study, results: Path) -> Sweep:
    """A new folder below `results`, with the study of every point; RigError where none can be."""
    stamp = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
    directory = results / f"{study.name}-sweep-{stamp}"
    sweep = _placed(directory, study)
    try:
        directory.mkdir(parents=True)
        (directory / STUDY).write_text(dump_study(study), "utf-8")
        for placed in sweep.points:
            placed.directory.mkdir(parents=True)
            placed.file.write_text(dump_study(placed.point.study), "utf-8")
    except OSError as error:
        raise RigError(
            f"cannot write into {directory}: {error.strerror}", next="--results DIR"
        ) from None
    return sweep


def read_sweep(directory: Path) -> Sweep:
    """One that was begun; InputError where its study cannot be read."""
    label = str(directory / STUDY)
    study = parse_study(read_plain(directory / STUDY).decode(), label, directory.name)
    if study.sweep is None:
        raise InputError(f"{label} has no [sweep]", next="begin it again: fsgauge run")
    return _placed(directory, study)


def _placed(directory: Path, study: Study) -> Sweep:
    if study.sweep is None:
        raise TypeError("a sweep has a [sweep]")
    points = points_of(study, study.sweep)
    places = [directory / "points" / f"{number:03d}" for number in range(1, len(points) + 1)]
    placed = [PlacedPoint(*each) for each in zip(points, places, strict=True)]
    return Sweep(directory, study, placed)
