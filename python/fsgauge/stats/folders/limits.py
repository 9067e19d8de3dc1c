"""Whether a comparison crosses the limits of --fail-if.

Takes conditions and a comparison of two folders; gives one test a condition, cell and system that
it selects, by the basis that decides. A limit counts as crossed only when the whole interval lies
beyond it, and where the direct ratio decides, that of the ratio to the baseline too. With m ratios
asked for, each interval is one of 100 - 5/m % (Bonferroni), so that the chance of a false alarm of
a whole command stays below 2.5 %, however many cells it asks about. An interval that holds the
limit decides nothing; neither does a folder that is not valid. Whether that passes is asked for.
A folder that is too noisy to answer decides where its interval does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.record.factors import declarations, factors_of
from fsgauge.record.records import FactorValue
from fsgauge.stats.folders.compare import Between, Entry
from fsgauge.stats.folders.condition import Condition, Selector, what_cell_is
from fsgauge.stats.results import ResultModel
from fsgauge.stats.verdict import ALPHA, BLOCKS_FOR_A_VERDICT
from fsgauge.stats.welch import interval
from fsgauge.units import exact_size, format_size

Outcome = Literal["crossed", "held", "undecided"]


class Test(ResultModel):
    """One condition on one cell and system; the interval is at `level`."""

    __test__ = False

    condition: str
    cell: str
    system: str
    metric: str
    ratio: float
    low: float | None
    high: float | None
    level: float
    outcome: Outcome
    reason: str


def check(conditions: Sequence[Condition], between: Between) -> list[Test]:
    """All tests of all conditions; InputError where one selects nothing."""
    asked = [
        (condition, entry) for condition in conditions for entry in selected(condition, between)
    ]
    intervals = {(entry.cell, entry.system, entry.metric) for _, entry in asked}
    level = 1 - ALPHA / max(1, len(intervals))
    return [_test(condition, entry, between, level) for condition, entry in asked]


def selected(condition: Condition, between: Between) -> list[Entry]:
    """The entries that a condition is about, by the basis that decides; InputError for none."""
    _require_known(condition, between)
    matching = [
        (cell.id, system)
        for cell in between.cells
        for system in between.systems
        if condition.selects(cell, system)
    ]
    found = [
        entry
        for cell, system in matching
        if (entry := between.entry(cell, system, condition.metric, between.decides)) is not None
    ]
    if found:
        return found
    if not matching:
        last = condition.selectors[-1].token
        raise condition.error(
            "no cell is all of this at once", last, next=f"the cells are: {_names(between)}"
        )
    if between.decides == "to baseline" and {system for _, system in matching} == {
        between.baseline
    }:
        raise condition.error(
            f"{between.baseline} is the baseline: it has no ratio to itself",
            condition.metric_token,
            next="name another system, or compare folders of the same machine",
        )
    raise condition.error(
        f"{condition.metric} was not measured in these cells",
        condition.metric_token,
        next=f"measured were: {', '.join(metric.name for metric in between.metrics)}",
    )


def _require_known(condition: Condition, between: Between) -> None:
    """Each selector alone has to be something that the study has."""
    for selector in condition.selectors:
        known = _known(selector, between)
        if selector.value not in known.values():
            raise _unknown(condition, selector, list(known), between)


def _names(between: Between) -> str:
    return "; ".join(cell.name for cell in between.cells)


def _known(selector: Selector, between: Between) -> dict[str, FactorValue]:
    """What the study has of a selector's kind, by the name that people write."""
    if selector.kind == "system":
        return {system: system for system in between.systems}
    has = [(factors_of(cell), what_cell_is(cell).get(selector.kind)) for cell in between.cells]
    if selector.kind == "depth":
        return {f"depth {factors.depth}": factors.depth for factors, _ in has}
    if selector.kind == "jobs":
        return {factors.at_once_words: factors.at_once for factors, _ in has}
    if selector.kind == "size":
        return {exact_size(factors.operation_bytes): factors.operation_bytes for factors, _ in has}
    return {str(value): value for _, value in has if value is not None}


