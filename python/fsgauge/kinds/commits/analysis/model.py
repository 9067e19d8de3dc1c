"""What commits ask of the device, as report.json has it."""

from __future__ import annotations

from pydantic import Field

from fsgauge.stats.estimate import Estimate
from fsgauge.stats.result_model import ResultModel
from fsgauge.stats.results import JudgedRatio, OwnResults


class AskedOfDevice(ResultModel):
    """For each commit of one cell on one system: requests to the device, flushes among what it
    counts of these (None where it does not), bytes written."""

    cell: str
    system: str
    requests: Estimate
    flushes: Estimate | None
    size_bytes: Estimate


class Meanwhile(JudgedRatio):
    """Commits a second of a cell in which something is written meanwhile, over those of `alone`,
    the same without, on one system."""

    cell: str
    alone: str
    system: str


class CommitsResults(OwnResults):
    """In the order of cells, then of systems."""

    asked: list[AskedOfDevice]
    meanwhile: list[Meanwhile] = Field([])
