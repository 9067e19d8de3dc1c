"""Whether limits are met: --fail-if on ratios, and --limit on values themselves.

Takes conditions and the ratios of a comparison; gives one test a condition, cell and system that it
selects, by the basis that decides. A limit counts as crossed only when the whole interval is beyond
it, and where the direct ratio decides, that of the ratio to the baseline too. With m ratios asked
for, each interval is one of 100 - 5/m % (Bonferroni), so that the chance of a false alarm of a
whole command stays below 2.5 %, however many cells it asks about. An interval that holds the limit
decides nothing; neither does a folder that is not valid. Whether that passes is asked for. A folder
that is too noisy to answer decides where its interval does.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fsgauge.errors import did_you_mean, nearest
from fsgauge.plan.levels import corrected
from fsgauge.record.factors import declarations, factors_of
from fsgauge.record.records import Cell, FactorValue
from fsgauge.stats.folders.condition import Condition, Selector, what_cell_is
from fsgauge.stats.folders.folder import Basis, Key
from fsgauge.stats.metrics import METRICS, Unit
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, is_too_wide
from fsgauge.stats.welch import interval
from fsgauge.units import exact_size, format_size

Interval = tuple[float, float]
SITTINGS_UNKNOWN = "nothing shows how sittings differ: name more folders, or a gate's file (--gate)"
_SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@dataclass(frozen=True)
class FolderRatio:
    """B over A in one cell and system. `error` and `freedom` are of the log ratio, None where
    nothing shows them; `value` is B's own, `value_error` its error and degrees.
    """

    ratio: float
    error: float | None
    freedom: float | None
    reach: float
    blocks: int
    value: float
    value_error: tuple[float, float] | None = None

    def at(self, level: float) -> Interval | None:
        if self.error is None or self.freedom is None:
            return None
        return interval(self.ratio, self.error, self.freedom, level, self.reach)

    def value_at(self, level: float) -> Interval | None:
        error = self.value_error
        return error and interval(self.value, *error, level, self.reach / 2)


@dataclass(frozen=True)
class Idle:
    """A line without a ratio, as a side did nothing there: which one, in words, and B's rate over
    A's, which is 0, infinite, or nan where both did nothing.
    """

    words: str
    rate: float

    def ratio(self, metric: str) -> float:
        """B over A of a metric: of a latency it is infinite where B did nothing."""
        if METRICS[metric].higher_is_better or math.isnan(self.rate):
            return self.rate
        return math.inf if self.rate == 0 else 0.0


@dataclass(frozen=True)
class Ratios:
    """What conditions are asked of. `invalid` says why nothing can be decided, or is empty; `noisy`
    names the sides that are too noisy to answer; `sittings_unknown`: nothing shows how sittings
    differ. `idle` has the lines in which a side did nothing.
    """

    cells: Sequence[Cell]
    systems: Sequence[str]
    metrics: Sequence[str]
    baseline: str
    decides: Basis
    lines: Mapping[Basis, Mapping[Key, FolderRatio]] = field(default_factory=dict)
    invalid: str = ""
    noisy: Sequence[str] = ()
    sittings_unknown: bool = False
    idle: Mapping[Key, Idle] = field(default_factory=dict)

    def has(self, key: Key) -> bool:
        return key in self.lines[self.decides] or key in self.idle

    def idle_at(self, key: Key) -> Idle | None:
        """Who did nothing in a line, where that decides."""
        return None if self.invalid else self.idle.get(key)

    def cell(self, cell_id: str) -> str:
        return next(cell.name for cell in self.cells if cell.id == cell_id)


class Test(ResultModel):
    """One --fail-if on one cell and system; the interval is at `level`."""

    __test__ = False

    condition: str
    cell: str
    system: str
    metric: str
    ratio: float | None
    low: float | None
    high: float | None
    level: float
    outcome: Literal["crossed", "held", "undecided"]
    reason: str


class Required(ResultModel):
    """One --limit on one cell and system: the new value, and the interval at `level`."""

    limit: str
    cell: str
    system: str
    metric: str
    unit: Unit
    value: float | None
    low: float | None
    high: float | None
    level: float
    outcome: Literal["held", "broken", "undecided"]
    reason: str


def check(conditions: Sequence[Condition], ratios: Ratios) -> list[Test]:
    """All tests of all conditions; InputError where one selects nothing."""
    asked, level = _asked(conditions, ratios)
    tests = []
    for condition, key in asked:
        line = ratios.lines[ratios.decides].get(key)
        low, high = (line and line.at(level)) or (None, None)
        is_crossed, reason = _tested(condition, key, ratios, level)
        tests.append(
            Test(
                condition=condition.text,
                cell=ratios.cell(key[0]),
                system=key[1],
                metric=key[2],
                ratio=line and line.ratio,
                low=low,
                high=high,
                level=level,
                outcome="undecided" if is_crossed is None else "crossed" if is_crossed else "held",
                reason=reason,
            )
        )
    return tests


def require(limits: Sequence[Condition], ratios: Ratios) -> list[Required]:
    """Every limit in every cell and system it selects; InputError where one selects nothing."""
    asked, level = _asked(limits, ratios)
    required = []
    for limit, key in asked:
        line = ratios.lines[ratios.decides].get(key)
        bounds = line.value_at(level) if line else None
        low, high = bounds or (None, None)
        is_held, reason = _required(limit, key, bounds, ratios)
        required.append(
            Required(
                limit=limit.text,
                cell=ratios.cell(key[0]),
                system=key[1],
                metric=key[2],
                unit=METRICS[key[2]].unit,
                value=line and line.value,
                low=low,
                high=high,
                level=level,
                outcome="undecided" if is_held is None else "held" if is_held else "broken",
                reason=reason,
            )
        )
    return required


def is_met(condition: Condition, low: float, high: float) -> bool | None:
    """Whether a whole interval meets a condition, or fails it; None where it holds the limit."""
    if math.isnan(low) or math.isnan(high):
        return None
    met = {_SIGNS[condition.comparison](end, condition.limit) for end in (low, high)}
    return met.pop() if len(met) == 1 else None


def _asked(
    conditions: Sequence[Condition], ratios: Ratios
) -> tuple[list[tuple[Condition, Key]], float]:
    """Each condition with each line that it selects, and the level of all intervals."""
    asked = [(each, key) for each in conditions for key in selected(each, ratios, ratios.has)]
    return asked, corrected(len({key for _, key in asked}))


def _tested(
    condition: Condition, key: Key, ratios: Ratios, level: float
) -> tuple[bool | None, str]:
    """Whether a ratio is beyond its limit, and why; both ratios where the direct one decides."""
    lines = ratios.lines
    if (idle := ratios.idle_at(key)) is not None:
        ratio = idle.ratio(key[2])
        return is_met(condition, ratio, ratio), idle.words
    if key not in lines[ratios.decides]:
        return None, ratios.invalid
    found = _decided(condition, lines[ratios.decides][key], ratios, level)
    other = lines.get("to baseline", {}).get(key)
    if not found[0] or ratios.decides == "to baseline" or other is None:
        return found
    confirmed = _decided(condition, other, ratios, level)
    if confirmed[0]:
        return confirmed
    return (
        None,
        f"B over A crossed the limit, the ratio to {ratios.baseline} did not: the machine or"
        f" {ratios.baseline} may have changed",
    )


def _decided(
    condition: Condition, line: FolderRatio, ratios: Ratios, level: float
) -> tuple[bool | None, str]:
    bounds = line.at(level)
    if ratios.invalid:
        return None, ratios.invalid
    if line.blocks < BLOCKS_FOR_A_VERDICT:
        return None, f"fewer than {BLOCKS_FOR_A_VERDICT} blocks"
    if bounds is None or ratios.sittings_unknown:
        return None, SITTINGS_UNKNOWN
    if is_too_wide(*bounds):
        return None, "too noisy: the interval is too wide to decide"
    crossed = is_met(condition, *bounds)
    if crossed is not None:
        return crossed, f"the whole interval is {'beyond' if crossed else 'within'} the limit"
    if ratios.noisy:
        noisy = " and ".join(ratios.noisy)
        return None, f"{noisy}: too noisy to answer; the interval holds the limit"
    return None, "the interval holds the limit; more blocks would narrow it"


def _required(
    limit: Condition, key: Key, bounds: Interval | None, ratios: Ratios
) -> tuple[bool | None, str]:
    if (idle := ratios.idle_at(key)) is not None:
        value = idle.ratio(key[2])
        return is_met(limit, value, value), idle.words
    if ratios.invalid:
        return None, ratios.invalid
    if bounds is None:
        return None, "one block and too few accepted runs: no interval"
    held = is_met(limit, *bounds)
    if held is None:
        return None, "the interval holds the limit"
    return held, f"the whole interval is {'within' if held else 'beyond'} the limit"


def selected(condition: Condition, ratios: Ratios, has: Callable[[Key], bool]) -> list[Key]:
    """The lines that a condition is about, of those that there are; InputError for none."""
    places = meant(condition, ratios.cells, ratios.systems)
    keys = [(cell, system, condition.metric) for cell, system in places]
    found = [key for key in keys if has(key)]
    if found:
        return found
    if ratios.decides == "to baseline" and {system for _, system in places} == {ratios.baseline}:
        raise condition.error(
            f"{ratios.baseline} is the baseline: it has no ratio to itself",
            condition.metric_token,
            next="name another system, or compare folders of the same machine",
        )
    raise condition.error(
        f"{condition.metric} was not measured in these cells",
        condition.metric_token,
        next=f"measured were: {', '.join(ratios.metrics)}",
    )


def meant(
    condition: Condition, cells: Sequence[Cell], systems: Sequence[str]
) -> list[tuple[str, str]]:
    """Each cell and system that a condition means; InputError where there is none."""
    names = "; ".join(cell.name for cell in cells)
    for selector in condition.selectors:
        known = _known(selector, cells, systems)
        if selector.value not in known.values():
            raise condition.error(
                f"this study has no {_words_of(selector, cells)}",
                selector.token,
                hint=f'write "{selector.value}" in quotes, as it is a system'
                if selector.kind == "pattern" and selector.value in systems
                else did_you_mean(nearest(str(selector.value), known)),
                next=f"it has: {', '.join(known)}" if known else f"the cells are: {names}",
            )
    found = [
        (cell.id, system) for cell in cells for system in systems if condition.selects(cell, system)
    ]
    if not found:
        raise condition.error(
            "no cell is all of this at once",
            condition.selectors[-1].token,
            next=f"the cells are: {names}",
        )
    return found


def _known(
    selector: Selector, cells: Sequence[Cell], systems: Sequence[str]
) -> dict[str, FactorValue]:
    """What the study has of a selector's kind, by the name that people write."""
    if selector.kind == "system":
        return {system: system for system in systems}
    has = [(factors_of(cell), what_cell_is(cell).get(selector.kind)) for cell in cells]
    if selector.kind == "depth":
        return {f"depth {factors.depth}": factors.depth for factors, _ in has}
    if selector.kind == "jobs":
        return {factors.at_once_words: factors.at_once for factors, _ in has}
    if selector.kind == "size":
        return {exact_size(factors.operation_bytes): factors.operation_bytes for factors, _ in has}
    return {str(value): value for _, value in has if value is not None}


def _words_of(selector: Selector, cells: Sequence[Cell]) -> str:
    """What a selector asks for, as it is called."""
    value = selector.value
    if selector.kind in ("system", "pattern", "cell"):
        return f'{selector.kind} "{value}"'
    if selector.kind == "size":
        return f"block size {format_size(int(value))}"
    if selector.kind == "depth":
        return f"depth {value}"
    if selector.kind == "jobs":
        declared = next((factors_of(cell).in_role("jobs") for cell in cells), None)
        return f"number of {declared[1].one if declared else 'job'}s {value}"
    label = next((each.label for name, each in declarations() if name == selector.kind), None)
    return f"cells with {value} {label or selector.kind}"
