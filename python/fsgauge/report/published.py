"""What others published about the same question, to stand beside a report's own numbers.

Data from studies/published/NAME.toml; never mixed with what was measured here.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

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


@cache
def published_writers() -> PublishedWriters:
    """The figures that the study `writers` repeats."""
    path = files("fsgauge") / "studies" / "published" / "writers.toml"
    return PublishedWriters.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
