"""What statistics say of a load curve, whatever kind of study its load is of. What the reader of a
load curve has to know: bounds, rates not offered, runs that say nothing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fsgauge.record.factors import factors_of
from fsgauge.record.modes import Curve
from fsgauge.record.quantiles import QUANTILES, operations_needed, quantile_words
from fsgauge.record.records import Cell, RunRecord
from fsgauge.stats.analysis import Analysis, Material
from fsgauge.stats.curve.answer import curve_answer
from fsgauge.stats.curve.blocks import CAPACITY, BlockCurve, block_curves, load_of
from fsgauge.stats.curve.model import Capacity, CurvePoint, CurveResults, LimitedBy
from fsgauge.stats.curve.point import knee, line_of, operation_of, share_waited_for
from fsgauge.stats.evidence import Evidence, Question, finding, name_of, part_of
from fsgauge.stats.histogram import quantile_ns
from fsgauge.stats.metrics import service_times
from fsgauge.stats.results import Finding
from fsgauge.stats.rig_limits import BY_RIG, WORDS, Place, RigLimit
from fsgauge.units import count, exact_duration, format_duration, format_rate

BUSY = 0.9
"""From this share of their time on, processors have none left."""


def curve_findings(evidence: Evidence) -> Iterator[Finding]:
    """Of every system and load; none of a study without a curve."""
    found, curve = evidence.own, evidence.study.plan.curve
    if not isinstance(found, CurveResults) or curve is None:
        return
    for each in found.capacities:
        yield from _bounds(evidence, each, curve)
    yield from _not_offered(evidence, curve)
    yield from _few(evidence, found, curve)


def _bounds(evidence: Evidence, each: Capacity, curve: Curve) -> Iterator[Finding]:
    load = load_of(evidence.study.plan, each.load)
    where, factors = f"{each.system}, {load.name}", factors_of(load)
    blocks = part_of(each.bound_blocks, each.blocks, "block")
    limit = format_duration(curve.limit_ns)
    if each.state == "at least" and each.bound is not None:
        yield finding(
            "curve.unreached",
            "note",
            f"{each.system} passed {limit} at no rate that it was offered in {blocks}: it serves"
            f" {format_rate(each.bound, factors.rate_unit)} at least.",
            "More blocks look higher (--set plan.blocks=...), or a lower limit answers.",
            [where],
        )
    if each.state == "less than" and each.bound is not None:
        yield finding(
            "curve.first_over",
            "warning",
            f"{each.system} was above {limit} at the least rate already:"
            f" {format_rate(each.bound, factors.rate_unit)}.",
            f"{each.helps[:1].upper()}{each.helps[1:]}.",
            [where],
        )
    if each.state == "unsteady":
        yield finding(
            "curve.unsteady",
            "warning",
            f"{each.system} was above {limit} at the least rate already in {blocks}, and in other"
            " turns not: it has no number.",
            "The system stalls, or the machine does: look at these blocks, and use"
            f" {longer_runs(evidence.study.study, factors.longer_runs)}.",
            [where],
        )


def _not_offered(evidence: Evidence, curve: Curve) -> Iterator[Finding]:
    curves = block_curves(evidence.path_runs, curve)
    late = [point for each in curves for point in each.points if point.is_late]
    if late:
        yield finding(
            "curve.not_offered",
            "warning",
            f"In {count(len(late), 'run')} the engine was late, not the system: the rate"
            " was not offered. These runs are in no curve.",
            "More that work at once, or nothing else on this machine.",
            [f"{name_of(each.run)}" for each in late],
        )


def _few(evidence: Evidence, found: CurveResults, curve: Curve) -> Iterator[Finding]:
    few = sum(each.few for each in found.capacities)
    if few:
        first = next(each.load for each in found.capacities if each.few)
        of_load = factors_of(load_of(evidence.study.plan, first)).longer_runs
        longer = longer_runs(evidence.study.study, of_load)
        yield finding(
            "curve.few_operations",
            "warning",
            f"{count(few, 'run')} had fewer than the {operations_needed(curve.quantile):,}"
            f" operations that {quantile_words(curve.quantile)} needs, and say nothing.",
            f"{longer[0].upper()}{longer[1:]}, or --set plan.quantile=p50.",
        )


KNEE = "knee"


class CurveAnalysis(Analysis):
    """Rates at the limit, judged as rates are; the curves that they were read from."""

    own = CurveResults
    said_better = frozenset({"idle.system", "noise.unknown"})
    """A system's rates are given, and differ from block to block; a bound is no sample of noise."""

    def __init__(self, of_kind: Analysis) -> None:
        self._of_kind = of_kind

    def primary_metric(self, cell: Cell, *, paced: bool) -> str:  # noqa: ARG002 - a rate at a pace
        return CAPACITY

    def read(self, material: Material) -> CurveResults | None:
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

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        """Bounds, rates that the engine could not offer, runs with too few operations; and what
        its kind finds in the runs at the highest rate that was served."""
        yield from curve_findings(evidence)
        yield from self._of_kind.findings(replace(evidence, own=None))

    def answer(self, question: Question) -> str | None:
        return curve_answer(question)


DRAWN = 24
"""Rates at which a curve is read, evenly from the least to the highest that was offered."""


def _points(curves: Sequence[BlockCurve], curve: Curve, material: Material) -> list[CurvePoint]:
    """The curve over blocks, at rates that half of them reach."""
    load, system = curves[0].load, curves[0].system
    lines = [(each, line_of(each.points, curve.limit_ns)) for each in curves]
    offered = [point.rate for each in curves for point in each.points if point.is_known]
    if not offered:
        return []
    least, most = min(offered), max(offered)
    samples, points = material.samples.beside(), []
    for step in range(DRAWN):
        rate = least + (most - least) * step / (DRAWN - 1)
        found = [(each, line.at(rate)) for each, line in lines if line is not None]
        known = [(each, log) for each, log in found if log is not None]
        for each, log in known:
            samples.put(f"{rate}", load, each, log)
        latency = samples.number(f"{rate}", load, system)
        if latency is not None and 2 * len(known) >= len(lines):
            points.append(CurvePoint(load=load, system=system, rate=rate, latency=latency))
    return points


