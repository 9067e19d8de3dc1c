"""Commands of fsgauge as a page prints them, on small storage and for moments.

`python -m tests.house.small run overhead` is `fsgauge run overhead` with a few settings after the
page's own, and with places of this machine for those that the page names.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fsgauge.study.shipped import shipped_studies

PLACES = "FSGAUGE_TEST_PLACES"
"""The variable with the page's names of places and what they are here, as JSON."""

_SIZED = re.compile(r"(ram|loop):\w+")
"""Storage with its size, as --storage takes it."""

VERDICTS = {"compare": (1, 4), "gate": (1, 4, 5)}
"""Exit codes that are answers: two blocks of moments decide little."""

OVERHEAD = (
    "plan.blocks=2",
    "workload.duration=50ms",
    "workload.warm_up=10ms",
    "workload.patterns=['randread', 'randrw']",
    "workload.block_sizes=['4KiB']",
    "workload.queue_depths=[1, 32]",  # one way of calling the kernel each
    "workload.fill=10 %",
)


@dataclass(frozen=True)
class Small:
    """Settings that make a study short, and systems of its own list that are left out."""

    settings: Sequence[str]
    without: Sequence[str] = ()


_BLOCKS = ("plan.blocks=2", "storage.size=512MiB")
_ONE_CELL = ("workload.patterns=['randread']", "workload.queue_depths=[1]", "storage.size=512MiB")
_FEW_FILES = ("workload.files_per_connection=2", "workload.backup_files_per_connection=2")
STUDIES = {
    "demo": Small((*OVERHEAD, *_ONE_CELL), ("xfs", "btrfs")),
    "overhead": Small((*OVERHEAD, *_ONE_CELL), ("xfs", "btrfs")),
    "writers": Small(
        (*_BLOCKS, "workload.fill=1 %", "workload.duration=50ms"), ("ext3", "xfs", "btrfs")
    ),
    "postgresql": Small(
        (*_BLOCKS, "workload.fill=4 %", "workload.duration=50ms", "workload.warm_up=0ms"),
        ("ext4 noatime", "ext4 data=writeback", "xfs noatime"),
    ),
    "commits": Small(
        (*_BLOCKS, "workload.duration=50ms", "workload.warm_up=0ms", "workload.committers=[1]"),
        ("xfs",),
    ),
    "small-files": Small(
        (*_BLOCKS, "workload.files_per_connection=2", "workload.mix_duration=50ms"), ("btrfs",)
    ),
    "connections": Small((*_BLOCKS, *_FEW_FILES, "workload.clients=5")),
    "churn": Small(
        ("plan.blocks=2", "storage.size=64MiB", "workload.storage_age=1.2"), ("xfs", "btrfs")
    ),
}
"""By the name of the shipped study that is run, or that a file is a copy of."""


def small(words: Sequence[str], places: Mapping[str, str]) -> list[str]:
    """The words of a command, small if it measures."""
    here = [_SIZED.sub(r"\1:512MiB", _here(word, places)) for word in words]
    if here[0] != "run":
        return here
    study = STUDIES[_origin(here[1])]
    settings = [each for each in study.settings if _applies(each, here)]
    left_out = () if "--system" in here else study.without
    return [
        *here,
        *(word for each in settings for word in ("--set", each)),
        *(word for each in left_out for word in ("--without", each)),
    ]


def _here(word: str, places: Mapping[str, str]) -> str:
    """A word with this machine's places: "nfs=/mnt/nfs" too."""
    name, equals, path = word.rpartition("=")
    return f"{name}{equals}{places[path]}" if path in places else word


def _origin(study: str) -> str:
    """The shipped study of that name, or of a file's question."""
    if study in STUDIES:
        return study
    question = tomllib.loads(Path(study).read_text(encoding="utf-8"))["question"]
    return next(name for name, asked in shipped_studies().items() if asked == question)


def _applies(setting: str, words: Sequence[str]) -> bool:
    """A device is as large as it is, and what --storage says is said once."""
    is_sized = any(word.startswith("/dev/") or _SIZED.fullmatch(word) for word in words)
    return not (is_sized and setting.startswith("storage.size="))


def main() -> None:
    """The command, small; a verdict is not a failure."""
    from fsgauge.__main__ import main as command_line

    words = small(sys.argv[1:], json.loads(os.environ[PLACES]))
    sys.argv = ["fsgauge", *words]
    try:
        command_line()
    except SystemExit as ended:
        if ended.code not in VERDICTS.get(words[0], ()):
            raise


if __name__ == "__main__":
    main()
