"""Writes the report of a results folder.

Takes the folder; makes report.html, report.json and charts/NAME.svg in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fsgauge.errors import RigError
from fsgauge.plain_files import cannot_write
from fsgauge.report.charts.forest import forest
from fsgauge.report.charts.latency import latency_percentiles
from fsgauge.report.charts.processor import processor_time
from fsgauge.report.charts.series import time_series
from fsgauge.report.draw import Drawing
from fsgauge.report.durability import marked_drawings
from fsgauge.report.kind_page import page_of
from fsgauge.report.page import render_page
from fsgauge.stats import Results, read_study
from fsgauge.stats.analysis import analysis_of
from fsgauge.stats.changed_records import naming_changes
from fsgauge.store import StoredStudy, read_results
from fsgauge.store.seals import understood


def write_report(
    directory: Path, disk: Sequence[str] = (), *, accept_changed: bool = False
) -> Path:
    """Make the report of a results folder and give the path of its page.

    `disk` are KEY=VALUE that change the disk for which a study predicts rates.

    Raises InputError when the folder holds no readable study, RigError when it cannot be written
    or its records were changed, unless that is accepted: then the report names them.
    """
    stored = read_results(directory, accept_changed=accept_changed)
    with understood(stored.changes):
        results = naming_changes(_results(stored, disk), stored.changes)
        return write_results(stored, results)


def _results(stored: StoredStudy, disk: Sequence[str]) -> Results:
    study = stored.study
    return read_study(
        stored.turns,
        stored.runs,
        analysis_of(study).with_disk(study, disk) if disk else study,
        stored.environment_before,
        stored.environment_after,
        stored.scans,
        stored.steps,
        stored.path_runs,
    )


def write_results(stored: StoredStudy, results: Results) -> Path:
    """Make the report of results that are known already, in the folder that they are from.

    Raises RigError, and InputError where another folder is in its place.
    """
    directory = stored.directory
    drawings = draw_all(results, stored)
    page = render_page(results, stored, drawings)
    pages = {f"charts/{drawing.name}.svg": drawing.alone for drawing in drawings.values()}
    pages |= {"report.json": results.model_dump_json(indent=1), "report.html": page}
    try:
        with stored.folder.opened() as folder:
            for name, text in pages.items():
                folder.write(name, text)
    except OSError as error:
        refused = cannot_write(directory / name, error)
        raise RigError(
            f"cannot write the report into {directory}: {error.strerror}",
            details=(refused.what, *refused.details),
            cause=f"{refused.cause}; the records are untouched",
            next=f"copy {directory} to a place where you may write, and repeat",
        ) from error
    return directory / "report.html"


def draw_all(results: Results, stored: StoredStudy) -> dict[str, Drawing]:
    """Every picture that has something to show, by name, in the order of the page."""
    page = page_of(results)
    drawings = (
        *page.pictures(results, stored),
        forest(results),
        latency_percentiles(results, stored.runs),
        processor_time(results),
        time_series(results, stored.runs),
    )
    found = {drawing.name: drawing for drawing in drawings if drawing is not None}
    for name in page.left_out(found):
        found.pop(name, None)
    return marked_drawings(found, results)
