"""The end of a command that made a report: what it found, and where the page is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def make_report(
    directory: Path, disk: Sequence[str] = (), *, accept_changed: bool = False
) -> tuple[str, Path]:
    """Make a results folder's report; gives the answer and the page's path.

    `disk` are KEY=VALUE as of --disk; raises InputError for what is wrong with them.
    """
    from fsgauge.report import write_report

    page = write_report(directory, disk, accept_changed=accept_changed)
    return str(_results(directory)["answer"]), page


def primary_ratios(directory: Path) -> list[dict[str, Any]]:
    """The primary comparisons of the report that was made: what was found, for a program."""
    results = _results(directory)
    metrics = results["primary_metrics"]
    keys = ("cell", "system", "metric", "ratio", "low", "high", "verdict", "n")
    return [
        {key: entry[key] for key in keys}
        for entry in results["comparisons"]
        if entry["primary"] and entry["metric"] == metrics.get(entry["cell"])
    ]


def _results(directory: Path) -> dict[str, Any]:
    from fsgauge.plain_files import read_plain

    found: dict[str, Any] = json.loads(read_plain(directory / "report.json"))
    return found
