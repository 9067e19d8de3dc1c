"""What a comparison of two sides says: the model of comparison.json.

Two sides may be the ends of a model's range: one study with the shortest and with the longest
times. Between them there is nothing to decide: with the longest times a model is never faster.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from pydantic import Field

from fsgauge.record.factors import unit_in
from fsgauge.record.records import Cell
from fsgauge.stats.folders.folder import BASES, Basis, Key
from fsgauge.stats.folders.limits import FolderRatio, Idle, Ratios
from fsgauge.stats.folders.same_conditions import Side, Unlike, is_simulated, unlike
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.results import NOTHING_WEAK, Durability, MetricInfo
from fsgauge.stats.verdict import Verdict

TIMES = "storage.times"
"""The fact in which the two differ, and that --despite takes as well."""
End = Literal["shortest", "longest"]


class Ends(ResultModel):
    """The model, which end A and B have, and the seeds of both: of one seed, blocks are alike."""

    model: str
    a: End
    b: End
    seeds_a: list[int]
    seeds_b: list[int]


class Entry(ResultModel):
    """B over A by one metric. Without `verdict`, two machines or two ends of a range were compared.

    `low` and `high` exclude 1 exactly where the verdict is better or worse, or lie within the
    margin where it is equivalent; `alone_low` and `alone_high` are the 95 % interval of this ratio
    by itself. `bases_agree` is false where that one would decide and the other basis says
    otherwise; `low` and `high` then span the intervals of both.
    `within_low` and `within_high` are the interval of these sittings alone; `sittings_measured`:
    the other one is of how these differ. Where it is not known how sittings differ, there is none,
    and nothing is claimed. `value_a` and `value_b`
    are geometric means over blocks: in the metric's unit, or, to the baseline, ratios. `error` (of
    the log ratio), `freedom` and `reach` (how far its buckets leave it open) give intervals at
    other levels.
    """

    cell: str
    system: str
    metric: str
    primary: bool
    basis: Basis
    decides: bool
    value_a: float
    value_b: float
    ratio: float
    low: float | None
    high: float | None
    alone_low: float | None
    alone_high: float | None
    within_low: float | None
    within_high: float | None
    sittings_measured: bool
    p: float
    p_adjusted: float
    verdict: Verdict | None
    bases_agree: bool
    blocks_a: int
    blocks_b: int
    error: float | None
    reach: float
    freedom: float | None
    detectable_percent: float | None
    margin_percent: float
    robust_ratio: float
    robust_low: float | None
    robust_high: float | None
    robust_p: float

    @property
    def key(self) -> Key:
        return self.cell, self.system, self.metric

    @property
    def shown(self) -> tuple[float | None, float | None]:
        """The interval to show: of these sittings alone where it is not known how others differ."""
        if self.low is None:
            return self.within_low, self.within_high
        return self.low, self.high

    @property
    def blocks(self) -> int:
        """The number of the side that has fewer."""
        return min(self.blocks_a, self.blocks_b)


class IdleLine(ResultModel):
    """A line without a ratio, since a side did nothing there: in words what each did, "" of one
    that worked, which has a value in its first folder."""

    cell: str
    system: str
    metric: str
    a: str
    b: str
    value_a: float | None
    value_b: float | None

    @property
    def idle(self) -> Idle:
        """What conditions take it for."""
        rate = math.nan if self.a and self.b else 0.0 if self.b else math.inf
        said = f"{'B' if self.b else 'A'} {self.b or self.a}"
        return Idle(said if not (self.a and self.b) else f"A {self.a}, B {self.b}", rate)


class SideFacts(ResultModel):
    """What one of the two sides is: its folders, and in how many sittings they were measured. The
    reason is that of the first folder that is not valid; the time that of the first folder."""

    label: str
    folders: list[str]
    sittings: int
    blocks_complete: int
    blocks_words: str = Field(default="", exclude_if=lambda value: not value)
    valid: bool
    invalid_reason: str
    data_lost: bool
    too_noisy: bool = False
    started_unix_ns: int
    durability: Durability = NOTHING_WEAK
    simulated: bool = Field(default=False, exclude_if=lambda value: not value)
    idle: str = Field(default="", exclude_if=lambda value: not value)
    """Who did nothing or little in the first folder where somebody did. `blocks_words` says who
    lacks runs in the first folder where somebody does."""


class Between(ResultModel):
    """Everything that the comparison of two folders says; goes to comparison.json.

    `sittings_known`: these sittings are too few, and others showed how sittings differ: those of a
    gate, or of `folders_beside` earlier folders next to A. `unlike_machines` are the facts by which
    the machine or the storage is another.
    """

    format: Literal[1] = 1
    question: str
    baseline: str
    a: SideFacts
    b: SideFacts
    sittings_measured: bool
    sittings_known: bool
    folders_beside: int = Field(default=0, exclude_if=lambda value: not value)
    same_machine: bool
    unlike_machines: list[str]
    decides: Basis
    systems: list[str]
    cells: list[Cell]
    primary_cells: list[str]
    primary_metrics: dict[str, str]
    commits: list[str] = Field(default=[], exclude_if=lambda value: not value)
    """Cells of which an operation is a commit."""
    metrics: list[MetricInfo]
    entries: list[Entry]
    differences: list[Unlike]
    nothing: list[IdleLine] = Field(default=[], exclude_if=lambda value: not value)
    ends: Ends | None = Field(default=None, exclude_if=lambda value: value is None)
    only_in: dict[str, list[str]] = Field(default={}, exclude_if=lambda value: not value)
    """By the label of a side, its systems that the other one does not have."""

    @property
    def durability(self) -> Durability:
        """What systems give up on either side."""
        weak = [each for side in (self.a, self.b) for each in side.durability.systems]
        return Durability(systems=weak, of_all=[])

    def entry(self, cell: str, system: str, metric: str, basis: Basis) -> Entry | None:
        return self._places.get((cell, system, metric, basis))

    def primary_entries(self, basis: Basis) -> list[Entry]:
        """The entries of the primary cells by their primary metric, cell by cell, the baseline
        too."""
        found = (
            self.entry(cell, system, self.primary_metrics[cell], basis)
            for cell in self.primary_cells
            for system in self.systems
        )
        return [entry for entry in found if entry is not None]

    @cached_property
    def _places(self) -> dict[tuple[str, str, str, Basis], Entry]:
        return {(*one.key, one.basis): one for one in self.entries}

    def other(self, entry: Entry) -> Entry | None:
        basis: Basis = "to baseline" if entry.basis == "direct" else "direct"
        return self.entry(*entry.key, basis)

    def metric(self, name: str) -> MetricInfo:
        return next(metric for metric in self.metrics if metric.name == name)

    def unit_in(self, cell_id: str, unit: str) -> str:
        """The unit of a metric in a cell: "commits/s" of a rate whose operations are commits."""
        return unit_in(self.cell(cell_id), unit, self.commits)

    def ratios(self) -> Ratios:
        """What conditions of --fail-if are asked of."""
        sides = self.a, self.b
        invalid = [f"{s.label} is not valid: {s.invalid_reason}" for s in sides if not s.valid]
        return Ratios(
            cells=self.cells,
            systems=self.systems,
            metrics=[metric.name for metric in self.metrics],
            baseline=self.baseline,
            decides=self.decides,
            lines={
                basis: {
                    each.key: FolderRatio(
                        each.ratio, each.error, each.freedom, each.reach, each.blocks, each.value_b
                    )
                    for each in self.entries
                    if each.basis == basis
                }
                for basis in BASES
            },
            invalid=invalid[0] if invalid else "",
            noisy=[side.label for side in sides if side.too_noisy],
            sittings_unknown=not (self.sittings_measured or self.sittings_known),
            idle={(each.cell, each.system, each.metric): each.idle for each in self.nothing},
        )

    def cell(self, cell_id: str) -> Cell:
        found = {cell.id: cell for cell in self.cells}
        return found[cell_id]


def ends_of(a: Sequence[Side], b: Sequence[Side]) -> Ends | None:
    """The ends that all folders of A and all of B have; None where they are no such pair. Where
    another fact differs that should be equal, a difference may come from that one too."""
    if not all(is_simulated(side) for side in (*a, *b)):
        return None
    if {name for side in (*a[1:], *b) for name, _, _ in unlike(a[0], side)} != {TIMES}:
        return None
    end_a, end_b = _end(a), _end(b)
    if end_a is None or end_b is None:
        return None
    model = str(a[0].study.study["storage"]["model"])
    return Ends(model=model, a=end_a, b=end_b, seeds_a=_seeds(a), seeds_b=_seeds(b))


def without_times(differences: Sequence[Unlike]) -> list[Unlike]:
    """The differences; the one between two ends is what is shown, and no exception."""
    return [
        each.model_copy(update={"despite": False}) if each.fact == TIMES else each
        for each in differences
    ]


def _end(sides: Sequence[Side]) -> End | None:
    """The end that all have; None where they have both."""
    found: set[End] = {side.study.study["storage"].get("times") for side in sides}
    return found.pop() if len(found) == 1 else None


def _seeds(sides: Sequence[Side]) -> list[int]:
    return sorted({side.study.plan.seed for side in sides})
