"""When each machine of a run began and ended, by one clock, and how far apart they were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class MachineStart(BaseModel):
    """One machine's start. Times count from the common moment at which all were to begin, by the
    clock of the machine that gave it; each is wrong by `bound_ns` at most.

    `late_ns` is when its first thread began, `last_late_ns` its last one, `ended_ns` when its last
    operation had ended. `round_trip_ns` is the fastest between the two clocks.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    machine: str
    late_ns: int
    last_late_ns: int
    ended_ns: int
    bound_ns: Annotated[int, Field(ge=0)]
    round_trip_ns: Annotated[int, Field(ge=0)]
    real_time: bool
    spun: bool


def skew_ns(starts: Sequence[MachineStart]) -> int:
    """Between the first machine's start and the last one's."""
    return max(each.late_ns for each in starts) - min(each.late_ns for each in starts)


def skew_bound_ns(starts: Sequence[MachineStart]) -> int:
    """The most that the true skew can be: the measured one, and what two clocks may be wrong."""
    widest = sorted((each.bound_ns for each in starts), reverse=True)[:2]
    return skew_ns(starts) + (sum(widest) if len(starts) > 1 else 0)
