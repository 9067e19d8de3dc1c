"""What a study says about its plan: [plan]."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fsgauge.study.base import OneLine, StudyModel
from fsgauge.units import DurationNs, Percent


class PlanSettings(StudyModel):
    """How often, in what order, for how long."""

    blocks: Annotated[int, Field(ge=2, le=1000)] = Field(
        8,
        description="How many times everything is repeated. In each block every system has one "
        "turn and the baseline two, in random order. Error bars are computed over blocks.",
    )
    seed: Annotated[int, Field(ge=0, le=2**53 - 1)] | None = Field(
        None,
        description="Determines the order of turns and cells, the offsets and the data. Default: "
        "taken from the clock and recorded.",
    )
    budget: Annotated[DurationNs, Field(ge=1_000_000_000)] | None = Field(
        None,
        description="The longest the study may take, as planned. Fewer blocks are run if needed; "
        "a budget too short for 2 blocks is an error. Default: none.",
    )
    stop_interval: Annotated[Percent, Field(gt=0, le=50)] | None = Field(
        None,
        description="Ends the study early, after the sixth block or later, once every 95 % "
        "interval of a primary ratio is within this distance of its ratio. Only width counts, "
        "never significance. Default: all blocks are run.",
    )
    primary: list[OneLine] = Field(
        [],
        description="Cells that the answer rests on, by name or id. Default: the smallest block"
        " size, each pattern at the lowest and the highest queue depth. With workload.scan,"
        ' "layout" adds the ratio of extents per file after the last run to the primary numbers.',
        max_length=1000,
    )
    equivalence_percent: Annotated[Percent, Field(gt=0, le=50)] = Field(
        3.0,
        description="The margin of equivalence: a ratio whose interval is within it is called "
        "equivalent.",
    )
    noise_percent: Annotated[Percent, Field(gt=0)] | None = Field(
        None,
        description="How far two equal runs in one block differ (standard deviation of their log "
        "ratio); used for planning. Default: unknown.",
    )
