"""Units: the quantities that there are, the types of keys that hold one, and text for people.

Sizes become bytes, durations nanoseconds, paces operations per second, transfer rates bytes per
second. What `exact_...` writes reads back to the same number; `format_...` rounds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated

from annotated_types import Interval

from fsgauge.quantities import LARGEST, Quantity, plain_decimal

_SIZE_UNITS = {
    "B": 1,
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
    "TiB": 1 << 40,
    "PiB": 1 << 50,
    "kB": 10**3,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "PB": 10**15,
}
_DURATION_UNITS = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "min": 60 * 10**9,
    "h": 3600 * 10**9,
}
_BANDWIDTH_UNITS = {f"{unit}/s": size for unit, size in _SIZE_UNITS.items()}
_BANDWIDTHS = tuple(sorted(_BANDWIDTH_UNITS, key=_BANDWIDTH_UNITS.__getitem__, reverse=True))


_LETTER = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kKmMgGtTpP])\s*")


def binary_size(text: str) -> str | None:
    """ "4k", "8G" as fio, dd and mkfs mean them, 1024 bytes to the k: "4 KiB"; else None."""
    match = _LETTER.fullmatch(text)
    return f"{match[1]} {match[2].upper()}iB" if match else None


def exact_size(size_bytes: int) -> str:
    """Text that `parse_size` reads back to the same number: 4096 is "4 KiB", 5000 is "5 kB"."""
    return _exact(size_bytes, _SIZE_UNITS, ("PiB", "TiB", "GiB", "MiB", "KiB", "MB", "kB", "B"))


def exact_duration(duration_ns: int) -> str:
    """Text that `parse_duration_ns` reads back to the same number: 90 * 10**9 is "90 s"."""
    return _exact(duration_ns, _DURATION_UNITS, ("h", "min", "s", "ms", "us", "ns"))


def exact_percent(percent: float) -> str:
    """Text that `parse_percent` reads back to the same number."""
    return f"{plain_decimal(percent)} %"


def exact_rate(operations_per_second: float) -> str:
    """Text that `RATE` reads back to the same number."""
    return f"{plain_decimal(operations_per_second)} IOPS"


def exact_bandwidth(bytes_per_second: float) -> str:
    """Text that `BANDWIDTH` reads back to the same number."""
    if float(bytes_per_second).is_integer():
        return _exact(int(bytes_per_second), _BANDWIDTH_UNITS, _BANDWIDTHS)
    return f"{plain_decimal(bytes_per_second)} B/s"


def _exact(value: int, units: Mapping[str, int], order: tuple[str, ...]) -> str:
    for unit in order:
        if value and value % units[unit] == 0:
            return f"{value // units[unit]} {unit}"
    return f"{value} {'s' if 's' in units else order[-1]}"


SIZE = Quantity(
    name="size",
    units=_SIZE_UNITS,
    meant={
        **{
            short: (f"{prefix.upper()}iB", f"{prefix}B")
            for prefix in ("k", "M", "G", "T", "P")
            for short in (prefix.lower(), f"{prefix.lower()}b")
        },
        **{
            f"{prefix.lower()}{end}": (f"{prefix}iB",)
            for prefix in ("K", "M", "G", "T", "P")
            for end in ("i", "ib")
        },
        **dict.fromkeys(("b", "byte", "bytes"), ("B",)),
    },
    usual=("B", "KiB"),
    whole=True,
    write=exact_size,
    example="1 MiB",
)
DURATION = Quantity(
    name="duration",
    units=_DURATION_UNITS,
    meant={
        "m": ("min", "ms"),
        **dict.fromkeys(("sec", "secs", "second", "seconds"), ("s",)),
        **dict.fromkeys(("mins", "minute", "minutes"), ("min",)),
        **dict.fromkeys(("hr", "hrs", "hour", "hours"), ("h",)),
        **dict.fromkeys(("msec", "msecs", "millisecond", "milliseconds"), ("ms",)),
        **dict.fromkeys(("µs", "μs", "usec", "usecs", "microsecond", "microseconds"), ("us",)),
        **dict.fromkeys(("nsec", "nsecs", "nanosecond", "nanoseconds"), ("ns",)),
    },
    usual=("ms", "s"),
    whole=True,
    write=exact_duration,
    example="10 s",
)
PERCENT = Quantity(
    name="percentage",
    units={"%": 1},
    meant=dict.fromkeys(("percent", "pct"), ("%",)),
    usual=("%",),
    whole=False,
    write=exact_percent,
    example="2.5 %",
)
WHOLE_PERCENT = replace(PERCENT, name="whole percentage", whole=True, example="10 %")
_PACES = ("iops", "iops/s", "io/s", "iop/s", "ops", "op/s", "ops/s", "ops/sec", "/s", "/sec")
RATE = Quantity(
    name="pace",
    units={"IOPS": 1, "k IOPS": 10**3, "kIOPS": 10**3, "M IOPS": 10**6, "MIOPS": 10**6},
    meant={
        **dict.fromkeys(_PACES, ("IOPS",)),
        **{
            f"{unit[0].lower()}{rest}": (unit,)
            for unit in ("k IOPS", "M IOPS")
            for rest in ("", *_PACES, *(f" {pace}" for pace in _PACES))
        },
    },
    usual=("IOPS",),
    whole=False,
    write=exact_rate,
    example="1000 IOPS",
)
_PER_SECOND = ("/s", "/sec", "/second", "ps")
BANDWIDTH = Quantity(
    name="transfer rate",
    units=_BANDWIDTH_UNITS,
    meant={
        **{
            f"{short}{per}": tuple(f"{unit}/s" for unit in units)
            for short, units in SIZE.meant.items()
            for per in _PER_SECOND
        },
        **{unit.casefold(): (f"{unit}/s",) for unit in _SIZE_UNITS},
    },
    usual=("MiB/s", "MB/s"),
    whole=False,
    write=exact_bandwidth,
    example="175 MB/s",
)
QUANTITIES = (SIZE, DURATION, PERCENT, WHOLE_PERCENT, RATE, BANDWIDTH)
"""All that a key of a study may hold."""

SizeBytes = Annotated[int, SIZE, Interval(ge=1, le=LARGEST)]
DurationNs = Annotated[int, DURATION, Interval(ge=0, le=LARGEST)]
Percent = Annotated[float, PERCENT, Interval(ge=0, le=100)]
WholePercent = Annotated[int, WHOLE_PERCENT, Interval(ge=0, le=100)]
RateOperationsPerSecond = Annotated[float, RATE, Interval(gt=0, le=1e9)]
BytesPerSecond = Annotated[float, BANDWIDTH, Interval(gt=0, le=1e15)]


def parse_size(text: str) -> int:
    """Bytes of "4 KiB" (1024) or "4 kB" (1000); raises UnitError."""
    return int(SIZE.read(text))


def parse_duration_ns(text: str) -> int:
    """Nanoseconds of "500 ms", "10 s", "2 h"; raises UnitError."""
    return int(DURATION.read(text))


def parse_percent(text: str) -> float:
    """The number in "2.5 %"; raises UnitError."""
    return float(PERCENT.read(text))


def figure(number: float, digits: int = 3) -> str:
    """A number of so many digits, never as a power of ten: "0.3", "31.2", "22,000"."""
    rounded = float(f"{number:.{digits}g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 10**digits else f"{rounded:.{digits}g}"


def format_size(size_bytes: float) -> str:
    """A size for people: "4 KiB", "1.5 GiB", "512 B"; three digits, binary units."""
    for unit in ("PiB", "TiB", "GiB", "MiB", "KiB"):
        if abs(size_bytes) >= _SIZE_UNITS[unit] * 0.9995:
            return f"{_three_digits(size_bytes / _SIZE_UNITS[unit])} {unit}"
    return f"{_three_digits(size_bytes)} B"


def size_down(size_bytes: float) -> str:
    """The same, never more than it is: of 127.75 MiB "127 MiB"."""
    for unit in ("PiB", "TiB", "GiB", "MiB", "KiB"):
        if abs(size_bytes) >= _SIZE_UNITS[unit]:
            value = size_bytes / _SIZE_UNITS[unit]
            steps = 1 if abs(value) >= 100 else 10 if abs(value) >= 10 else 100
            return f"{_three_digits(int(value * steps) / steps)} {unit}"
    return f"{_three_digits(size_bytes)} B"


def format_duration(duration_ns: float) -> str:
    """A duration for people: "148 us", "1.5 s", "41 min", "2.5 h"; three digits."""
    for unit, floor in (("h", 2.0), ("min", 2.0), ("s", 0.9995), ("ms", 0.9995), ("us", 0.9995)):
        if abs(duration_ns) >= _DURATION_UNITS[unit] * floor:
            return f"{_three_digits(duration_ns / _DURATION_UNITS[unit])} {unit}"
    return f"{_three_digits(duration_ns)} ns"


def format_rate(operations_per_second: float, unit: str = "IOPS") -> str:
    """A rate for people: "212 k IOPS", "950 IOPS", "4.1 k commits/s"; three digits."""
    for prefix, factor in (("M ", 1e6), ("k ", 1e3)):
        if abs(operations_per_second) >= factor * 0.9995:
            return f"{_three_digits(operations_per_second / factor)} {prefix}{unit}"
    return f"{_three_digits(operations_per_second)} {unit}"


def format_bandwidth(bytes_per_second: float) -> str:
    """A transfer rate for people: "812 MiB/s"; three digits, binary units."""
    return f"{format_size(bytes_per_second)}/s"


def format_value(number: float, unit: str) -> str:
    """A metric's value with its unit: IOPS or other things a second, B/s or ns."""
    match unit:
        case "B/s":
            return format_bandwidth(number)
        case "ns":
            return format_duration(number)
        case _ if unit == "IOPS" or unit.endswith("/s"):
            return format_rate(number, unit)
        case _:
            raise ValueError(f"no metric is in {unit}")


