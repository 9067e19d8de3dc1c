"""Seals for records that a test wrote itself: the journal that a study would have left."""

from __future__ import annotations

import hashlib
from pathlib import Path

from fsgauge.plain_files import PlainFolder
from fsgauge.store import ResultsFolder
from fsgauge.store.blocks import compact
from fsgauge.store.journal import NAME, linked_line
from fsgauge.store.seals import STORED

_MADE_FROM_RECORDS = ("report", "comparison", "history", "charts", "records-abandoned", "expected")


def seal(directory: Path, *events: str) -> Path:
    """Begin the journal anew: every record as it is now, then these events. Gives the folder."""
    files = [path for path in sorted(directory.rglob("*")) if path.is_file()]
    names = {str(path.relative_to(directory)): path for path in files}
    lines: list[dict[str, object]] = []
    for name, path in names.items():
        if not name.startswith((*_MADE_FROM_RECORDS, ".", "README")) and name != NAME:
            content = path.read_bytes()
            sha256 = hashlib.sha256(content).hexdigest()
            facts = {"file": name, "sha256": sha256, "size_bytes": len(content)}
            lines.append({"unix_ns": 0, "event": STORED, **facts})
    lines += [{"unix_ns": 0, "event": event} for event in events]
    chain, text = "", b""
    for each in lines:
        line, chain = linked_line(each, chain)
        text += line + b"\n"
    (directory / NAME).write_bytes(text)
    return directory


def compacted(directory: Path, block: int) -> None:
    """Move the rows of a finished block into Parquet, as `fsgauge run` does in a long study."""
    with PlainFolder.opened(directory) as files:
        folder = ResultsFolder(files)
        try:
            compact(folder, block, blocks=1, short_bytes=0)
        finally:
            folder.close()
