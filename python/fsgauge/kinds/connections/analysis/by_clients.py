"""Rates and responses by number of clients, where a study sweeps it, and whether it matters.

Takes the samples of a study; gives each number of clients its rate and mean response, over those of
the fewest clients on the same system in the same block (`rate_ratio`, `response_ratio`), and how
what the system gains over the baseline differs from its gain with the fewest (`gain_ratio`, a ratio
of ratios). Gains are one family of comparisons, each kind of scaling another: their p values are
corrected together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fsgauge.kinds.connections.analysis.model import ByClients
from fsgauge.kinds.connections.factors import ConnectionsFactors, Test
from fsgauge.record.records import Cell, Plan
from fsgauge.stats.contrast import Contrast, ContrastResult, Value, in_blocks
from fsgauge.stats.metrics import METRICS
from fsgauge.stats.ratio import Ratio
from fsgauge.stats.results import JudgedRatio
from fsgauge.stats.samples import Samples

RATES: Mapping[Test, str] = {"mix": "files", "stat": "files", "delete": "files"}
"""What a test's rate is; bytes per second in all others, which move the same bytes."""
RESPONSES: Mapping[Test, str] = {
    "write": "write.mean",
    "backup fill": "write.mean",
    "read": "read.mean",
    "mix": "read.mean",
    "stat": "stat.mean",
    "delete": "unlink.mean",
    "backup": "read.mean",
}
"""The operation of which a test is made most."""

_Key = tuple[str, str, str]
"""Cell, system, and which of the ratios."""


def by_clients(plan: Plan, samples: Samples, equivalence_percent: float) -> list[ByClients]:
    """One entry a test, system and number of clients, numbers ascending; [] without a sweep."""
    swept = [cell for cell in plan.cells if ConnectionsFactors.of(cell).swept_clients is not None]
    judged = in_blocks(dict(_contrasts(plan, swept)), samples, equivalence_percent)
    found = []
    for cell in swept:
        factors = ConnectionsFactors.of(cell)
        rate_of, response_of = rate_metric(factors.test), RESPONSES[factors.test]
        for system in plan.systems:
            rate = samples.number(rate_of, cell.id, system)
            if rate is None or factors.swept_clients is None:
                continue
            found.append(
                ByClients(
                    cell=cell.id,
                    test=test_words(factors),
                    system=system,
                    clients=factors.swept_clients,
                    unit=METRICS[rate_of].unit,
                    operation=response_of.partition(".")[0],
                    rate=rate,
                    response_ns=samples.number(response_of, cell.id, system),
                    rate_ratio=_ratio(judged.get((cell.id, system, "rate"))),
                    response_ratio=_ratio(judged.get((cell.id, system, "response"))),
                    gain_ratio=_ratio(judged.get((cell.id, system, "gain"))),
                )
            )
    return sorted(found, key=lambda each: _tests(swept).index(each.test))


def rate_metric(test: Test) -> str:
    """The metric of a test's rate."""
    return RATES.get(test, "bandwidth")


def test_words(factors: ConnectionsFactors) -> str:
    """The test without its number of clients: "write", "backup, directory order, 4 hosts"."""
    order = f"{factors.order} order" if factors.order else ""
    return ", ".join(filter(None, (factors.test, order, factors.hosts_words)))


def _tests(cells: list[Cell]) -> list[str]:
    return list(dict.fromkeys(test_words(ConnectionsFactors.of(cell)) for cell in cells))


def _contrasts(plan: Plan, swept: list[Cell]) -> Iterator[tuple[_Key, Contrast]]:
    fewest: dict[str, Cell] = {}
    for cell in swept:
        factors = ConnectionsFactors.of(cell)
        first = fewest.setdefault(test_words(factors), cell)
        if first is cell:
            continue
        rate, response = rate_metric(factors.test), RESPONSES[factors.test]
        for system in plan.systems:
            for name, metric in (("rate", rate), ("response", response)):
                many, few = (Value(metric, each.id, system) for each in (cell, first))
                yield (cell.id, system, name), Contrast(many, few, name)
            if system != plan.baseline:
                gain, of_few = (
                    Contrast(Value(rate, each.id, system), Value(rate, each.id, plan.baseline))
                    for each in (cell, first)
                )
                yield (cell.id, system, "gain"), Contrast(gain, of_few, "gain")


def _ratio(judged: ContrastResult[Ratio] | None) -> JudgedRatio | None:
    return None if judged is None else JudgedRatio(**judged.numbers())
