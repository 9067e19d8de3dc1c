"""The numbers of a modelled disk with their units, as a study file has them."""

from __future__ import annotations

from fsgauge.units import exact_bandwidth, exact_percent, format_duration, format_size

_RATES = ("outer_rate", "inner_rate", "path_rate")
_TIMES = ("seek_single", "seek_average", "seek_full", "overhead")
_SIZES = ("cylinder_size", "request_size")
_SHARES = ("position", "rotational_wait")


def value_words(name: str, value: float) -> str:
    """ "175 MB/s", "8.5 ms", "35 %", "7200"."""
    if name in _RATES:
        return exact_bandwidth(value)
    if name in _TIMES:
        return format_duration(value)
    if name in _SIZES:
        return format_size(value)
    if name in _SHARES:
        return exact_percent(value)
    return f"{value:,g}"
