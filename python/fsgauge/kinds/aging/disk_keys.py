"""[workload.disk]: the disk for which a study `aging` predicts rates from its layouts.

Nothing of it changes what is measured; `fsgauge report DIR --disk KEY=VALUE` changes it afterwards.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from fsgauge.devices.limits import LIMITS, contradiction
from fsgauge.kinds.aging.disk import PUBLISHED, parameters_of
from fsgauge.study.base import StudyModel
from fsgauge.study.conflict import conflict
from fsgauge.units import BytesPerSecond, DurationNs, Percent, SizeBytes

_WORDS = {
    each.name: f"{each.what} Default from: {each.source}." for each in parameters_of(PUBLISHED)
}


def _number(name: str) -> Any:  # noqa: ANN401 - as pydantic declares it
    """The field of a number: that of the published target, and the limits of its name."""
    limit, default = LIMITS[name], getattr(PUBLISHED, name)
    kind = int if limit.is_whole else float
    return Field(default, ge=kind(limit.least), le=kind(limit.most), description=_WORDS[name])


class DiskModel(StudyModel):
    """The disk that rates are predicted for; as it is, a target like that of the published
    rig: sources say what is printed of it and what is assumed."""

    revolutions_per_minute: int = _number("revolutions_per_minute")
    outer_rate: BytesPerSecond = _number("outer_rate")
    inner_rate: BytesPerSecond = _number("inner_rate")
    position: Percent = _number("position")
    cylinders: int = _number("cylinders")
    cylinder_size: SizeBytes = _number("cylinder_size")
    seek_single: DurationNs = _number("seek_single")
    seek_average: DurationNs = _number("seek_average")
    seek_full: DurationNs = _number("seek_full")
    rotational_wait: Percent = _number("rotational_wait")
    overhead: DurationNs = _number("overhead")
    data_disks: int = _number("data_disks")
    path_rate: BytesPerSecond = _number("path_rate")
    sharpness: float = _number("sharpness")
    request_size: SizeBytes = _number("request_size")
    window: int = _number("window")

    @model_validator(mode="after")
    def _is_a_disk(self) -> DiskModel:
        found = contradiction(self.model_dump())
        if found is not None:
            raise conflict(found.what, found.names)
        return self
