"""The numbers of a simulated device: what each can be, what contradicts, what has room on it. A
mistake is shown where it was written."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Literal

from pydantic_core import PydanticCustomError

from fsgauge.devices import GEOMETRY, Number, device_named
from fsgauge.devices.limits import LIMITS, Contradiction, contradiction
from fsgauge.devices.words import UNITS, value_words
from fsgauge.errors import did_you_mean, nearest
from fsgauge.quantities import UnitError
from fsgauge.study.base import conflict
from fsgauge.units import exact_size, format_size

_FEWEST_UNITS = 10
"""A size is proposed in the largest unit of which it has so many."""


def number_in_text(model: str, name: str, text: str) -> PydanticCustomError:
    """A conflict for "200 MB/s" where a raw number stands; it says which number that is."""
    known = {each.name: each for each in device_named(model).parameters}
    quantity = UNITS.get(known[name].unit) if name in known else None
    hint = ""
    if quantity is not None:
        try:
            hint = f"write {quantity.read(text):.15g}"
        except UnitError:
            hint = "write the number alone"
    unit = f" in {known[name].unit}" if name in known and known[name].unit else ""
    return conflict(
        f"{name} must be a number{unit}, not text",
        [("parameters", name)],
        hint=hint,
        next=f"fsgauge explain storage.parameters.{name}" if name in known else "",
    )


def check_numbers(model: str, changed: Mapping[str, float]) -> None:
    """Raise a conflict for a number that the model does not have, or that no device has."""
    device = device_named(model)
    known = {each.name: each for each in device.parameters}
    for name, value in changed.items():
        if name not in known:
            raise _unknown(model, name, list(known))
        _check_limits(known[name], value)
    values = {**{name: each.value for name, each in known.items()}, **changed}
    found = contradiction(values) if device.kind == "zoned_disk" else None
    if found is not None:
        raise _contradiction(found, changed)


def check_room(
    size_bytes: int, devices: int, stripe_bytes: int | None, *, least_bytes: int
) -> None:
    """Raise a conflict where a device is smaller than the least, or has no room for a stripe."""
    each_bytes = size_bytes // devices
    if each_bytes < least_bytes:
        raise conflict(
            f"each of {devices} devices has {format_size(each_bytes)}, and"
            f" {exact_size(least_bytes)} is the least",
            ["devices", "size"],
            next="a larger size, or fewer devices: the size is that of all together",
        )
    if stripe_bytes is not None and stripe_bytes >= each_bytes:
        raise conflict(
            f"a stripe of {exact_size(stripe_bytes)} leaves no room on a device for the file"
            f" system's own blocks: each of {devices} has {format_size(each_bytes)}",
            ["stripe_size", "size", "devices"],
            next='stripe_size = "1 MiB", or a larger size: it is that of all devices together',
        )


def check_capacity(model: str, changed: Mapping[str, float], size_bytes: int, devices: int) -> None:
    """Raise a conflict where one of the devices is larger than the disks of its model."""
    beyond = beyond_capacity(model, changed, size_bytes, devices)
    if beyond is None:
        return
    what, helps = beyond
    smaller = [("parameters", name) for name in GEOMETRY if name in changed]
    raise conflict(what, [*smaller, ("size",), ("devices",), ("model",)], next=helps)


def beyond_capacity(
    model: str, changed: Mapping[str, float], size_bytes: int, devices: int
) -> tuple[str, str] | None:
    """What is said of a device that its model's disks do not hold, and what helps; else None."""
    holds_bytes = device_named(model).capacity_bytes(changed)
    if holds_bytes is None or size_bytes <= holds_bytes * devices:
        return None
    own = [f"{name} = {changed[name]:g}" for name in GEOMETRY if name in changed]
    with_own = f" with {' and '.join(own)}" if own else ""
    each = f"each of {devices} devices" if devices > 1 else "the device"
    what = (
        f"{each} has {format_size(size_bytes / devices)}, and {model}{with_own} holds"
        f" {format_size(holds_bytes)}"
    )
    ways = [f"at most {_round_size(holds_bytes * devices)}"]
    ways.append(f"storage.devices = {ceil(size_bytes / holds_bytes)}")
    if own:
        ways.append(f"leave {' and '.join(name for name in GEOMETRY if name in changed)} out")
    return what, ", or ".join(ways)


def _round_size(size_bytes: int) -> str:
    """A size that is no larger and short to type."""
    for unit_bytes in (1 << 40, 1 << 30, 1 << 20):
        if size_bytes >= _FEWEST_UNITS * unit_bytes:
            return exact_size(size_bytes - size_bytes % unit_bytes)
    return exact_size(size_bytes)


def _unknown(model: str, name: str, known: list[str]) -> PydanticCustomError:
    near = nearest(name, known)
    return conflict(
        f'{model} has no parameter "{name}"',
        [("parameters", name)],
        hint=did_you_mean(near) if near else f"it has: {', '.join(known)}",
        next=f"fsgauge explain {model}",
    )


def _check_limits(number: Number, value: float) -> None:
    limit = LIMITS[number.name]
    is_whole = float(value).is_integer() or not limit.is_whole
    if limit.least <= value <= limit.most and is_whole:
        return
    whole = "a whole number " if limit.is_whole and (not number.unit or not is_whole) else ""
    least, most = value_words(limit.least, number.unit), value_words(limit.most, number.unit)
    raise conflict(
        f"{number.name} must be {whole}from {least} to {most},"
        f" not {_exactly(value, number.unit, is_whole)}",
        [("parameters", number.name)],
        hint=f"in {number.unit}" if number.unit else "",
        next=f"fsgauge explain storage.parameters.{number.name}",
    )


def _exactly(value: float, unit: str, is_whole: bool) -> str:
    """A value that is no whole number with all its digits, which its size in words has not."""
    return value_words(value, unit) if is_whole else f"{value:.15g} {unit}".strip()


def _contradiction(found: Contradiction, changed: Mapping[str, float]) -> PydanticCustomError:
    """Those of the numbers that the study changes are to blame."""
    own = [name for name in found.names if name in changed]
    return conflict(
        found.what,
        [("parameters", name) for name in own or found.names],
        next=f"fsgauge explain storage.parameters.{own[0]}" if own else "",
    )


def check_times(model: str, times: Literal["shortest", "longest"] | None) -> None:
    """Raise a conflict where an end of the range is missing, or where there is no range."""
    has_range = device_named(model).has_range
    if has_range and times is None:
        raise conflict(
            f"{model} has a range of times, and a study takes one end of it",
            ["model"],
            hint="extents do not say which dies data is on: one time would be a guess",
            next="--seed 1 --set storage.times=shortest, then --seed 1 --set"
            " storage.times=longest; fsgauge compare A B shows the range",
        )
    if times is not None and not has_range:
        raise conflict(
            f"times would be ignored: {model} has one time for each run, and no range",
            ["times"],
            next="leave it out",
        )
