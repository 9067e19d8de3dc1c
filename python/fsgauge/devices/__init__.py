"""The devices of the models: a file for each, every number with what it is and its source.

The engine is built with the same files and reckons with them; the lab reads them for keys, words
and tables. `fsgauge explain MODEL` shows one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import prod
from typing import Literal

from fsgauge.errors import InputError, did_you_mean, nearest

GEOMETRY = ("cylinders", "cylinder_size", "data_disks")
"""Numbers of a disk whose product is what it holds."""


@dataclass(frozen=True)
class Number:
    """One number of a device; `unit` is "bytes", "bytes/s", "ns", "%" or "" for a plain number."""

    name: str
    value: float
    unit: Literal["bytes", "bytes/s", "ns", "%", ""]
    what: str
    source: str
    origin: Literal["printed", "assumed", "fitted"]


@dataclass(frozen=True)
class Device:
    """A device: a disk with heads, or flash, which has a range of times."""

    model: str
    kind: Literal["zoned_disk", "flash"]
    what: str
    parameters: tuple[Number, ...]

    def number(self, name: str) -> Number:
        """The number of this name; raises KeyError."""
        for each in self.parameters:
            if each.name == name:
                return each
        raise KeyError(name)

    @property
    def has_range(self) -> bool:
        """Whether it has a shortest and a longest time, and none between them."""
        return self.kind == "flash"

    def capacity_bytes(self, changed: Mapping[str, float] | None = None) -> int | None:
        """What its disks hold, by their cylinders; None for flash, of which the model says none."""
        if self.kind != "zoned_disk":
            return None
        values = {each.name: each.value for each in self.parameters} | dict(changed or {})
        return int(prod(values[name] for name in GEOMETRY))


def device_names() -> list[str]:
    found = (entry.name for entry in files(__name__).iterdir())
    return sorted(name.removesuffix(".json") for name in found if name.endswith(".json"))


def device_named(model: str) -> Device:
    """A device; InputError where there is none of this name."""
    if model not in device_names():
        near = nearest(model, device_names())
        raise InputError(
            f'no device model is called "{model}"',
            details=(did_you_mean(near),) if near else (),
            cause=f"there are: {', '.join(device_names())}",
            next="--set storage.model=disk-2012",
        )
    return _read(model)


@cache
def _read(model: str) -> Device:
    read = json.loads((files(__name__) / f"{model}.json").read_text("utf-8"))
    numbers = tuple(Number(**each) for each in read["parameters"])
    return Device(read["model"], read["kind"], read["what"], numbers)
