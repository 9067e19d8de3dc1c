"""Figures that others published of many connections, as the tables of the page need them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from fsgauge.published.ledger import Claim, Computed, Figure, Publication, ledger_of
from fsgauge.stats.differences import MOUNT_OPTIONS
from fsgauge.stats.results import Results

TESTS = ("write", "read", "backup")
_WITHOUT_DELAYED_ALLOCATION = "nodelalloc"


@dataclass(frozen=True)
class PublishedRow:
    """One line of a test: a value a system, and the change in percent where it is printed.

    `claim` is the id in the ledger. `computed`: the publication prints what it follows from.
    """

    claim: str
    name: str
    unit: str
    values: list[float]
    change: float | None = None
    computed: bool = False


@dataclass(frozen=True)
class PublishedTest:
    """All lines of one test."""

    name: str
    row: list[PublishedRow]

    def of(self, name: str) -> PublishedRow | None:
        """The line of this name, if the publication has it."""
        return next((row for row in self.row if row.name == name), None)


@dataclass(frozen=True)
class PublishedConnections:
    """Response times, throughput and extents of many connections, by test and system."""

    publication: Publication
    test: list[PublishedTest]

    @property
    def systems(self) -> list[str]:
        """What the values of each line are of."""
        return self.publication.columns

    def of(self, name: str) -> PublishedTest | None:
        """The test of this name, if the publication has it."""
        return next((test for test in self.test if test.name == name), None)


@cache
def published_connections() -> PublishedConnections:
    """The figures that the study `connections` repeats."""
    ledger = ledger_of("connections")
    tests = [
        PublishedTest(
            test,
            [row for claim in ledger.claim if claim.kind == "figure" for row in _rows(claim, test)],
        )
        for test in TESTS
    ]
    return PublishedConnections(ledger.publication, tests)


def asks_of_delayed_allocation(results: Results) -> bool:
    """Whether some systems are mounted without delayed allocation and others with it, as published.

    Beside any other comparison the publication's figures would say nothing.
    """
    mounted = next((each for each in results.differences if each.fact == MOUNT_OPTIONS), None)
    if mounted is None:
        return False
    return any(_WITHOUT_DELAYED_ALLOCATION in each.split(", ") for each in mounted.values.values())


def _rows(claim: Claim, test: str) -> list[PublishedRow]:
    printed = [_printed(claim, figure) for figure in claim.figures if figure.of == test]
    computed = [number for number in claim.computed if number.of == test]
    return [*printed, *([_computed(claim, computed)] if computed else [])]


def _printed(claim: Claim, figure: Figure) -> PublishedRow:
    return PublishedRow(claim.id, figure.name, figure.unit, figure.values, figure.change_percent)


def _computed(claim: Claim, numbers: list[Computed]) -> PublishedRow:
    """One line of the values that the ledger computes, one a system."""
    values = [number.value for number in numbers]
    return PublishedRow(claim.id, numbers[0].name, numbers[0].unit, values, computed=True)
