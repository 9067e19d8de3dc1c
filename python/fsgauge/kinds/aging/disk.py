"""The disk that rates are predicted for: a model of the engine's, with numbers of a study's own.

Its numbers, what they are and their sources are those of the model's file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, cast

from pydantic import Field, model_validator

from fsgauge.devices import device_named
from fsgauge.devices.limits import LIMITS, contradiction
from fsgauge.study.base import StudyModel, conflict
from fsgauge.units import BytesPerSecond, DurationNs, Percent, SizeBytes

MODEL = "disks-8+2-2012"
"""A target like those of the published rig (Sonexion 1600; what is printed of it is S-06, S-08,
S-13 and S-16 of the ledger, all else is assumed)."""


def _whole(name: str) -> int:
    known: int = field(default=int(device_named(MODEL).number(name).value))
    return known


def _real(name: str) -> float:
    known: float = field(default=float(device_named(MODEL).number(name).value))
    return known


@dataclass(frozen=True)
class Disk:
    """Bytes, bytes per second, nanoseconds and percent; defaults are the model's."""

    revolutions_per_minute: int = _whole("revolutions_per_minute")
    outer_rate: float = _real("outer_rate")
    inner_rate: float = _real("inner_rate")
    position: float = _real("position")
    cylinders: int = _whole("cylinders")
    cylinder_size: int = _whole("cylinder_size")
    seek_single: int = _whole("seek_single")
    seek_average: int = _whole("seek_average")
    seek_full: int = _whole("seek_full")
    rotational_wait: float = _real("rotational_wait")
    overhead: int = _whole("overhead")
    data_disks: int = _whole("data_disks")
    path_rate: float = _real("path_rate")
    sharpness: float = _real("sharpness")
    request_size: int = _whole("request_size")
    window: int = _whole("window")

    def changes(self) -> dict[str, float]:
        """What is not as the model has it."""
        return {each.name: each.value for each in parameters_of(self) if not each.is_default}


@dataclass(frozen=True)
class Parameter:
    """One number of a disk, for a table; `is_default` where it is the model's."""

    name: str
    value: float
    what: str
    source: str
    is_default: bool


PUBLISHED = Disk()
"""A disk like that of the published rig."""


def parameters_of(disk: Disk) -> list[Parameter]:
    """Every number of a disk, in their order."""
    model = device_named(MODEL)
    return [
        Parameter(
            each.name,
            cast(float, getattr(disk, each.name)),
            model.number(each.name).what,
            model.number(each.name).source,
            getattr(disk, each.name) == each.default,
        )
        for each in fields(Disk)
    ]


def disk_of(values: Mapping[str, float]) -> Disk:
    """The disk of a study's record; what the record does not have is the published rig's."""
    known = {each.name for each in fields(Disk)}
    known_values: dict[str, Any] = {name: value for name, value in values.items() if name in known}
    return Disk(**known_values)


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
