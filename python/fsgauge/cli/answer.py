"""The last two lines of a command that made a report: what it found, and where the page is."""

from __future__ import annotations

import json
from pathlib import Path


def make_report(directory: Path) -> tuple[str, Path]:
    """Make a results folder's report; gives the answer and the page's path."""
    from fsgauge.report import write_report

    page = write_report(directory)
    answer = json.loads((directory / "report.json").read_text(encoding="utf-8"))["answer"]
    return str(answer), page
