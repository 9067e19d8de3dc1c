"""Numbers as fio 3.33 reads them (parse.c), odd ones included: "4kib" is 4000, "10sec" 10 us; and
sizes of other tools."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable

_NUMBER = re.compile(r"([+-]?)(0x[0-9a-f]+|\d+)\s*(?:b|([kmgtp][a-z%]*))?", re.IGNORECASE)
_POWERS = "kmgtp"
_TIMES_US = {"": 0, "us": 1, "ms": 1000,
             "s": 10**6, "m": 60 * 10**6, "h": 3600 * 10**6, "d": 24 * 3600 * 10**6}  # fmt: skip
_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
LONGEST = 64
MOST_LEVELS = 40
"""Of folders in one another: two in each are a trillion."""


def size(text: str, kb_base: int = 1024) -> int:
    """Bytes, or what else is counted: with fio, 4k is 4096 of them. ValueError with what it has to
    be; a percentage is no size here."""
    if text.startswith("("):
        return int(_computed(text, lambda number: float(size(number, kb_base))))
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        raise ValueError("a whole number with k, m, g, t or p")
    number = int(f"{match[1]}{match[2]}", 16 if match[2][:2] in ("0x", "0X") else 10)
    unit, base = (match[3] or "").lower(), kb_base
    if unit[1:3] == "ib":
        base = 1000 if kb_base == 1024 else 1024
    return number * int(base ** (1 + _POWERS.index(unit[0]))) if unit else number


def binary_size(text: str) -> int:
    """Bytes as elbencho, IOR and mdtest read them: 1m, and what IOR takes for it, are 1 MiB."""
    match = re.fullmatch(r"\s*(-?\d+)\s*(?:([kmgtp])(?:i?b)?)?\s*", text.lower())
    if match is None:
        raise ValueError("a whole number with k, m, g, t or p")
    return int(match[1]) << 10 * (1 + _POWERS.index(match[2]) if match[2] else 0)


def leaves(width: int, depth: int) -> int:
    """Folders at the lowest level of a tree; ValueError for a tree that no one has."""
    if width < 0 or depth < 0:
        raise ValueError("a tree of folders is not below zero deep or wide")
    if width > 1 and depth > MOST_LEVELS:
        raise ValueError(f"a tree of folders has at most {MOST_LEVELS} levels")
    if (found := int(width**depth)) > 1 << MOST_LEVELS:
        raise ValueError(f"a tree of folders has at most {1 << MOST_LEVELS:,} at its lowest level")
    return found


def folders(width: int, depth: int) -> int:
    """Folders on all levels of a tree, without its top."""
    lowest = leaves(width, depth)
    return depth if width == 1 else (lowest * width - width) // (width - 1)


def time_ns(text: str, *, of_bare_us: int = 10**6) -> int:
    """Nanoseconds; ValueError for a unit that fio takes for microseconds without saying so."""
    if text.startswith("("):
        return round(1000 * _computed(text, lambda each: time_ns(each, of_bare_us=1) / 1000))
    match = re.fullmatch(r"\s*(\d+)\s*([a-zA-Z]*)", text)
    if match is None:
        raise ValueError("a whole number with us, ms, s, m, h or d")
    count, unit = int(match[1]), match[2].lower()
    unit = unit[:2] if unit.startswith(("us", "ms")) else unit
    if unit not in _TIMES_US:
        raise ValueError(f"us, ms, s, m, h or d: fio 3.33 reads {text} as {count} us")
    return 1000 * count * (_TIMES_US[unit] or of_bare_us)


def switch(text: str | None) -> bool:
    """Said alone, it is on."""
    if text not in (None, "0", "1", "false", "true"):
        raise ValueError("0 or 1")
    return text in (None, "1", "true")


def by_direction(text: str) -> list[str]:
    """The values for reads, writes and trims, "" where fio keeps its default: one is for all, the
    second of two for writes and trims."""
    given = [each.strip() for each in text.split(",")]
    if len(given) > 3:
        raise ValueError("at most three values: reads, writes, trims")
    return given * 3 if len(given) == 1 else [*given, given[-1]][:3]


def _computed(text: str, read: Callable[[str], float]) -> float:
    """An expression in parentheses: whole numbers with units, + - * / % ^."""
    inner = text.strip()
    if len(inner) > LONGEST:
        raise ValueError("a shorter expression")
    plain = re.sub(r"(\d+)([a-zA-Z]+)", lambda found: str(read(found[0])), inner).replace("^", "**")
    try:
        found = _value(ast.parse(plain, mode="eval").body)
        int(found)  # no number is above all others
    except (SyntaxError, ZeroDivisionError, OverflowError, TypeError) as error:
        raise ValueError(f"an expression of whole numbers: {error}") from error
    return found


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            power = _value(right)
            if abs(power) > 64:
                raise ValueError("a smaller power")
            return float(_value(left) ** power)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left), _value(right))
    raise ValueError("an expression of whole numbers")
