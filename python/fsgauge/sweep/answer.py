"""The answer of a sweep: what the last year leaves of the first one's rates, in about 60 words.

"After 2 years, reads of the aged tree have 33.5 MiB/s on ext4-6.18, 84 % of year 0's rate (70 to
99), and 38.2 MiB/s on xfs-6.18, 93 % (75 to 110); writes 32 % (27 to 39) and 59 % (53 to 66)."
Fresh copies are left to the page.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

from fsgauge.plain_files.kept import Kept
from fsgauge.record.machine import Simulation
from fsgauge.report import words
from fsgauge.stats.sentence import not_measured
from fsgauge.stats.wording import IN_EVERY_BLOCK, left_out, listed, percent, percent_range
from fsgauge.study.model import Study, System
from fsgauge.study.storage import SimulatedStorage
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


WORDS_LIMIT = 64
MOST_PROFILES = 2
MOST_SYSTEMS = 4
_AGED = "aged"


@dataclass(frozen=True)
class _Detail:
    """How much is told: rates of the first test, intervals of so many tests."""

    rates: bool
    intervals: int


_DETAILS = (_Detail(True, 99), _Detail(False, 99), _Detail(True, 1), _Detail(False, 1))
_LEAST = _Detail(False, 0)


def aged_tests(cells: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """By name, the cells that years act on, each as a test: "reads", "writes at 95 % full"."""
    aged = [each for each in cells if each["factors"].get("wear", _AGED) == _AGED]
    fills = {each["factors"].get("fill_percent") for each in aged}
    found = {}
    for each in aged:
        factors = each["factors"]
        level = f" at {factors['fill_percent']} % full" if len(fills) > 1 else ""
        found[each["name"]] = f"{factors['side']}s{level}"
    return found


def sweep_answer(panels: Sequence[YearPanel], tests: Mapping[str, str]) -> str:
    """The sentences; "" without any point. `tests` are the cells to tell, by name."""
    shown = [each for each in panels if each.cell in tests and any(x.points for x in each.lines)]
    by_profile = [list(of) for _, of in groupby(shown, key=lambda panel: panel.profile)]
    if not by_profile:
        return ""
    for profiles in range(min(MOST_PROFILES, len(by_profile)), 0, -1):
        for detail in (*_DETAILS, _LEAST):
            said = _said(by_profile, profiles, tests, detail)
            if len(said.split()) <= WORDS_LIMIT:
                return said
    return said


def _said(
    by_profile: Sequence[Sequence[YearPanel]],
    profiles: int,
    tests: Mapping[str, str],
    detail: _Detail,
) -> str:
    sentences = [
        _sentence(panels, tests, detail, is_first=at == 0, named=len(by_profile) > 1)
        for at, panels in enumerate(by_profile[:profiles])
    ]
    more = len(by_profile) - profiles
    if more:
        sentences.append(f"{more} more {'profile is' if more == 1 else 'profiles are'} below.")
    return " ".join(sentences)


def _sentence(
    panels: Sequence[YearPanel],
    tests: Mapping[str, str],
    detail: _Detail,
    *,
    is_first: bool,
    named: bool,
) -> str:
    """One profile, its tests one after another, with the same systems in the same order."""
    systems = [line.system for line in panels[0].lines if line.points]
    first, last = panels[0].lines[0].points[0].years, panels[0].lines[0].points[-1].years
    after = f"After {years_words(last)}" if is_first else ""
    profile = f"{'with' if after else 'With'} {panels[0].profile}" if named else ""
    clauses = []
    for at, panel in enumerate(panels):
        lines = {line.system: line for line in panel.lines if line.points}
        told = [lines[system] for system in systems[:MOST_SYSTEMS] if system in lines]
        known = at < detail.intervals
        test = tests[panel.cell]
        if at:
            clauses.append(f"{test} {_again(panel, told, known=known)}")
            continue
        tree = " of the aged tree" if is_first else ""
        of = f" of year {first:g}'s rate" if is_first else ""
        parts = [
            _of_system(panel, each, of if number == 0 else "", detail.rates and is_first, known)
            for number, each in enumerate(told)
        ]
        clauses.append(f"{test}{tree} have {listed(parts)}{left_out(len(systems), MOST_SYSTEMS)}")
    start = " ".join(filter(None, (after, profile)))
    return f"{start}, {'; '.join(clauses)}."


def _of_system(panel: YearPanel, line: YearLine, of: str, rates: bool, known: bool) -> str:
    """ "84 % of year 0's rate on ext4 (70 to 99)", with the rate before it."""
    if len(line.points) == 1:
        return f"{_rate(panel, line.points[0], known=known)} on {line.system}"
    share = _share_words(line)
    if not rates:
        return f"{share}{of} on {line.system}{_interval(line, known=known)}"
    rate = panel.said(line.points[-1].value)
    return f"{rate} on {line.system}, {share}{of}{_interval(line, known=known)}"


def _again(panel: YearPanel, lines: Sequence[YearLine], *, known: bool) -> str:
    """ "32 % (27 to 39) and 59 % (53 to 66)": the systems stand in the order of the first."""
    parts = [
        f"{_share_words(line)}{_interval(line, known=known)}"
        if len(line.points) > 1
        else _rate(panel, line.points[0], known=known)
        for line in lines
    ]
    return listed(parts)


def _rate(panel: YearPanel, point: YearPoint, *, known: bool) -> str:
    is_known = known and words.is_known(point.low, point.high, point.lives)
    if not is_known or point.low is None or point.high is None:
        return panel.said(point.value)
    low, high = panel.said(point.low), panel.said(point.high)
    unit = high.partition(" ")[2]
    return f"{panel.said(point.value)} ({low.removesuffix(f' {unit}')} to {high})"


def _share(line: YearLine) -> float:
    return line.points[-1].value / line.points[0].value


def _share_words(line: YearLine) -> str:
    return percent(_share(line), share_interval(line))


def share_interval(line: YearLine) -> tuple[float, float] | None:
    """The interval of last rate over first; None where one of the two has none that says anything.

    Both distances, in logs, from their estimates, as one: MOVER, Zou and Donner, "Construction of
    confidence limits about effect measures" (Statistics in Medicine 27, 2008). That is for
    independent estimates; lives of a seed go up and down together, so it is rather too wide.
    """
    first, last = line.points[0], line.points[-1]
    ends = []
    for point in (first, last):
        if not words.is_known(point.low, point.high, point.lives):
            return None
        if point.low is None or point.high is None or point.low <= 0:
            return None
        ends.append((math.log(point.value / point.low), math.log(point.high / point.value)))
    (first_below, first_above), (last_below, last_above) = ends
    share = math.log(_share(line))
    low = share - math.hypot(last_below, first_above)
    high = share + math.hypot(last_above, first_below)
    return math.exp(low), math.exp(high)


def _interval(line: YearLine, *, known: bool) -> str:
    found = share_interval(line) if known else None
    if found is None:
        return ""
    said = percent_range(*found)
    return f" ({'in every life' if said == IN_EVERY_BLOCK else said})"
