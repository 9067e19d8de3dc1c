"""Results of other tools become a results folder, marked as theirs: the one entrance.

Takes files by system, each file a run of that system (or several, where a tool repeats itself in
one file); gives the folder. The first runs of all systems are block 1, the second ones block 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fsgauge.importing.measured import Run
from fsgauge.importing.reading import read_file
from fsgauge.importing.records import Imported, stored

__all__ = ["ImportedFolder", "import_results"]


@dataclass(frozen=True)
class ImportedFolder:
    """Where it is, what is in it, and what was left out, a sentence each."""

    directory: Path
    tool: str
    blocks: int
    tests: list[str]
    left_out: list[str]


def import_results(
    files: Mapping[str, Sequence[Path]],
    results: Path,
    command: list[str],
    *,
    question: str = "",
    machine: str = "",
) -> ImportedFolder:
    """Raises InputError for what is no tool's result, or no repetition of the others."""
    runs: dict[str, list[Run]] = {}
    for system, paths in files.items():
        read = [run for path in paths for run in read_file(path)]
        runs[system] = sorted(read, key=lambda run: run.started_unix_ns or 0)
    imported = Imported.of(runs, question=question, machine=machine)
    directory = stored(imported, results, command)
    return ImportedFolder(
        directory,
        imported.tool,
        imported.blocks,
        [cell.name for cell in imported.cells.values()],
        imported.left_out,
    )
