"""[workload.disk]: the disk for which a study `aging` predicts rates from its layouts.

Nothing of it changes what is measured; `fsgauge report DIR --disk KEY=VALUE` changes it afterwards.
"""

from __future__ import annotations

from typing import Annotated

from annotated_types import Interval
from pydantic import Field, model_validator

from fsgauge.devices.limits import LIMITS
from fsgauge.kinds.aging.disk import PUBLISHED, parameters_of
from fsgauge.study.base import StudyModel
from fsgauge.study.conflict import conflict
from fsgauge.units import BytesPerSecond, DurationNs, Percent, SizeBytes

_WORDS = {
    each.name: f"{each.what} Default from: {each.source}." for each in parameters_of(PUBLISHED)
}


def _within(name: str) -> Interval:
    """The limits of a number of this name."""
    limit = LIMITS[name]
    if limit.is_whole:
        return Interval(ge=int(limit.least), le=int(limit.most))
    return Interval(ge=limit.least, le=limit.most)


class DiskModel(StudyModel):
    """The disk that rates are predicted for; as it is, a target like that of the published
    rig: sources say what is printed of it and what is assumed."""

    revolutions_per_minute: Annotated[int, _within("revolutions_per_minute")] = Field(
        PUBLISHED.revolutions_per_minute, description=_WORDS["revolutions_per_minute"]
    )
    outer_rate: Annotated[BytesPerSecond, _within("outer_rate")] = Field(
        PUBLISHED.outer_rate, description=_WORDS["outer_rate"]
    )
    inner_rate: Annotated[BytesPerSecond, _within("inner_rate")] = Field(
        PUBLISHED.inner_rate, description=_WORDS["inner_rate"]
    )
    position: Percent = Field(PUBLISHED.position, description=_WORDS["position"])
    cylinders: Annotated[int, _within("cylinders")] = Field(
        PUBLISHED.cylinders, description=_WORDS["cylinders"]
    )
    cylinder_size: Annotated[SizeBytes, _within("cylinder_size")] = Field(
        PUBLISHED.cylinder_size, description=_WORDS["cylinder_size"]
    )
    seek_single: Annotated[DurationNs, _within("seek_single")] = Field(
        PUBLISHED.seek_single, description=_WORDS["seek_single"]
    )
    seek_average: Annotated[DurationNs, _within("seek_average")] = Field(
        PUBLISHED.seek_average, description=_WORDS["seek_average"]
    )
    seek_full: Annotated[DurationNs, _within("seek_full")] = Field(
        PUBLISHED.seek_full, description=_WORDS["seek_full"]
    )
    rotational_wait: Percent = Field(
        PUBLISHED.rotational_wait, description=_WORDS["rotational_wait"]
    )
    overhead: Annotated[DurationNs, _within("overhead")] = Field(
        PUBLISHED.overhead, description=_WORDS["overhead"]
    )
    data_disks: Annotated[int, _within("data_disks")] = Field(
        PUBLISHED.data_disks, description=_WORDS["data_disks"]
    )
    path_rate: Annotated[BytesPerSecond, _within("path_rate")] = Field(
        PUBLISHED.path_rate, description=_WORDS["path_rate"]
    )
    sharpness: Annotated[float, _within("sharpness")] = Field(
        PUBLISHED.sharpness, description=_WORDS["sharpness"]
    )
    request_size: Annotated[SizeBytes, _within("request_size")] = Field(
        PUBLISHED.request_size, description=_WORDS["request_size"]
    )
    window: Annotated[int, _within("window")] = Field(
        PUBLISHED.window, description=_WORDS["window"]
    )

    @model_validator(mode="after")
    def _is_a_disk(self) -> DiskModel:
        if self.inner_rate > self.outer_rate:
            raise conflict(
                "the inner edge of a disk is not faster than its outer edge",
                ["inner_rate", "outer_rate"],
            )
        if not self.seek_single <= self.seek_average <= self.seek_full:
            raise conflict(
                "a longer seek does not take less time: single, average, full must not decrease",
                ["seek_average", "seek_single", "seek_full"],
            )
        return self
