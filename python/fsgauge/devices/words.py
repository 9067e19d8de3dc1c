"""What `fsgauge explain MODEL` says of a device: formula, limits, and every number."""

from __future__ import annotations

from collections.abc import Mapping

from fsgauge import units
from fsgauge.devices import GEOMETRY, Device, Number, device_named, device_names
from fsgauge.quantities import Quantity

_DISK = """\
A model of a disk with heads, by its formula; nothing of it is measured.
  time of a pass   the sum over all pieces of positioning and transfer
  order of pieces  streams take turns, a request of request_size at a time; window requests are
                   sorted by place, and pieces that touch are one
  positioning      none for a piece that follows the last one; else seek + rotational_wait of a turn
                   + overhead, or reading through the gap, if it lies ahead and that is quicker
  seek             seek_single + (seek_average - seek_single) * sqrt(tracks / third), up to a third
                   of all tracks; from there a line to seek_full
  transfer         data_disks * sqrt(outer_rate^2 - position * (outer_rate^2 - inner_rate^2))
  rate             (media^-p + path_rate^-p)^(-1/p), p = sharpness
Not in it: caches, read-ahead, journal, metadata, and parity of stripes that are written in part."""
_FLASH = """\
A model of flash, by its formula; nothing of it is measured. It gives a range of times, for extents
do not say on which dies data lies. A study is simulated with one end of it: storage.times.
  shortest         the longest of
                     bytes / rate
                     max(pieces, requests) / requests_per_second
                     (requests * request_latency + bytes / rate) / in flight
  in flight        what the load has in flight, at most window and at most all requests: 1 where one
                   reader waits for each answer; window where the page cache gathers
  longest          the same with rate and requests_per_second times 1 - lost_to_dies * s, where s,
                   at most 1, is the share of pieces as short as pieces_of_loss
Not in it: caches, garbage collection, journal and metadata."""
UNITS: Mapping[str, Quantity] = {
    "bytes": units.SIZE,
    "bytes/s": units.BANDWIDTH,
    "ns": units.DURATION,
    "%": units.PERCENT,
}
"""The quantity that a unit of a device's number counts; a plain number has none."""
_FORMULAS = {"zoned_disk": _DISK, "flash": _FLASH}


def is_device(name: str) -> bool:
    """Whether a model is called that."""
    return name in device_names()


def device_words(name: str) -> str:
    """All of a device, a line for each number."""
    device = device_named(name)
    return "\n".join(
        [
            f"{device.model}: {device.what}.",
            "",
            _FORMULAS[device.kind],
            *_capacity(device),
            "",
            "Numbers, as they are set and as they are read:",
            *_numbers(device),
            "",
            _next(device),
        ]
    )


def _capacity(device: Device) -> list[str]:
    holds_bytes = device.capacity_bytes()
    if holds_bytes is None:
        return []
    product = " x ".join(GEOMETRY)
    return [f"It holds {units.format_size(holds_bytes)} ({product}); a larger device is refused."]


def _next(device: Device) -> str:
    if device.has_range:
        both = " and ".join(f"--set storage.times={end}" for end in ("shortest", "longest"))
        return (
            f"next: --storage simulated:1TiB --seed 1 --set storage.model={device.model}, once each"
            f" with {both}; fsgauge compare A B shows the range"
        )
    return (
        f"next: --storage simulated:1TiB --set storage.model={device.model}; for another number"
        f" --set storage.parameters.{device.parameters[-1].name}=VALUE; docs/guides/simulator.md"
    )


def parameter_words(key: str) -> str:
    """Of storage.parameters.window: the number in each model that has it; "" where none has."""
    name = key.removeprefix("storage.parameters.")
    devices = [device_named(model) for model in device_names()]
    found = [
        f"  {device.model}: {raw_words(each)}. {each.what} From: {each.source} ({each.origin})."
        for device in devices
        for each in device.parameters
        if each.name == name
    ]
    if name == key or not found:
        return ""
    head = f"{key}, a raw number, as --set {key}=VALUE or in [storage] parameters. The models have:"
    return "\n".join([head, *found])


def _numbers(device: Device) -> list[str]:
    width = max(len(each.name) for each in device.parameters)
    return [
        f"  {each.name:<{width}}  {raw_words(each)}. {each.what} From: {each.source}"
        f" ({each.origin})."
        for each in device.parameters
    ]


def number_words(number: Number) -> str:
    """A number with its unit: "175 MB/s", "8.5 ms", "35 %", "7200"."""
    return value_words(number.value, number.unit)


def value_words(value: float, unit: str) -> str:
    """A value in one of the units that numbers of devices have, as a person reads it."""
    match unit:
        case "bytes/s":
            return units.exact_bandwidth(value)
        case "ns":
            return units.format_duration(value)
        case "bytes":
            return units.format_size(value)
        case "%":
            return units.exact_percent(value)
        case _:
            return f"{value:.15g}"


def raw_words(number: Number) -> str:
    """As it is set, then as a person reads it: "175000000 bytes/s (175 MB/s)", "35 %", "7200"."""
    raw = f"{number.value:.15g} {number.unit}".rstrip()
    words = number_words(number)
    return raw if words == raw else f"{raw} ({words})"
