"""What a run measured: a part for each machine, in it a slice for each stretch of measured time.

A run in one go has one part with one slice. A rig of several machines has a part for each of them;
one that measures systems by turns, a little of each at a time, has several slices in each run.
Whoever reads numbers reads what `fsgauge.record.merging` makes of them.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from fsgauge.engine.wire import LoadResult


class Slice(BaseModel):
    """One call of the engine: a warm-up, then a measured window.

    It began `start_ns` after its run did, on its machine's clock, and the times in `result` count
    from there: it measured for `result.elapsed_ns` from `start_ns` + `result.warm_up_ns`.
    `sync_ns` is what it then took to write back what the slice had left; it counts as the slice's
    time. None where nothing was synced at its cost.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    start_ns: Annotated[int, Field(ge=0)]
    result: LoadResult
    sync_ns: Annotated[int, Field(ge=0)] | None = Field(
        default=None, exclude_if=lambda value: value is None
    )


class Part(BaseModel):
    """What one machine did of a run, in order of time. `machine` is its name."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    machine: str
    slices: Annotated[list[Slice], Field(min_length=1)]


def in_one(machine: str, result: LoadResult | None) -> list[Part]:
    """The parts of a run that one machine measured in one go; none of a run that failed."""
    if result is None:
        return []
    return [Part(machine=machine, slices=[Slice(start_ns=0, result=result)])]
