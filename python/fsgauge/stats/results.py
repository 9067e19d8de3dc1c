"""What statistics make of a study's records: the model that goes to report.json.
Ratios are system over baseline, so 0.94 of a rate is a loss and 0.94 of a latency a gain;
`verdict` says which. Intervals are 95 %. Values are raw: per second, bytes per second, nanoseconds.
"""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field, SerializeAsAny, ValidationInfo, field_validator

from fsgauge import kinds
from fsgauge.durability import Guards
from fsgauge.record.factors import unit_in
from fsgauge.record.machine import Simulation
from fsgauge.record.records import Cell
from fsgauge.stats.curve.model import CurveResults
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.metrics import LatencyKind, Unit
from fsgauge.stats.race.model import Race
from fsgauge.stats.result_model import NoiseFloor, ResultModel, StruckRun
from fsgauge.stats.result_model import OwnResults as OwnResults
from fsgauge.stats.scaling.model import HostScaling, HostsResult
from fsgauge.stats.verdict import Verdict
from fsgauge.stats.wording import blocks_words

Level = Literal["invalid", "warning", "note"]
Limit = Literal["emulator", "IOPS", "bandwidth", "neither", "unknown"]
"""The emulated processor, or what a disk may do in requests, or in bytes."""


class JudgedRatio(ResultModel):
    """A ratio over `n` blocks with its verdict; `p_adjusted` is corrected for its family.

    So are `low` and `high`: they exclude 1 where the verdict is better or worse, and else only
    where they are too wide to say anything. `barely`: without some one block the verdict would be
    another. `rig_deviation` of a block's log ratio is what the baseline against itself shows here:
    intervals and p count with no less.
    """

    ratio: float
    low: float | None
    high: float | None
    p_adjusted: float
    verdict: Verdict
    n: int
    barely: bool = False
    rig_deviation: float = 0.0

    @property
    def edges(self) -> tuple[float, float]:
        """The interval; the ratio itself where there is none."""
        return self.low or self.ratio, self.high or self.ratio


class MetricInfo(ResultModel):
    """What a metric is; `page` is what `fsgauge explain` takes."""

    name: str
    label: str
    unit: Unit
    higher_is_better: bool
    page: str

    @property
    def better(self) -> str:
        return "higher is better" if self.higher_is_better else "lower is better"


class Measurement(Estimate):
    """One system's own number in one cell: the geometric mean over blocks, with a t interval; or,
    where `short_runs` of its `n` runs are too short for a quantile, that of them all together.
    `limit` is what of the rig set the rate there."""

    cell: str
    system: str
    metric: str
    limit: Limit = Field(default="unknown", exclude_if=lambda value: value == "unknown")
    short_runs: int = Field(default=0, exclude_if=lambda value: not value)


class Comparison(JudgedRatio):
    """One system against the baseline in one cell.

    `detectable_percent` is the smallest effect that so many blocks of this noise would have shown
    in 80 of 100 studies; `margin_percent` the one within which a difference is called equivalent;
    `left_out` the blocks that lack a run of this pairing; `blocks` the ratio of each block.
    `alone_low` and `alone_high` are the 95 % interval of this ratio by itself; `pick_low` and
    `pick_high` hold where it is named for being the largest or the least of `family` ratios.
    `robust_*` are of a fit in which runs far off count little; those of `robust_light` blocks do.
    With `in_memory` a server's memory answered for the device: the verdict says nothing of storage.
    With `limited_by` the rig set the ratio ("the emulated processor"): it says nothing of systems.
    """

    cell: str
    system: str
    metric: str
    primary: bool
    in_memory: bool = False
    limited_by: str = Field(default="", exclude_if=lambda value: not value)
    p: float
    alone_low: float | None
    alone_high: float | None
    pick_low: float | None
    pick_high: float | None
    family: int
    detectable_percent: float | None
    margin_percent: float
    robust_ratio: float
    robust_low: float | None
    robust_high: float | None
    robust_p: float
    robust_light: list[int] = Field(default=[])
    left_out: list[int]
    blocks: list[tuple[int, float]]

    @property
    def pick_edges(self) -> tuple[float, float]:
        """The interval where it is named for being the largest or the least of its family."""
        return self.pick_low or self.ratio, self.pick_high or self.ratio

    def logs_over(self, other: Comparison) -> list[float]:
        """This ratio over another one as logs, in the blocks that have both."""
        below = dict(other.blocks)
        return [math.log(ratio / below[block]) for block, ratio in self.blocks if block in below]

    @property
    def is_claimed(self) -> bool:
        """Whether the verdict may stand in a sentence: it is one of the systems on storage."""
        return not self.in_memory and not self.limited_by


