"""What the reader of a load curve has to know: bounds, rates not offered, runs that say nothing."""

from __future__ import annotations

from collections.abc import Iterator

from fsgauge.record.curve import Curve
from fsgauge.record.factors import factors_of
from fsgauge.stats.curve.blocks import block_curves, limit_words, load_of
from fsgauge.stats.curve.model import Capacity, CurveResults
from fsgauge.stats.curve.point import operations_needed
from fsgauge.stats.evidence import Evidence, finding, name_of, part_of
from fsgauge.stats.results import Finding
from fsgauge.units import count, format_duration, format_rate


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
            "A higher limit (--set plan.latency_limit=...), or look at why single operations take"
            f" so long. Lower rates need {factors.longer_runs}.",
            [where],
        )
    if each.state == "unsteady":
        yield finding(
            "curve.unsteady",
            "warning",
            f"{each.system} was above {limit} at the least rate already in {blocks}, and in others"
            " not: it has no number.",
            "The system stalls, or the machine does: look at these blocks, and use"
            f" {factors.longer_runs}.",
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
        longer = factors_of(load_of(evidence.study.plan, first)).longer_runs
        yield finding(
            "curve.few_operations",
            "warning",
            f"{count(few, 'run')} had fewer than the {operations_needed(curve):,} operations that"
            f" {limit_words(curve).split()[0]} needs, and say nothing.",
            f"{longer[0].upper()}{longer[1:]}, or --set plan.quantile=p50.",
        )
