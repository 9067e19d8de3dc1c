"""[workload.disk]: the disk for which a study `aging` predicts rates from its layouts.

Nothing of it changes what is measured; `fsgauge report DIR --disk KEY=VALUE` changes it afterwards.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from fsgauge.kinds.aging.disk import PUBLISHED, parameters_of
from fsgauge.study.base import StudyModel
from fsgauge.study.conflict import conflict
from fsgauge.units import BytesPerSecond, DurationNs, Percent, SizeBytes

_WORDS = {
    each.name: f"{each.what} Default from: {each.source}." for each in parameters_of(PUBLISHED)
}
Seek = Annotated[DurationNs, Field(ge=1, le=10_000_000_000)]


class DiskModel(StudyModel):
    """The disk that rates are predicted for; as it is, a target like that of the published
    rig: sources say what is printed of it and what is assumed."""

    revolutions_per_minute: Annotated[int, Field(ge=100, le=100_000)] = Field(
        PUBLISHED.revolutions_per_minute, description=_WORDS["revolutions_per_minute"]
    )
    outer_rate: BytesPerSecond = Field(PUBLISHED.outer_rate, description=_WORDS["outer_rate"])
    inner_rate: BytesPerSecond = Field(PUBLISHED.inner_rate, description=_WORDS["inner_rate"])
    position: Percent = Field(PUBLISHED.position, description=_WORDS["position"])
    cylinders: Annotated[int, Field(ge=10, le=100_000_000)] = Field(
        PUBLISHED.cylinders, description=_WORDS["cylinders"]
    )
    cylinder_size: SizeBytes = Field(PUBLISHED.cylinder_size, description=_WORDS["cylinder_size"])
    seek_single: Seek = Field(PUBLISHED.seek_single, description=_WORDS["seek_single"])
    seek_average: Seek = Field(PUBLISHED.seek_average, description=_WORDS["seek_average"])
    seek_full: Seek = Field(PUBLISHED.seek_full, description=_WORDS["seek_full"])
    rotational_wait: Percent = Field(
        PUBLISHED.rotational_wait, description=_WORDS["rotational_wait"]
    )
    overhead: Annotated[DurationNs, Field(le=10_000_000_000)] = Field(
        PUBLISHED.overhead, description=_WORDS["overhead"]
    )
    data_disks: Annotated[int, Field(ge=1, le=10_000)] = Field(
        PUBLISHED.data_disks, description=_WORDS["data_disks"]
    )
    path_rate: BytesPerSecond = Field(PUBLISHED.path_rate, description=_WORDS["path_rate"])
    sharpness: Annotated[float, Field(ge=1, le=100)] = Field(
        PUBLISHED.sharpness, description=_WORDS["sharpness"]
    )
    request_size: Annotated[SizeBytes, Field(ge=512, le=1 << 30)] = Field(
        PUBLISHED.request_size, description=_WORDS["request_size"]
    )
    window: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
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
