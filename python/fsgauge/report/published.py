"""What others published about the same question, to stand beside a report's own numbers.

Data from studies/published/NAME.toml; never mixed with what was measured here.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict


class _Published(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PublishedCase(_Published):
    """One line of the publication; `change` and `called` are its own words.

    `lay_out` is in the publication's unit, `iops` one rate a number of writers.
    """

    name: str
    lay_out: float
    iops: list[float]
    change: str
    called: str


class PublishedWriters(_Published):
    """Rates of several direct writers to one file, by number of writers."""

    title: str
    author: str
    storage: str
    method: str
    writers: list[int]
    lay_out_unit: str
    case: list[PublishedCase]


class PublishedRow(_Published):
    """One line of a test: a value a system, and the publication's own change in percent."""

    name: str
    unit: str
    values: list[float]
    change: float | None = None


class PublishedTest(_Published):
    """All lines of one test."""

    name: str
    row: list[PublishedRow]

    def of(self, name: str) -> PublishedRow | None:
        """The line of this name, if the publication has it."""
        return next((row for row in self.row if row.name == name), None)


class PublishedConnections(_Published):
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


class PublishedClaim(_Published):
    """What an allocation size keeps, and which number of a report stands beside it."""

    text: str
    published: str
    test: Literal["kept", "kept_at", "in_chunks", "clean"]
    side: Literal["write", "read"] = "write"
    chunk_bytes: int
    free_percent: int | None = None


class PublishedRate(_Published):
    """A rate of other hardware, in the publication's words: nothing here stands beside it."""

    text: str
    published: str


class PublishedAging(_Published):
    """What allocation sizes do to rates as a file system ages."""

    title: str
    author: str
    storage: str
    method: str
    claim: list[PublishedClaim]
    rate: list[PublishedRate]


@cache
def published_aging() -> PublishedAging:
    """The claims that the study `aging` tests."""
    path = files("fsgauge") / "studies" / "published" / "aging.toml"
    return PublishedAging.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))


@cache
def published_connections() -> PublishedConnections:
    """The figures that the study `connections` repeats."""
    path = files("fsgauge") / "studies" / "published" / "connections.toml"
    return PublishedConnections.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))


@cache
def published_writers() -> PublishedWriters:
    """The figures that the study `writers` repeats."""
    path = files("fsgauge") / "studies" / "published" / "writers.toml"
    return PublishedWriters.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
