"""Writes the report of a results folder.

Takes the folder; makes report.html, report.json and charts/NAME.svg in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fsgauge.errors import InputError, RigError
from fsgauge.kinds.aging.disk import Disk
from fsgauge.kinds.aging.page.against_free import kept_chart, predicted_chart, rates_chart
from fsgauge.kinds.aging.page.aged_lengths import free_lengths, written_lengths
from fsgauge.kinds.churn.page.chart import damage_chart
from fsgauge.kinds.connections.page.clients_chart import clients_chart
from fsgauge.kinds.connections.page.extents_chart import extents_chart
from fsgauge.kinds.connections.page.tests_chart import is_short, tests_chart
from fsgauge.kinds.overhead.page.depth import depth_curves
from fsgauge.kinds.overhead.page.heatmap import heatmap
from fsgauge.kinds.writers.page.chart import writers_chart
from fsgauge.kinds.writers.page.gain import gain_chart
from fsgauge.kinds.writers.page.law import law_chart
from fsgauge.plain_files import cannot_write
from fsgauge.report.charts.forest import forest
from fsgauge.report.charts.latency import latency_percentiles
from fsgauge.report.charts.processor import processor_time
from fsgauge.report.charts.series import time_series
from fsgauge.report.draw import Drawing
from fsgauge.report.page import render_page
from fsgauge.stats import Results, read_study
from fsgauge.stats.changed import naming_changes
from fsgauge.store import StoredStudy, read_results
from fsgauge.store.seals import understood

_OF_SYSTEMS = ("forest", "overhead", "depth", "latency", "cpu", "series")
"""Pictures of systems side by side, in whose place that of the damage stands."""

ChangedDisk = Callable[[Mapping[str, Any]], Disk]


def write_report(
    directory: Path, changed_disk: ChangedDisk | None = None, *, accept_changed: bool = False
) -> Path:
    """Make the report of a results folder and give the path of its page.

    `changed_disk` makes the disk that rates are predicted for from the one in the study's record.

    Raises InputError when the folder holds no readable study, RigError when it cannot be written
    or its records were changed, unless that is accepted: then the report names them.
    """
    stored = read_results(directory, accept_changed=accept_changed)
    with understood(stored.changes):
        results = naming_changes(_results(stored, changed_disk), stored.changes)
        return write_results(stored, results)


def _results(stored: StoredStudy, changed_disk: ChangedDisk | None) -> Results:
    return read_study(
        stored.turns,
        stored.runs,
        stored.study,
        stored.environment_before,
        stored.environment_after,
        stored.scans,
        stored.steps,
        stored.path_runs,
        disk=_disk(stored, changed_disk),
    )


def _disk(stored: StoredStudy, changed_disk: ChangedDisk | None) -> Disk | None:
    """The disk in the place of the study's own; refused where the study predicts nothing."""
    workload = stored.study.study.get("workload", {})
    if changed_disk is None:
        return None
    if workload.get("kind") != "aging":
        raise InputError(
            f"--disk changes nothing: {stored.directory} is a study of kind"
            f" {workload.get('kind', 'overhead')}, which predicts no disk's rates",
            next=f"fsgauge report {stored.directory}",
        )
    return changed_disk(workload.get("disk") or {})


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
    """Every picture that has something to show, by name, in the order of the page.

    Where the numbers of all tests fit the first screen, they take the place of the first picture.
    """
    drawings = (
        gain_chart(results),
        kept_chart(results),
        rates_chart(results),
        predicted_chart(results),
        written_lengths(results),
        free_lengths(results),
        damage_chart(results),
        forest(results),
        writers_chart(results),
        law_chart(results),
        tests_chart(results),
        clients_chart(results),
        heatmap(results),
        depth_curves(results),
        latency_percentiles(results, stored.runs),
        processor_time(results),
        extents_chart(results),
        time_series(results, stored.runs),
    )
    found = {drawing.name: drawing for drawing in drawings if drawing is not None}
    if is_short(found.get("tests")):
        found.pop("forest", None)
    if "damage" in found:
        for name in _OF_SYSTEMS:
            found.pop(name, None)
    return found
