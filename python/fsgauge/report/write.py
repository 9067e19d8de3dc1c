"""Writes the report of a results folder.

Takes the folder; makes report.html, report.json and charts/NAME.svg in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fsgauge.disk import Disk
from fsgauge.errors import InputError, RigError
from fsgauge.report.charts.against_free import kept_chart, predicted_chart, rates_chart
from fsgauge.report.charts.aged_lengths import free_lengths, written_lengths
from fsgauge.report.charts.clients import clients_chart
from fsgauge.report.charts.depth import depth_curves
from fsgauge.report.charts.extents import extents_chart
from fsgauge.report.charts.forest import forest
from fsgauge.report.charts.gain import gain_chart
from fsgauge.report.charts.heatmap import heatmap
from fsgauge.report.charts.latency import latency_percentiles
from fsgauge.report.charts.law import law_chart
from fsgauge.report.charts.processor import processor_time
from fsgauge.report.charts.series import time_series
from fsgauge.report.charts.tests import is_short, tests_chart
from fsgauge.report.charts.writers import writers_chart
from fsgauge.report.churn.chart import damage_chart
from fsgauge.report.draw import Drawing
from fsgauge.report.page import render_page
from fsgauge.stats import Results, read_study
from fsgauge.store import StoredStudy, read_results

_OF_SYSTEMS = ("forest", "overhead", "depth", "latency", "cpu", "series")
"""Pictures of systems side by side, in whose place that of the damage stands."""

ChangedDisk = Callable[[Mapping[str, Any]], Disk]


def write_report(directory: Path, changed_disk: ChangedDisk | None = None) -> Path:
    """Make the report of a results folder and give the path of its page.

    `changed_disk` makes the disk that rates are predicted for from the one in the study's record.

    Raises InputError when the folder holds no readable study, RigError when it cannot be written.
    """
    stored = read_results(directory)
    results = read_study(
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
    return write_results(directory, stored, results)


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


def write_results(directory: Path, stored: StoredStudy, results: Results) -> Path:
    """Make the report of results that are known already; raises RigError."""
    drawings = draw_all(results, stored)
    page = render_page(results, stored, drawings)
    try:
        return _write(directory, results, drawings, page)
    except OSError as error:
        raise RigError(
            f"cannot write the report into {directory}: {error.strerror}",
            cause="the folder is read-only or its disk is full; the records are untouched",
            next=f"copy {directory} to a place where you may write, and repeat",
        ) from error


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


def _write(directory: Path, results: Results, drawings: dict[str, Drawing], page: str) -> Path:
    charts = directory / "charts"
    charts.mkdir(exist_ok=True)
    for drawing in drawings.values():
        _replace(charts / f"{drawing.name}.svg", drawing.alone)
    _replace(directory / "report.json", results.model_dump_json(indent=1))
    path = directory / "report.html"
    _replace(path, page)
    return path


def _replace(path: Path, text: str) -> None:
    """A reader sees the old file or the new one, never half."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)
