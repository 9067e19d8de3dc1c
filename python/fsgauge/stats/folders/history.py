"""Many results folders of one study: how the ratios to the baseline went, and where they stepped.

Takes sides; gives one series a primary cell and system, and its steps. Only ratios to the baseline
are followed, never rates: a machine that got faster, warmer or busier changes all systems alike,
and that is no news about a file system. The sample is the folder: what varies from day to day is
in the noise, which the blocks of one folder do not show.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from fsgauge.errors import InputError
from fsgauge.stats.contrast import Contrast, Value, ratio_of, reach_of
from fsgauge.stats.folders.change_points import FEWEST, change_points
from fsgauge.stats.folders.same_conditions import Side, Unlike, listed_differences, require_alike
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.planned import level_of
from fsgauge.stats.read import changed_sentence, read_side
from fsgauge.stats.results import ResultModel, Results
from fsgauge.stats.samples import Samples, collect


class Point(ResultModel):
    """One folder's ratio to the baseline, with the interval that its blocks give."""

    label: str
    started_unix_ns: int
    ratio: float
    low: float | None
    high: float | None
    blocks: int


class Turning(ResultModel):
    """A step: from folder `label` on, the ratio is `ratio` times what it was."""

    label: str
    index: int
    ratio: float
    low: float | None
    high: float | None
    direction: Literal["better", "worse"]
    changed: list[str]


class Series(ResultModel):
    """One cell and system over time."""

    cell: str
    system: str
    metric: str
    higher_is_better: bool
    points: list[Point]
    steps: list[Turning]


class History(ResultModel):
    """What the folders say together; goes to history.json.

    `left_out` names those not valid, `reasons` says why, and `data_lost` names those of them in
    which some of what was written did not come back as it was. `changed` names those whose records
    were changed after they were written.
    """

    format: Literal[1] = 1
    question: str
    baseline: str
    systems: list[str]
    folders: list[str]
    left_out: list[str]
    reasons: dict[str, str]
    data_lost: list[str]
    enough: bool
    series: list[Series]
    despite: list[Unlike]
    changed: list[str]


def follow(sides: Sequence[Side], *, despite: Sequence[str] = ()) -> History:
    """The history of folders, which are put in order of time.

    Raises InputError for fewer than two, for one without a second system, and for folders that
    differ in what must be equal.
    """
    if len(sides) < 2:
        raise InputError(
            "a history takes at least two results folders", next="fsgauge history DIR DIR ..."
        )
    ordered = sorted(sides, key=lambda side: side.study.started_unix_ns)
    first = ordered[0]
    accepted = [
        each.model_copy(update={"fact": f"{each.fact} ({side.label})"})
        for side in ordered[1:]
        for each in require_alike(first, side, despite)
    ]
    results = [read_side(side) for side in ordered]
    valid = [place for place, each in enumerate(results) if each.sureness.valid]
    kept = [ordered[place] for place in valid]
    left_out = {
        side.label: each.sureness
        for side, each in zip(ordered, results, strict=True)
        if not each.sureness.valid
    }
    samples = [collect(side.study.plan, side.runs, level=level_of(side.study)) for side in kept]
    latest = results[-1]
    baseline = latest.baseline
    if any(each.baseline != baseline for each in results):
        raise InputError(
            "the folders have different baselines, and ratios to different things make no series",
            next="fsgauge history with folders of one baseline",
        )
    systems = [
        system
        for system in latest.systems
        if system != baseline and all(system in each.systems for each in results)
    ]
    if not systems:
        raise InputError(
            f"there is no system other than the baseline {baseline} in all of these folders",
            cause="a history follows ratios to the baseline, since rates also move with the"
            " machine",
            next="fsgauge compare A B compares two folders directly",
        )
    return History(
        question=latest.question,
        baseline=baseline,
        systems=systems,
        folders=[side.label for side in kept],
        left_out=list(left_out),
        reasons={label: each.invalid_reason for label, each in left_out.items()},
        data_lost=[label for label, each in left_out.items() if each.data_lost],
        enough=len(kept) >= FEWEST,
        series=_all_series(kept, samples, _shared_cells(results), systems),
        despite=accepted,
        changed=[
            f"{side.label}: {changed_sentence(side.changes)}" for side in ordered if side.changes
        ],
    )


def _shared_cells(results: Sequence[Results]) -> dict[str, str]:
    """Primary cells of the latest folder that all have, with the metric each is judged by."""
    latest = results[-1]
    cells = [latest.cell(cell) for cell in latest.primary_cells]
    return {
        cell.id: latest.primary_metrics[cell.id]
        for cell in cells
        if all(cell in each.cells for each in results)
    }


def _all_series(
    sides: Sequence[Side],
    samples: Sequence[Samples],
    cells: dict[str, str],
    systems: Sequence[str],
) -> list[Series]:
    wanted = [(cell, metric, system) for cell, metric in cells.items() for system in systems]
    return [
        _series(sides, samples, cell, metric, system, len(wanted))
        for cell, metric, system in wanted
    ]


def _series(
    sides: Sequence[Side],
    samples: Sequence[Samples],
    cell: str,
    metric: str,
    system: str,
    count: int,
) -> Series:
    points, have, furthest = [], [], 0.0
    for side, each in zip(sides, samples, strict=True):
        contrast = Contrast(Value(metric, cell, system), Value(metric, cell, each.plan.baseline))
        furthest = max(furthest, reach_of(contrast, each))
        ratio = ratio_of(contrast, each)
        if ratio is not None:
            have.append(side)
            points.append(
                Point(
                    label=side.label,
                    started_unix_ns=side.study.started_unix_ns,
                    ratio=ratio.ratio,
                    low=ratio.low,
                    high=ratio.high,
                    blocks=ratio.n,
                )
            )
    higher = METRICS[metric].higher_is_better
    steps = change_points([math.log(point.ratio) for point in points], series=count, reach=furthest)
    turnings = [
        Turning(
            label=points[step.index].label,
            index=step.index,
            ratio=step.ratio.ratio,
            low=step.ratio.low,
            high=step.ratio.high,
            direction="better" if (step.ratio.ratio > 1) == higher else "worse",
            changed=_changed(have[step.index - 1], have[step.index]),
        )
        for step in steps
    ]
    names = {each.id: each.name for each in samples[-1].plan.cells} if samples else {}
    return Series(
        cell=names.get(cell, cell),
        system=system,
        metric=metric,
        higher_is_better=higher,
        points=points,
        steps=turnings,
    )


def _changed(before: Side, after: Side) -> list[str]:
    """What else changed between two neighbours: where to look first."""
    return [
        f"{each.fact}: {each.a} / {each.b}"
        for each in listed_differences(before, after)
        if each.fact != "day"
    ]
