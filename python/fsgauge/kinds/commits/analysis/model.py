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


class OverPartner(JudgedRatio):
    """Commits a second of a cell over those of its partner, which differs in one factor, on one
    system."""

    cell: str
    partner: str
    system: str


class CommitsResults(OwnResults):
    """In the order of cells, then of systems. `meanwhile`: something else is written, over the same
    without. `syncs`: another way of making commits durable, over the study's first."""

    asked: list[AskedOfDevice]
    meanwhile: list[OverPartner] = Field([])
    syncs: list[OverPartner] = Field([])
