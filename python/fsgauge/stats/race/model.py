"""How a race went, as report.json has it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from fsgauge.stats.result_model import ResultModel


class ToLeader(ResultModel):
    """A system's ratio to the leader, above 1 where it is better, with the race's interval; no ends
    where too few blocks have both."""

    ratio: float
    low: float | None
    high: float | None


class Departure(ResultModel):
    """A system that left, in the order in which they did; "failed": two runs in a row did, or did
    too little to be measured."""

    system: str
    after_block: int
    reason: Literal["slower", "failed"]
    against: str
    ratio: float | None = None
    low: float | None = None
    high: float | None = None


class Race(ResultModel):
    """Who was in it when, and what its end claims.

    `decides` is the name of its `cell` where others were measured alongside, else "".
    `leader` is "" before the first look. `last` are the ratios to it of those in the race, and
    `others_at_most` is the ratio that another one of the same guarantees may have to it at most
    (95 %, one-sided), None where nothing is known. `ended`: "margin" and "one left" prove it,
    "budget" does not. `first_blocks` are the logs of all systems in the blocks before the first
    look, higher is better. `blocks` are those that raced, `confirmed` those that confirm; runs,
    seconds and bytes are of both, the full ones of all systems in as many blocks. `chosen` is
    whom a valid race that is over ends with, which `commands` make: the leader, or who did better
    in the fresh blocks.
    """

    systems: list[str]
    baseline: str
    weaker: list[str]
    metric: str
    cell: str
    decides: str
    margin_percent: float
    blocks: int
    rate_blocks: dict[str, int]
    leader: str
    in_race: list[str]
    parked: list[str]
    departures: list[Departure]
    last: dict[str, ToLeader]
    others_at_most: float | None
    ended: Literal["running", "margin", "one left", "budget"]
    proven: bool
    first_blocks: dict[str, list[float]]
    finalists: list[str]
    confirmed: int
    runs: int
    seconds: float
    bytes_written: int
    full_runs: int
    full_seconds: float
    full_bytes_written: int
    chosen: str = ""
    commands: list[str] = Field(default_factory=list)
