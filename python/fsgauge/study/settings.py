"""What a study says about its plan: [plan]."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from fsgauge.plain_files.bounds import MOST_POINTS
from fsgauge.study.base import Distinct, OneLine, StudyModel, conflict
from fsgauge.units import DurationNs, Percent

LAYOUT = "layout"
"""In `primary`: the layout after the last run, beside cells."""
OF_A_RACE = {"usual": {"blocks": 24}, "high": {"blocks": 240, "confirm": 40}}
"""At most, before those that confirm, and these; by certainty."""


def _word(value: object) -> object:
    """True and false of TOML, as the words that a key of words has."""
    return str(value).lower() if isinstance(value, bool) else value


class PlanSettings(StudyModel):
    """How often, in what order, for how long."""

    blocks: Annotated[int, Field(ge=2, le=1000)] = Field(
        8,
        description="How many times everything is repeated. In each block every system has one "
        "turn and the baseline two, in random order. Error bars are computed over blocks. Default:"
        " 8; of a race 24 at most, or with certainty high 240.",
    )
    mode: Literal["all", "race", "curve"] = Field(
        "all",
        description="How blocks are filled. all: every system and every cell in each. curve: the"
        " load of each cell at rising rates, then at rates near the one where latency passes"
        " latency_limit; the answer is the rate that each system carries below it. race: a system"
        " that is surely slower than the leader leaves, and fresh blocks of the best confirm.",
    )
    latency_limit: Annotated[DurationNs, Field(ge=1_000)] | None = Field(
        None,
        description="For mode curve: the latency, from the intended start, that a share of"
        " operations (quantile) has to stay below. Default: none; a curve needs one.",
    )
    quantile: Literal["p50", "p99", "p999"] = Field(
        "p99",
        description="For mode curve: of which operations latency_limit speaks: p99 is 99 of 100."
        " A run needs ten operations beyond it: p99 needs 1,000.",
    )
    margin_percent: Annotated[Percent, Field(gt=0, le=50)] = Field(
        2.0,
        description="For mode race: it ends once no system could be more than this better than the"
        " leader.",
    )
    confirm: Annotated[int, Field(ge=3, le=1000)] = Field(
        8,
        description="For mode race: fresh blocks of the baseline, the winner and up to three rivals"
        " after it. The ratios of the answer are of these alone. Default: 8, or with certainty high"
        " 40.",
    )
    certainty: Literal["usual", "high"] = Field(
        "usual",
        description="For mode race: when it gives up. usual: not proven after 24 blocks. high: only"
        " after 240, and the winner runs in 40 fresh blocks, so that it is found out if one run in"
        " 20 stalls.",
    )
    weaker_may_win: bool = Field(
        False,
        description="For mode race: whether a system may win that gives up durability which the"
        " baseline keeps. Default: it is raced, and never called the best.",
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

    @model_validator(mode="before")
    @classmethod
    def _a_race_is_longer(cls, values: object) -> object:
        if isinstance(values, dict) and values.get("mode") == "race":
            return {**OF_A_RACE.get(str(values.get("certainty")), OF_A_RACE["usual"]), **values}
        return values


AS_IT_IS = "as the workload says"
Years = Annotated[float, Field(ge=0, le=100)]


class SweepKeys(StudyModel):
    """Years and profiles; a study is simulated for each, with all of its systems."""

    years: Distinct[Years] = Field(
        [0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
        description="After how many years rates are measured: a life for each, from an empty"
        " device on. 0: a tree that was only filled.",
    )
    rewrites_a_year: Annotated[float, Field(gt=0, le=1000)] = Field(
        1.0,
        description="How many times the live bytes are written in a year. workload.storage_age is"
        " one more than years times this.",
    )
    profiles: Distinct[OneLine] = Field(
        [AS_IT_IS],
        description="What files come and go: keys of the workload and their values, separated by"
        ' semicolons: ["median_size=16 KiB", "median_size=64 MiB; size_sigma=1"]. Default: as the'
        " workload says.",
    )

    @model_validator(mode="after")
    def _points_are_few(self) -> Self:
        points = len(self.years) * len(self.profiles)
        if points > MOST_POINTS:
            raise conflict(
                f"the sweep has {points:,} points, and {MOST_POINTS:,} are allowed",
                [("years",), ("profiles",)],
                next="fewer years or profiles",
            )
        return self

    def unknown_pair(self, profile: str, keys: set[str]) -> str:
        """The first part of a profile that is no key of the workload and its value; "" for none."""
        pairs = profile.split(";") if profile != AS_IT_IS else []
        for pair in pairs:
            key, equals, _ = pair.partition("=")
            if not equals or key.strip() not in keys:
                return pair.strip()
        return ""


def pairs_of(profile: str) -> dict[str, str]:
    """Keys of the workload and their values, as text; none where it is as the workload says."""
    if profile == AS_IT_IS:
        return {}
    pairs = (pair.partition("=") for pair in profile.split(";"))
    return {key.strip(): value.strip() for key, _, value in pairs}
