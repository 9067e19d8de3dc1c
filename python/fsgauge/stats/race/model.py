"""How a race went, as report.json has it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from fsgauge.stats.result_model import ResultModel

State = Literal["leader", "in the race", "parked", "slower", "failed"]
Ended = Literal["running", "margin", "one left", "budget"]


class Place(ResultModel):
    """How far a system came: how many blocks it ran, and its ratio to the leader, above 1 where it
    is better, with the race's interval: of one that left, to the leader that it left `against`; no
    ends where too few blocks have both, no ratio of one that failed, or before the first look.
    "failed": two runs in a row did, or did too little to be measured. `after_block` is 0 of one
    that is in it still."""

    system: str
    state: State
    blocks: int
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    against: str = ""
    after_block: int = 0


class Race(ResultModel):
    """Who was in it when, and what its end claims.

    `decides` is the name of its `cell` where others were measured alongside, else ""; `label` is
    its number in words.
    `leader` is "" before the first look. `places` are the systems, the best first, and
    `others_at_most` is the ratio that another one of the same guarantees may have to it at most
    (95 %, one-sided), None where nothing is known. `ended`: "margin" and "one left" prove it if
    the blocks that confirm bear it out, "budget" does not; `missed` is in how many of these a
    system failed, or did too little to be measured. `first_blocks` are the logs of all systems in
    the blocks before the first look, higher is better. `blocks` are those that raced, `confirmed`
    those that confirm; runs, seconds and bytes are of both, the full ones of all systems in as many
    blocks. `chosen` is whom a valid race that is over ends with, which `commands` make: the leader,
    or who did better in the fresh blocks.
    """

    systems: list[str]
    baseline: str
    weaker: list[str]
    metric: str
    label: str
    cell: str
    decides: str
    margin_percent: float
    blocks: int
    leader: str
    places: list[Place]
    others_at_most: float | None
    ended: Ended
    proven: bool
    first_blocks: dict[str, list[float]]
    finalists: list[str]
    confirmed: int
    missed: dict[str, int] = Field(default_factory=dict)
    runs: int
    seconds: float
    bytes_written: int
    full_runs: int
    full_seconds: float
    full_bytes_written: int
    chosen: str = ""
    commands: list[str] = Field(default_factory=list)

    @property
    def in_race(self) -> list[Place]:
        return [each for each in self.places if not each.after_block]

    @property
    def failed(self) -> list[str]:
        return [each.system for each in self.places if each.state == "failed"]

    @property
    def rivals(self) -> list[str]:
        """Who keeps what the baseline keeps, next to the leader, and did not fail."""
        away = (self.leader, *self.weaker, *self.failed)
        return [each for each in self.systems if each not in away]
