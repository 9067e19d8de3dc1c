"""How a rate grows with the number of those who work at once, of hosts above all.

Changes are taken inside blocks, against the fewest; ideally, N of them do N times what one does,
for each host brings the cell's whole load. The answer says it of the first primary cell: "Four
hosts do 3.12 times the random reads of one on ext4 (2.95 to 3.30) and 2.41 times on xfs (2.30 to
2.52)."; where another cell gains less than that one can, it adds the least.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fsgauge.record.factors import factors_of
from fsgauge.record.records import Cell, FactorValue, Plan
from fsgauge.stats.contrast import Contrast, Rig, Value, logs_of
from fsgauge.stats.estimate import Estimate, widened
from fsgauge.stats.rig_limits import Place, RigLimit, rates_set_by
from fsgauge.stats.samples import Samples
from fsgauge.stats.scaling.fit import fit_law
from fsgauge.stats.scaling.model import HostPoint, HostScaling
from fsgauge.stats.sentence import ends
from fsgauge.stats.verdict import BLOCKS_FOR_A_VERDICT, is_too_wide
from fsgauge.stats.wording import (
    NAMED_SYSTEMS,
    factor_words,
    listed,
    number_words,
    ratio_range,
)
from fsgauge.units import grouped


@dataclass(frozen=True)
class Growth:
    """The rate at one number, X(N). `change` is X(N) / X(fewest), `efficiency` the share of ideal,
    X(N) fewest / (N X(fewest)); both are None at the fewest. `blocks` is the rate in each block."""

    rate: Estimate | None
    change: Estimate | None
    efficiency: Estimate | None
    blocks: list[tuple[int, float]]


def grown(samples: Samples, values: Mapping[int, Value]) -> dict[int, Growth]:
    """By number, in the order of `values`; changes scatter at least as A/A of their cells does."""
    rates = {count: samples.block_logs(*value) for count, value in values.items()}
    fewest, rig = min(rates), Rig(samples)
    found = {}
    for count, logs in rates.items():
        contrast = Contrast(values[count], values[fewest])
        gain = logs_of(contrast, samples)
        more = count != fewest
        ideal = math.log(fewest / count)
        least = rig.deviation(contrast)
        found[count] = Growth(
            rate=samples.over_blocks(logs),
            change=samples.over_blocks(gain, least=least) if more else None,
            efficiency=samples.over_blocks(gain, shift=ideal, least=least) if more else None,
            blocks=[(block, math.exp(log)) for block, log in sorted(logs.items())],
        )
    return found


@dataclass(frozen=True)
class Gain:
    """What a system does with the most, in times of what it does with the fewest, with the interval
    that a sentence gives. `cause` is what of the rig set it; `is_open`: it is undecided."""

    system: str
    change: Estimate
    cause: str = ""
    is_open: bool = False

    def told(self, of_one: str) -> str:
        """ "3.12 times the random reads of one on ext4 (2.95 to 3.30)"."""
        remark = f", set by {self.cause}" if self.cause else ", undecided" if self.is_open else ""
        times = f"{factor_words(self.change.value, self.change.edges)} times{of_one}"
        return f"{times} on {self.system} ({ratio_range(*self.change.edges)}{remark})"


def gains_words(gains: Sequence[Gain], of_one: str, named: int = NAMED_SYSTEMS) -> str:
    """Of all, or of many the ends, what is undecided last: "3.12 times the random reads of one on
    ext4 (2.95 to 3.30) and 2.41 times on xfs (2.30 to 2.52), the two others between"."""
    shown = sorted(ends(gains, lambda e: e.change.value, named=named), key=lambda e: e.is_open)
    parts = [each.told("" if at else of_one) for at, each in enumerate(shown)]
    left = len(gains) - len(shown)
    if not left:
        return listed(parts)
    others = "other" if left == 1 else f"{number_words(left)} others"
    return f"{listed(parts)}, the {others} {'between' if len(parts) > 1 else 'less'}"


@dataclass(frozen=True)
class Counted:
    """Cells that differ in one number alone, of hosts or of writers, by that number, ascending.
    `name` is what they share, "" where nothing else varies."""

    name: str
    cells: dict[int, Cell]


def host_scaling(
    plan: Plan, samples: Samples, metric_of: Callable[[Cell], str]
) -> list[HostScaling]:
    """Each group of each system, by what its cells are judged by; none where the study does not
    vary the number."""
    return [
        _scaling(samples, group, system, metric_of(next(iter(group.cells.values()))))
        for group in host_groups(plan.cells)
        for system in plan.systems
    ]


