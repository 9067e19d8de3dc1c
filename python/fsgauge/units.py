"""Quantities: exact reading of text with a unit, writing for people, and the types of study keys.

A unit is never guessed: "4k" is refused with what was probably meant ("4 KiB" or "4 kB").
Sizes become bytes, durations nanoseconds, paces operations per second, transfer rates bytes per
second.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from fsgauge.errors import InputError

WRITTEN = {"written": True}
"""Validation context of what a person wrote: there a bare number is an error."""

_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*((?:[^\W\d_]|[%/])[^0-9.,]*)?")
_LONGEST_TEXT = 64
_LARGEST = 2**63 - 1


class UnitError(InputError):
    """A quantity that cannot be read; `hint` says what was probably meant."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what, next=hint)
        self.hint = hint


@dataclass(frozen=True)
class _Dimension:
    """One kind of quantity: its units, and what people write when they mean one of them."""

    noun: str
    units: Mapping[str, int]
    meant: Mapping[str, tuple[str, ...]]
    usual: tuple[str, ...]
    whole: bool

    def parse(self, text: str) -> Fraction:
        """The quantity in the base unit; raises UnitError."""
        if len(text) > _LONGEST_TEXT:
            raise UnitError(f"{text[:20]!r}... is not {self.noun}", self._example())
        match = _QUANTITY.fullmatch(text.strip())
        if match is None:
            raise UnitError(f'"{text}" is not {self.noun}', self._example())
        number, unit = match[1], " ".join((match[2] or "").split())
        if not unit:
            raise UnitError(f'"{text}" has no unit', _did_you_mean(number, self.usual))
        if unit not in self.units:
            raise UnitError(f'"{unit}" is not a unit of {self.noun}', self._meant(number, unit))
        value = Fraction(number) * self.units[unit]
        if value > _LARGEST:
            raise UnitError(f'"{text}" is too large', self._example())
        if self.whole and value.denominator != 1:
            base = next(iter(self.units))
            raise UnitError(f'"{text}" is not a whole number of {base}', self._example())
        return value

    def bare(self, number: float) -> UnitError:
        """The error for a number that stands without its unit."""
        return UnitError(f"{number:g} has no unit", _did_you_mean(f"{number:.12g}", self.usual))

    def _meant(self, number: str, unit: str) -> str:
        candidates = self.meant.get(unit.casefold(), ())
        if not candidates:
            candidates = tuple(difflib.get_close_matches(unit, self.units, n=2, cutoff=0.5))
        return _did_you_mean(number, candidates) if candidates else self._example()

    def _example(self) -> str:
        return f'write a number and a unit: "10 {self.usual[-1]}"'


def _did_you_mean(number: str, units: tuple[str, ...]) -> str:
    return "did you mean " + " or ".join(f'"{number} {unit}"' for unit in units) + "?"


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
_SIZE = _Dimension(
    noun="a size",
    units=_SIZE_UNITS,
    meant={
        **{
            short: (f"{prefix.upper()}iB", f"{prefix}B")
            for prefix in ("k", "M", "G", "T", "P")
            for short in (prefix.lower(), f"{prefix.lower()}b")
        },
        **{f"{prefix.lower()}ib": (f"{prefix}iB",) for prefix in ("K", "M", "G", "T", "P")},
        **dict.fromkeys(("b", "byte", "bytes"), ("B",)),
    },
    usual=("B", "KiB"),
    whole=True,
)
_DURATION_UNITS = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "min": 60 * 10**9,
    "h": 3600 * 10**9,
}
_DURATION = _Dimension(
    noun="a duration",
    units=_DURATION_UNITS,
    meant={
        "m": ("min", "ms"),
        **dict.fromkeys(("sec", "secs", "second", "seconds"), ("s",)),
        **dict.fromkeys(("mins", "minute", "minutes"), ("min",)),
        **dict.fromkeys(("hr", "hrs", "hour", "hours"), ("h",)),
        **dict.fromkeys(("msec", "millisecond", "milliseconds"), ("ms",)),
        **dict.fromkeys(("µs", "μs", "usec", "microseconds"), ("us",)),
    },
    usual=("ms", "s"),
    whole=True,
)
_PERCENT = _Dimension("a percentage", {"%": 1}, {"percent": ("%",), "pct": ("%",)}, ("%",), False)
_WHOLE_PERCENT = _Dimension("a percentage", {"%": 1}, _PERCENT.meant, ("%",), True)
_RATE = _Dimension(
    noun="a pace",
    units={
        "IOPS": 1,
        "k IOPS": 10**3,
        "kIOPS": 10**3,
        "M IOPS": 10**6,
        "MIOPS": 10**6,
    },
    meant={
        **dict.fromkeys(("k", "k iops", "kiops"), ("k IOPS",)),
        **dict.fromkeys(("iops", "io/s", "iop/s", "ops", "ops/s", "/s", "op/s"), ("IOPS",)),
        **dict.fromkeys(("m", "m iops", "miops"), ("M IOPS",)),
    },
    usual=("IOPS",),
    whole=False,
)

