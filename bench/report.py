"""target/bench.json: a list with the last lines of every bench, whether all were run or one."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path

REPORT = Path(__file__).resolve().parent.parent / "target" / "bench.json"
Line = dict[str, object]


def write_lines(lines: Sequence[Line], report: Path = REPORT) -> None:
    """Write these and no others."""
    report.parent.mkdir(exist_ok=True)
    whole = report.with_suffix(".json.new")
    whole.write_text(json.dumps(list(lines), indent=2) + "\n")
    whole.replace(report)


def replace_lines(lines: Sequence[Line], benches: Collection[str], report: Path = REPORT) -> None:
    """Write these after the earlier lines of all other benches; `benches` are what was run."""
    earlier: list[Line] = json.loads(report.read_text()) if report.exists() else []
    others = [line for line in earlier if not any(is_of(line, bench) for bench in benches)]
    write_lines([*others, *lines], report)


def is_of(line: Line, bench: str) -> bool:
    """Whether a line is this bench's: it has its name, or its name and that of a measure."""
    return f"{line['name']}-".startswith(f"{bench}-")
