"""One number that a kind measures in each run beside rates: its mean over blocks, and a sentence. A
kind says what it is of a run; `fsgauge.report.measured` has its table and chart."""

from __future__ import annotations

import math
from typing import ClassVar

from fsgauge.record.records import Cell, RunRecord
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.estimate import Estimate
from fsgauge.stats.evidence import Question
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.results import OwnResults
from fsgauge.stats.samples import is_complete
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT
from fsgauge.stats.wording import listed
from fsgauge.units import format_value


class Measured(ResultModel):
    """The geometric mean over blocks of one cell on one system, with its 95 % interval."""

    cell: str
    system: str
    value: Estimate


class MeasuredResults(OwnResults):
    """What was measured and its unit; in the order of cells, then of systems."""

    label: str
    unit: str
    measured: list[Measured]


class MeasuresOne(Analysis):
    """A kind's own number, above zero: `label` names it, `unit` is one of `format_value`."""

    own = MeasuredResults
    label: ClassVar[str]
    unit: ClassVar[str] = "ns"

    def measure(self, run: RunRecord) -> float | None:
        """The number of one complete run; None where it has none."""
        raise NotImplementedError

    def subject(self, cell: Cell) -> str:
        """What the sentence says before the numbers: "A commit of 4 KiB takes"."""
        return f"The {self.label} of {cell.name} is"

    def read(self, material: Material) -> MeasuredResults:
        plan, samples = material.study.plan, material.samples.beside()
        for run in material.runs:
            value = self.measure(run) if is_complete(run) else None
            if value is not None and value > 0:
                samples.put(self.label, run.cell.id, run, math.log(value))
        found = [
            Measured(cell=cell.id, system=system, value=number)
            for cell in plan.cells
            for system in plan.systems
            if (number := samples.number(self.label, cell.id, system)) is not None
        ]
        return MeasuredResults(label=self.label, unit=self.unit, measured=found)

    def answer(self, question: Question) -> str | None:
        own, cell = self.own.of(question), question.primary[0]
        of_cell = [each for each in own.measured if each.cell == cell.id] if own else []
        words = listed([f"{self._text(each.value)} on {each.system}" for each in of_cell])
        return f"{self.subject(cell)} {words}." if of_cell else None

    def _text(self, number: Estimate) -> str:
        text = self._value(number.value)
        if number.low is None or number.high is None or number.n < BLOCKS_FOR_A_VERDICT:
            return f"{text} (range not known from so few blocks)"
        return f"{text} ({self._value(number.low)} to {self._value(number.high)})"

    def _value(self, value: float) -> str:
        return format_value(value, self.unit)
