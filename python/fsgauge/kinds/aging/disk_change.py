"""`--disk KEY=VALUE`: another disk for the predictions of a study that was run already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from fsgauge.errors import InputError, did_you_mean, nearest
from fsgauge.kinds.aging.disk import Disk, DiskModel, disk_of
from fsgauge.quantities import WRITTEN
from fsgauge.study.typed_values import typed_value
from fsgauge.study.value_type import value_type
from fsgauge.study.wording import BOUNDS, WANTED, bound, wanted

SECTION = "workload.disk"


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
