"""Seals for records that a test wrote itself: the journal that a study would have left."""

from __future__ import annotations

from pathlib import Path

from fsgauge.plain_files import PlainFolder
from fsgauge.store import ResultsFolder
from fsgauge.store.blocks import compact
from fsgauge.store.journal import NAME

_MADE_FROM_RECORDS = ("report", "comparison", "history", "charts", "records-abandoned", "expected")


def seal(directory: Path, *events: str) -> Path:
    """Begin the journal anew: every record as it is now, then these events. Gives the folder."""
    (directory / NAME).unlink(missing_ok=True)
    names = sorted(
        str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()
    )
    with PlainFolder.opened(directory) as files:
        folder = ResultsFolder(files)
        for name in names:
            if not name.startswith((*_MADE_FROM_RECORDS, ".", "README")) and name != NAME:
                folder.announce(name, *files.digest(name))
        for event in events:
            folder.journal(event)
        folder.close()
    return directory


def compacted(directory: Path, block: int) -> None:
    """Move the rows of a finished block into Parquet, as `fsgauge run` does."""
    with PlainFolder.opened(directory) as files:
        folder = ResultsFolder(files)
        try:
            compact(folder, block)
        finally:
            folder.close()
