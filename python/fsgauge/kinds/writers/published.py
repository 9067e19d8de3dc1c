"""Rates that others published of several direct writers to one file."""

from __future__ import annotations

from functools import cache

from fsgauge.report.published import Published, read_published


class PublishedCase(Published):
    """One line of the publication; `change` and `called` are its own words.

    `lay_out` is in the publication's unit, `iops` one rate a number of writers.
    """

    name: str
    lay_out: float
    iops: list[float]
    change: str
    called: str


class PublishedWriters(Published):
    """Rates of several direct writers to one file, by number of writers."""

    title: str
    author: str
    storage: str
    method: str
    writers: list[int]
    lay_out_unit: str
    case: list[PublishedCase]


@cache
def published_writers() -> PublishedWriters:
    """The figures that the study `writers` repeats."""
    return read_published("writers", PublishedWriters)
