"""The record files of a results folder, by kind, each list in the order of the plan.

Names are relative to the folder: "records/000-00-raw/00-randread-4KiB-depth1.json".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase

from fsgauge.plain_files import PlainFolder


@dataclass(frozen=True)
class RecordFiles:
    """Names of files that are read as records; `series` are the marks of blocks in Parquet."""

    turns: list[str]
    runs: list[str]
    scans: list[str]
    steps: list[str]
    series: list[str]
    environments: list[str]

    def all(self) -> list[str]:
        """Every name."""
        return [name for kind in fields(self) for name in getattr(self, kind.name)]


def record_files(
    folder: PlainFolder, is_left_out: Callable[[str], bool] = lambda _: False
) -> RecordFiles:
    """What is there; raises InputError for a folder that cannot be listed."""
    names = [
        f"records/{turn}/{name}"
        for turn in folder.folders("records")
        for name in folder.names(f"records/{turn}")
    ]
    names = [name for name in names if not is_left_out(name)]

    def of(pattern: str) -> list[str]:
        return [name for name in names if fnmatchcase(name.rpartition("/")[2], pattern)]

    series = [f"series/{name}" for name in folder.names("series") if fnmatchcase(name, _MARK)]
    return RecordFiles(
        turns=sorted(of("turn.json"), key=_place),
        runs=sorted(of("[0-9]*.json"), key=_place),
        scans=sorted(of("scan-*.json"), key=lambda name: (_place(name), *_moment(name))),
        steps=sorted(of("step-*.json"), key=lambda name: (_place(name), _step_number(name))),
        series=[name for name in series if not is_left_out(name)],
        environments=[name for name in folder.names() if fnmatchcase(name, "environment-*.json")],
    )


_MARK = "[0-9]*.json"


def turn_of(name: str) -> str:
    """The name of the turn's folder that a file lies in."""
    return name.split("/")[-2]


def position_of(name: str) -> str:
    """What a run file's name says of its position."""
    return name.rpartition("/")[2].partition("-")[0]


def _step_number(name: str) -> int:
    word = name.rpartition("/")[2].split("-")[1].partition(".")[0]
    return _number(word)


def _moment(name: str) -> tuple[int, str]:
    """Before the runs, after one of them, after all."""
    last = name.rpartition("/")[2]
    return {"scan-before.json": 0, "scan-after.json": 2}.get(last, 1), last


def _place(name: str) -> tuple[int, ...]:
    """Block, turn and position as numbers: the hundredth comes after the ninety-ninth."""
    block, turn, *_ = [*turn_of(name).split("-"), "", ""]
    return tuple(_number(word) for word in (block, turn, position_of(name)))


def _number(word: str) -> int:
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 20 else -1
