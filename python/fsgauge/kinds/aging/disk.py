"""The disk that rates are predicted for: a model of the engine's, with numbers of a study's own.
Its numbers, what they are and their sources are those of the model's file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field, model_validator

from fsgauge.devices import device_named
from fsgauge.devices.limits import LIMITS, contradiction
from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.study.base import StudyModel, conflict
from fsgauge.study.value_type import value_type
from fsgauge.units import BytesPerSecond, DurationNs, Percent, SizeBytes

SECTION = "workload.disk"
MODEL = "disks-8+2-2012"
"""A target like those of the published rig (Sonexion 1600; what is printed of it is S-06, S-08,
S-13 and S-16 of the ledger, all else is assumed)."""


def _number(name: str, of: type[float] = float) -> Any:  # noqa: ANN401 - as pydantic declares it
    """The field of a number: that of the published target, and the limits of its name."""
    limit, known = LIMITS[name], device_named(MODEL).number(name)
    kind = int if limit.is_whole else float
    return Field(
        of(known.value),
        ge=kind(limit.least),
        le=kind(limit.most),
        description=f"{known.what} Default from: {known.source}.",
    )


class DiskModel(StudyModel):
    """The disk that rates are predicted for; as it is, a target like that of the published
    rig: sources say what is printed of it and what is assumed."""

    revolutions_per_minute: int = _number("revolutions_per_minute", int)
    outer_rate: BytesPerSecond = _number("outer_rate")
    inner_rate: BytesPerSecond = _number("inner_rate")
    position: Percent = _number("position")
    cylinders: int = _number("cylinders", int)
    cylinder_size: SizeBytes = _number("cylinder_size", int)
    seek_single: DurationNs = _number("seek_single", int)
    seek_average: DurationNs = _number("seek_average", int)
    seek_full: DurationNs = _number("seek_full", int)
    rotational_wait: Percent = _number("rotational_wait")
    overhead: DurationNs = _number("overhead", int)
    data_disks: int = _number("data_disks", int)
    path_rate: BytesPerSecond = _number("path_rate")
    sharpness: float = _number("sharpness")
    request_size: SizeBytes = _number("request_size", int)
    window: int = _number("window", int)

    @model_validator(mode="after")
    def _is_a_disk(self) -> DiskModel:
        found = contradiction(self.model_dump())
        if found is not None:
            raise conflict(found.what, found.names)
        return self

    def changes(self) -> dict[str, float]:
        """The numbers that are not the published rig's."""
        fields = DiskModel.model_fields.items()
        values = {name: (getattr(self, name), field.default) for name, field in fields}
        return {name: value for name, (value, default) in values.items() if value != default}


def disk_of(values: Mapping[str, Any]) -> DiskModel:
    """The disk of a study's record; what the record does not have is the published rig's."""
    known = {name: value for name, value in values.items() if name in DiskModel.model_fields}
    return DiskModel.model_construct(**known)


def changed_disk(recorded: Mapping[str, Any], changes: Sequence[str]) -> DiskModel:
    """The disk of a study's record with these changes, which are read as those of a study are;
    raises InputError."""
    from fsgauge.study.parse import load_study  # which reads keys, and those this disk

    fields = DiskModel.model_fields
    before = [
        f"{name}={value_type(fields[name]).item(value).as_string()}"
        for name, value in disk_of(recorded).changes().items()
    ]
    given = [each.strip().removeprefix("workload.").removeprefix("disk.") for each in changes]
    for each in given:
        _require_number(each.partition("=")[0].strip())
    overrides = [f"{SECTION}.{each}" for each in (*before, *given)]
    disk: DiskModel = dict(load_study("aging", overrides).workload)["disk"]
    return disk


def _require_number(key: str) -> None:
    if key not in DiskModel.model_fields:
        near = nearest(key, DiskModel.model_fields)
        raise InputError(
            f'the model of a disk has no "{key}"',
            details=(did_you_mean(near),) if near else (),
            cause=f"records stay as they were measured: a report sets {SECTION}.KEY alone",
            next=f"fsgauge explain {SECTION}{'.' + near[0] if near else ''}",
        )
