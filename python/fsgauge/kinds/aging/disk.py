"""The disk that rates are predicted for: a model of the engine's, with numbers of a study's own.
Its numbers, what they are and their sources are those of the model's file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

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


PUBLISHED = DiskModel()
"""A disk like that of the published rig."""


def disk_of(values: Mapping[str, Any]) -> DiskModel:
    """The disk of a study's record; what the record does not have is the published rig's."""
    known = {name: value for name, value in values.items() if name in DiskModel.model_fields}
    return DiskModel.model_construct(**known)


def changed_disk(recorded: Mapping[str, Any], changes: Sequence[str]) -> DiskModel:
    """The disk of a study's record with these changes; raises InputError."""
    values = {**PUBLISHED.model_dump(), **recorded}
    for change in changes:
        key, value = _split(change)
        read = _validated({key: value}, change, written=True)
        values[key] = getattr(read, key)
    return _validated(values, " ".join(changes), written=False)


def _split(change: str) -> tuple[str, object]:
    key, equals, text = change.partition("=")
    key = key.strip().removeprefix("workload.").removeprefix("disk.")
    if not equals:
        raise InputError(
            f'--set "{change}" sets nothing', next=f"for example --set {SECTION}.window=16"
        )
    if key not in DiskModel.model_fields:
        near = nearest(key, DiskModel.model_fields)
        raise InputError(
            f'the model of a disk has no "{key}"',
            details=(did_you_mean(near),) if near else (),
            cause=f"records stay as they were measured: a report sets {SECTION}.KEY alone",
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
            f"--set {given}: {_what(first)}",
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
