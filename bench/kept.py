"""What earlier runs found: target/bench.json with the last rows of every bench, and
target/bench-history.ndjson with every row that was ever measured here."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Collection, Sequence
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "target"
LAST = TARGET / "bench.json"
HISTORY = TARGET / "bench-history.ndjson"
LONGEST_HISTORY_BYTES = 32 << 20
"""Of a longer one only the end is read: some thousand runs."""

Row = dict[str, object]


def keep(
    rows: Sequence[Row], benches: Collection[str], last: Path = LAST, history: Path = HISTORY
) -> None:
    """Write these after the last rows of all other benches; `benches` are what was run."""
    write(
        [*[row for row in read(last) if not any(is_of(row, each) for each in benches)], *rows], last
    )
    with history.open("a") as file:
        for row in rows:
            file.write(json.dumps({**row, "machine": machine()}) + "\n")


def write(rows: Sequence[Row], last: Path = LAST) -> None:
    """Write these and no others."""
    last.parent.mkdir(exist_ok=True)
    whole = last.with_suffix(".json.new")
    whole.write_text(json.dumps(list(rows), indent=2) + "\n")
    whole.replace(last)


def read(last: Path = LAST) -> list[Row]:
    """The last rows; none where nothing was measured yet, or the file is cut off."""
    try:
        found = json.loads(last.read_text())
    except (OSError, ValueError):
        return []
    return [row for row in found if isinstance(row, dict) and "name" in row]


def earlier(name: str, count: int, history: Path = HISTORY) -> list[Row]:
    """The last `count` measured rows of that name on this machine, oldest first."""
    return [
        row
        for row in _lines(history)
        if row.get("name") == name and row.get("machine") == machine() and "ratio" in row
    ][-count:]


def _lines(history: Path) -> list[Row]:
    try:
        with history.open("rb") as file:
            file.seek(max(0, history.stat().st_size - LONGEST_HISTORY_BYTES))
            text = file.read(LONGEST_HISTORY_BYTES).decode(errors="replace")
    except OSError:
        return []
    found = []
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except ValueError:  # cut off by a crash, or by where reading began
            continue
        if isinstance(row, dict):
            found.append(row)
    return found


def machine() -> str:
    """Its name, kernel and number of processors: rows of another one are no earlier runs."""
    return f"{platform.node()} {platform.release()} {os.cpu_count()} processors"


def is_of(row: Row, bench: str) -> bool:
    """Whether a row is this bench's: it has its name, or its name and that of a measure."""
    return f"{row['name']}-".startswith(f"{bench}-")