def _at_once(between: Between) -> str:
    """What a number of those that work at once counts."""
    declared = next((factors_of(cell).in_role("jobs") for cell in between.cells), None)
    return declared[1].one if declared else "job"


def _label(name: str) -> str:
    """What people call a factor."""
    return next((factor.label for known, factor in declarations() if known == name), name)


def _unknown(
    condition: Condition, selector: Selector, known: list[str], between: Between
) -> InputError:
    written = {
        "system": f'system "{selector.value}"',
        "pattern": f'pattern "{selector.value}"',
        "size": f"block size {format_size(int(selector.value))}" if selector.kind == "size" else "",
        "depth": f"depth {selector.value}",
        "jobs": f"number of {_at_once(between)}s {selector.value}",
        "cell": f'cell "{selector.value}"',
    }.get(selector.kind) or f"cells with {selector.value} {_label(selector.kind)}"
    return condition.error(
        f"this study has no {written}",
        selector.token,
        hint=did_you_mean(nearest(str(selector.value), known)),
        next=f"it has: {', '.join(known)}" if known else f"the cells are: {_names(between)}",
    )


def _test(condition: Condition, entry: Entry, between: Between, level: float) -> Test:
    bounds = _bounds(entry, level)
    outcome, reason = _outcome(condition, entry, between, bounds)
    if outcome == "crossed" and between.decides == "direct":
        other = between.entry(entry.cell, entry.system, entry.metric, "to baseline")
        if other is not None:
            outcome, reason = _confirmed(condition, other, between, _bounds(other, level))
    return Test(
        condition=condition.text,
        cell=between.cell(entry.cell).name,
        system=entry.system,
        metric=entry.metric,
        ratio=entry.ratio,
        low=bounds[0] if bounds else None,
        high=bounds[1] if bounds else None,
        level=level,
        outcome=outcome,
        reason=reason,
    )


def _bounds(entry: Entry, level: float) -> tuple[float, float] | None:
    if entry.error is None or entry.freedom is None:
        return None
    return interval(entry.ratio, entry.error, entry.freedom, level, entry.reach)


def _confirmed(
    condition: Condition, other: Entry, between: Between, bounds: tuple[float, float] | None
) -> tuple[Outcome, str]:
    """What crossed by the direct ratio, by the ratio to the baseline."""
    outcome, reason = _outcome(condition, other, between, bounds)
    if outcome == "crossed":
        return outcome, reason
    return (
        "undecided",
        f"B over A crossed the limit, the ratio to {between.baseline} did not: the machine or"
        f" {between.baseline} may have changed",
    )


def _outcome(
    condition: Condition, entry: Entry, between: Between, bounds: tuple[float, float] | None
) -> tuple[Outcome, str]:
    for side in (between.a, between.b):
        if not side.valid:
            return "undecided", f"{side.label} is not valid: {side.invalid_reason}"
    if bounds is None or min(entry.blocks_a, entry.blocks_b) < BLOCKS_FOR_A_VERDICT:
        return "undecided", f"fewer than {BLOCKS_FOR_A_VERDICT} blocks"
    crossed, held = place_of(condition, *bounds)
    if crossed:
        return "crossed", "the whole interval is beyond the limit"
    if held:
        return "held", "the whole interval is within the limit"
    noisy = [side.label for side in (between.a, between.b) if side.too_noisy]
    if noisy:
        return (
            "undecided",
            f"{' and '.join(noisy)}: too noisy to answer; the interval holds the limit",
        )
    return "undecided", "the interval holds the limit; more blocks would narrow it"


def place_of(condition: Condition, low: float, high: float) -> tuple[bool, bool]:
    """Whether a whole interval is beyond a limit, and whether it is within; it may be neither."""
    limit = condition.limit
    return {
        "<": (high < limit, low >= limit),
        "<=": (high <= limit, low > limit),
        ">": (low > limit, high <= limit),
        ">=": (low >= limit, high < limit),
    }[condition.comparison]