def host_groups(cells: Sequence[Cell]) -> list[Counted]:
    """The groups with two numbers or more, in the study's order. A cell belongs to each group that
    says what it says and more: one host has no choice of files, and stands at the begin of each
    choice."""
    of_cells = [(cell, factors_of(cell).host_count) for cell in cells]
    counted = [(cell, count) for cell, count in of_cells if count is not None]
    kinds = list(dict.fromkeys(_shared(cell) for cell, _ in counted))
    largest = [each for each in kinds if not any(each < other for other in kinds)]
    groups = []
    for each in largest:
        own = {count: cell for cell, count in counted if _shared(cell) <= each}
        last = next(cell for cell, _ in counted if _shared(cell) == each)
        if len(own) > 1:
            name = last.name.replace(f", {factors_of(last).hosts_words}", "")
            groups.append(Counted(name, dict(sorted(own.items()))))
    return groups


def _shared(cell: Cell) -> frozenset[tuple[str, FactorValue]]:
    declared = factors_of(cell)
    found = declared.in_role("hosts")
    name = found[0] if found else None
    return frozenset((key, value) for key, value in cell.factors.items() if key != name)


def _scaling(samples: Samples, group: Counted, system: str, metric: str) -> HostScaling:
    values = {count: Value(metric, cell.id, system) for count, cell in group.cells.items()}
    rates = {count: samples.block_logs(*value) for count, value in values.items()}
    points = [
        HostPoint(hosts=count, cell=group.cells[count].id, **vars(growth))
        for count, growth in grown(samples, values).items()
    ]
    return HostScaling(
        system=system,
        group=group.name,
        metric=metric,
        points=points,
        fit=fit_law(rates, level=samples.level, of="hosts"),
    )


def hosts_sentence(
    scaling: Sequence[HostScaling], primary: Sequence[Cell], limits: Mapping[Place, RigLimit]
) -> str:
    """The sentence; "" where the study does not vary hosts, or too few blocks have both numbers."""
    cells = {cell.id: cell for cell in primary}
    groups = grouped((each.group, each) for each in scaling if each.points[-1].cell in cells)
    changes = {group: _changes(lines) for group, lines in groups.items()}
    leading, *others = changes or [""]
    if not leading or not changes[leading]:
        return ""
    told = [leading]
    least = min(
        filter(changes.__getitem__, others), key=lambda each: _least(changes[each]), default=""
    )
    if least and _least(changes[least]) < _lowest(changes[leading]):
        told.append(least)
    intervals = sum(len(changes[group]) for group in told)
    points = groups[leading][0].points
    clauses = []
    for group in told:
        cell = cells[groups[group][0].points[-1].cell]
        work = factors_of(cell).done
        of_one = f" the {work} of {number_words(points[0].hosts)}"
        causes = {each.system: _set_by(each, limits) for each in groups[group]}
        gains = [
            Gain(system, widened(change, intervals), causes[system])
            for system, change in changes[group].items()
        ]
        clause = gains_words(gains, of_one if group == leading else "")
        noisy = [each.system for each in groups[group] if each.system not in changes[group]]
        clause += f"; too noisy to tell on {listed(noisy)}" if noisy else ""
        clauses.append(clause if group == leading else f"of the {work} {clause}")
    shared = factors_of(cells[points[-1].cell]).shared_words
    said = number_words(points[-1].hosts)
    hosts = f"{said[:1].upper()}{said[1:]} hosts do"
    return f"{hosts} {'; '.join(clauses)}{f', {shared}' if shared else ''}."


def _changes(lines: Sequence[HostScaling]) -> dict[str, Estimate]:
    """What the most hosts do over what the fewest do, by system; none where too few blocks say."""
    found = {each.system: each.points[-1].change for each in lines}
    known = {system: each for system, each in found.items() if each is not None}
    enough = known and min(each.n for each in known.values()) >= BLOCKS_FOR_A_VERDICT
    if not enough:
        return {}
    wide = {system: widened(each, len(known)) for system, each in known.items()}
    return {
        system: each
        for system, each in known.items()
        if not is_too_wide(wide[system].low, wide[system].high)
    }


def _least(changes: dict[str, Estimate]) -> float:
    return min(each.value for each in changes.values())


def _lowest(changes: dict[str, Estimate]) -> float:
    return min(each.value if each.low is None else each.low for each in changes.values())


def _set_by(line: HostScaling, limits: Mapping[Place, RigLimit]) -> str:
    """ "a disk's IOPS limit" where the fewest and the most hosts met it; else ""."""
    fewest, most = (line.points[at].cell for at in (0, -1))
    return rates_set_by(limits, (fewest, line.system), (most, line.system))
