"""What came of a sweep: a rate with its interval for each cell, profile, system and year."""

from __future__ import annotations

import shlex
from typing import Any, Literal

from fsgauge.plain_files.kept import Kept
from fsgauge.record.machine import Simulation
from fsgauge.stats.sentence import not_measured
from fsgauge.study.model import Study, System
from fsgauge.study.storage import SimulatedStorage
from fsgauge.sweep.answer import aged_tests, sweep_answer
from fsgauge.sweep.folder import (
    FILE,
    PlacedPoint,
    Sweep,
    YearLine,
    YearPanel,
    YearPoint,
    years_words,
)
from fsgauge.sweep.running import Failed
from fsgauge.units import exact_size

Whole = list[tuple[PlacedPoint, dict[str, Any]]]
"""Points with their reports."""


class SweepResults(Kept):
    format: Literal[1] = 1
    question: str
    answer: str
    simulation: Simulation | None
    systems: list[str]
    baseline: str
    panels: list[YearPanel]
    missing: list[str]
    storage: str
    settings: dict[str, str]
    load: str
    repeat: str


def results_of(sweep: Sweep, failed: list[Failed]) -> SweepResults:
    reports = [(placed, placed.report()) for placed in sweep.points]
    whole = [(placed, report) for placed, report in reports if report is not None]
    because = {each.placed.directory: each.said for each in failed}
    missing = [
        f"{years_words(placed.point.years)}, {placed.point.profile}:"
        f" {because.get(placed.directory, 'not simulated yet')}"
        for placed, report in reports
        if report is None
    ]
    systems = [system.name for system in sweep.study.systems]
    panels = _panels(sweep, whole)
    models = Simulation.model_validate(whole[0][1]["simulation"]) if whole else None
    return SweepResults(
        question=sweep.study.question,
        answer=_answer(panels, whole, models),
        simulation=models,
        systems=systems,
        baseline=systems[0],
        panels=panels,
        missing=missing,
        storage=_storage(sweep.study),
        settings={system.name: _settings(system) for system in sweep.study.systems},
        load=_load(sweep.study),
        repeat=shlex.join(["fsgauge", "run", str(sweep.directory / FILE), "--rig", "simulator"]),
    )


def _storage(study: Study) -> str:
    """ "2 TiB in a model (disks-8+2-2012, window 16)"."""
    storage = study.storage
    if not isinstance(storage, SimulatedStorage):
        raise TypeError("a sweep is simulated")
    over = f" on {storage.devices} devices" if storage.devices > 1 else ""
    changed = [f"its {storage.times} times"] if storage.times else []
    changed += [f"{name} {value:g}" for name, value in storage.parameters.items()]
    return f"{exact_size(storage.size)} in a model{over} ({', '.join([storage.model, *changed])})"


def _settings(system: System) -> str:
    options = [("mkfs", system.mkfs), ("mount", system.mount)]
    given = [*system.settings.items(), *((name, text) for name, text in options if text)]
    return ", ".join([system.kind, *(f"{name} {text}" for name, text in given)])


def _load(study: Study) -> str:
    rewrites = study.sweep.rewrites_a_year if study.sweep else 0.0
    often = {1.0: "once", 2.0: "twice"}.get(rewrites, f"{rewrites:g} times")
    return (
        f"all live bytes are written {often} a year; {study.plan.blocks} blocks, each of"
        " another seed, in which the first system lives twice"
    )


def _panels(sweep: Sweep, whole: Whole) -> list[YearPanel]:
    if not whole:
        return []
    first = whole[0][1]
    names = {cell["id"]: cell["name"] for cell in first["cells"]}
    units = {metric["name"]: metric["unit"] for metric in first["metrics"]}
    metrics = first["primary_metrics"]
    panels = []
    for profile in dict.fromkeys(placed.point.profile for placed in sweep.points):
        own = [each for each in whole if each[0].point.profile == profile]
        for cell in (each for each in first["primary_cells"] if each in metrics):
            metric, systems = metrics[cell], [system.name for system in sweep.study.systems]
            points = {name: _points(own, (cell, name, metric), sweep) for name in systems}
            lines = [YearLine(system=name, points=each) for name, each in points.items()]
            panels.append(
                YearPanel(
                    cell=names[cell],
                    profile=profile,
                    metric=metric,
                    unit=units[metric],
                    lines=lines,
                )
            )
    return panels


def _points(whole: Whole, wanted: tuple[str, str, str], sweep: Sweep) -> list[YearPoint]:
    return [
        YearPoint(
            years=placed.point.years,
            value=each["value"],
            low=each["low"],
            high=each["high"],
            lives=each["n"],
            results=str(placed.results.relative_to(sweep.directory)) if placed.results else "",
        )
        for placed, report in whole
        for each in report["measurements"]
        if (each["cell"], each["system"], each["metric"]) == wanted
    ]


def _answer(panels: list[YearPanel], whole: Whole, simulation: Simulation | None) -> str:
    primary = whole[0][1]["primary_cells"] if whole else []
    cells = [each for _, report in whole[:1] for each in report["cells"] if each["id"] in primary]
    said = sweep_answer(panels, aged_tests(cells))
    if simulation is None or not said:
        return "No point is whole yet."
    return not_measured(said, simulation)
