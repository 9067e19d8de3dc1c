"""The disk that rates are predicted for: a model of the engine's, with numbers of a study's own.
Its numbers, what they are and their sources are those of the model's file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, cast

from pydantic import Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from fsgauge.devices import device_named
from fsgauge.devices.limits import LIMITS, contradiction
from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.quantities import WRITTEN
from fsgauge.study.base import StudyModel, conflict
from fsgauge.study.value_type import typed_value, value_type
from fsgauge.study.wording import BOUNDS, WANTED, bound, wanted
from fsgauge.units import BytesPerSecond, DurationNs, Percent, SizeBytes

SECTION = "workload.disk"
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


def changed_disk(recorded: Mapping[str, Any], changes: Sequence[str]) -> Disk:
    """The disk of a study's record with these changes; raises InputError."""
    values = {**DiskModel().model_dump(), **recorded}
    for change in changes:
        key, value = _split(change)
        read = _validated({key: value}, change, written=True)
        values[key] = getattr(read, key)
    return disk_of(_validated(values, " ".join(changes), written=False).model_dump())


def _split(change: str) -> tuple[str, object]:
    key, equals, text = change.partition("=")
    key = key.strip().removeprefix(f"{SECTION}.").removeprefix("disk.")
    if not equals:
        raise InputError(f'--disk "{change}" sets nothing', next="for example --disk window=16")
    if key not in DiskModel.model_fields:
        near = nearest(key, DiskModel.model_fields)
        raise InputError(
            f'the model of a disk has no "{key}"',
            details=(did_you_mean(near),) if near else (),
            next=f"fsgauge explain {SECTION}{'.' + near[0] if near else ''}",
        )
    return key, typed_value(text.strip(), [value_type(DiskModel.model_fields[key])])


def _validated(values: dict[str, Any], given: str, *, written: bool) -> DiskModel:
    """`written`: one key as a person wrote it, which others of the record may still contradict."""
    try:
        if written:
            return DiskModel.model_validate({**_far_apart(values), **values}, context=WRITTEN)
        return DiskModel.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        hint = first.get("ctx", {}).get("hint") or ""
        raise InputError(
            f"--disk {given}: {_what(first)}",
            details=(hint,) if hint else (),
            next=f"fsgauge explain {SECTION}",
        ) from None


def _what(refusal: ErrorDetails) -> str:
    """In the words and the unit that a study file's mistake has."""
    context = refusal.get("ctx", {})
    if "what" in context:
        return str(context["what"])
    name = str(refusal["loc"][0])
    takes = value_type(DiskModel.model_fields[name])
    if refusal["type"] in BOUNDS:
        return f"{name} must be {bound(refusal['type'], context, takes.quantity)}"
    if refusal["type"] in WANTED:
        return f"{name} must be {wanted(refusal['type'], takes)[0]}"
    return refusal["msg"]


def _far_apart(values: Mapping[str, Any]) -> dict[str, str]:
    """Neighbours that contradict nothing, while a single key is read."""
    wide = {
        "inner_rate": "1 B/s",
        "outer_rate": "1000 TB/s",
        "seek_single": "1 ns",
        "seek_full": "10 s",
    }
    if "seek_single" in values or "seek_full" in values:
        wide["seek_average"] = "1 ns" if "seek_full" in values else "10 s"
    return {key: value for key, value in wide.items() if key not in values}
