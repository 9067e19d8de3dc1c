"""Rates against years: a panel for each cell and profile, a line for each system."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from fsgauge.units import format_bandwidth, format_rate


def years_words(years: float) -> str:
    """ "1 year", "0.5 years"."""
    return f"{years:g} year{'' if years == 1 else 's'}"


class SweepModel(BaseModel):
    """A part of sweep.json."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class YearPoint(SweepModel):
    """A rate after so many years; the interval is over the seeds of `lives` lives."""

    years: float
    value: float
    low: float | None
    high: float | None
    lives: int
    results: str


class YearLine(SweepModel):
    """One system in one cell."""

    system: str
    points: list[YearPoint]


class YearPanel(SweepModel):
    """One cell with one profile."""

    cell: str
    profile: str
    metric: str
    unit: str
    lines: list[YearLine]

    def said(self, value: float) -> str:
        """A value with its unit."""
        return format_bandwidth(value) if self.unit == "B/s" else format_rate(value)
