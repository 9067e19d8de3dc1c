"""Many results folders of one study: how the ratios to the baseline went, and where they stepped.

Takes sides; gives one series a primary cell and system, and its steps. Only ratios to the baseline
are followed, never rates: a machine that got faster, warmer or busier changes all systems alike,
and that is no news about a file system. The sample is the folder: what varies from day to day is
in the noise, which the blocks of one folder do not show.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Literal

from pydantic import Field

from fsgauge.errors import InputError
from fsgauge.stats.asked_number import is_plural, named_test
from fsgauge.stats.contrast import Contrast, Value, ratio_of, reach_of
from fsgauge.stats.folders.change_points import FEWEST, apart, change_points
from fsgauge.stats.folders.folder import Folder, Shared, read_folder
from fsgauge.stats.folders.same_conditions import Side, Unlike, listed_differences, require_alike
from fsgauge.stats.idle import idle_words
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.read import changed_sentence
from fsgauge.stats.result_model import ResultModel


class Point(ResultModel):
    """One folder's ratio to the baseline, with the interval that its blocks give. `apart`: it lies
    far from its neighbours, and steps are those of the series without it."""

    label: str
    started_unix_ns: int
    ratio: float
    low: float | None
    high: float | None
    blocks: int
    apart: bool = False


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
    """One cell and system over time; `test` is the cell in a sentence."""

    cell: str
    test: str
    is_plural: bool
    system: str
    metric: str
    higher_is_better: bool
    points: list[Point]
    steps: list[Turning]


class History(ResultModel):
    """What the folders say together; goes to history.json.

    `left_out` names those not valid, `reasons` says why, and `data_lost` names those of them in
    which some of what was written did not come back as it was. `idle` says who did nothing or
    little in which of those that are followed. `changed` names those whose records
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
    idle: list[str] = Field(default=[], exclude_if=lambda value: not value)
    enough: bool
    series: list[Series]
    despite: list[Unlike]
    changed: list[str]

    @property
    def is_followed(self) -> bool:
        """Whether any folder has a ratio; of those in which every run failed, none has."""
        return any(each.points for each in self.series)


def follow(sides: Sequence[Side], *, despite: Sequence[str] = ()) -> History:
    """The history of folders, which are put in order of time. Raises InputError for fewer than two,
    for one without a second system, and for folders that differ in what must be equal."""
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
    # One whose changed records were accepted is followed like the others, and named.
    folders = [read_folder(replace(side, changes=())) for side in ordered]
    latest = folders[-1]
    baseline = latest.results.baseline
    if any(each.results.baseline != baseline for each in folders):
        raise InputError(
            "the folders have different baselines, and ratios to different things make no series",
            next="fsgauge history with folders of one baseline",
        )
    shared = Shared.of(latest, folders)
    systems = [each for each in shared.systems if each != baseline]
    if not systems:
        raise InputError(
            f"there is no system other than the baseline {baseline} in all of these folders",
            cause="a history follows ratios to the baseline, since rates also move with the"
            " machine",
            next="fsgauge compare A B compares two folders directly",
        )
    kept = [each for each in folders if each.results.sureness.valid]
    left_out = {
        each.label: each.results.sureness for each in folders if not each.results.sureness.valid
    }
    primary = [cell.id for cell in shared.cells if cell.id in shared.primary]
    values = [
        Value(latest.results.primary_metrics[cell], cell, system)
        for cell, system in product(primary, systems)
    ]
    return History(
        question=latest.results.question,
        baseline=baseline,
        systems=systems,
        folders=[each.label for each in kept],
        left_out=list(left_out),
        reasons={label: each.invalid_reason for label, each in left_out.items()},
        data_lost=[label for label, each in left_out.items() if each.data_lost],
        idle=[f"{e.label}: {said}" for e in kept if (said := idle_words(e.results.findings))],
        enough=len(kept) >= FEWEST,
        series=[_series(kept, value, len(values)) for value in values],
        despite=accepted,
        changed=[
            f"{side.label}: {changed_sentence(side.changes)}" for side in ordered if side.changes
        ],
    )


def _series(folders: Sequence[Folder], value: Value, count: int) -> Series:
    """One cell and system; `count` is how many series are looked at."""
    points, have, reach = [], [], 0.0
    for folder in folders:
        samples = folder.samples
        contrast = Contrast(value, value._replace(system=samples.plan.baseline))
        reach = max(reach, reach_of(contrast, samples))
        ratio = ratio_of(contrast, samples)
        if ratio is not None:
            have.append(folder.side)
            points.append(
                Point(
                    label=folder.label,
                    started_unix_ns=folder.span_ns[0],
                    ratio=ratio.ratio,
                    low=ratio.low,
                    high=ratio.high,
                    blocks=ratio.n,
                )
            )
    higher = METRICS[value.metric].higher_is_better
    logs = [math.log(point.ratio) for point in points]
    steps = change_points(logs, series=count, reach=reach)
    points = [
        point.model_copy(update={"apart": is_apart})
        for point, is_apart in zip(points, apart(logs), strict=True)
    ]
    cells = {each.id: each for each in folders[-1].samples.plan.cells} if folders else {}
    cell = cells.get(value.cell)
    return Series(
        cell=cell.name if cell else value.cell,
        test=named_test(cell, value.metric) if cell else value.cell,
        is_plural=cell is not None and is_plural(cell, value.metric),
        system=value.system,
        metric=value.metric,
        higher_is_better=higher,
        points=points,
        steps=[
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
        ],
    )


def _changed(before: Side, after: Side) -> list[str]:
    """What else changed between two neighbours: where to look first."""
    return [
        f"{each.fact}: {each.a} / {each.b}"
        for each in listed_differences(before, after)
        if each.fact != "day"
    ]
