"""The page of a bisection: every step with its limits, and a link to its report."""

from __future__ import annotations

import os
from pathlib import Path

from fsgauge.bisect.log import FILE, Log
from fsgauge.bisect.search import answer
from fsgauge.report import words
from fsgauge.report.compared import write_pages
from fsgauge.report.theme import template

PAGE = "bisect.html"


def write_bisect(log: Log, folder: Path) -> Path:
    """Write the log and its page into a folder; RigError where that cannot be."""
    reports = {
        step.directory: os.path.relpath(Path(step.directory) / "report.html", folder)
        for step in log.steps
    }
    page = template("bisect.html.j2").render(
        log=log, answer=answer(log.kernels, log.tried), reports=reports, words=words
    )
    write_pages(folder, {FILE: log.model_dump_json(indent=1), PAGE: page})
    return folder / PAGE