class DidNothing(ResultModel):
    """A system that did nothing of what a metric says in half of its runs or more: it has no number
    there, and no ratio."""

    cell: str
    system: str
    metric: str
    runs: int
    of: int

    @property
    def words(self) -> str:
        """ "did nothing in 6 of 8 runs"; of one operation of several, "none in 6 of 8 runs"."""
        verb = "none" if self.metric.endswith(".mean") else "did nothing"
        return f"{verb} {self.where}"

    @property
    def where(self) -> str:
        """ "in 6 of 8 runs"."""
        return "in its only run" if self.of == 1 else f"in {self.runs} of {self.of} runs"


class Finding(ResultModel):
    """What the reader has to know; `where` names runs, ten of `count`; `lines` quote a machine."""

    code: str
    level: Level
    sentence: str
    advice: str
    count: int
    where: list[str]
    lines: list[str] = Field(default=[], exclude_if=lambda value: not value)


class Difference(ResultModel):
    """A fact in which the systems differ beside what was asked for; one value a system."""

    fact: str
    values: dict[str, str]


class WeakSystem(ResultModel):
    """An option by which a system gives up durability; `loses` says what, `source` where that is
    written, `guards` whether it protects from a crash or from damage that nothing reports.
    """

    system: str
    option: str
    loses: str
    source: str
    guards: Guards


class Durability(ResultModel):
    """Systems that give some of it up, and sentences of what holds for all systems alike."""

    systems: list[WeakSystem]
    of_all: list[str]

    def of(self, system: str) -> list[WeakSystem]:
        return [each for each in self.systems if each.system == system]


NOTHING_WEAK = Durability(systems=[], of_all=[])


class Sureness(ResultModel):
    """What the answer rests on, for the box "How sure".

    `lacking`: in how many planned blocks a system lacks a run; `compared`: in how many blocks each
    is compared, in the primary cell that has fewest. `runs_by_passes` end when their work is done,
    and are not asked to be steady. `io_errors` were tried again; `client_errors` were not, and what
    they belonged to was given up; nor were `ageing_errors`, which failed while files came and went
    before the runs. `data_lost`: some of what was written did not come back as it was, and
    `invalid_reason` says what. `too_noisy`: a difference of 10 % would hardly be seen; what is
    decided stands all the same. `under_load_percent`: of the time from the first system's making to
    the end of the last run.
    """

    blocks_planned: int
    blocks_complete: int
    lacking: dict[str, int] = Field(default={}, exclude_if=lambda value: not value)
    compared: dict[str, int] = Field(default={}, exclude_if=lambda value: not value)
    runs_planned: int
    runs_complete: int
    runs_failed: int
    runs_judged_steady: int
    runs_steady: int
    runs_by_passes: int = 0
    engine_share_percent: float | None
    under_load_percent: float | None = None
    io_errors: int
    client_errors: int = 0
    ageing_errors: int = 0
    valid: bool
    invalid_reason: str
    data_lost: bool = False
    too_noisy: bool = False

    @property
    def blocks_words(self) -> str:
        """ "6 complete blocks", or who lacks runs and what is compared in how many."""
        return blocks_words(self.blocks_complete, self.blocks_planned, self.lacking, self.compared)


class LayoutNumber(Estimate):
    """One number of a system's layout, over blocks; `name` is a key of `fsgauge scan --json`."""

    system: str
    name: str
    when: Literal["before", "after"]


class LayoutRatio(JudgedRatio):
    """Extents per file after the last run, over those of the reference; more is worse."""

    system: str