_BANDWIDTH_UNITS = {f"{unit}/s": size for unit, size in _SIZE_UNITS.items()}
_BANDWIDTH = _Dimension(
    noun="a transfer rate",
    units=_BANDWIDTH_UNITS,
    meant={
        **{
            f"{short}/s": tuple(f"{unit}/s" for unit in units)
            for short, units in _SIZE.meant.items()
        },
        **{
            f"{short}ps": tuple(f"{unit}/s" for unit in units)
            for short, units in _SIZE.meant.items()
        },
        **{unit.casefold(): (f"{unit}/s",) for unit in _SIZE_UNITS},
    },
    usual=("MiB/s", "MB/s"),
    whole=False,
)


def parse_size(text: str) -> int:
    """Bytes of "4 KiB" (1024) or "4 kB" (1000); raises UnitError."""
    return int(_SIZE.parse(text))


def parse_duration_ns(text: str) -> int:
    """Nanoseconds of "500 ms", "10 s", "2 h"; raises UnitError."""
    return int(_DURATION.parse(text))


def parse_percent(text: str) -> float:
    """The number in "2.5 %"; raises UnitError."""
    return float(_PERCENT.parse(text))


def parse_whole_percent(text: str) -> int:
    """The whole number in "90 %"; raises UnitError."""
    return int(_WHOLE_PERCENT.parse(text))


def parse_rate(text: str) -> float:
    """Operations per second of "1000 IOPS" or "12 k IOPS"; raises UnitError."""
    return float(_RATE.parse(text))


def parse_bandwidth(text: str) -> float:
    """Bytes per second of "175 MB/s" (10^6) or "175 MiB/s" (2^20); raises UnitError."""
    return float(_BANDWIDTH.parse(text))


def _reader(dimension: _Dimension, parse: Callable[[str], float]) -> BeforeValidator:
    def read(value: object, info: ValidationInfo) -> object:
        try:
            if isinstance(value, str):
                return parse(value)
            written = info.context and info.context.get("written")
            if written and isinstance(value, int | float) and not isinstance(value, bool):
                raise dimension.bare(value)
        except UnitError as error:
            context = {"what": error.what, "hint": error.hint}
            raise PydanticCustomError("unit", "{what}", context) from None
        return value

    return BeforeValidator(read)


SizeBytes = Annotated[int, _reader(_SIZE, parse_size), Field(ge=1, le=_LARGEST)]
DurationNs = Annotated[int, _reader(_DURATION, parse_duration_ns), Field(ge=0, le=_LARGEST)]
Percent = Annotated[float, _reader(_PERCENT, parse_percent), Field(ge=0, le=100)]
WholePercent = Annotated[int, _reader(_WHOLE_PERCENT, parse_whole_percent), Field(ge=0, le=100)]
RateOperationsPerSecond = Annotated[float, _reader(_RATE, parse_rate), Field(gt=0, le=1e9)]
BytesPerSecond = Annotated[float, _reader(_BANDWIDTH, parse_bandwidth), Field(gt=0, le=1e15)]


