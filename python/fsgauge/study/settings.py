"""What a study says about its plan: [plan]."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from fsgauge.study.base import OneLine, StudyModel
from fsgauge.units import DurationNs, Percent


def _word(value: object) -> object:
    """True and false of TOML, as the words that a key of words has."""
    return str(value).lower() if isinstance(value, bool) else value


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
        description="Ends the study early, after the sixth block or later, once every "
        "interval of a primary ratio is within this distance of its ratio. Only width counts, "
        "never significance. Such a study stops sooner where its blocks happen to agree: its "
        "intervals are drawn at 97 %, so that they hold the truth as 95 % promise. Default: all "
        "blocks are run.",
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
    side_by_side: Annotated[Literal["auto", "true", "false"], BeforeValidator(_word)] = Field(
        "auto",
        description="Whether all systems of a block are made at once and each cell is measured on"
        " them by turns, in short slices, so that what is compared stands seconds apart and not"
        " minutes. It takes the room of all of them. auto: where the storage holds them all, and"
        " some cell can be cut into slices.",
    )
    noise_percent: Annotated[Percent, Field(gt=0)] | None = Field(
        None,
        description="How far two equal runs in one block differ (standard deviation of their log "
        "ratio); used for planning. Default: unknown.",
    )
