"""Figures that others published of many connections."""

from __future__ import annotations

from functools import cache

from fsgauge.report.published import Published, read_published


class PublishedRow(Published):
    """One line of a test: a value a system, and the publication's own change in percent."""

    name: str
    unit: str
    values: list[float]
    change: float | None = None


class PublishedTest(Published):
    """All lines of one test."""

    name: str
    row: list[PublishedRow]

    def of(self, name: str) -> PublishedRow | None:
        """The line of this name, if the publication has it."""
        return next((row for row in self.row if row.name == name), None)


class PublishedConnections(Published):
    """Response times, throughput and extents of many connections, by test and system."""

    title: str
    author: str
    storage: str
    method: str
    systems: list[str]
    test: list[PublishedTest]

    def of(self, name: str) -> PublishedTest | None:
        """The test of this name, if the publication has it."""
        return next((test for test in self.test if test.name == name), None)


@cache
def published_connections() -> PublishedConnections:
    """The figures that the study `connections` repeats."""
    return read_published("connections", PublishedConnections)