def with_one_unit(values: Sequence[str]) -> list[str]:
    """Values as format_value writes them, the unit behind the last one alone where all have it:
    "205 k" and "188 k IOPS"; "205" and "188 MiB/s"."""
    parts = [each.partition(" ") for each in values]
    if len({unit for _, _, unit in parts}) > 1:
        return list(values)
    prefix = next((f" {each}" for each in ("k", "M") if parts[0][2].startswith(f"{each} ")), "")
    return [*(f"{number}{prefix}" for number, _, _ in parts[:-1]), *values[-1:]]


def _three_digits(value: float) -> str:
    """Three significant digits without an exponent; more only where the whole part has more."""
    if abs(value) >= 99.95:
        return f"{value:.0f}"
    text = f"{value:.1f}" if abs(value) >= 9.995 else f"{value:.2f}"
    return text.rstrip("0").rstrip(".")


def moment(unix_ns: int) -> str:
    """ "2026-11-23 01:36 UTC"."""
    return datetime.fromtimestamp(unix_ns / 1e9, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")


def count(number: int, noun: str, many: str = "") -> str:
    """ "1 run", "8 runs", "2 processes"; `many` where the plural is not the noun with an s."""
    return f"{number:,} {plural(number, noun, many)}"


def plural(number: int, noun: str, many: str = "") -> str:
    """The noun behind such a number: "run", "runs"."""
    return noun if number == 1 else many or f"{noun}s"


def listed(parts: Sequence[str]) -> str:
    """ "ext4, xfs and btrfs"."""
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + " and " + parts[-1]


def some_of(names: Sequence[str], most: int) -> str:
    """Names with commas, and how many there are beyond the first: "a, b, c, d and 12 more"."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
