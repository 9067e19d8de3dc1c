"""What statistics say of a load curve, whatever kind of study its load is of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from fsgauge.record.curve import Curve
from fsgauge.record.records import Cell
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.curve.answer import curve_answer
from fsgauge.stats.curve.blocks import CAPACITY, BlockCurve, block_curves
from fsgauge.stats.curve.crossing import HIGHEST, knee
from fsgauge.stats.curve.findings import curve_findings
from fsgauge.stats.curve.limited import limited_by
from fsgauge.stats.curve.model import Capacity, CurvePoint, CurveResults
from fsgauge.stats.curve.point import Point, operation_of
from fsgauge.stats.evidence import Evidence, Question
from fsgauge.stats.results import Finding

KNEE = "knee"


class CurveAnalysis(Analysis):
    """Rates at the limit, judged as rates are; the curves that they were read from."""

    own = CurveResults

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002 - a rate at a pace
        """The rate that is carried below the limit."""
        return CAPACITY

    def read(self, material: Material) -> CurveResults | None:
        """The curves of every system and load."""
        plan = material.study.plan
        curve = plan.curve
        if curve is None:
            return None
        curves = block_curves(material.runs, curve)
        places = [(cell.id, system) for cell in plan.cells for system in plan.systems]
        own = {
            place: [each for each in curves if (each.load, each.system) == place]
            for place in places
        }
        return CurveResults(
            limit_ns=curve.limit_ns,
            quantile=curve.quantile,
            operation={cell.id: operation_of(cell) for cell in plan.cells},
            points=[p for each in own.values() if each for p in _points(each, curve, material)],
            capacities=[_capacity(place, each, curve, material) for place, each in own.items()],
        )

    def findings(self, evidence: Evidence) -> Iterable[Finding]:
        """Bounds, rates that the engine could not offer, runs with too few operations."""
        return curve_findings(evidence)

    def answer(self, question: Question) -> str | None:
        """What each system carries below the limit."""
        return curve_answer(question)


ANALYSIS = CurveAnalysis()


def _points(curves: Sequence[BlockCurve], curve: Curve, material: Material) -> list[CurvePoint]:
    """The steps, by rate: over blocks, the baseline's two turns as one."""
    found: dict[float, list[tuple[BlockCurve, Point]]] = {}
    for each in curves:
        for point in each.points:
            if point.is_known and point.run.cell.pace and point.run.cell.pace.part == "step":
                found.setdefault(point.rate, []).append((each, point))
    samples = material.samples.beside()
    for rate, points in found.items():
        for each, point in points:
            capped = min(point.latency_ns or 1.0, HIGHEST * curve.limit_ns)
            samples.put(f"{rate}", each.load, each, math.log(max(capped, 1.0)))
    return [
        CurvePoint(
            load=points[0][0].load,
            system=points[0][0].system,
            rate=rate,
            latency=samples.number(f"{rate}", points[0][0].load, points[0][0].system),
            over=sum(point.is_over(curve.limit_ns) for _, point in points),
            runs=len(points),
        )
        for rate, points in sorted(found.items())
    ]


def _capacity(
    place: tuple[str, str], curves: Sequence[BlockCurve], curve: Curve, material: Material
) -> Capacity:
    load, system = place
    found = [each.found for each in curves if each.found is not None]
    above = [each for each in found if each.where == "above"]
    below = [each for each in found if each.where == "below"]
    state, bound = "measured", None
    if not found:
        state = "nothing"
    elif above and below:
        state = "both"
    elif above:
        state, bound = "at least", min(found, key=lambda each: each.rate)
    elif below:
        state, bound = "less than", max(found, key=lambda each: each.rate)
    points = [point for each in curves for point in each.points]
    samples = material.samples.beside()
    for each in curves:
        at = knee(each.points, curve.limit_ns)
        if at is not None:
            samples.put(KNEE, load, each, math.log(at))
    by, words = limited_by(curves, curve, material.limits)
    return Capacity(
        load=load,
        system=system,
        state=state,
        number=material.samples.number(CAPACITY, load, system),
        bound=bound.rate if bound else None,
        bound_latency_ns=bound.latency_ns if bound else None,
        bound_blocks=len({e.block for e in curves if e.found and e.found.where != "measured"}),
        blocks=len({each.block for each in curves}),
        knee=samples.number(KNEE, load, system),
        limited_by=by,
        limited_words=words,
        late=sum(point.is_late for point in points),
        few=sum(point.latency_ns is None and not point.is_late for point in points),
    )
