"""Values of other tools, translated: "40" of writes is "60 %" of reads, "1m" is "1 MiB"."""

from __future__ import annotations

import re
from typing import Literal, NoReturn

from fsgauge.units import binary_size, exact_duration, exact_percent, exact_size

Reads = Literal[
    "size",
    "KiB",
    "MiB",
    "number",
    "decimal",
    "time",
    "microseconds",
    "percent",
    "rest",
    "pace of a job",
    "switch",
]

_TIME = re.compile(r"\s*([0-9]+)\s*(d|h|m|s|ms|msec|us|usec)?\s*")
_SECONDS = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
_NANOSECONDS = {"ms": 10**6, "msec": 10**6, "us": 10**3, "usec": 10**3}
SWITCH = {"0": False, "1": True, "false": False, "true": True}


def read_value(reads: Reads | None, text: str) -> object:
    """A value as a key takes it; ValueError, with what it has to be, for another one."""
    match reads:
        case "size":
            return _size(text, 1)
        case "KiB":
            return _size(text, 1 << 10)
        case "MiB":
            return _size(text, 1 << 20)
        case "number" | "pace of a job":
            if not text.isdecimal():
                raise ValueError("a whole number")
            return int(text)
        case "decimal":
            return float(text) if _DECIMAL.fullmatch(text) else _not("a number")
        case "percent":
            return _percent(text)
        case "rest":
            return _percent(text, of_100=True)
        case "time":
            return _time(text, 10**9)
        case "microseconds":
            return _time(text, 10**3)
        case "switch" if text in SWITCH:
            return SWITCH[text]
    raise ValueError("0 or 1")


_DECIMAL = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_PERCENT = re.compile(r"([0-9]{1,3})\s*%?")


def _not(what: str) -> NoReturn:
    raise ValueError(what)


def _percent(text: str, *, of_100: bool = False) -> str:
    """The share, or what is left of 100 without it."""
    match = _PERCENT.fullmatch(text)
    if match is None or int(match[1]) > 100:
        raise ValueError("0 to 100")
    return exact_percent(100 - int(match[1]) if of_100 else int(match[1]))


def _size(text: str, of_bare: int) -> str:
    """A bare number counts `of_bare` bytes; a text with a unit of ours stays."""
    if text.isdecimal():
        return exact_size(int(text) * of_bare)
    if "," in text or "-" in text:
        raise ValueError("one size, of reads and writes alike")
    return binary_size(text) or text


def _time(text: str, of_bare_ns: int) -> str:
    """fio's m are minutes; a text with a unit of ours stays."""
    match = _TIME.fullmatch(text)
    if match is None:
        return text
    number, unit = int(match[1]), match[2] or ""
    of_unit = 10**9 * _SECONDS[unit] if unit in _SECONDS else _NANOSECONDS.get(unit, of_bare_ns)
    return exact_duration(number * of_unit)