def _capacity(
    place: tuple[str, str], curves: Sequence[BlockCurve], curve: Curve, material: Material
) -> Capacity:
    load, system = place
    found = [each.found for each in curves if each.found is not None]
    below = [each for each in found if each.where == "below"]
    state, bound = "measured", None
    if not found:
        state = "nothing"
    elif len(below) == len(found):
        state, bound = "less than", min(found, key=lambda each: each.rate)
    elif below:
        state = "unsteady"
    elif any(each.where == "above" for each in found):
        state, bound = "at least", min(found, key=lambda each: each.rate)
    bounds = ("below",) if state == "unsteady" else ("below", "above")
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
        bound_blocks=len({e.block for e in curves if e.found and e.found.where in bounds}),
        blocks=len({each.block for each in curves}),
        helps=what_helps(curves, curve, material.study.study, by) if state == "less than" else "",
        knee=samples.number(KNEE, load, system),
        limited_by=by,
        limited_words=words,
        late=sum(point.is_late for point in points),
        few=sum(point.latency_ns is None and not point.is_late for point in points),
    )


def limited_by(
    curves: Sequence[BlockCurve], curve: Curve, limits: Mapping[Place, RigLimit]
) -> tuple[LimitedBy, str]:
    """What was seen in most blocks of one system and load, with its words; "" where no run was over
    the limit and the engine offered every rate.

    In this order: what the rig limits, the processors, the time of the operations themselves where
    that alone is over the limit; else the queue, in which they wait.
    """
    first = [
        next((p.run for p in each.points if p.is_over(curve.limit_ns)), None) for each in curves
    ]
    over = [run for run in first if run is not None]
    if not over:
        late = any(point.is_late for each in curves for point in each.points)
        return ("engine", "the engine's own pace") if late else ("", "")
    rig = limits.get((curves[0].load, curves[0].system))
    if rig is not None and rig.limit in BY_RIG:
        return "rig", WORDS[rig.limit]
    found = Counter(_seen(run, curve) for run in over).most_common(1)[0][0]
    return found, _words(found, over[0], curve)


def _seen(run: RunRecord, curve: Curve) -> LimitedBy:
    result = run.result
    if result is None:
        return "queue"
    machine, threads = result.machine_cpu, result.cpu
    own_ns, of_ns = threads.user_ns + threads.system_ns, threads.threads * result.elapsed_ns
    if machine.busy_ns >= BUSY * machine.total_ns > 0 or own_ns >= BUSY * of_ns > 0:
        return "processors"
    services = service_times(result, operation_of(run.cell))
    took_ns = [quantile_ns(each, QUANTILES[curve.quantile]) or 0.0 for each in services]
    return "service" if max(took_ns, default=0.0) > curve.limit_ns else "queue"


def _words(found: LimitedBy, run: RunRecord, curve: Curve) -> str:
    if found == "processors":
        return "the processors: those of the load's threads have no time left"
    if found == "service":
        return f"the operations: their own time is above {format_duration(curve.limit_ns)}"
    at_once = len(run.result.jobs) if run.result is not None else 1
    depth = at_once * (run.load.queue_depth if run.load is not None else 1)
    places = "one operation at a time" if depth == 1 else f"all {depth} places are taken"
    return f"the queue: {places}"


_LONGER = 4
"""Times the duration: the least rate is so much lower, and the study as much longer."""
_NEAR = 1.5
"""Of the operations that a quantile needs: a run with fewer could not have offered less."""
_ABOVE = 2.0
"""Of the latency that was seen."""


def what_helps(
    curves: Sequence[BlockCurve], curve: Curve, study: Mapping[str, Any], by: LimitedBy
) -> str:
    """What to ask where the least rate is over the limit already: lower rates, or a higher limit.
    The next command, in words that begin with what it brings. A load of which single operations
    take longer than the limit has no lower rate that would help."""
    found = [each.found for each in curves if each.found is not None]
    if by == "service":
        seen_ns = min(each.latency_ns for each in found)
        return f"a higher limit: --set 'plan.latency_limit={exact_duration(_round_ns(seen_ns))}'"
    duration = study["workload"].get("duration")
    known = [point for each in curves for point in each.points if point.is_known]
    least = min(known, key=lambda point: point.rate)
    share = 1.0 if least.run.result is None else share_waited_for(least.run, least.run.result)
    if duration and least.rate * share * duration / 1e9 < _NEAR * operations_needed(curve.quantile):
        longer = exact_duration(_LONGER * duration).replace(" ", "")
        return f"lower rates: --set workload.duration={longer}"
    return f"lower rates: --set plan.blocks={2 * study['plan']['blocks']}"


def longer_runs(study: Mapping[str, Any], words: str) -> str:
    """With the duration that is proposed; `words` are those of a load without one."""
    duration = study["workload"].get("duration")
    if not duration:
        return words
    longer = exact_duration(_LONGER * duration).replace(" ", "")
    return f"longer runs (--set workload.duration={longer})"


def _round_ns(seen_ns: float) -> int:
    """1, 2 or 5 of a decade, above twice what was seen."""
    wanted = _ABOVE * seen_ns
    decade: int = 10 ** math.floor(math.log10(wanted))
    return next(each for each in (decade, 2 * decade, 5 * decade, 10 * decade) if each >= wanted)
