"""The page of a bisection: every step with its limits, and a link to its report."""

from __future__ import annotations

import os
from pathlib import Path

from fsgauge.bisect.log import Log
from fsgauge.bisect.search import answer
from fsgauge.report import words
from fsgauge.report.logged import write_logged


def write_bisect(log: Log, folder: Path) -> Path:
    """Write the log and its page into a folder; RigError where that cannot be."""
    reports = {
        step.directory: os.path.relpath(Path(step.directory) / "report.html", folder)
        for step in log.steps
    }
    said = answer(log.kernels, log.tried)
    return write_logged("bisect", log, folder, answer=said, reports=reports, words=words)
