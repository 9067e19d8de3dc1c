"""`--disk KEY=VALUE`: another disk for the predictions of a study that was run already."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from fsgauge.errors import InputError
from fsgauge.kinds.aging.disk import Disk, disk_of
from fsgauge.kinds.aging.disk_keys import DiskModel
from fsgauge.study.overrides import typed_value
from fsgauge.units import WRITTEN

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
        near = difflib.get_close_matches(key, DiskModel.model_fields, n=1, cutoff=0.5)
        raise InputError(
            f'the model of a disk has no "{key}"',
            details=(f'did you mean "{near[0]}"?',) if near else (),
            next=f"fsgauge explain {SECTION}{'.' + near[0] if near else ''}",
        )
    return key, typed_value(text.strip())


def _validated(values: dict[str, Any], given: str, *, written: bool) -> DiskModel:
    """`written`: one key as a person wrote it, which others of the record may still contradict."""
    try:
        if written:
            return DiskModel.model_validate({**_far_apart(values), **values}, context=WRITTEN)
        return DiskModel.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        context = first.get("ctx", {})
        hint = context.get("hint") or ""
        raise InputError(
            f"--disk {given}: {context.get('what') or first['msg']}",
            details=(hint,) if hint else (),
            next=f"fsgauge explain {SECTION}",
        ) from None


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
