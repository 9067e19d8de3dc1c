"""What a study says of the years that it is simulated for: [sweep]."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from fsgauge.plain_files.bounds import MOST_POINTS
from fsgauge.study.base import Distinct, OneLine, StudyModel
from fsgauge.study.conflict import conflict

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