def exact_size(size_bytes: int) -> str:
    """Text that `parse_size` reads back to the same number: 4096 is "4 KiB", 5000 is "5 kB"."""
    return _exact(size_bytes, _SIZE_UNITS, ("PiB", "TiB", "GiB", "MiB", "KiB", "MB", "kB", "B"))


def exact_duration(duration_ns: int) -> str:
    """Text that `parse_duration_ns` reads back to the same number: 90 * 10**9 is "90 s"."""
    return _exact(duration_ns, _DURATION_UNITS, ("h", "min", "s", "ms", "us", "ns"))


def exact_percent(percent: float) -> str:
    """Text that `parse_percent` reads back to the same number."""
    return f"{_plain(percent)} %"


def exact_rate(operations_per_second: float) -> str:
    """Text that `parse_rate` reads back to the same number."""
    return f"{_plain(operations_per_second)} IOPS"


def exact_bandwidth(bytes_per_second: float) -> str:
    """Text that `parse_bandwidth` reads back to the same number."""
    if float(bytes_per_second).is_integer():
        return f"{exact_size(int(bytes_per_second))}/s"
    return f"{_plain(bytes_per_second)} B/s"


def _plain(number: float) -> str:
    """The shortest decimal text of a float, without an exponent."""
    if float(number).is_integer():
        return str(int(number))
    return format(Decimal(repr(float(number))), "f")


def _exact(value: int, units: Mapping[str, int], order: tuple[str, ...]) -> str:
    for unit in order:
        if value and value % units[unit] == 0:
            return f"{value // units[unit]} {unit}"
    return f"{value} {'s' if 's' in units else order[-1]}"


def format_size(size_bytes: float) -> str:
    """A size for people: "4 KiB", "1.5 GiB", "512 B"; three digits, binary units."""
    for unit in ("PiB", "TiB", "GiB", "MiB", "KiB"):
        if abs(size_bytes) >= _SIZE_UNITS[unit] * 0.9995:
            return f"{_three_digits(size_bytes / _SIZE_UNITS[unit])} {unit}"
    return f"{_three_digits(size_bytes)} B"


def format_duration(duration_ns: float) -> str:
    """A duration for people: "148 us", "1.5 s", "41 min", "2.5 h"; three digits."""
    for unit, floor in (("h", 2.0), ("min", 2.0), ("s", 0.9995), ("ms", 0.9995), ("us", 0.9995)):
        if abs(duration_ns) >= _DURATION_UNITS[unit] * floor:
            return f"{_three_digits(duration_ns / _DURATION_UNITS[unit])} {unit}"
    return f"{_three_digits(duration_ns)} ns"


def format_rate(operations_per_second: float) -> str:
    """A rate for people: "212 k IOPS", "950 IOPS"; three digits."""
    for prefix, factor in (("M ", 1e6), ("k ", 1e3)):
        if abs(operations_per_second) >= factor * 0.9995:
            return f"{_three_digits(operations_per_second / factor)} {prefix}IOPS"
    return f"{_three_digits(operations_per_second)} IOPS"


def format_bandwidth(bytes_per_second: float) -> str:
    """A transfer rate for people: "812 MiB/s"; three digits, binary units."""
    return f"{format_size(bytes_per_second)}/s"


def _three_digits(value: float) -> str:
    """Three significant digits without an exponent; more only where the whole part has more."""
    if abs(value) >= 99.95:
        return f"{value:.0f}"
    text = f"{value:.1f}" if abs(value) >= 9.995 else f"{value:.2f}"
    return text.rstrip("0").rstrip(".")