class Layouts(ResultModel):
    """What lay where before and after the runs; `without` are systems that have no layout.

    `primary`: the study names the layout among its primary numbers. `reference`: whom ratios are
    to; the baseline, unless that is a bare device.
    """

    primary: bool
    reference: str
    without: list[str]
    numbers: list[LayoutNumber]
    ratios: list[LayoutRatio]
    failed: int
    incomplete: int


class TrafficNumber(ResultModel):
    """What one counter of a system's layers counted for each operation of a cell's runs, their
    warm-up included: the mean over blocks with its interval, and that of each part."""

    cell: str
    system: str
    name: str
    title: str
    unit: str
    per_operation: Estimate
    parts: dict[str, float]


class Results(ResultModel):
    """Everything that the report prints and `compare` reads; `own` is what only its kind has.

    `lines` are the answer's: its headline, then what belongs to it, a sentence each. `commits` are
    cells of which an operation is a commit.
    """

    format: Literal[1] = 1
    study: str
    kind: str
    question: str
    answer: str
    lines: list[str] = Field(default=[])
    baseline: str
    baseline_kind: str
    systems: list[str]
    cells: list[Cell]
    primary_cells: list[str]
    primary_metrics: dict[str, str]
    commits: list[str] = Field(default=[], exclude_if=lambda value: not value)
    latency_kind: LatencyKind
    metrics: list[MetricInfo]
    comparisons: list[Comparison]
    measurements: list[Measurement]
    nothing: list[DidNothing] = Field(default=[], exclude_if=lambda value: not value)
    noise: list[NoiseFloor]
    sureness: Sureness
    findings: list[Finding]
    differences: list[Difference]
    durability: Durability = NOTHING_WEAK
    layouts: Layouts | None = None
    simulation: Simulation | None = Field(default=None, exclude_if=lambda value: value is None)
    hosts: HostsResult | None = Field(default=None, exclude_if=lambda value: value is None)
    traffic: list[TrafficNumber] = Field(default=[], exclude_if=lambda value: not value)
    struck: list[StruckRun] = Field(default=[], exclude_if=lambda value: not value)
    race: Race | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of a race all else is of its shown blocks: those that confirm."""
    own: SerializeAsAny[OwnResults] | None = None

    @property
    def host_scaling(self) -> list[HostScaling]:
        """How rates grow with the number of hosts; none where the study does not vary it."""
        return self.hosts.scaling if self.hosts else []

    @field_validator("own", mode="before")
    @classmethod
    def _of_its_kind(cls, own: object, info: ValidationInfo) -> object:
        """What is read back gets its kind's model."""
        if not isinstance(own, dict):
            return own
        if own.get("mode") == "curve":
            return CurveResults.model_validate(own)
        model = kinds.part(info.data["kind"], "analysis").ANALYSIS.own
        return model.model_validate(own)

    @property
    def latency_words(self) -> str:
        """What a latency is: from when the operation was to begin, or of the call itself."""
        return "response latency" if self.latency_kind == "response" else "service time"

    @property
    def measured(self) -> dict[tuple[str, str, str], Measurement]:
        return {(each.cell, each.system, each.metric): each for each in self.measurements}

    def did_nothing(self, cell: str, system: str, metric: str) -> DidNothing | None:
        """Where a system has no number because it did nothing."""
        place = (cell, system, metric)
        found = (e for e in self.nothing if (e.cell, e.system, e.metric) == place)
        return next(found, None)

    def comparison(self, cell: str, system: str, metric: str) -> Comparison | None:
        place = (cell, system, metric)
        found = (e for e in self.comparisons if (e.cell, e.system, e.metric) == place)
        return next(found, None)

    def noise_of(self, metric: str) -> NoiseFloor | None:
        return next((floor for floor in self.noise if floor.metric == metric), None)

    def cell(self, cell_id: str) -> Cell:
        for cell in self.cells:
            if cell.id == cell_id:
                return cell
        raise KeyError(cell_id)

    def unit_in(self, cell_id: str, unit: str) -> str:
        """The unit of a metric in a cell: "commits/s" of a rate whose operations are commits."""
        return unit_in(self.cell(cell_id), unit, self.commits)
