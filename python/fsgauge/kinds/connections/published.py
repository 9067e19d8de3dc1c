"""Figures that others published of many connections, as the tables of the page need them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from fsgauge.kinds.connections.analysis.model import Connections
from fsgauge.published.ledger import Claim, ledger_of
from fsgauge.published.observe import Observation, of_rows
from fsgauge.published.trial import Observable
from fsgauge.stats.differences import MOUNT_OPTIONS
from fsgauge.stats.results import Results

TESTS = ("write", "read", "backup")
_WITHOUT_DELAYED_ALLOCATION = "nodelalloc"
_MODELS = {"block-at-a-time", "delayed"}
"""Models that allocate as the publication's two modes do."""


@dataclass(frozen=True)
class PublishedRow:
    """One line of a test: a value a system, and the change in percent where it is printed. `claim`
    is the id in the ledger. `computed`: the publication prints what it follows from."""

    claim: str
    name: str
    unit: str
    values: list[float]
    change: float | None = None
    computed: bool = False


@cache
def published_rows() -> dict[str, dict[str, PublishedRow]]:
    """The figures that the study `connections` repeats, by test and then by the line's name."""
    claims = [claim for claim in ledger_of("connections").claim if claim.kind == "figure"]
    return {
        test: {row.name: row for claim in claims for row in _rows(claim, test)} for test in TESTS
    }


def asks_of_delayed_allocation(results: Results) -> bool:
    """Whether some systems allocate blocks as they come and others delay it, as published. By their
    mount options or, of models, by their kinds. Beside any other comparison the publication's
    figures would say nothing."""
    if results.simulation is not None and set(results.simulation.policies.values()) >= _MODELS:
        return True
    mounted = next((each for each in results.differences if each.fact == MOUNT_OPTIONS), None)
    options = mounted.values.values() if mounted is not None else ()
    return any(_WITHOUT_DELAYED_ALLOCATION in each.split(", ") for each in options)


def _rows(claim: Claim, test: str) -> Iterator[PublishedRow]:
    """What it prints; of the values that the ledger computes one line, with one a system."""
    for each in claim.figures:
        if each.of == test:
            change = each.change_percent
            yield PublishedRow(claim.id, each.name, each.unit, each.values, change)
    computed = [number for number in claim.computed if number.of == test]
    if computed:
        name, unit = computed[0].name, computed[0].unit
        yield PublishedRow(claim.id, name, unit, [each.value for each in computed], computed=True)


def extents_per_file(about: Observable, results: Results) -> list[Observation]:
    """Extents a file over those of the reference, in each cell that is asked for."""
    connections = Connections.within(results)
    own = ((each.cell, each.system, each.ratio) for each in connections.extents)
    return of_rows(about, results, connections.extents_reference, own)


def extents_of_a_file(about: Observable, results: Results) -> list[Observation]:
    """A system's own extents per file, in each cell that is asked for."""
    own = ((e.cell, e.system, e.per_file) for e in Connections.within(results).extents)
    return of_rows(about, results, "", own)


def response_by_clients(about: Observable, results: Results) -> list[Observation]:
    """A system's mean response with so many clients over that with the fewest, inside blocks."""
    rows = Connections.within(results).by_clients
    own = ((each.cell, each.system, each.response_ratio) for each in rows)
    return of_rows(about, results, "the fewest clients", own)


OBSERVED = {
    "extents per file": extents_per_file,
    "extents of a file": extents_of_a_file,
    "response by clients": response_by_clients,
}
